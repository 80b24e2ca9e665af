package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// remote is a sandbox in a worker.
type remote struct {
	factory *Factory
	broker  wire.Broker
	once    sync.Once
	done    chan struct{}
	life    context.Context // ends with the sandbox
	endLife context.CancelFunc

	mu        sync.Mutex
	link      *link // nil before it is loaded
	id        uint64
	req       wire.LoadRequest // without the code
	leave     func()           // gives the worker up
	loading   bool
	closed    bool
	live      map[string]*call // by the id that the code sees; the load has none
	requests  map[uint64]*request
	streams   map[wire.Stream]*opened
	asked     int // requests that are being answered
	askedSize int // bytes of those
}

var _ wire.Sandbox = (*remote)(nil)

// errWorkerLost is the error of a load whose worker died through no fault of
// the extension.
var errWorkerLost = errors.New("the worker process was lost")

// errSandboxClosed is the error of a load of a sandbox that was closed.
var errSandboxClosed = errors.New("the sandbox is closed")

// maxLoads is how often a module is loaded whose worker dies meanwhile, through
// another's fault. It has had no effect. The last time it has a worker for
// itself, so that there is no other.
const maxLoads = 3

// Load implements [wire.Sandbox].
func (s *remote) Load(ctx context.Context, req wire.LoadRequest) (wire.LoadResult, error) {
	s.req = req
	s.req.Script, s.req.SourceMap = nil, nil
	for attempt := 1; ; attempt++ {
		res, err := s.load(ctx, req, attempt == maxLoads)
		if errors.Is(err, errWorkerLost) && attempt < maxLoads && ctx.Err() == nil {
			continue
		}
		if cause := context.Cause(ctx); err != nil && cause != nil && errors.Is(err, cause) {
			res, err = wire.LoadResult{Failure: lateLoad()}, nil // it waited for a worker
		}
		if err != nil || res.Failure != nil {
			s.finish()
		} else {
			s.factory.stock()
		}
		return res, err
	}
}

func (s *remote) load(ctx context.Context, req wire.LoadRequest, alone bool) (wire.LoadResult, error) {
	l, leave, err := s.factory.place(ctx, req.Extension, req.Hash, alone)
	if err != nil {
		return wire.LoadResult{}, err
	}
	c := s.newCall(ctx, wire.CallRequest{}, l)
	c.load = true
	if err := s.attach(c, leave); err != nil {
		leave()
		return wire.LoadResult{}, err
	}
	f, err := loadFrame(c.id, s.id, req)
	c.run(ctx, f, err)
	s.mu.Lock()
	s.loading = false
	if errors.Is(c.loadErr, errWorkerLost) && !s.closed {
		s.link, s.leave = nil, nil
		defer leave()
	}
	s.mu.Unlock()
	return c.loaded, c.loadErr
}

// attach puts the sandbox into a worker.
func (s *remote) attach(c *call, leave func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errSandboxClosed
	}
	l := c.link
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead || l.ending != nil || l.abandoned {
		return errWorkerLost
	}
	l.last++
	s.link, s.id, s.leave, s.loading = l, l.last, leave, true
	l.sandboxes[s.id] = s
	l.open++
	l.add(c)
	s.live[""] = c
	return nil
}

// add notes a load or call. l.mu is held.
func (l *link) add(c *call) {
	l.last++
	c.id = l.last
	l.calls[c.id] = c
	select {
	case l.busy <- struct{}{}:
	default:
	}
}

// Call implements [wire.Sandbox].
func (s *remote) Call(ctx context.Context, req wire.CallRequest) wire.CallResult {
	s.mu.Lock()
	l := s.link
	s.mu.Unlock()
	if l == nil {
		return wire.CallResult{Lost: true}
	}
	c := s.newCall(ctx, req, l)
	if !s.admit(c) {
		return wire.CallResult{Lost: true}
	}
	f, err := callFrame(c.id, s.id, req)
	c.run(ctx, f, err)
	return c.read()
}

// admit takes a call in.
func (s *remote) admit(c *call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.done:
		return false
	default:
	}
	l := c.link
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead || s.closed {
		return false
	}
	l.add(c)
	s.live[c.req.ID] = c
	return true
}

// Done implements [wire.Sandbox].
func (s *remote) Done() <-chan struct{} { return s.done }

// finish says that no more calls are taken.
func (s *remote) finish() { s.once.Do(func() { close(s.done) }) }

// closeWithin is how long a worker has to say that it has closed a sandbox.
const closeWithin = 3 * time.Second

// Close implements [wire.Sandbox]. It does not wait for the worker.
func (s *remote) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	l, leave := s.link, s.leave
	s.mu.Unlock()
	s.finish()
	if l == nil {
		s.endLife()
		return nil
	}
	lost, flag := l.forget(s)
	for _, c := range lost {
		c.lose("", false)
	}
	s.end()
	leave()
	go l.reply(&frame{header: header{Kind: kindClose, Sandbox: s.id, Flag: flag}})
	return nil
}

// forget takes the calls of a sandbox out, and sees to it that the worker closes
// it in time, and looks after its code where that may be running.
func (l *link) forget(s *remote) (lost []*call, flag string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, c := range l.calls {
		if c.sandbox == s {
			delete(l.calls, id)
			lost = append(lost, c)
		}
	}
	if len(lost) > 0 || l.doubted[s.id] {
		l.doubted[s.id] = true
		flag = flagRough
	}
	if !l.dead {
		l.closing[s.id] = time.AfterFunc(closeWithin, func() {
			l.end(ending{cause: CauseTimeout, detail: "it did not close a sandbox", by: s})
		})
	}
	return lost, flag
}

// rememberFor is how long a sandbox is known by its number after it was closed:
// its code may go on in there.
const rememberFor = 5 * time.Second

// closed notes that the worker has closed a sandbox.
func (l *link) closed(id uint64) {
	l.mu.Lock()
	t := l.closing[id]
	if t != nil && t.Stop() {
		l.closing[id] = time.AfterFunc(rememberFor, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			delete(l.closing, id)
			if !l.doubted[id] {
				delete(l.sandboxes, id)
			}
		})
		l.open--
	}
	empty := l.abandoned && l.open == 0
	l.mu.Unlock()
	if empty {
		l.end(ending{})
	}
}

// end gives up what the sandbox has open.
func (s *remote) end() {
	s.endLife()
	s.mu.Lock()
	streams := s.streams
	s.streams = map[wire.Stream]*opened{}
	s.mu.Unlock()
	for id, o := range streams {
		o.cancel()
		s.broker.CloseStream(id)
	}
}

// lateLoad is the failure of a load that ran out of time, in the words of
// package sandbox.
func lateLoad() *wire.Failure {
	return &wire.Failure{Stage: wire.StageEvaluate, Message: "the module did not finish loading in time",
		Hint: "do slow work inside a tool; top-level code and top-level await must be quick"}
}

// errNoCall refuses what only a call may ask for.
var errNoCall = &wire.Error{
	Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Code: "no_call",
	Message: "this is only possible while a call runs",
}
