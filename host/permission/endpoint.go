package permission

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
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

// String is host:port.
func (e endpoint) String() string {
	return net.JoinHostPort(e.host, strconv.Itoa(int(e.port)))
}

// rule is the narrowest rule a person would type to grant e.
func (e endpoint) rule() string {
	if e.port == 80 || e.port == 443 {
		return bracket(e.host)
	}
	return e.String()
}

// bracket puts an IPv6 address in brackets.
func bracket(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// notPublic lists address blocks that do not lead to the public internet, from
// the special-purpose registries of IANA, and a cloud's metadata service that
// sits on an address of its own.
var notPublic = parsePrefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
	"172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32", // Azure
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

var (
	globalUnicast = netip.MustParsePrefix("2000::/3")
	nat64         = netip.MustParsePrefix("64:ff9b::/96")
)

func parsePrefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// isPublic reports whether addr belongs to the public internet: not to this
// machine, a local network, a metadata service or a reserved block.
func isPublic(addr netip.Addr) bool {
	addr = addr.Unmap()
	if nat64.Contains(addr) {
		// A network without IPv4 reaches IPv4 hosts this way; what counts is
		// the address inside.
		b := addr.As16()
		return isPublic(netip.AddrFrom4([4]byte(b[12:])))
	}
	if addr.Zone() != "" || addr.Is6() && !globalUnicast.Contains(addr) {
		return false
	}
	for _, p := range notPublic {
		if p.Contains(addr) {
			return false
		}
	}
	return true
}
