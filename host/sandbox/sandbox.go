package sandbox

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/jsapi"
	"github.com/rho-ext/rho-ext/registry"
)

// Factory makes sandboxes in this process. The zero value is ready; it is safe
// for concurrent use.
type Factory struct {
	// Clock is the time that timers follow; nil means the real one.
	Clock Clock

	programs programs
}

var _ wire.Factory = (*Factory)(nil)

// NewSandbox implements [wire.Factory].
func (f *Factory) NewSandbox(b wire.Broker) (wire.Sandbox, error) {
	clock := f.Clock
	if clock == nil {
		clock = realClock{}
	}
	s := &Sandbox{
		broker:   b,
		programs: &f.programs,
		clock:    clock,
		loop:     newLoop(clock),
		calls:    map[*call]struct{}{},
		pending:  map[*goja.Promise]rejection{},
		done:     make(chan struct{}),
	}
	s.life, s.endLife = context.WithCancel(context.Background())
	return s, nil
}

// Close implements [wire.Factory]. Compiled code goes with the factory.
func (f *Factory) Close() error { return nil }

// Sandbox is one runtime. Fields below the mutex's own are used on the loop's
// goroutine only.
type Sandbox struct {
	broker   wire.Broker
	programs *programs
	loop     *loop
	clock    Clock // the loop's, unless a test has put another one there
	done     chan struct{}
	life     context.Context // ends when done is closed
	endLife  context.CancelFunc
	turn     turn

	mu     sync.Mutex
	calls  map[*call]struct{} // those that have not ended
	closed bool

	req      wire.LoadRequest
	limits   wire.Limits
	vm       *goja.Runtime
	globals  *jsapi.Globals
	glue     glue
	module   *call // owner of the module's top level
	tools    map[string]*tool
	hooks    map[string]*hook
	commands map[string]*command
	pending  map[*goja.Promise]rejection // rejected, and nobody has looked
	reserved int                         // requests whose answer will come
	sent     int                         // bytes of what they send
	slots    map[wire.Op]chan struct{}   // of requests with large answers
	timers   int                         // timers that will fire
	culprit  *call                       // whose code made the runtime unsound
	nextID   int64
	byID     map[int64]*jsTimer
}

var _ wire.Sandbox = (*Sandbox)(nil)

// tool is one tool as the module gave it.
type tool struct {
	name string
	self goja.Value
	exec goja.Callable
	form wire.ArgumentForm
}

func withDefaults(l wire.Limits) wire.Limits {
	if l.CallStack == 0 {
		l.CallStack = 4096
	}
	if l.LogBytes == 0 {
		l.LogBytes = 256 << 10
	}
	if l.ResultBytes == 0 {
		l.ResultBytes = 16 << 20
	}
	if l.Grace == 0 {
		l.Grace = 20 * time.Millisecond
	}
	return l
}

// Load implements [wire.Sandbox].
func (s *Sandbox) Load(ctx context.Context, req wire.LoadRequest) (wire.LoadResult, error) {
	s.req, s.limits = req, withDefaults(req.Limits)
	begin := time.Now()
	prog, fail := s.programs.get(ctx, req)
	if fail != nil {
		return wire.LoadResult{Failure: fail}, nil
	}
	if req.ParseOnly {
		return wire.LoadResult{Parsed: time.Since(begin)}, nil
	}
	s.slots = newSlots()
	s.vm = goja.New()
	s.turn.vm, s.turn.leftover, s.turn.rest = s.vm, s.leftover, ctx
	s.vm.SetMaxCallStackSize(s.limits.CallStack)
	// Evaluated code could otherwise name any file of the host as its map.
	s.vm.SetParserOptions(parser.WithDisableSourceMaps)
	s.vm.SetAsyncContextTracker(&tracker{turn: &s.turn})
	s.vm.SetPromiseRejectionTracker(s.trackRejection)
	var err error
	if s.globals, err = jsapi.Install(s.vm, (*env)(s)); err != nil {
		return wire.LoadResult{}, fmt.Errorf("prepare the sandbox: %w", err)
	}
	if s.glue, err = newGlue(s.vm, s.globals.Use()); err != nil {
		return wire.LoadResult{}, fmt.Errorf("prepare the sandbox: %w", err)
	}
	if req.Test != nil {
		if err := s.globals.StartTests(testEnv{s}, *req.Test); err != nil {
			return wire.LoadResult{}, err
		}
	}
	var survey *wire.Survey
	if req.Survey {
		survey = s.survey(prog)
	}
	load := &loading{s: s, prog: prog, survey: survey}
	c := s.newCall(ctx, wire.CallRequest{})
	s.module = c
	c.begin = load.begin
	if !s.admit(c) {
		return wire.LoadResult{}, errors.New("the sandbox is closed")
	}
	go s.run()
	res := s.await(ctx, c)
	switch {
	case load.result != nil && res.Thrown == nil:
		load.result.Survey = survey
		return *load.result, nil
	case res.Thrown != nil:
		s.die(nil)
		return wire.LoadResult{Failure: loadFailure(res.Thrown), Survey: survey}, nil
	default:
		s.die(nil)
		return wire.LoadResult{}, errors.New("the sandbox was closed while it loaded")
	}
}

