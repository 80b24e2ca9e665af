package permission

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

const publicAddr = "93.184.215.14" // what tests take for the internet

// secure starts a server for https://example.com and tells its port.
func secure(t *testing.T) (port string, cas *x509.CertPool) {
	t.Helper()
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Proto, " ", r.TLS.ServerName, " ", r.Header.Get("Proxy-Authorization"))
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(srv.Close)
	cas = x509.NewCertPool()
	cas.AddCert(srv.Certificate())
	return portOf(srv.URL), cas
}

func mustProxy(t *testing.T, url string, noProxy ...string) *Proxy {
	t.Helper()
	p, err := ParseProxy(url, noProxy...)
	require.NoError(t, err)
	return p
}

// What a rule by name covers is named to the proxy. What a wildcard covers is
// looked up and checked here, and the proxy gets the address.
func TestProxyGetsNamesOrCheckedAddresses(t *testing.T) {
	t.Parallel()
	plain := portOf(serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Host, " ", r.RequestURI, " ", r.Header.Get("Proxy-Authorization"))
	}))
	port, cas := secure(t)
	reach := map[string]string{}
	for _, host := range []string{"example.com", "plain.test", publicAddr} {
		reach[host+":"+port] = "127.0.0.1:" + port
		reach[host+":"+plain] = "127.0.0.1:" + plain
	}
	https, http := "https://example.com:"+port+"/", "http://plain.test:"+plain+"/a//b?q=1"
	tlsAnswer, plainAnswer := "HTTP/2.0 example.com ", "plain.test:"+plain+" /a//b?q=1 "
	for _, tt := range []struct {
		scheme, user, rule, url, want, asked string
		lookups                              int
	}{
		{"http", "", "example.com", https, tlsAnswer, "CONNECT example.com:" + port, 0},
		{"http", "", "*", https, tlsAnswer, "CONNECT " + publicAddr + ":" + port, 1},
		{"http", "", "plain.test", http, plainAnswer, "GET " + http, 0},
		{"http", "", "*.test", http, plainAnswer, "CONNECT " + publicAddr + ":" + plain, 1},
		{"http", "me:s3cret", "example.com", https, tlsAnswer, "CONNECT example.com:" + port, 0},
		{"http", "me:s3cret", "plain.test", http, plainAnswer, "GET " + http, 0},
		{"https", "me:s3cret", "example.com", https, tlsAnswer, "CONNECT example.com:" + port, 0},
		{"https", "me:s3cret", "plain.test", http, plainAnswer, "GET " + http, 0},
		{"https", "", "*", http, plainAnswer, "CONNECT " + publicAddr + ":" + plain, 1},
		{"socks5", "", "example.com", https, tlsAnswer, "SOCKS example.com:" + port, 0},
		{"socks5", "me:s3cret", "*.com", https, tlsAnswer, "SOCKS " + publicAddr + ":" + port, 1},
		{"socks5", "", "plain.test", http, plainAnswer, "SOCKS plain.test:" + plain, 0},
		{"socks5", "", "*", http, plainAnswer, "SOCKS " + publicAddr + ":" + plain, 1},
	} {
		t.Run(tt.scheme+" "+tt.user+" "+tt.rule+" "+tt.url[:5], func(t *testing.T) {
			t.Parallel()
			dns := newDNSServer(t, map[string][]string{"example.com": {publicAddr}, "plain.test": {publicAddr}})
			var p *testProxy
			switch tt.scheme {
			case "socks5":
				p = newSOCKSProxy(t, tt.user, reach)
			case "https":
				p = newHTTPProxy(t, tt.user, reach, (*httptest.Server).StartTLS)
			default:
				p = newHTTPProxy(t, tt.user, reach, nil)
			}
			url := tt.scheme + "://" + p.addr
			if tt.user != "" {
				url = tt.scheme + "://" + tt.user + "@" + p.addr
			}
			var seen useLog
			c := newTestClient(t, ClientOptions{Resolver: dns.resolver(), CAs: cas, Proxy: mustProxy(t, url), OnUse: seen.add}, tt.rule)
			dials := countDials(c, nil)
			for range 2 { // the second time over the same connection
				res, err := do(t, c, wire.FetchRequest{URL: tt.url, Headers: [][2]string{{"proxy-authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("x:y"))}}}, nil)
				require.Equal(t, tt.want, text(t, res, err))
			}
			require.Equal(t, []string{p.addr}, dials.list(), "nothing but the proxy is dialled")
			require.Equal(t, tt.asked, p.asked()[0])
			require.Len(t, dns.asked(), tt.lookups)
			require.NotContains(t, fmt.Sprint(seen.uses), "s3cret")
		})
	}
}

func TestProxyDoesNotWidenAnything(t *testing.T) {
	t.Parallel()
	dns := newDNSServer(t, map[string][]string{"inner.test": {"10.0.0.1"}, "mixed.test": {publicAddr + " 127.0.0.1"}})
	redirects := portOf(serve(t, hops))
	p := newHTTPProxy(t, "", map[string]string{"hop.test:80": "127.0.0.1:" + redirects}, nil)
	for _, tt := range []struct{ rule, url, want string }{
		{"other.test", "http://evil.test/", "is not granted"},
		{"*", "http://10.0.0.1/", "10.0.0.1:80 is not granted"},
		{"*", "http://169.254.169.254/latest/", "169.254.169.254:80 is not granted"},
		{"*", "https://inner.test/", "it leads to 10.0.0.1"},
		{"*", "http://inner.test/", "it leads to 10.0.0.1"},
		{"*", "http://mixed.test/", "it leads to 127.0.0.1"},
		{"*.test", "https://unknown.test/", "where the host leads cannot be found out on this side of the proxy"},
		{"*", "http://" + p.addr + "/", p.addr + " is not granted"},
		{"a.test", "http://a.test:25/", "port 25 is blocked"},
	} {
		for _, scheme := range []string{"http", "socks5"} {
			t.Run(scheme+" "+tt.url, func(t *testing.T) {
				t.Parallel()
				c := newTestClient(t, ClientOptions{Resolver: dns.resolver(), Proxy: mustProxy(t, scheme+"://"+p.addr)}, tt.rule)
				dials := countDials(c, nil)
				_, err := get(t, c, tt.url)
				we := wireError(t, err)
				require.Equal(t, registry.KindPermissionDenied, we.Kind)
				require.Contains(t, we.Message, tt.want)
				require.Empty(t, dials.list(), "the proxy was dialled")
			})
		}
	}
	c := newTestClient(t, ClientOptions{Resolver: dns.resolver(), Proxy: mustProxy(t, "http://"+p.addr)}, "hop.test")
	_, err := get(t, c, "http://hop.test/302?to=http://169.254.169.254/")
	require.Contains(t, wireError(t, err).Message, "169.254.169.254:80 is not granted (hop.test redirected there)")
	require.Equal(t, []string{"GET http://hop.test/302?to=http://169.254.169.254/"}, p.asked())
}

func TestHostsWithoutProxyAreDialled(t *testing.T) {
	t.Parallel()
	url := serve(t, hops)
	dns := newDNSServer(t, map[string][]string{"home.test": {"127.0.0.1"}})
	proxy := mustProxy(t, strings.Replace(untouched(t), "http:", "socks5:", 1), "home.test")
	c := newTestClient(t, ClientOptions{Resolver: dns.resolver(), Proxy: proxy}, "home.test", "127.0.0.1")
	for _, base := range []string{"http://home.test:" + portOf(url), url} {
		res, err := get(t, c, base+"/x")
		require.Contains(t, text(t, res, err), "GET /x")
	}
}

func TestProxyFaults(t *testing.T) {
	t.Parallel()
	speak := func(answer string) string { // a proxy that knows one sentence
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Read(make([]byte, 1024))
				_, _ = conn.Write([]byte(answer))
				_ = conn.Close()
			}
		}()
		t.Cleanup(func() { _, _ = l.Close(), <-done })
		return l.Addr().String()
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	picky := newHTTPProxy(t, "you:else", nil, nil).addr
	for name, tt := range map[string]struct{ scheme, addr, url, want string }{
		"down":              {"http", gone.Listener.Addr().String(), "https://a.test/", "the proxy could not be reached: "},
		"unknown":           {"http", "nowhere.test:3128", "https://a.test/", "the proxy could not be reached: no such host"},
		"wrong user":        {"http", picky, "https://a.test/", "the proxy opened no connection to a.test:443: it answered 407 Proxy Authentication Required"},
		"wrong user, plain": {"http", picky, "http://a.test/", "the proxy did not forward the request: it answered 407 Proxy Authentication Required"},
		"refuses":           {"http", newHTTPProxy(t, "me:s3cret", nil, nil).addr, "https://a.test/", "the proxy opened no connection to a.test:443: it answered 403 Forbidden"},
		"no HTTP":           {"http", speak("hello\r\n\r\n"), "https://a.test/", "the proxy opened no connection to a.test:443: "},
		"talkative":         {"http", speak("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n"), "https://a.test/", "it spoke before it was spoken to"},
		"no TLS":            {"https", speak("hello"), "https://a.test/", "the proxy could not be reached: "},
		"no SOCKS":          {"socks5", speak("hello"), "https://a.test/", "the proxy opened no connection to a.test:443: "},
		"SOCKS refuses":     {"socks5", newSOCKSProxy(t, "me:s3cret", nil).addr, "https://a.test/", "the proxy opened no connection to a.test:443: "},
		"SOCKS wrong user":  {"socks5", newSOCKSProxy(t, "you:else", nil).addr, "http://a.test/", "the proxy opened no connection to a.test:80: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dns := newDNSServer(t, nil)
			c := newTestClient(t, ClientOptions{Resolver: dns.resolver(), Proxy: mustProxy(t, tt.scheme+"://me:s3cret@"+tt.addr)}, "a.test")
			_, err := get(t, c, tt.url)
			we := wireError(t, err)
			require.Equal(t, registry.KindNetwork, we.Kind)
			require.Equal(t, "proxy", we.Code)
			require.Contains(t, we.Message, tt.want)
			require.NotContains(t, we.Message, "s3cret")
			require.NotContains(t, we.Message, tt.addr)
		})
	}
}

// A proxy that takes the connection and then says nothing holds nobody: not
// the request, and not the dial behind it.
func TestProxyThatHangsIsLeft(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"http", "https", "socks5"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer l.Close()
			ctx, cancel := context.WithCancelCause(t.Context())
			left := make(chan error, 1)
			go func() {
				conn, err := l.Accept()
				if err == nil {
					buf := make([]byte, 4096)
					_, _ = conn.Read(buf)
					cancel(wire.ErrDeadline)
					for err == nil {
						_, err = conn.Read(buf)
					}
					_ = conn.Close()
				}
				left <- err
			}()
			c := newTestClient(t, ClientOptions{Proxy: mustProxy(t, scheme+"://"+l.Addr().String())}, "a.test")
			_, err = c.Fetch(ctx, wire.FetchRequest{URL: "https://a.test/"}, nil)
			require.Equal(t, "AbortError", wireError(t, err).Name)
			require.Error(t, soon(t, left), "the client hung up")
		})
	}
}
