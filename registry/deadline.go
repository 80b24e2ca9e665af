package registry

import (
	"context"
	"sync"
	"time"
)

// ErrDeadline is the cause, as [context.Cause] gives it, of a context whose
// call ran into its deadline. It also is a [context.DeadlineExceeded] to
// errors.Is.
//
// The door keeps the deadline with a timer of its own, which stands still
// while a person is asked something ([Call.PauseDeadline]). So the context's
// Deadline method knows nothing of it, and its Err is [context.Canceled] in
// every case: ask for the cause.
var ErrDeadline error = deadlineError{}

type deadlineError struct{}

func (deadlineError) Error() string        { return "deadline exceeded" }
func (deadlineError) Timeout() bool        { return true }
func (deadlineError) Is(target error) bool { return target == context.DeadlineExceeded }

// deadlineClock ends a context when its time has run out.
type deadlineClock struct {
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	timer   *time.Timer
	left    time.Duration // as of since
	since   time.Time
	paused  int // how many hold the clock
	stopped bool
}

func startClock(d time.Duration, cancel context.CancelCauseFunc) *deadlineClock {
	c := &deadlineClock{cancel: cancel, left: d, since: time.Now()}
	c.timer = time.AfterFunc(d, c.expire)
	return c
}

func (c *deadlineClock) expire() {
	c.mu.Lock()
	// A pause that came first won, although the timer had fired already.
	expired := !c.stopped && c.paused == 0
	c.stopped = c.stopped || expired
	c.mu.Unlock()
	if expired {
		c.cancel(ErrDeadline)
	}
}

func (c *deadlineClock) pause() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused++; c.paused == 1 && !c.stopped {
		c.timer.Stop()
		c.left -= time.Since(c.since)
	}
	return sync.OnceFunc(c.resume)
}

func (c *deadlineClock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused--; c.paused == 0 && !c.stopped {
		c.since = time.Now()
		c.timer.Reset(max(c.left, 0))
	}
}

// stop ends the clock without ending the context.
func (c *deadlineClock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	c.timer.Stop()
}
