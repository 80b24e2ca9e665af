package permission

import (
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// connectionHeaders belong to the connection and not to the author: a forged
// Host could reach another site at a granted address, a forged length or
// encoding could smuggle a second request.
var connectionHeaders = map[string]bool{
	"Connection":        true,
	"Content-Length":    true,
	"Expect":            true,
	"Host":              true,
	"Keep-Alive":        true,
	"Te":                true,
	"Trailer":           true,
	"Transfer-Encoding": true,
	"Upgrade":           true,
	"Http2-Settings":    true,
}

var (
	// bodyHeaders describe a body and go with it.
	bodyHeaders = []string{"Content-Encoding", "Content-Language", "Content-Location", "Content-Type"}
	// credentialHeaders are meant for one origin.
	credentialHeaders = []string{"Authorization", "Cookie", "Cookie2"}
)

// parseHeaders checks an author's headers and adds those that every request
// has.
func parseHeaders(list [][2]string, userAgent string) (http.Header, error) {
	h := http.Header{}
	for _, nv := range list {
		name, value := nv[0], strings.Trim(nv[1], " \t\r\n")
		if !isToken(name) {
			return nil, typeError("%q is not a header name", name)
		}
		raw, ok := stringToLatin1(value)
		if !ok || !httpguts.ValidHeaderFieldValue(raw) {
			return nil, typeError("the value of the header %s has a character that headers cannot hold", name)
		}
		// What is for a proxy is between it and the user.
		key := http.CanonicalHeaderKey(name)
		if !connectionHeaders[key] && !strings.HasPrefix(key, "Proxy-") {
			h.Add(name, raw)
		}
	}
	for _, nv := range [][2]string{{"Accept", "*/*"}, {"Accept-Encoding", "gzip, deflate"}, {"User-Agent", userAgent}} {
		if _, ok := h[nv[0]]; !ok {
			h.Set(nv[0], nv[1])
		}
	}
	return h, nil
}

// headerList is a response's headers, sorted by name; several values of one
// name stay apart and in order.
func headerList(h http.Header) [][2]string {
	out := make([][2]string, 0, len(h))
	for name, values := range h {
		for _, v := range values {
			out = append(out, [2]string{strings.ToLower(name), latin1ToString(v)})
		}
	}
	slices.SortStableFunc(out, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return out
}

// isToken reports whether s has the form of methods and header names.
func isToken(s string) bool { return httpguts.ValidHeaderFieldName(s) }

// latin1ToString reads header bytes as JavaScript does, one character each.
func latin1ToString(s string) string {
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}

// stringToLatin1 is the way back; ok is false for a character past U+00FF.
func stringToLatin1(s string) (_ string, ok bool) {
	bytes := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xFF {
			return "", false
		}
		bytes = append(bytes, byte(r))
	}
	return string(bytes), true
}
