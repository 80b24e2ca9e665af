package sandbox

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// call is one run of a tool's function, or the module's top level.
type call struct {
	req   wire.CallRequest
	begin func(*call)

	// ctx goes with every request to the broker. It ends with the call, and
	// already when the call is late.
	ctx    context.Context
	cancel context.CancelCauseFunc
	caller context.Context

	once   sync.Once
	done   chan struct{}
	result wire.CallResult
	ended  atomic.Bool
	acted  atomic.Bool

	// Used on the loop's goroutine only.
	started  bool
	signal   *goja.Object
	abort    func(name, message string) error
	requests map[*request]struct{}
	streams  map[wire.Stream]context.CancelFunc
	timers   map[int64]*jsTimer
	logBytes int
	overtime time.Duration // that its code had in overJob, after its end
	overJob  uint64
	test     goja.Value // what the library of a test file knows of it, or nil
}

func (c *call) name() string {
	switch {
	case c.req.Tool == "":
		return "the module's own code"
	case c.req.Run != wire.RunTool:
		return fmt.Sprintf("%s %s", c.req.Run, c.req.Tool)
	}
	return fmt.Sprintf("call %s of %s", c.req.ID, c.req.Tool)
}

// String is what the engine prints for an interrupt.
func (c *call) String() string { return "interrupted" }

func (s *Sandbox) newCall(caller context.Context, req wire.CallRequest) *call {
	c := &call{req: req, caller: caller, done: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	return c
}

// finish records how the call ended; only the first end counts.
func (c *call) finish(r wire.CallResult) {
	c.once.Do(func() {
		c.ended.Store(true) // before acted is read, see act
		r.Acted = c.acted.Load()
		c.result = r
		c.cancel(context.Canceled)
		close(c.done)
	})
}

// act notes that the call is about to do op. It reports false when the call has
// ended meanwhile: it was told then that it had not acted, and may run again.
func (c *call) act(op wire.Op) bool {
	if op.Acts() {
		c.acted.Store(true)
	}
	return !c.ended.Load()
}

// Call implements [wire.Sandbox].
func (s *Sandbox) Call(ctx context.Context, req wire.CallRequest) wire.CallResult {
	c := s.newCall(ctx, req)
	switch req.Run {
	case wire.RunTool:
		c.begin = s.beginTool
	case wire.RunHook:
		c.begin = s.beginHook
	case wire.RunTest:
		c.begin = s.beginTest
		if req.Tool == wire.TestClock {
			c.begin = s.beginClock
		}
	default:
		c.begin = s.beginCommand
	}
	if !s.admit(c) {
		return wire.CallResult{Lost: true}
	}
	return s.await(ctx, c)
}

// admit takes the call in and queues its start.
func (s *Sandbox) admit(c *call) bool {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return false
	}
	s.calls[c] = struct{}{}
	s.mu.Unlock()
	return s.loop.post(func() {
		if c.ended.Load() {
			return
		}
		c.started = true
		c.begin(c)
	})
}

// end ends a call on the loop.
func (s *Sandbox) end(c *call, r wire.CallResult) {
	if c == s.module {
		// The module's own code lives on in timers, without any capability.
		s.mu.Lock()
		delete(s.calls, c)
		s.mu.Unlock()
		c.finish(r)
		return
	}
	s.mu.Lock()
	delete(s.calls, c)
	s.mu.Unlock()
	c.finish(r)
	if s.turn.current.Load() == c {
		s.turn.watch(c) // its code may go on, even in release
	}
	s.release(c)
}

// release stops the timers and drops the requests and streams of an ended
// call.
func (s *Sandbox) release(c *call) {
	for id := range c.timers {
		s.clearTimer(id)
	}
	for r := range c.requests {
		s.drop(c, r)
		if r.refuse != nil {
			s.loop.post(r.refuse)
		}
	}
	for stream := range c.streams {
		s.closeStream(c, stream)
	}
	c.timers, c.requests, c.streams = nil, nil, nil
	s.warnUnhandled(c)
}

// beginTool starts a tool's function.
func (s *Sandbox) beginTool(c *call) {
	t := s.tools[c.req.Tool]
	if t == nil {
		s.end(c, wire.CallResult{Thrown: &wire.Thrown{Kind: registry.KindNotFound, Message: "the extension has no tool " + c.req.Tool}})
		return
	}
	s.as(c, func() error {
		if t.name == wire.DisposeTool {
			v, err := t.exec(t.self, s.contextOf(c))
			if err != nil {
				return err
			}
			return s.settle(c, v, func(c *call, _ goja.Value) error { return s.succeed(c, goja.Undefined()) })
		}
		args, err := s.arguments(t, c.req.Args)
		if err != nil {
			return err
		}
		v, err := t.exec(t.self, args, s.contextOf(c))
		if err != nil {
			return err
		}
		return s.settle(c, v, s.succeed)
	})
}

// settle waits for what v stands for: a plain value, or a promise.
func (s *Sandbox) settle(c *call, v goja.Value, done func(*call, goja.Value) error) error {
	obj, ok := v.(*goja.Object)
	if !ok {
		return done(c, v)
	}
	if p := promiseOf(obj); p != nil {
		// Most async functions have finished when their call returns.
		switch p.State() {
		case goja.PromiseStateFulfilled:
			return done(c, p.Result())
		case goja.PromiseStateRejected:
			delete(s.pending, p)
			s.fail(c, p.Result(), nil)
			return nil
		}
	} else if is, err := s.glue.thenable(goja.Undefined(), obj); err != nil {
		return err
	} else if !is.ToBoolean() {
		return done(c, v)
	}
	_, err := s.glue.then(goja.Undefined(), obj,
		s.vm.ToValue(func(f goja.FunctionCall) goja.Value {
			if !c.ended.Load() {
				s.native(done(c, f.Argument(0)))
			}
			return goja.Undefined()
		}),
		s.vm.ToValue(func(f goja.FunctionCall) goja.Value {
			s.fail(c, f.Argument(0), nil)
			return goja.Undefined()
		}))
	return err
}

var promiseType = reflect.TypeFor[*goja.Promise]()

// promiseOf gives the promise that an object is, or nil. Only real ones are
// looked into: exporting anything else would run its getters.
func promiseOf(obj *goja.Object) *goja.Promise {
	if obj.ExportType() != promiseType {
		return nil
	}
	p, _ := obj.Export().(*goja.Promise)
	return p
}

// native passes an error on from inside a native function: the engine's own
// must unwind the runtime untouched.
func (s *Sandbox) native(err error) {
	if err == nil {
		return
	}
	if thrown, ok := err.(*goja.Exception); ok {
		panic(thrown.Value())
	}
	panic(err)
}

// fail ends a call with a thrown value.
func (s *Sandbox) fail(c *call, v goja.Value, ex *goja.Exception) {
	if c == nil || c.ended.Load() && c != s.module || s.testFailed(c, v) {
		return
	}
	t := s.thrown(c, v, ex)
	if s.turn.dead.Load() && c.ended.Load() {
		return // looking at the value took the runtime down
	}
	if c.ended.Load() {
		s.logAs(c, "error", "uncaught in the module's own code: "+t.Name+": "+t.Message+at(t.Stack))
		return
	}
	if c.ctx.Err() != nil {
		late := c.late()
		late.Stack = t.Stack
		t = late
	}
	s.end(c, wire.CallResult{Thrown: t})
}

func at(stack []wire.Position) string {
	if len(stack) == 0 {
		return ""
	}
	return fmt.Sprintf(" at %s:%d:%d", stack[0].File, stack[0].Line, stack[0].Column)
}
