package sandbox

import (
	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// failStuck fails the calls that can never end: nothing is queued, and no timer
// and no answer will come.
func (s *Sandbox) failStuck() {
	if s.timers > 0 || s.reserved > 0 {
		return
	}
	s.mu.Lock()
	var stuck []*call
	for c := range s.calls {
		stuck = append(stuck, c)
	}
	s.mu.Unlock()
	for _, c := range stuck {
		if !c.started || c.ctx.Err() != nil || s.listens(c) || s.testStuck(c) {
			continue
		}
		if r, ok := s.unhandledOf(c); ok {
			// The promise it waits for hangs on one that was rejected unseen.
			s.as(c, func() error { s.fail(c, r.value, nil); return nil })
			continue
		}
		t := &wire.Thrown{
			Kind: registry.KindOther, Code: "never_settles",
			Message: "the promise it waits for can never settle: no timer and no request is pending",
			Hint:    "every path must call resolve or reject",
		}
		if c == s.module {
			t.Message = "top-level await waits for a promise that can never settle"
		}
		s.end(c, wire.CallResult{Thrown: t})
	}
}

// listens reports whether the call's own cancellation would run code of its.
func (s *Sandbox) listens(c *call) (yes bool) {
	if c.signal != nil {
		s.as(c, func() (err error) {
			yes, err = s.globals.HasListeners(c.signal)
			return err
		})
	}
	return yes
}

// rejection is a promise that was rejected while nobody listened.
type rejection struct {
	owner *call
	value goja.Value
}

func (s *Sandbox) trackRejection(p *goja.Promise, op goja.PromiseRejectionOperation) {
	if op == goja.PromiseRejectionHandle {
		delete(s.pending, p)
		return
	}
	s.pending[p] = rejection{owner: s.turn.current.Load(), value: p.Result()}
}

func (s *Sandbox) unhandledOf(c *call) (rejection, bool) {
	for _, r := range s.pending {
		if r.owner == c {
			return r, true
		}
	}
	return rejection{}, false
}

// warnUnhandled tells the author of errors that the call swallowed.
func (s *Sandbox) warnUnhandled(c *call) {
	for p, r := range s.pending {
		if r.owner != c {
			continue
		}
		delete(s.pending, p)
		if !s.turn.dead.Load() && c.result.Value != nil {
			t := s.thrown(c, r.value, nil)
			s.logAs(c, "warn", "a promise was rejected and nobody handled it: "+t.Message+at(t.Stack))
		}
	}
}
