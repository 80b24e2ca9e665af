package exttest

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"

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
