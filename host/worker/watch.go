package worker

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

const (
	watchEvery = 5 * time.Millisecond
	// collectEvery bounds how often the watch asks for a collection, where memory
	// has not grown very far yet.
	collectEvery = 50 * time.Millisecond
	// restAfter is how long nothing runs before the worker gives memory back.
	restAfter = 500 * time.Millisecond
	// stopWithin is how long calls that use too much memory have to end. The
	// sandbox interrupts them after its grace; native code goes on.
	stopWithin = 300 * time.Millisecond
)

// watch stops calls when the heap has grown too far, which costs less than what
// follows when it goes on: the kernel's limit, or the host, end the process.
type watch struct {
	server *server
	base   int64
	soft   int64
	sample []metrics.Sample
	last   time.Time // of a collection

	live atomic.Int64 // loads and calls
	wake chan struct{}
}

func newWatch(s *server, soft int64) *watch {
	w := &watch{server: s, soft: soft, wake: make(chan struct{}, 1),
		sample: []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}}
	w.base = w.heap()
	return w
}

// heap is the size of the heap's objects, dead ones that were not collected
// yet included.
func (w *watch) heap() int64 {
	metrics.Read(w.sample)
	return int64(w.sample[0].Value.Uint64())
}

// enter and leave bracket a load or call. Without any the watch rests.
func (w *watch) enter() {
	if w.live.Add(1) == 1 {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

func (w *watch) leave() { w.live.Add(-1) }

func (w *watch) run() {
	tick := time.NewTicker(watchEvery)
	for {
		tick.Stop()
		select {
		case <-w.wake:
		case <-time.After(restAfter):
			debug.FreeOSMemory() // garbage of what ran is of no use to the system
			<-w.wake
		}
		tick.Reset(watchEvery)
		for w.live.Load() > 0 {
			<-tick.C
			w.check()
		}
	}
}

func (w *watch) check() {
	grown := w.heap() - w.base
	if grown < w.soft {
		return
	}
	if grown < w.soft+w.soft/2 && time.Since(w.last) < collectEvery {
		return
	}
	// What is garbage, or held where nothing runs, is no fault of those that run.
	runtime.GC()
	if w.last = time.Now(); w.heap()-w.base < w.soft || w.shed() {
		return
	}
	w.stop()
}

// shed gives up the sandboxes that have no call: what their modules keep may
// vanish. It reports whether that was enough.
func (w *watch) shed() bool {
	s := w.server
	s.mu.Lock()
	busy := map[*hosted]bool{}
	for _, r := range s.running {
		busy[r.in] = true
	}
	var idle []*hosted
	for _, h := range s.hosted {
		if !busy[h] {
			idle = append(idle, h)
		}
	}
	s.mu.Unlock()
	if len(idle) == 0 {
		return false
	}
	for _, h := range idle {
		s.discard(h)
	}
	return w.shrunk()
}

// shrunk reports whether enough memory comes free now that sandboxes were
// closed; their goroutines let go of it in a moment.
func (w *watch) shrunk() bool {
	for range 10 {
		runtime.GC()
		if w.last = time.Now(); w.heap()-w.base < w.soft {
			return true
		}
		time.Sleep(watchEvery)
	}
	return false
}

// stop ends the calls that are at work. Where more than one sandbox is, none is
// blamed: each call can run again, its extension alone in a worker.
func (w *watch) stop() {
	s := w.server
	atWork := executing()
	s.mu.Lock()
	count := map[*hosted]int{}
	for _, r := range s.running {
		count[r.in]++
	}
	if len(atWork) > 0 {
		for h := range count {
			if !atWork[h.id] {
				delete(count, h)
			}
		}
	}
	var stopped []*running
	for _, r := range s.running {
		if n := count[r.in]; n > 0 {
			r.cancel(&overuse{sole: len(count) == 1 && n == 1, doubt: len(count) > 1})
			stopped = append(stopped, r)
		}
	}
	s.mu.Unlock()
	var guilty []uint64 // the sandboxes of what was stopped
	for _, r := range stopped {
		guilty = append(guilty, r.in.id)
	}
	late := time.After(stopWithin)
	for i, r := range stopped {
		select {
		case <-r.ended:
		case <-late:
			w.giveUp(guilty[i:])
		}
	}
	for h, n := range count {
		if len(count) > 1 || n > 1 {
			s.tellSuspect(h)
		}
		s.discard(h)
	}
	clear(stopped) // nothing may hold on to them now
	if !w.shrunk() {
		w.giveUp(guilty)
	}
}

// outOfMemory is what the host looks for in a worker's last words; Go's own
// say the same.
const outOfMemory = "out of memory"

// giveUp ends the process as Go would, had there been no memory left, and names
// the sandboxes whose calls had to be stopped: what else runs now is not at fault.
func (w *watch) giveUp(stopped []uint64) {
	fmt.Fprintf(os.Stderr, "fatal error: rho-ext: %s\n\n", outOfMemory)
	for _, id := range stopped {
		fmt.Fprintln(os.Stderr, accusation(id))
	}
	os.Exit(2)
}

// overuse is the cause of a context that ends because of memory.
type overuse struct {
	sole  bool // no other call was running in the sandbox at work
	doubt bool // several sandboxes were at work
}

// Error implements error.
func (o *overuse) Error() string { return "too much memory is used" }

func isOveruse(cause error) bool {
	var o *overuse
	return errors.As(cause, &o)
}

// judge says how a call ends that was stopped so.
func (o *overuse) judge(res wire.CallResult, soft int64) wire.CallResult {
	switch t := res.Thrown; {
	case res.Value != nil, t != nil && t.Kind != registry.KindCancelled && !res.Guilty:
		return res // it had ended
	case !o.doubt && (o.sole || res.Guilty):
		over := memoryThrown(soft)
		if t != nil {
			over.Stack = t.Stack
		}
		return wire.CallResult{Thrown: over, Guilty: true}
	default:
		return wire.CallResult{Lost: true}
	}
}

// loadFailure makes a failure of what ended a load.
func loadFailure(t *wire.Thrown) *wire.Failure {
	return &wire.Failure{Stage: wire.StageEvaluate, Message: t.Message, Hint: t.Hint}
}

// memoryThrown is the end of a call that used too much memory.
func memoryThrown(limit int64) *wire.Thrown {
	return &wire.Thrown{
		Kind: registry.KindOther, Code: codeMemory, Retryable: registry.RetryNo,
		Message: fmt.Sprintf("it used too much memory (more than %d MB)", limit>>20),
		Hint:    "handle data piece by piece, and keep no more of it than is needed",
	}
}
