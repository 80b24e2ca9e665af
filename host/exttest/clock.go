package exttest

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
)

// serial makes ids.
var serial atomic.Uint64

// begin notes that a call runs, until end.
func (w *world) begin(id string) (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running == nil {
		w.running = map[string]bool{}
	}
	w.running[id] = true
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.running, id)
	}
}

// moveClock lets the extension follow the clock of the test. What the test has
// called before has begun then.
func (w *world) moveClock(ctx context.Context, d wire.TestTimeData) error {
	w.mu.Lock()
	running := slices.Collect(maps.Keys(w.running))
	w.mu.Unlock()
	over := func(id string) bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return !w.running[id]
	}
	if err := w.host.MoveClock(ctx, d, running, over); err != nil {
		return refuse("Error", "the clock of the extension cannot be moved: "+err.Error())
	}
	return nil
}

// counter counts up, and lets others wait for a number. The zero value is ready.
type counter struct {
	mu   sync.Mutex
	n    int
	more chan struct{} // closed when n grows
}

func (c *counter) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	if c.more != nil {
		close(c.more)
		c.more = nil
	}
}

// maxArrival bounds the wait for a request that a test has made and given up.
const maxArrival = 2 * time.Second

// wait waits until it has counted to n.
func (c *counter) wait(ctx context.Context, n int) {
	ctx, cancel := context.WithTimeout(ctx, maxArrival)
	defer cancel()
	for {
		c.mu.Lock()
		if c.n >= n {
			c.mu.Unlock()
			return
		}
		if c.more == nil {
			c.more = make(chan struct{})
		}
		more := c.more
		c.mu.Unlock()
		select {
		case <-more:
		case <-ctx.Done():
			return
		}
	}
}
