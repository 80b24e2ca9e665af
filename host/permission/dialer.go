package permission

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"syscall"
)

// dialer opens connections to what was admitted. It resolves a name once and
// checks each address at the moment it is dialled, so that a name cannot pass
// the check with one address and connect to another.
type dialer struct {
	resolver *net.Resolver
	cas      *x509.CertPool // for proxies that speak TLS
	// open connects; tests put another one in its place.
	open func(ctx context.Context, nd *net.Dialer, addr string) (net.Conn, error)
}

func newDialer(o ClientOptions) *dialer {
	return &dialer{
		resolver: o.Resolver,
		cas:      o.CAs,
		open: func(ctx context.Context, nd *net.Dialer, addr string) (net.Conn, error) {
			return nd.DialContext(ctx, "tcp", addr)
		},
	}
}

var errNotAdmitted = errors.New("a connection was to be opened that nobody admitted")

// DialContext is for [http.Transport]. It reaches what the admission in ctx
// allows, and without one nothing.
func (d *dialer) DialContext(ctx context.Context, _, addr string) (net.Conn, error) {
	a, ok := ctx.Value(admissionKey{}).(*admission)
	if !ok {
		return nil, errNotAdmitted
	}
	if e, err := parseEndpoint(addr); err != nil || e != a.endpoint || !a.rule.covers(e) {
		return nil, denied(a.target)
	}
	ctx, cancel := context.WithTimeout(ctx, connectWait)
	defer cancel()
	defer context.AfterFunc(a.ctx, cancel)()
	if !a.rule.Wildcard() {
		return d.reach(ctx, a, addr)
	}
	addrs, err := d.publicAddrs(ctx, a, addr)
	if err != nil {
		return nil, err
	}
	return firstOf(ctx, addrs, func(ctx context.Context, ip netip.Addr) (net.Conn, error) {
		return d.reach(ctx, a, netip.AddrPortFrom(ip, a.endpoint.port).String())
	})
}

// reach opens one connection, through the proxy where there is one.
func (d *dialer) reach(ctx context.Context, a *admission, addr string) (net.Conn, error) {
	if a.via == nil {
		return d.connect(ctx, a, addr)
	}
	conn, err := d.toProxy(ctx, a.via)
	if err != nil || a.forwards() {
		return conn, err
	}
	return a.via.tunnel(ctx, conn, addr)
}

// connect opens one connection directly. Under a wildcard addr is an address.
func (d *dialer) connect(ctx context.Context, a *admission, addr string) (net.Conn, error) {
	nd := &net.Dialer{Resolver: d.resolver}
	if a.rule.Wildcard() {
		// The last word: this runs with the address of the socket.
		nd.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
			return checkPublic(a.target, address)
		}
	} else if !a.endpoint.addr.IsValid() && !metadataNames[a.endpoint.host] {
		nd.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
			return checkMetadata(a.target, address)
		}
	}
	return d.open(ctx, nd, addr)
}

// checkPublic refuses an address that a wildcard does not cover.
func checkPublic(t Target, address string) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if !isPublic(ap.Addr()) {
		return deniedPrivate(t, ap.Addr())
	}
	return nil
}

// checkMetadata refuses the addresses at which clouds tell a machine its own
// secrets. They are reached only where they were granted themselves: whoever
// owns a name decides where it leads.
func checkMetadata(t Target, address string) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if isMetadata(ap.Addr()) {
		return deniedMetadata(t, ap.Addr())
	}
	return nil
}

// publicAddrs resolves what a wildcard covers. One private address among
// several is a refusal: a name that mixes them is up to something.
func (d *dialer) publicAddrs(ctx context.Context, a *admission, hostPort string) ([]netip.Addr, error) {
	if a.endpoint.addr.IsValid() {
		return []netip.Addr{a.endpoint.addr}, nil // the rule has looked at it
	}
	host, _, err := net.SplitHostPort(hostPort) // with its trailing dot
	if err != nil {
		return nil, err
	}
	resolver := d.resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	addrs, err := resolver.LookupNetIP(ctx, "ip", host)
	if err == nil && len(addrs) == 0 {
		err = &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	}
	if err != nil && a.via != nil && ctx.Err() == nil {
		return nil, deniedUnknown(a.target)
	}
	if err != nil {
		return nil, err
	}
	for i, addr := range addrs {
		if !isPublic(addr) {
			return nil, deniedPrivate(a.target, addr)
		}
		addrs[i] = addr.Unmap()
	}
	return addrs[:min(len(addrs), maxAddrs)], nil
}
