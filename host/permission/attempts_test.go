package permission

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// arena is what attempts run in: a host that is granted, and a trap on loopback
// that counts whoever gets through, by TCP or UDP.
type arena struct {
	granted, trap string // ports
	hits, trapped atomic.Int64
	dns           *dnsServer
}

// attempt is a request that must be refused before anything leaves. GRANTED
// and TRAP in its texts stand for the two ports.
type attempt struct {
	url     string
	to      string // the granted host redirects there; url is empty
	hops    int64  // that arrive at the granted host; of a redirect zero means one
	method  string
	headers [][2]string
	rules   string // besides the granted host; empty is *, and - is none
	lookup  bool   // a wildcard covers the name, so it has to be looked up
	kind    registry.Kind
	want    string
}

func newArena(t *testing.T, names map[string][]string) *arena {
	t.Helper()
	a := &arena{dns: newDNSServer(t, names)}
	a.granted = portOf(serve(t, func(w http.ResponseWriter, r *http.Request) {
		a.hits.Add(1)
		hops(w, r)
	}))
	l, pc := listenBoth(t)
	a.trap = portOf(l.Addr().String())
	done := make(chan struct{}, 2)
	go func() {
		defer func() { done <- struct{}{} }()
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			a.trapped.Add(1)
			_ = conn.Close()
		}
	}()
	go func() {
		defer func() { done <- struct{}{} }()
		for {
			if _, _, err := pc.ReadFrom(make([]byte, 1)); err != nil {
				return
			}
			a.trapped.Add(1)
		}
	}()
	t.Cleanup(func() {
		_, _ = l.Close(), pc.Close()
		<-done
		<-done
		require.Zero(t, a.trapped.Load(), "something got through")
	})
	return a
}

// listenBoth listens on one port of loopback by TCP and UDP.
func listenBoth(t *testing.T) (net.Listener, net.PacketConn) {
	t.Helper()
	for range 50 { // another test may have the other half of the port
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		pc, err := net.ListenPacket("udp", l.Addr().String())
		if err == nil {
			return l, pc
		}
		require.NoError(t, l.Close())
	}
	t.Fatal("there is no port that both can have")
	return nil, nil
}

// refuse makes one attempt, between two requests that are granted.
func (a *arena) refuse(t *testing.T, at attempt) {
	t.Helper()
	fill := strings.NewReplacer("GRANTED", a.granted, "TRAP", a.trap).Replace
	base := "http://127.0.0.1:" + a.granted
	rules := []string{"127.0.0.1:" + a.granted}
	switch at.rules {
	case "-":
	case "":
		rules = append(rules, "*")
	default:
		rules = append(rules, strings.Fields(fill(at.rules))...)
	}
	req := wire.FetchRequest{URL: fill(at.url), Method: at.method, Headers: at.headers}
	if at.to != "" {
		req.URL, at.hops = base+"/302?to="+url.QueryEscape(fill(at.to)), max(at.hops, 1)
	}
	var seen useLog
	c := newTestClient(t, ClientOptions{Resolver: a.dns.resolver(), OnUse: seen.add}, rules...)
	dials := countDials(c, nil)
	works := func() {
		res, err := get(t, c, base+"/works")
		require.Contains(t, text(t, res, err), "GET /works")
	}

	works()
	hits, lookups := a.hits.Load(), len(a.dns.asked())
	_, err := do(t, c, req, nil)
	we := wireError(t, err)
	require.Contains(t, we.Message, fill(at.want))
	kind := at.kind
	if kind == "" {
		kind = registry.KindPermissionDenied
	}
	require.Equal(t, kind, we.Kind, we.Message)
	if kind == registry.KindPermissionDenied {
		last := seen.uses[len(seen.uses)-1]
		require.True(t, last.Denied && last.Grant == "", "%+v", last)
		_, err := ParseNetRule(strings.TrimPrefix(we.Hint, "run with --allow-net="))
		require.NoError(t, err, "the hint is not true: %s", we.Hint)
	}
	require.Equal(t, hits+at.hops, a.hits.Load(), "requests to the granted host")
	if !at.lookup {
		require.Len(t, a.dns.asked(), lookups, "a name was looked up")
	}
	works()
	for _, addr := range dials.list() {
		require.Equal(t, "127.0.0.1:"+a.granted, addr, "a connection was opened")
	}
	require.Zero(t, a.trapped.Load())
}

