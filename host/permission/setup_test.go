package permission

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

func TestMain(m *testing.M) {
	if home := os.Getenv(appenderHome); home != "" {
		os.Exit(appendForTest(home))
	}
	goleak.VerifyTestMain(m)
}

// serve starts a server on loopback and returns its base URL.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// untouched is a server that must not see a single request.
func untouched(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	accepted := make(chan bool, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			_ = conn.Close()
		}
		accepted <- err == nil
	}()
	t.Cleanup(func() {
		require.NoError(t, l.Close())
		require.False(t, <-accepted, "a connection was opened")
	})
	return "http://" + l.Addr().String()
}

// newTestClient makes a client with rules; nothing but rules is needed most
// times.
func newTestClient(t *testing.T, o ClientOptions, rules ...string) *Client {
	t.Helper()
	for _, r := range rules {
		o.Rules = append(o.Rules, mustRule(t, r))
	}
	c := NewClient(o)
	t.Cleanup(c.Close)
	return c
}

// get makes a GET request.
func get(t *testing.T, c *Client, url string) (*Response, error) {
	t.Helper()
	return do(t, c, wire.FetchRequest{URL: url}, nil)
}

func do(t *testing.T, c *Client, req wire.FetchRequest, body []byte) (*Response, error) {
	t.Helper()
	res, err := c.Fetch(t.Context(), req, body)
	if err == nil {
		t.Cleanup(func() { _ = res.Body.Close() })
	}
	return res, err
}

// text reads a response that must have come.
func text(t *testing.T, res *Response, err error) string {
	t.Helper()
	require.NoError(t, err)
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(b)
}

// wireError takes the error apart that every failure is.
func wireError(t *testing.T, err error) *wire.Error {
	t.Helper()
	require.Error(t, err)
	var we *wire.Error
	require.True(t, errors.As(err, &we), "%T: %v", err, err)
	return we
}

func header(res *Response, name string) string {
	for _, nv := range res.Headers {
		if nv[0] == name {
			return nv[1]
		}
	}
	return ""
}

// useLog collects what a client reports.
type useLog struct {
	mu   sync.Mutex
	uses []registry.Use
}

func (l *useLog) add(_ context.Context, u registry.Use) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.uses = append(l.uses, u)
}

// dnsServer is a name server on loopback. Each name has the addresses that
// its successive A queries get, the last of them for ever; AAAA queries get
// those of the same answer. cname:NAME among them is another name for it.
type dnsServer struct {
	mu      sync.Mutex
	answers map[string][]string
	queries []string // names asked for
	addr    string
}

func newDNSServer(t *testing.T, answers map[string][]string) *dnsServer {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &dnsServer{answers: answers, addr: pc.LocalAddr().String()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			if reply := s.answer(buf[:n]); reply != nil {
				_, _ = pc.WriteTo(reply, from)
			}
		}
	}()
	t.Cleanup(func() {
		_ = pc.Close()
		<-done
	})
	return s
}

func (s *dnsServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", s.addr)
	}}
}

func (s *dnsServer) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.queries...)
}

func (s *dnsServer) answer(query []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	name := strings.TrimSuffix(q.Name.String(), ".")
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.answers[name]
	reply := dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true}, Questions: m.Questions}
	if len(list) == 0 {
		reply.RCode = dnsmessage.RCodeNameError
	} else {
		if q.Type == dnsmessage.TypeA {
			s.queries = append(s.queries, name)
			if len(list) > 1 {
				s.answers[name] = list[1:]
			}
		}
		reply.Answers = dnsRecords(q, list[0])
	}
	out, _ := reply.Pack()
	return out
}

// dnsRecords are the records of one answer that the question asks for.
func dnsRecords(q dnsmessage.Question, answer string) (out []dnsmessage.Resource) {
	header := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}
	for text := range strings.FieldsSeq(answer) {
		if name, ok := strings.CutPrefix(text, "cname:"); ok {
			to := dnsmessage.MustNewName(name + ".")
			out = append(out, dnsmessage.Resource{Header: header, Body: &dnsmessage.CNAMEResource{CNAME: to}})
			header.Name = to
			continue
		}
		switch addr := netip.MustParseAddr(text); {
		case addr.Is4() && q.Type == dnsmessage.TypeA:
			out = append(out, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}})
		case addr.Is6() && q.Type == dnsmessage.TypeAAAA:
			out = append(out, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	return out
}

// dialLog counts the connections that a client opens.
type dialLog struct {
	mu    sync.Mutex
	addrs []string
}

func (l *dialLog) list() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.addrs...)
}

// countDials sees each connection of c at the last moment before it is opened.
// Addresses in instead lead there, so that loopback can stand for the internet.
// Other addresses than loopback are not dialled at all.
func countDials(c *Client, instead map[string]string) *dialLog {
	l := &dialLog{}
	c.dialer.open = func(ctx context.Context, nd *net.Dialer, addr string) (net.Conn, error) {
		l.mu.Lock()
		l.addrs = append(l.addrs, addr)
		l.mu.Unlock()
		check := nd.ControlContext
		if _, err := netip.ParseAddrPort(addr); check != nil && err == nil {
			if err := check(ctx, "tcp", addr, nil); err != nil {
				return nil, err
			}
			check = nil // the address may be led elsewhere
		}
		nd.ControlContext = func(ctx context.Context, network, address string, c syscall.RawConn) error {
			if check != nil {
				if err := check(ctx, network, address, c); err != nil {
					return err
				}
			}
			if ap, err := netip.ParseAddrPort(address); err != nil || !ap.Addr().Unmap().IsLoopback() {
				return fmt.Errorf("a test does not connect to %s", address)
			}
			return nil
		}
		if to, ok := instead[addr]; ok {
			addr = to
		}
		return nd.DialContext(ctx, "tcp", addr)
	}
	return l
}

func portOf(url string) string { return url[strings.LastIndexByte(url, ':')+1:] }
