package permission

import (
	"context"
	"net"
	"net/netip"
	"time"
)

const (
	maxAddrs     = 8                      // of one name that are tried
	fallbackWait = 300 * time.Millisecond // as net.Dialer has it
)

// firstOf dials addrs in their order, each when the one before has failed or
// takes long, and returns the first connection. All others are closed when it
// returns. addrs has at least one address.
func firstOf(ctx context.Context, addrs []netip.Addr, dial func(context.Context, netip.Addr) (net.Conn, error)) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		conn net.Conn
		err  error
	}
	results := make(chan result)
	running := 0
	start := func() {
		addr := addrs[0]
		addrs = addrs[1:]
		running++
		go func() {
			conn, err := dial(ctx, addr)
			results <- result{conn, err}
		}()
	}
	tick := time.NewTicker(fallbackWait)
	defer tick.Stop()
	var first error
	start()
	for {
		select {
		case r := <-results:
			running--
			if r.err == nil {
				cancel()
				for ; running > 0; running-- {
					if late := <-results; late.conn != nil {
						_ = late.conn.Close()
					}
				}
				return r.conn, nil
			}
			if first == nil {
				first = r.err
			}
			if running == 0 && (len(addrs) == 0 || ctx.Err() != nil) {
				return nil, first
			}
		case <-tick.C:
		}
		if len(addrs) > 0 && ctx.Err() == nil {
			start()
		}
	}
}
