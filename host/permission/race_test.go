package permission

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
)

// soon bounds the wait for something that happens at once.
func soon[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(20 * time.Second):
		t.Fatal("it does not happen")
		panic("unreachable")
	}
}

func TestFirstOf(t *testing.T) {
	t.Parallel()
	addrs := []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("192.0.2.3")}
	for name, tt := range map[string]struct {
		behave [3]string // fails, waits, or a connection
		want   string
		tried  int
	}{
		"the first":           {[3]string{"works", "works", "works"}, "192.0.2.1", 1},
		"the next":            {[3]string{"fails", "works", "works"}, "192.0.2.2", 2},
		"the last":            {[3]string{"fails", "fails", "works"}, "192.0.2.3", 3},
		"past one that waits": {[3]string{"waits", "works", "works"}, "192.0.2.2", 2},
		"past two":            {[3]string{"waits", "fails", "works"}, "192.0.2.3", 3},
		"none":                {[3]string{"fails", "fails", "fails"}, "192.0.2.1 failed", 3},
		"two at once":         {[3]string{"late", "works", "works"}, "192.0.2.2", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var (
				mu    sync.Mutex
				tried []string
				open  = map[string]*closing{}
			)
			conn, err := firstOf(t.Context(), slices.Clone(addrs), func(ctx context.Context, addr netip.Addr) (net.Conn, error) {
				mu.Lock()
				i := len(tried)
				tried = append(tried, addr.String())
				c := &closing{}
				open[addr.String()] = c
				mu.Unlock()
				switch tt.behave[i] {
				case "fails":
					return nil, errors.New(addr.String() + " failed")
				case "waits":
					<-ctx.Done()
					return nil, ctx.Err()
				case "late": // and yet it has a connection
					<-ctx.Done()
				}
				return c, nil
			})
			require.Len(t, tried, tt.tried)
			if err != nil {
				require.EqualError(t, err, tt.want)
				return
			}
			require.Same(t, open[tt.want], conn)
			require.False(t, open[tt.want].closed)
			require.Equal(t, tt.behave[0] == "late", open["192.0.2.1"].closed, "a second connection was left open")
		})
	}
}

type closing struct {
	net.Conn
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

func TestFirstOfEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	tried := 0
	_, err := firstOf(ctx, make([]netip.Addr, 5), func(ctx context.Context, _ netip.Addr) (net.Conn, error) {
		tried++
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, tried)
}

func TestAWildcardTriesTheAddressesOfAName(t *testing.T) {
	t.Parallel()
	many := make([]string, 20)
	for i := range many {
		many[i] = fmt.Sprintf("93.184.215.%d", i)
	}
	dns := newDNSServer(t, map[string][]string{"many.test": {strings.Join(many, " ")}, "mapped.test": {"::ffff:" + publicAddr}})
	c := newTestClient(t, ClientOptions{Resolver: dns.resolver()}, "*")
	dials := countDials(c, nil) // which all fail
	_, err := get(t, c, "http://many.test/")
	require.Equal(t, "TypeError", wireError(t, err).Name)
	require.Len(t, dials.list(), maxAddrs)

	_, err = get(t, c, "http://mapped.test/")
	require.Error(t, err)
	require.Equal(t, publicAddr+":80", dials.list()[maxAddrs])
}

// A dial ends with its request, though the transport would let it go on.
func TestDialEndsWithItsRequest(t *testing.T) {
	t.Parallel()
	c := newTestClient(t, ClientOptions{}, "a.test", "*")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	c.dialer.open = func(ctx context.Context, _ *net.Dialer, _ string) (net.Conn, error) {
		cancel(wire.ErrDeadline)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}
	_, err := c.Fetch(ctx, wire.FetchRequest{URL: "https://a.test"}, nil)
	require.Equal(t, "AbortError", wireError(t, err).Name)
	require.ErrorIs(t, soon(t, ended), context.Canceled)
}

func TestErrorsDoNotTellThisMachinesAddress(t *testing.T) {
	t.Parallel()
	here, there := &net.TCPAddr{IP: net.IPv4(192, 168, 1, 5), Port: 4000}, &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 3128}
	err := fmt.Errorf("while reading the body: %w", &net.OpError{Op: "read", Net: "tcp", Source: here, Addr: there, Err: errors.New("connection reset by peer")})
	require.Equal(t, "fetch failed: while reading the body: read: connection reset by peer", fault(t.Context(), err).Message)
	err = &net.OpError{Op: "dial", Net: "tcp", Addr: there, Err: errors.New("connection refused")}
	require.Equal(t, "fetch failed: dial tcp 10.0.0.1:3128: connection refused", fault(t.Context(), err).Message)
}