// refuseAll makes attempts, one after the other: the counters are shared.
func (a *arena) refuseAll(t *testing.T, attempts []attempt) {
	t.Helper()
	slices.SortStableFunc(attempts, func(a, b attempt) int { return strings.Compare(a.url+a.to, b.url+b.to) })
	for i, at := range attempts {
		t.Run(fmt.Sprintf("%d %.60q", i, at.url+at.to+at.method), func(t *testing.T) { a.refuse(t, at) })
	}
}

// With * granted, no way to write an address that is not public gets there.
func TestAttemptsOnAddresses(t *testing.T) {
	t.Parallel()
	a := newArena(t, nil)
	var attempts []attempt
	for want, forms := range map[string][]string{
		// This machine, in disguise. The trap listens there.
		"127.0.0.1:TRAP is not granted": {
			"127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "2130706433", "0x7f000001", "0X7F.1", "0x7f000001.", "0177.0.0.1",
			"017700000001", "0x7f.0.0.01", "127.0x0.1", "127.00000.0.1", "[::ffff:127.0.0.1]", "[::FFFF:7f00:1]",
			"[0:0:0:0:0:ffff:127.0.0.1]", "１２７.０.０.１", "①②⑦.0.0.1", "127。0。0。1", "127．0｡0.1", "%31%32%37.0.0.1",
			"127.0.0.1%2e", "0%78%37f.1",
		},
		"0.0.0.0:TRAP is not granted":            {"0", "0.0.0.0", "0x", "0x0.0", "00000", "[::ffff:0:0]"},
		"[::1]:TRAP is not granted":              {"[::1]", "[0:0:0:0:0:0:0:1]", "[0000::0001]"},
		"[::]:TRAP is not granted":               {"[::]"},
		"127.255.255.254:TRAP is not granted":    {"127.255.255.254", "2147483646"},
		"[::7f00:1]:TRAP is not granted":         {"[::127.0.0.1]"},        // compatible form
		"[::ffff:0:7f00:1]:TRAP is not granted":  {"[::ffff:0:127.0.0.1]"}, // translated form
		"[64:ff9b::7f00:1]:TRAP is not granted":  {"[64:ff9b::127.0.0.1]"}, // NAT64
		"[64:ff9b:1::1]:TRAP is not granted":     {"[64:ff9b:1::1]"},
		"[2002:7f00:1::]:TRAP is not granted":    {"[2002:7f00:1::]"},            // 6to4
		"[2001::80ff:fffe]:TRAP is not granted":  {"[2001:0:0:0:0:0:80ff:fffe]"}, // Teredo
		"[64:ff9b::a9fe:a9fe]:80 is not granted": {"[64:ff9b::169.254.169.254]:80"},
		// Metadata services of clouds.
		"169.254.169.254:80 is not granted": {"169.254.169.254:80", "2852039166:80", "0xa9fea9fe:80", "0251.0376.0251.0376:80", "169.254.43518:80", "[::ffff:a9fe:a9fe]:80"},
		"[fd00:ec2::254]:80 is not granted": {"[fd00:ec2::254]:80"},
		"100.100.100.200:80 is not granted": {"100.100.100.200:80"},
		"168.63.129.16:80 is not granted":   {"168.63.129.16:80"},
		"192.0.0.192:80 is not granted":     {"192.0.0.192:80"},
		// Local networks, many at once, reserved, documentation, benchmarks.
		" is not granted": {
			"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.1.1", "100.64.0.1", "100.127.255.255", "198.18.0.1",
			"198.19.255.255", "192.0.2.1", "198.51.100.1", "203.0.113.1", "192.88.99.1", "224.0.0.1", "239.255.255.250", "240.0.0.1",
			"255.255.255.255", "4294967295", "[fe80::1]", "[fec0::1]", "[fc00::1]", "[fdff::1]", "[ff02::1]", "[ff0e::1]",
			"[2001:db8::1]", "[2001:20::1]", "[3fff::1]", "[100::1]", "[5f00::1]", "[::ffff:10.0.0.1]", "[4000::1]",
		},
	} {
		for _, form := range forms {
			if !strings.Contains(form[strings.LastIndexByte(form, ']')+1:], ":") {
				form += ":TRAP"
			}
			attempts = append(attempts, attempt{url: "http://" + form + "/", want: want})
		}
	}
	for _, form := range []string{"[fe80::1%25lo]", "[fe80::1%lo]", "[::1%0]", "[::1", "::1", "[127.0.0.1]", "[::ffff:127.0.0.256]", "256.0.0.1", "1.2.3.4.5", "0x100000000", "127.0.0.1.0x", "[v1.a]"} {
		attempts = append(attempts, attempt{url: "http://" + form + ":TRAP/", kind: registry.KindInvalidArgs, want: "is not a valid URL"})
	}
	a.refuseAll(t, attempts)
}
