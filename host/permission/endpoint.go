package permission

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// endpoint is a host and port in the form that rules compare: no brackets, no
// trailing dot, addresses in canonical form and IPv4 never inside IPv6.
type endpoint struct {
	host string
	addr netip.Addr // valid when host is an address
	port uint16
}

// newEndpoint takes a host as URLs and dialers write it.
func newEndpoint(host string, port uint16) endpoint {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if addr, err := netip.ParseAddr(host); err == nil {
		addr = addr.Unmap()
		return endpoint{host: addr.String(), addr: addr, port: port}
	}
	return endpoint{host: strings.ToLower(strings.TrimSuffix(host, ".")), port: port}
}

// parseEndpoint reads host:port.
func parseEndpoint(hostport string) (endpoint, error) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return endpoint{}, err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return endpoint{}, fmt.Errorf("port %q is not a number", port)
	}
	return newEndpoint(host, uint16(n)), nil
}

// endpointOf is where a URL leads. Its DecodedPort takes port 0 for none.
func endpointOf(u *whatwg.Url) (endpoint, error) {
	port := u.DecodedPort()
	if u.Port() != "" {
		port, _ = strconv.Atoi(u.Port())
	}
	e := newEndpoint(u.Hostname(), uint16(port))
	switch {
	case !e.valid():
		return endpoint{}, fmt.Errorf("%q is neither a name nor an address of a host", u.Hostname())
	case port <= 0 || port > 65535:
		return endpoint{}, fmt.Errorf("port %d of %s does not exist: expected one from 1 to 65535", port, u.Hostname())
	}
	return e, nil
}

// String is host:port.
func (e endpoint) String() string {
	return net.JoinHostPort(e.host, strconv.Itoa(int(e.port)))
}

// valid reports whether the host can be one on a network: an address, or a
// name of letters, digits, hyphens and underscores. A URL takes more, such as
// * and $(x), which must reach no rule, no prompt and no command line that a
// person copies.
func (e endpoint) valid() bool {
	if e.addr.IsValid() {
		return e.addr.Zone() == ""
	}
	if len(e.host) > maxName {
		return false
	}
	for label := range strings.SplitSeq(e.host, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}

// maxName is the longest name that DNS has.
const maxName = 253

// bracket puts an IPv6 address in brackets.
func bracket(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}
