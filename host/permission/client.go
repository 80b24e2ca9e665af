package permission

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// The limits of a request where [ClientOptions] says nothing else.
const (
	DefaultMaxBody    = 10 << 20 // bytes of a response's body, after decompression
	DefaultHeaderWait = 30 * time.Second

	maxRedirects   = 10
	maxHeaderBytes = 256 << 10
	connectWait    = 30 * time.Second
	handshakeWait  = 10 * time.Second
	idleWait       = 30 * time.Second
)

// ClientOptions configure a [Client]. The zero value reaches nothing.
type ClientOptions struct {
	// Rules grant hosts. A host that none of them covers is not even looked up.
	Rules []NetRule
	// MaxBody bounds a response's body; zero means [DefaultMaxBody].
	MaxBody int64
	// HeaderWait bounds the wait for a response's headers, once the request is
	// sent; zero means [DefaultHeaderWait].
	HeaderWait time.Duration
	// UserAgent is sent where the request has none; empty means rho-ext.
	UserAgent string
	// Resolver looks names up; nil means the system's.
	Resolver *net.Resolver
	// TLS adds to the configuration of TLS, such as certificate authorities.
	TLS *tls.Config
	// OnUse, if not nil, hears of every hop of every request, also of refused
	// ones, before it is made. ctx is that of the request.
	OnUse func(ctx context.Context, u registry.Use)
}

// Client makes HTTP requests for an extension and keeps them to the hosts that
// its rules grant. It takes no proxy from the environment, keeps no cookies and
// shares no connection with other clients. It is safe for concurrent use.
type Client struct {
	rules     netRules
	maxBody   int64
	userAgent string
	onUse     func(context.Context, registry.Use)
	transport *http.Transport
}

// NewClient makes a client. Close it to end its idle connections.
func NewClient(o ClientOptions) *Client {
	c := &Client{
		rules:     slices.Clone(o.Rules),
		maxBody:   o.MaxBody,
		userAgent: o.UserAgent,
		onUse:     o.OnUse,
	}
	if c.maxBody <= 0 {
		c.maxBody = DefaultMaxBody
	}
	if c.userAgent == "" {
		c.userAgent = "rho-ext"
	}
	if c.onUse == nil {
		c.onUse = func(context.Context, registry.Use) {}
	}
	wait := o.HeaderWait
	if wait <= 0 {
		wait = DefaultHeaderWait
	}
	dial := &dialer{rules: c.rules, resolver: o.Resolver}
	c.transport = &http.Transport{
		DialContext:            dial.DialContext,
		TLSClientConfig:        o.TLS.Clone(),
		TLSHandshakeTimeout:    handshakeWait,
		ResponseHeaderTimeout:  wait,
		MaxResponseHeaderBytes: maxHeaderBytes,
		IdleConnTimeout:        idleWait,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // decoded here, also where the author asked for it
	}
	return c
}

// Close ends the idle connections. Requests that run are not affected.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Response answers a request.
type Response struct {
	wire.FetchResponse
	// Body is never nil. It ends with the context of the request, and fails
	// past the client's limit. The caller closes it, from any goroutine.
	Body io.ReadCloser
	// Grant is what allowed the last hop, such as --allow-net=api.github.com.
	Grant string
}

// Fetch makes a request as the fetch standard describes it: redirects are
// followed unless the request says otherwise, each hop against the rules.
//
// Headers that belong to the connection (Host, Content-Length, Connection and
// their like) are left out, as a browser does; Cookie, Origin, Referer and
// User-Agent are sent as given, as no page is there to protect.
//
// Every error is a [*wire.Error]: a PermissionDenied for a host that is not
// granted, a TypeError for a request that is wrong or failed, an AbortError
// when ctx ended.
func (c *Client) Fetch(ctx context.Context, req wire.FetchRequest, body []byte) (*Response, error) {
	h, err := c.newHop(req, body)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	res, err := c.follow(ctx, cancel, h, req.Redirect)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	return res, nil
}

// follow makes one hop after the other until one is the answer. The answer's
// body ends ctx by cancel.
func (c *Client) follow(ctx context.Context, cancel context.CancelCauseFunc, h *hop, mode string) (*Response, error) {
	for redirects := 0; ; redirects++ {
		res, grant, err := c.roundTrip(ctx, h)
		if err != nil {
			return nil, err
		}
		location, isRedirect := redirectTarget(res)
		if !isRedirect || mode == redirectManual {
			answer := c.response(h, res, redirects > 0, grant)
			answer.Body = newBody(ctx, cancel, res, c.maxBody)
			return answer, nil
		}
		// A body that nobody will read; the connection goes with it.
		_ = res.Body.Close()
		if mode == redirectError {
			return nil, netError("", "%s redirects to %s, and the request refuses redirects", h.url.Href(true), location)
		}
		if redirects == maxRedirects {
			return nil, netError("", "more than %d redirects", maxRedirects)
		}
		h, err = h.redirect(res.StatusCode, location)
		if err != nil {
			return nil, err
		}
	}
}

// roundTrip makes one hop. Nothing leaves before a rule covers the host.
func (c *Client) roundTrip(ctx context.Context, h *hop) (res *http.Response, grant string, err error) {
	use := registry.Use{Kind: "net", Target: h.target(), Effect: registry.EffectNet.String()}
	rule, ok := c.rules.find(h.endpoint)
	if !ok {
		use.Denied = true
		c.onUse(ctx, use)
		return nil, "", denied(h.endpoint, h.from)
	}
	if err := ctx.Err(); err != nil {
		return nil, "", aborted(ctx)
	}
	use.Grant = rule.Grant()
	c.onUse(ctx, use)

	hr := (&http.Request{
		Method: h.method,
		URL:    h.goURL(),
		Host:   h.url.Host(),
		Header: h.headers.Clone(), // a transport may hold on to it
	}).WithContext(ctx)
	hr.Body = http.NoBody
	if len(h.body) > 0 {
		hr.Body = io.NopCloser(bytes.NewReader(h.body))
		hr.ContentLength = int64(len(h.body))
		hr.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(h.body)), nil }
	}
	res, err = c.transport.RoundTrip(hr)
	if err != nil {
		fault := fault(ctx, err)
		if fault.Kind == registry.KindPermissionDenied { // found out at the dial
			use.Grant, use.Denied = "", true
			c.onUse(ctx, use)
		}
		return nil, "", fault
	}
	return res, use.Grant, nil
}

// response turns the last hop into plain data.
func (c *Client) response(h *hop, res *http.Response, redirected bool, grant string) *Response {
	_, text, _ := strings.Cut(res.Status, " ")
	return &Response{
		FetchResponse: wire.FetchResponse{
			Status:     res.StatusCode,
			StatusText: text,
			URL:        h.url.Href(true),
			Redirected: redirected,
			Headers:    headerList(res.Header),
		},
		Grant: grant,
	}
}
