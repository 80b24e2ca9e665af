package permission

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/proxy"
)

// toProxy opens a connection to a proxy. Where it is, is the user's choice and
// no extension's, so no rule has to cover it.
func (d *dialer) toProxy(ctx context.Context, p *proxyServer) (net.Conn, error) {
	conn, err := d.open(ctx, &net.Dialer{Resolver: d.resolver}, p.addr())
	if err != nil {
		return nil, proxyError(ctx, "could not be reached", err)
	}
	if p.scheme != "https" {
		return conn, nil
	}
	secure := tls.Client(conn, &tls.Config{ServerName: p.host, RootCAs: d.cas, NextProtos: []string{"http/1.1"}})
	ctx, cancel := context.WithTimeout(ctx, handshakeWait)
	defer cancel()
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, proxyError(ctx, "could not be reached", err)
	}
	return secure, nil
}

// tunnel asks the proxy behind conn to connect to addr. The connection it
// returns is one to addr; on an error conn is closed.
func (p *proxyServer) tunnel(ctx context.Context, conn net.Conn, addr string) (net.Conn, error) {
	ask := p.connect
	if p.scheme == "socks5" {
		ask = p.socks
	}
	through, err := ask(ctx, conn, addr)
	if err != nil {
		_ = conn.Close()
		return nil, proxyError(ctx, "opened no connection to "+addr, err)
	}
	return through, nil
}

// connect is the tunnel of HTTP.
func (p *proxyServer) connect(ctx context.Context, conn net.Conn, addr string) (net.Conn, error) {
	// A deadline in the past ends what reads or writes.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: addr}, Host: addr, Header: http.Header{"User-Agent": {""}}}
	if auth := p.basicAuth(); auth != "" {
		req.Header.Set("Proxy-Authorization", auth)
	}
	if err := req.Write(conn); err != nil {
		return nil, err
	}
	br := bufio.NewReader(io.LimitReader(conn, maxHeaderBytes))
	res, err := http.ReadResponse(br, req)
	switch {
	case err != nil:
		return nil, err
	case res.StatusCode != http.StatusOK:
		return nil, statusError(res.StatusCode)
	case br.Buffered() > 0:
		return nil, errors.New("it spoke before it was spoken to")
	case !stop():
		return nil, ctx.Err()
	}
	return conn, nil
}

// socks is the tunnel of SOCKS5.
func (p *proxyServer) socks(ctx context.Context, conn net.Conn, addr string) (net.Conn, error) {
	var auth *proxy.Auth
	if p.user != nil {
		password, _ := p.user.Password()
		auth = &proxy.Auth{User: p.user.Username(), Password: password}
	}
	d, err := proxy.SOCKS5("tcp", p.addr(), auth, opened{conn})
	if err != nil {
		return nil, err
	}
	return d.(proxy.ContextDialer).DialContext(ctx, "tcp", addr)
}

// opened is a dialer that has its connection already.
type opened struct{ conn net.Conn }

func (o opened) Dial(string, string) (net.Conn, error) { return o.conn, nil }

func (o opened) DialContext(context.Context, string, string) (net.Conn, error) { return o.conn, nil }

// basicAuth is the header value for the proxy's user, or empty.
func (p *proxyServer) basicAuth() string {
	if p.user == nil {
		return ""
	}
	password, _ := p.user.Password()
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(p.user.Username()+":"+password))
}

// proxyError tells that the proxy failed, without saying which proxy: that is
// not the extension's to know, and the user knows.
func proxyError(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var op *net.OpError
	for errors.As(err, &op) { // they name addresses
		err = op.Err
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		err = errors.New(dns.Err)
	}
	return netError("proxy", "the proxy %s: %v", what, err)
}

func statusError(code int) error {
	return fmt.Errorf("it answered %d %s", code, http.StatusText(code))
}
