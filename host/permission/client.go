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
	"sync"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// Client makes HTTP requests for an extension and keeps them to the hosts that
// it is granted. It keeps no cookies and shares no connection with other
// clients. It is safe for concurrent use.
type Client struct {
	ask       func(context.Context, Target) (NetRule, string, error)
	maxBody   int64
	userAgent string
	onUse     func(context.Context, registry.Use)
	dialer    *dialer
	proxy     *Proxy
	conns     conns
	instead   http.RoundTripper // of the network, or nil

	// A connection that was opened for a host by name may lead to a private
	// address, so it must never serve a request that a wildcard admitted.
	byName, byWildcard *http.Transport
}

// NewClient makes a client. Close it to end its idle connections.
func NewClient(o ClientOptions) *Client {
	c := &Client{
		ask:       o.Admit,
		maxBody:   o.MaxBody,
		userAgent: o.UserAgent,
		onUse:     o.OnUse,
		dialer:    newDialer(o),
		proxy:     o.Proxy,
		instead:   o.Transport,
	}
	if c.ask == nil {
		c.ask = admitBy(slices.Clone(o.Rules))
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
	c.byName, c.byWildcard = c.newTransport(o), c.newTransport(o)
	return c
}

// newTransport makes a pool of connections. Inside of one they are kept apart
// by scheme, host and port, those of HTTP/2 too: the transport never sends a
// request over a connection to another host, even if its certificate would do.
func (c *Client) newTransport(o ClientOptions) *http.Transport {
	wait := o.HeaderWait
	if wait <= 0 {
		wait = DefaultHeaderWait
	}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := c.dialer.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return c.conns.add(conn)
		},
		TLSClientConfig:        &tls.Config{RootCAs: o.CAs},
		TLSHandshakeTimeout:    handshakeWait,
		ResponseHeaderTimeout:  wait,
		MaxResponseHeaderBytes: maxHeaderBytes,
		IdleConnTimeout:        idleWait,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // decoded here, also where the author asked for it
	}
}

// transport is the pool for what a rule admitted.
func (c *Client) transport(r NetRule) http.RoundTripper {
	if c.instead != nil {
		return c.instead
	}
	if r.Wildcard() {
		return c.byWildcard
	}
	return c.byName
}

// Close ends the idle connections, and those of requests that run when the
// body of the last of them is closed. Later requests work, over connections of
// their own.
func (c *Client) Close() {
	c.conns.close()
	c.byName.CloseIdleConnections()
	c.byWildcard.CloseIdleConnections()
}

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
	c.conns.begin()
	ctx, cancel := context.WithCancelCause(ctx)
	end := sync.OnceFunc(c.conns.end)
	done := func(cause error) { cancel(cause); end() }
	res, err := c.follow(ctx, done, h, req.Redirect)
	if err != nil {
		done(nil)
		return nil, err
	}
	return res, nil
}

// follow makes one hop after the other until one is the answer. The answer's
// body ends ctx by done.
func (c *Client) follow(ctx context.Context, done context.CancelCauseFunc, h *hop, mode string) (*Response, error) {
	for redirects := 0; ; redirects++ {
		res, grant, err := c.roundTrip(ctx, h)
		if err != nil {
			return nil, err
		}
		location, isRedirect := redirectTarget(res)
		if !isRedirect || mode == redirectManual {
			answer := c.response(h, res, redirects > 0, grant)
			answer.Body = newBody(ctx, done, res, c.maxBody)
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

// roundTrip makes one hop. Nothing leaves before it is admitted.
func (c *Client) roundTrip(ctx context.Context, h *hop) (*http.Response, string, error) {
	t := h.target()
	use := registry.Use{Kind: "net", Target: t.Method + " " + t.URL, Effect: registry.EffectNet.String()}
	a, no := c.admit(ctx, h)
	if no != nil {
		if use.Denied = no.Kind == registry.KindPermissionDenied; use.Denied {
			c.onUse(ctx, use)
		}
		return nil, "", no
	}
	use.Grant = a.grant
	c.onUse(ctx, use)

	res, err := c.transport(a.rule).RoundTrip(c.request(a, h))
	if err != nil {
		fault := fault(ctx, err)
		if fault.Kind == registry.KindPermissionDenied { // found out at the dial
			use.Grant, use.Denied = "", true
			c.onUse(ctx, use)
		}
		return nil, "", fault
	}
	if a.forwards() && res.StatusCode == http.StatusProxyAuthRequired {
		_ = res.Body.Close()
		return nil, "", netError("proxy", "the proxy did not forward the request: %v", statusError(res.StatusCode))
	}
	return res, use.Grant, nil
}

// request is a hop as the transport takes it.
func (c *Client) request(a *admission, h *hop) *http.Request {
	r := (&http.Request{
		Method: h.method,
		URL:    h.goURL(a.forwards()),
		Host:   h.url.Host(),
		Header: h.headers.Clone(), // a transport may hold on to it
		Body:   http.NoBody,
	}).WithContext(a.context())
	if a.forwards() {
		if auth := a.via.basicAuth(); auth != "" {
			r.Header.Set("Proxy-Authorization", auth)
		}
	}
	if len(h.body) > 0 {
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(h.body)), nil }
		r.Body, _ = r.GetBody()
		r.ContentLength = int64(len(h.body))
	}
	return r
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
