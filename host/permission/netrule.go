package permission

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// NetRule grants a host, or a family of hosts, to an extension. Rules are
// comparable; the zero value grants nothing.
type NetRule struct {
	// host is the canonical name or address, without brackets and trailing
	// dot. For a wildcard it is what follows "*."; empty there is any host.
	host string
	port uint16 // zero is any port
	wild bool
}

// ParseNetRule reads a rule as a person types it after --allow-net=.
//
//	api.github.com        that host, any port
//	localhost:8080        that host, that port
//	*.example.org         every host below example.org, but not example.org itself
//	*                     every host at a public address
//	127.0.0.1, [::1]:80   an address
//
// A leading http:// or https:// is ignored, so that an origin can be pasted;
// names are read as a browser reads them: without regard to case, with
// international names in their ASCII form.
//
// A host granted by its own name or address may lie anywhere. A wildcard
// covers public addresses alone: not the machine itself, not the local
// network, not a cloud's metadata service.
func ParseNetRule(s string) (NetRule, error) {
	if len(s) > maxRule {
		return NetRule{}, fmt.Errorf("a host of %d bytes cannot be granted: no name has more than %d", len(s), maxRule)
	}
	rule, err := parseNetRule(s)
	if err != nil {
		return NetRule{}, fmt.Errorf("%q does not name a host: %w; expected a host such as api.github.com, *.example.org:8443 or [::1]:8080", s, err)
	}
	return rule, nil
}

// maxRule is more than any host, port and scheme need.
const maxRule = 1 << 10

func parseNetRule(s string) (NetRule, error) {
	rest := strings.TrimSpace(s)
	if scheme, after, found := strings.Cut(rest, "://"); found {
		if lower := strings.ToLower(scheme); lower != "http" && lower != "https" {
			return NetRule{}, fmt.Errorf("the scheme %s cannot be granted", scheme)
		}
		rest = strings.TrimSuffix(after, "/")
	}
	switch {
	case rest == "":
		return NetRule{}, errors.New("it is empty")
	case strings.ContainsAny(rest, "/?#\\"):
		return NetRule{}, errors.New("it has a path, and a grant covers whole hosts")
	case strings.Contains(rest, "@"):
		return NetRule{}, errors.New("it has a user name")
	}

	host, port, err := splitPort(rest)
	if err != nil {
		return NetRule{}, err
	}
	if host == "*" {
		return NetRule{wild: true, port: port}, nil
	}
	name, wild := strings.CutPrefix(host, "*.")
	if strings.Contains(name, "*") {
		return NetRule{}, errors.New("a * may stand only alone or as the first label")
	}
	name, isAddr, err := canonicalHost(name)
	if err != nil {
		return NetRule{}, err
	}
	if wild && isAddr {
		return NetRule{}, errors.New("an address has no subdomains")
	}
	return NetRule{host: name, port: port, wild: wild}, nil
}

// splitPort takes a port off a host. A bare IPv6 address has none.
func splitPort(s string) (host string, port uint16, err error) {
	if addr, err := netip.ParseAddr(s); err == nil && addr.Is6() {
		return "[" + s + "]", 0, nil
	}
	at := strings.LastIndexByte(s, ':')
	if at < 0 || at < strings.LastIndexByte(s, ']') {
		return s, 0, nil
	}
	n, err := strconv.ParseUint(s[at+1:], 10, 16)
	if err != nil || n == 0 {
		return "", 0, fmt.Errorf("the port %q is not a number from 1 to 65535", s[at+1:])
	}
	return s[:at], uint16(n), nil
}

// canonicalHost reads a host by the rules that URLs follow, so that a rule and
// a request that mean the same host compare equal.
func canonicalHost(s string) (host string, isAddr bool, err error) {
	u, err := whatwg.Parse("http://" + s + "/")
	if err != nil || u.Hostname() == "" || u.Port() != "" || u.Pathname() != "/" || u.Username() != "" {
		return "", false, errors.New("it is not a valid host name or address")
	}
	e := newEndpoint(u.Hostname(), 0)
	if !e.valid() {
		return "", false, errors.New("it is not a valid host name or address")
	}
	return e.host, e.addr.IsValid(), nil
}

// String is the shortest text that [ParseNetRule] reads as the same rule.
func (r NetRule) String() string {
	host := r.host
	switch {
	case r.wild && host == "":
		host = "*"
	case r.wild:
		host = "*." + host
	}
	if r.port == 0 {
		return bracket(host)
	}
	return net.JoinHostPort(host, strconv.Itoa(int(r.port)))
}

// Wildcard reports whether the rule covers more than one host.
func (r NetRule) Wildcard() bool { return r.wild }

// Grant names the rule in a record of what allowed a request.
func (r NetRule) Grant() string { return "--allow-net=" + r.String() }

// Covers reports whether the rule grants a host and port, as far as the name
// can tell: where a wildcard covers a name, its addresses are checked when the
// connection is opened. A host that is no host is not covered.
func (r NetRule) Covers(host string, port uint16) bool {
	_, ok := NetRules{r}.Find(host, port)
	return ok
}

// covers is Covers for a host in canonical form.
func (r NetRule) covers(e endpoint) bool {
	switch {
	case r == NetRule{}, r.port != 0 && r.port != e.port:
		return false
	case !r.wild:
		return r.host == e.host
	case e.addr.IsValid():
		return r.host == "" && isPublic(e.addr)
	case e.host == "localhost", strings.HasSuffix(e.host, ".localhost"):
		return false // this machine, whatever it may resolve to
	case r.host == "":
		return true
	default:
		return strings.HasSuffix(e.host, "."+r.host)
	}
}
