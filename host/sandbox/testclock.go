package sandbox

import (
	"encoding/json"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
)

// fakeClock stands still until a test moves it. It belongs to the loop's
// goroutine.
type fakeClock struct {
	now, target time.Time
	movers      []*call // that wait for it to get there

	asked int       // requests that were waited for last,
	since time.Time // and since when
}

// answerWait is how long a clock that moves waits for what was asked for. An
// answer that takes longer may be one that the time is moved to do without.
const answerWait = 50 * time.Millisecond

// waits reports whether answers that are due soon should come first.
func (f *fakeClock) waits(reserved int, wake func()) bool {
	if reserved == 0 {
		f.asked = 0
		return false
	}
	if reserved != f.asked {
		f.asked, f.since = reserved, time.Now()
		time.AfterFunc(answerWait, wake)
	}
	return time.Since(f.since) < answerWait
}

// Now implements [Clock].
func (f *fakeClock) Now() time.Time { return f.now }

// AfterFunc implements [Clock]. Nothing comes by itself; see [Sandbox.moveOn].
func (f *fakeClock) AfterFunc(time.Duration, func()) func() { return func() {} }

// beginClock tells which calls run, or moves the clock of an extension that is
// tested.
func (s *Sandbox) beginClock(c *call) {
	var d wire.TestTimeData
	if err := json.Unmarshal(c.req.Args, &d); err != nil {
		s.lost(c, err)
		return
	}
	if d.Ask {
		ids := []string{}
		s.mu.Lock()
		for other := range s.calls {
			if other.started && other != c && other != s.module {
				ids = append(ids, other.req.ID)
			}
		}
		s.mu.Unlock()
		text, err := json.Marshal(ids)
		if err != nil {
			s.lost(c, err)
			return
		}
		s.end(c, wire.CallResult{Value: &wire.Value{Structured: text}})
		return
	}
	f, fake := s.loop.clock.(*fakeClock)
	if d.Fake != fake {
		f = s.changeClock(d.Fake)
	}
	if f == nil {
		s.end(c, wire.CallResult{Value: &wire.Value{}})
		return
	}
	if d.NowMS != nil { // timers keep what is left of them
		at := time.UnixMicro(int64(*d.NowMS * 1000))
		s.loop.shift(at.Sub(f.now))
		f.now, f.target = at, at
	}
	f.target = f.target.Add(time.Duration(d.AdvanceMS * float64(time.Millisecond)))
	f.movers = append(f.movers, c)
	s.loop.ring()
}

// changeClock lets the loop follow a clock that stands still, or the real one
// again. Timers keep what is left of them.
func (s *Sandbox) changeClock(fake bool) *fakeClock {
	before := s.loop.clock.Now()
	if !fake {
		s.loop.clock = s.clock
		s.loop.shift(s.clock.Now().Sub(before))
		s.vm.SetTimeSource(s.clock.Now)
		return nil
	}
	f := &fakeClock{now: before, target: before}
	s.loop.clock = f
	s.vm.SetTimeSource(f.Now)
	return f
}

// shift moves everything that is due by the same time.
func (l *loop) shift(d time.Duration) {
	for _, t := range l.timers {
		t.due = t.due.Add(d)
	}
	l.now = l.now.Add(d)
}

// moveOn takes a clock that stands still to the next timer on the way to its
// target, or to its target. What was asked for meanwhile is waited for: its
// answer may set timers.
func (s *Sandbox) moveOn() {
	f, ok := s.loop.clock.(*fakeClock)
	if !ok || len(f.movers) == 0 {
		return
	}
	waits := false
	for _, c := range f.movers {
		waits = waits || !c.ended.Load()
	}
	switch {
	case !waits: // whoever moved it gave up
		f.target, f.movers = f.now, nil
	case f.waits(s.reserved, s.loop.ring):
	case len(s.loop.timers) > 0 && !s.loop.timers[0].due.After(f.target):
		if due := s.loop.timers[0].due; due.After(f.now) {
			f.now = due
		}
		s.loop.ring()
	default:
		f.now = f.target
		for _, c := range f.movers {
			if !c.ended.Load() {
				s.end(c, wire.CallResult{Value: &wire.Value{}})
			}
		}
		f.movers = nil
	}
}
