package exttest

import (
	"context"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
)

// late is what a part of a test gets beyond its time, for the test's own code to
// tell of it.
const late = 250 * time.Millisecond

// limit is the deadline of the part of a test that runs. Code that gives way is
// told by the library in the sandbox; this stops what never does.
type limit struct {
	mu    sync.Mutex
	timer *time.Timer
	phase string
	after time.Duration
}

// start gives a context that ends when the part takes too long.
func (l *limit) start(ctx context.Context, phase string, after time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phase, l.after = phase, after
	l.timer = time.AfterFunc(after+late, func() { cancel(wire.ErrDeadline) })
	return ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.timer.Stop()
		cancel(nil)
	}
}

// enter begins another part, with a deadline of its own.
func (l *limit) enter(phase string, after time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phase, l.after = phase, after
	if l.timer != nil && l.timer.Stop() {
		l.timer.Reset(after + late)
	}
}

// last is the part that ran last.
func (l *limit) last() (string, time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	name := l.phase
	if name == wire.TestBody {
		name = "Test"
	}
	return name, l.after
}
