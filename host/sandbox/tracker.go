package sandbox

import (
	"context"
	"runtime/pprof"
	"sync"
	"sync/atomic"

	"github.com/dop251/goja"
)

// turn knows whose code runs now, and interrupts exactly that call.
//
// Between asking who runs and interrupting, the loop may switch to another
// call; the mutex and the take-back in [turn.set] close that gap.
type turn struct {
	vm      *goja.Runtime
	current atomic.Pointer[call]
	dead    atomic.Bool

	mu     sync.Mutex
	target *call // whom the pending interrupt is for

	// leftover watches code of a call that has ended, from the moment it gets
	// the loop. It returns what stops the watch. Used on the loop's goroutine,
	// as is the rest.
	leftover func(*call) (stop func())
	rest     context.Context // its profiler labels hold while nobody's code runs
	unwatch  func()
	jobs     uint64 // that were begun
}

// set switches to c; an interrupt that was meant for another call and has not
// landed is taken back.
func (t *turn) set(c *call) {
	t.mu.Lock()
	t.current.Store(c)
	if t.target != nil && t.target != c && !t.dead.Load() {
		t.vm.ClearInterrupt()
		t.target = nil
	}
	if c != nil && t.dead.Load() { // the runtime was closed when nobody's code ran
		t.target = c
		t.vm.Interrupt(c)
	}
	t.mu.Unlock()
	// A trace of a process that died in native code then names the call.
	if c != nil {
		pprof.SetGoroutineLabels(c.caller)
	} else {
		pprof.SetGoroutineLabels(t.rest)
	}
	t.watch(c)
}

// watch sets an eye on c's code if c has ended.
func (t *turn) watch(c *call) {
	if t.unwatch != nil {
		t.unwatch()
		t.unwatch = nil
	}
	if c != nil && c.ended.Load() {
		t.unwatch = t.leftover(c)
	}
}

// interrupt stops c if its own code holds the loop now.
func (t *turn) interrupt(c *call) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current.Load() != c {
		return false
	}
	t.target = c
	t.vm.Interrupt(c)
	return true
}

// tracker carries the owner of a piece of code through await and then.
type tracker struct {
	turn  *turn
	outer []*call
}

var _ goja.AsyncContextTracker = (*tracker)(nil)

func (t *tracker) Grab() any { return t.turn.current.Load() }

func (t *tracker) Resumed(owner any) {
	t.outer = append(t.outer, t.turn.current.Load())
	c, _ := owner.(*call)
	t.turn.set(c)
}

func (t *tracker) Exited() {
	n := len(t.outer) - 1
	t.turn.set(t.outer[n])
	t.outer = t.outer[:n]
}