// maxLoadMessage bounds what is told of an error that ended a load, in bytes:
// every listing repeats it.
const maxLoadMessage = 4 << 10

func loadFailure(t *wire.Thrown) *wire.Failure {
	f := &wire.Failure{Stage: wire.StageEvaluate, Message: t.Message, Hint: t.Hint, Stack: t.Stack}
	if t.Name != "" && t.Name != "Error" {
		f.Message = t.Name + ": " + t.Message
	}
	if len(f.Message) > maxLoadMessage {
		f.Message = strings.ToValidUTF8(f.Message[:maxLoadMessage], "") + " …"
	}
	if len(t.Stack) > 0 {
		f.Position = t.Stack[0]
	}
	switch t.Kind {
	case registry.KindTimeout:
		f.Message = "the module did not finish loading in time"
		f.Hint = "do slow work inside a tool; top-level code and top-level await must be quick"
	case registry.KindPermissionDenied:
		f.Stage = wire.StagePermission
	}
	return f
}

// Done implements [wire.Sandbox].
func (s *Sandbox) Done() <-chan struct{} { return s.done }

// Close implements [wire.Sandbox].
func (s *Sandbox) Close() error {
	s.die(nil)
	return nil
}

// die ends the runtime's life: calls that have not ended are lost, through the
// fault of culprit, if there is one. Code that runs is interrupted.
func (s *Sandbox) die(culprit *call) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	s.turn.dead.Store(true)
	lost := s.calls
	s.calls = nil
	s.mu.Unlock()
	s.loop.close()
	close(s.done)
	s.endLife()
	for c := range lost {
		r := wire.CallResult{Lost: true}
		if culprit != nil {
			r.Culprit = culprit.req.Tool
		}
		c.finish(r)
	}
	if c := s.turn.current.Load(); c != nil {
		s.turn.interrupt(c)
	}
	s.loop.ring()
}

// run is the loop's goroutine.
func (s *Sandbox) run() {
	for {
		for jobs := s.loop.take(); len(jobs) > 0; jobs = s.loop.take() {
			for _, job := range jobs {
				if !s.job(job) {
					s.die(s.culprit)
					return
				}
			}
		}
		s.moveOn()
		if !s.job(s.failStuck) {
			s.die(s.culprit)
			return
		}
		s.loop.arm()
		select {
		case <-s.loop.wake:
		case <-s.done:
			return
		}
	}
}

// job runs one job and reports whether the runtime is still sound.
func (s *Sandbox) job(job func()) (sound bool) {
	defer func() {
		if x := recover(); x != nil {
			sound = false
			if c := s.turn.current.Load(); c != nil {
				s.culprit = c
				s.end(c, wire.CallResult{Guilty: true, Thrown: &wire.Thrown{
					Kind: registry.KindOther, Code: "crashed", Internal: true,
					Message: fmt.Sprintf("the engine panicked: %v\n%s", x, debug.Stack()),
				}})
			}
		}
		s.turn.set(nil)
	}()
	if s.turn.dead.Load() {
		return false
	}
	s.turn.jobs++
	job()
	return !s.turn.dead.Load()
}

// as runs a piece of c's code. An end that code cannot catch makes the runtime
// unsound.
func (s *Sandbox) as(c *call, f func() error) {
	s.turn.set(c)
	err := f()
	if err != nil {
		s.uncaught(c, err)
	}
	if !s.turn.dead.Load() {
		s.turn.set(nil)
	}
}

// uncaught deals with an error that left the runtime's outermost frame.
func (s *Sandbox) uncaught(c *call, err error) {
	// No errors.As: unwrapping an exception runs the author's traps.
	switch e := err.(type) {
	case *goja.InterruptedError:
		closed := s.turn.dead.Swap(true)
		if g, ok := e.Value().(*call); ok {
			if closed {
				s.end(g, wire.CallResult{Lost: true})
				return
			}
			t := g.late()
			t.Stack = s.frames(e.Stack())
			s.culprit = g
			s.end(g, wire.CallResult{Thrown: t, Guilty: true})
		}
	case *goja.StackOverflowError:
		s.turn.dead.Store(true)
		if now := s.turn.current.Load(); now != nil {
			c = now
		}
		s.culprit = c
		s.end(c, wire.CallResult{Guilty: true, Thrown: &wire.Thrown{
			Kind: registry.KindOther, Code: "stack_overflow", Name: "RangeError",
			Message: fmt.Sprintf("maximum call stack size exceeded (%d frames)", s.limits.CallStack),
			Hint:    "look for a recursion that does not end",
			Stack:   s.frames(e.Stack()),
		}})
	case *goja.Exception:
		s.fail(c, e.Value(), e)
	default:
		s.end(c, wire.CallResult{Thrown: &wire.Thrown{Kind: registry.KindOther, Code: "internal", Internal: true, Message: err.Error()}})
	}
}
