package sandbox

import (
	"context"
	"errors"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// late describes the end of a call whose context has ended.
func (c *call) late() *wire.Thrown {
	cause := context.Cause(c.caller)
	if errors.Is(cause, wire.ErrDeadline) || errors.Is(cause, context.DeadlineExceeded) {
		return &wire.Thrown{Kind: registry.KindTimeout, Message: "timed out"}
	}
	return &wire.Thrown{Kind: registry.KindCancelled, Message: "cancelled"}
}

// stuckAfter is how many times the grace an interrupt is waited for, before
// the code counts as stuck in native code that no interrupt reaches.
const stuckAfter = 10

// await waits for the call, and stops it when ctx ends first: the abort signal
// fires; after the grace the call is interrupted if its own code holds the
// loop, else it is just forgotten.
func (s *Sandbox) await(ctx context.Context, c *call) wire.CallResult {
	select {
	case <-c.done:
		return c.result
	case <-ctx.Done():
	}
	late := c.late()
	c.cancel(context.Cause(ctx))
	s.loop.post(func() { s.fireAbort(c, late) })
	grace := time.NewTimer(s.limits.Grace)
	defer grace.Stop()
	for tries := 0; ; tries++ {
		select {
		case <-c.done:
			return c.result
		case <-grace.C:
		}
		grace.Reset(s.limits.Grace)
		switch {
		case !s.turn.interrupt(c):
			if holder := s.turn.current.Load(); holder != nil && holder != c {
				late.Hint = "the event loop was held by " + holder.name()
			}
			s.forget(c, wire.CallResult{Thrown: late})
		case tries == stuckAfter:
			late.Code, late.Hint = "stuck", "the code is in a native function that cannot be interrupted"
			s.forget(c, wire.CallResult{Thrown: late, Guilty: true})
			s.die(c)
		}
	}
}

// forget ends a call from outside the loop. What it left behind is cleared on
// the loop.
func (s *Sandbox) forget(c *call, r wire.CallResult) {
	s.mu.Lock()
	delete(s.calls, c)
	s.mu.Unlock()
	c.finish(r)
	s.loop.post(func() { s.release(c) })
	// Its code may have got the loop just before it ended, and so unwatched.
	if s.turn.current.Load() == c {
		time.AfterFunc(s.limits.Grace, func() { s.stopLeftover(c, nil) })
	}
}

// moduleBudget is how long a timer callback of the module's own may run.
const moduleBudget = 2 * time.Second

// leftover stops code that an ended call left behind when it holds the loop
// for longer than the grace, at once or bit by bit: nobody waits for it, and
// others do.
func (s *Sandbox) leftover(c *call) func() {
	wait := s.limits.Grace
	if c == s.module {
		wait = moduleBudget
	}
	if c.overJob != s.turn.jobs {
		c.overJob, c.overtime = s.turn.jobs, 0
	}
	if wait -= c.overtime; wait <= 0 {
		s.turn.interrupt(c)
	}
	start := time.Now()
	quit := make(chan struct{})
	timer := time.AfterFunc(wait, func() { s.stopLeftover(c, quit) })
	return func() {
		timer.Stop()
		close(quit)
		c.overtime += time.Since(start)
	}
}

func (s *Sandbox) stopLeftover(c *call, quit chan struct{}) {
	tick := time.NewTicker(s.limits.Grace)
	defer tick.Stop()
	for range stuckAfter {
		if !s.turn.interrupt(c) {
			return
		}
		select {
		case <-quit:
			return
		case <-s.done:
			return
		case <-tick.C:
		}
	}
	s.die(c)
}

// fireAbort fires the call's signal. Nobody may have asked for the signal; then
// it is aborted when somebody does.
func (s *Sandbox) fireAbort(c *call, why *wire.Thrown) {
	if c.ended.Load() || c.abort == nil {
		return
	}
	s.as(c, func() error { return c.abort(abortName(why.Kind), why.Message) })
}

func abortName(k registry.Kind) string {
	if k == registry.KindTimeout {
		return "TimeoutError"
	}
	return "AbortError"
}
