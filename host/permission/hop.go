package permission

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/rho-ext/rho-ext/host/wire"
)

// The redirect modes of a request; empty means follow.
const (
	redirectFollow = "follow"
	redirectManual = "manual"
	redirectError  = "error"
)

// hop is one request of the chain that redirects form.
type hop struct {
	url      *whatwg.Url
	endpoint endpoint
	method   string
	headers  http.Header
	body     []byte
	from     string // host that redirected here; empty for the first hop
}

// newHop checks a request before anything else happens.
func (c *Client) newHop(req wire.FetchRequest, body []byte) (*hop, error) {
	switch req.Redirect {
	case "", redirectFollow, redirectManual, redirectError:
	default:
		return nil, typeError("%q is not a redirect mode: expected follow, manual or error", req.Redirect)
	}
	method, err := parseMethod(req.Method)
	if err != nil {
		return nil, err
	}
	if len(body) > 0 && (method == http.MethodGet || method == http.MethodHead) {
		return nil, typeError("a %s request cannot have a body", method)
	}
	u, e, err := parseURL(nil, req.URL)
	if err != nil {
		return nil, typeError("%v", err)
	}
	headers, err := parseHeaders(req.Headers, c.userAgent)
	if err != nil {
		return nil, err
	}
	return &hop{
		url:      u,
		endpoint: e,
		method:   method,
		headers:  headers,
		body:     body,
	}, nil
}

// parseMethod checks a method, and writes the common ones in upper case.
func parseMethod(s string) (string, error) {
	if s == "" {
		return http.MethodGet, nil
	}
	if !isToken(s) {
		return "", typeError("%q is not an HTTP method", s)
	}
	switch upper := strings.ToUpper(s); upper {
	case "CONNECT", "TRACE", "TRACK":
		return "", typeError("the method %s cannot be used", upper)
	case "DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT":
		return upper, nil
	default:
		return s, nil // methods are case-sensitive
	}
}

// The parser encodes what stands before an @ again at each further one, so
// that ten thousand of them take it a second, which nothing can interrupt.
const (
	maxURL = 64 << 10 // bytes; servers take far less
	maxAts = 100      // outside the query
)

// parseURL reads a URL, against base where that is not nil, and tells where it
// leads.
func parseURL(base *whatwg.Url, s string) (*whatwg.Url, endpoint, error) {
	beforeQuery := s
	if at := strings.IndexAny(s, "?#"); at >= 0 {
		beforeQuery = s[:at]
	}
	if len(s) > maxURL {
		return nil, endpoint{}, fmt.Errorf("the URL has %d bytes: at most %d can be sent", len(s), maxURL)
	}
	if strings.Count(beforeQuery, "@") > maxAts {
		return nil, endpoint{}, fmt.Errorf("the URL has more than %d @ before its query", maxAts)
	}
	var u *whatwg.Url
	var err error
	if base != nil {
		u, err = base.Parse(s)
	} else {
		u, err = whatwg.Parse(s)
	}
	switch {
	case err != nil:
		return nil, endpoint{}, fmt.Errorf("%q is not a valid URL: expected an absolute one, such as https://example.org/path", s)
	case u.Scheme() != "http" && u.Scheme() != "https":
		return nil, endpoint{}, fmt.Errorf("the URL scheme %s: is not supported: expected http: or https:", u.Scheme())
	case u.Username() != "" || u.Password() != "":
		return nil, endpoint{}, fmt.Errorf("the URL for %s includes a user name or password: send an Authorization header instead", u.Host())
	}
	e, err := endpointOf(u)
	if err != nil {
		return nil, endpoint{}, err
	}
	return u, e, nil
}

// target is the hop as it is decided about.
func (h *hop) target() Target {
	return Target{
		Host:   h.endpoint.host,
		Port:   h.endpoint.port,
		Method: h.method,
		URL:    h.url.Protocol() + "//" + h.url.Host() + h.url.Pathname(),
		From:   h.from,
	}
}

// goURL is the URL as the transport takes it. It is put together from parts
// and not parsed again, so that what the rules saw is what is sent. A proxy
// that forwards the request reads the whole URL in its first line.
func (h *hop) goURL(whole bool) *url.URL {
	u := &url.URL{Scheme: h.url.Scheme(), Host: h.url.Host(), RawQuery: h.url.Query()}
	path := h.url.Pathname()
	switch {
	case whole:
		u.Opaque = "//" + u.Host + path // written with the scheme
	case !strings.HasPrefix(path, "//"):
		u.Opaque = path
	default:
		// As Opaque it would be taken for a host.
		u.Path, u.RawPath = path, path
		if plain, err := url.PathUnescape(path); err == nil {
			u.Path = plain
		}
	}
	return u
}

// redirectTarget returns where a response redirects to.
func redirectTarget(res *http.Response) (location string, ok bool) {
	switch res.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		location = latin1ToString(res.Header.Get("Location"))
	}
	return location, location != ""
}

// redirect is the hop after a response with this status and location.
func (h *hop) redirect(status int, location string) (*hop, error) {
	u, e, err := parseURL(h.url, location)
	if err != nil {
		return nil, netError("", "%s %s redirects to a place that cannot be fetched: %v", h.method, h.target().URL, err)
	}
	if h.url.Scheme() == "https" && u.Scheme() == "http" {
		return nil, netError("", "%s redirects from https to %s, in the clear, which is not followed", h.target().URL, u.Host())
	}
	next := &hop{
		url:      u,
		endpoint: e,
		method:   h.method,
		headers:  h.headers.Clone(),
		body:     h.body,
		from:     h.url.Host(),
	}
	toGet := status == http.StatusSeeOther && h.method != http.MethodGet && h.method != http.MethodHead
	if (status == http.StatusMovedPermanently || status == http.StatusFound) && h.method == http.MethodPost {
		toGet = true
	}
	if toGet {
		next.method, next.body = http.MethodGet, nil
		for _, name := range bodyHeaders {
			next.headers.Del(name)
		}
	}
	if u.Protocol() != h.url.Protocol() || u.Host() != h.url.Host() {
		for _, name := range credentialHeaders {
			next.headers.Del(name)
		}
	}
	return next, nil
}
