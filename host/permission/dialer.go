package permission

import (
	"context"
	"net"
	"net/netip"
	"syscall"
)

// dialer opens connections to what the rules grant. It resolves a name once
// and checks each address at the moment it is dialled, so that a name cannot
// pass the check with one address and connect to another.
type dialer struct {
	rules    netRules
	resolver *net.Resolver
}

// DialContext is for [http.Transport].
func (d *dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	e, err := parseEndpoint(addr)
	if err != nil {
		return nil, err
	}
	rule, ok := d.rules.find(e)
	if !ok {
		return nil, denied(e, "")
	}
	nd := net.Dialer{Timeout: connectWait, Resolver: d.resolver}
	if rule.Wildcard() {
		// The dialer calls this between resolving and connecting, for each
		// address that it tries.
		nd.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
			return checkPublic(e, address)
		}
	}
	return nd.DialContext(ctx, network, addr)
}

// checkPublic refuses an address that a wildcard does not cover.
func checkPublic(e endpoint, address string) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if !isPublic(ap.Addr()) {
		return deniedPrivate(e, ap.Addr())
	}
	return nil
}
