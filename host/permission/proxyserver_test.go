package permission

import (
	"context"
	"encoding/binary"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// testProxy is a proxy on loopback that keeps a log of what it is asked for.
// What it reaches is not where the network would lead.
type testProxy struct {
	addr  string
	user  string            // user:password that it wants, or empty
	reach map[string]string // from host:port to an address on loopback

	mu    sync.Mutex
	log   []string
	pipes sync.WaitGroup
}

func (p *testProxy) note(s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = append(p.log, s)
}

func (p *testProxy) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.log)
}

// join carries bytes both ways until one side ends.
func (p *testProxy) join(a, b net.Conn) {
	for _, way := range [][2]net.Conn{{a, b}, {b, a}} {
		p.pipes.Go(func() {
			_, _ = io.Copy(way[0], way[1])
			_, _ = a.Close(), b.Close()
		})
	}
}

// newHTTPProxy is a proxy of HTTP. start, if not nil, starts it.
func newHTTPProxy(t *testing.T, user string, reach map[string]string, start func(*httptest.Server)) *testProxy {
	t.Helper()
	p := &testProxy{user: user, reach: reach}
	direct := &http.Transport{DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", p.reach[addr])
	}}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.note(r.Method + " " + r.RequestURI)
		name, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth()
		if p.user != "" && p.user != name+":"+password {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		if r.Method != http.MethodConnect {
			r.RequestURI = ""
			r.Header.Del("Proxy-Authorization")
			res, err := direct.RoundTrip(r)
			if err != nil {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			defer res.Body.Close()
			maps.Copy(w.Header(), res.Header)
			w.WriteHeader(res.StatusCode)
			_, _ = io.Copy(w, res.Body)
			return
		}
		to, err := net.Dial("tcp", p.reach[r.RequestURI])
		if err != nil {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		p.pipes.Add(1) // the server does not wait for what is hijacked
		defer p.pipes.Done()
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			_ = to.Close()
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n")
		p.join(conn, to)
	}))
	if start == nil {
		start = (*httptest.Server).Start
	}
	start(srv)
	p.addr = srv.Listener.Addr().String()
	t.Cleanup(func() {
		srv.Close()
		direct.CloseIdleConnections()
		p.pipes.Wait()
	})
	return p
}

// newSOCKSProxy is a proxy of SOCKS5.
func newSOCKSProxy(t *testing.T, user string, reach map[string]string) *testProxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &testProxy{addr: l.Addr().String(), user: user, reach: reach}
	p.pipes.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			p.pipes.Go(func() { p.socks(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		p.pipes.Wait()
	})
	return p
}

// socks serves one connection, as RFC 1928 and RFC 1929 have it.
func (p *testProxy) socks(conn net.Conn) {
	buf := make([]byte, 512)
	read := func(n int) []byte {
		_, _ = io.ReadFull(conn, buf[:n])
		return slices.Clone(buf[:n])
	}
	text := func() string { return string(read(int(read(1)[0]))) }
	read(1)
	methods := text()
	if p.user != "" {
		if !strings.ContainsRune(methods, 2) {
			_, _ = conn.Write([]byte{5, 0xff})
			_ = conn.Close()
			return
		}
		_, _ = conn.Write([]byte{5, 2})
		read(1)
		if text()+":"+text() != p.user {
			p.note("wrong user")
			_, _ = conn.Write([]byte{1, 1})
			_ = conn.Close()
			return
		}
		_, _ = conn.Write([]byte{1, 0})
	} else {
		_, _ = conn.Write([]byte{5, 0})
	}
	host := ""
	switch read(4)[3] {
	case 1:
		host = net.IP(read(4)).String()
	case 3:
		host = text()
	case 4:
		host = net.IP(read(16)).String()
	}
	addr := net.JoinHostPort(host, strconv.Itoa(int(binary.BigEndian.Uint16(read(2)))))
	p.note("SOCKS " + addr)
	to, err := net.Dial("tcp", p.reach[addr])
	if err != nil {
		_, _ = conn.Write([]byte{5, 2, 0, 1, 0, 0, 0, 0, 0, 0})
		_ = conn.Close()
		return
	}
	_, _ = conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	p.join(conn, to)
}
