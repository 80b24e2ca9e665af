package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/rho-ext/rho-ext/host/sandbox"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// server is the worker's side: it does what frames ask. The goroutine that reads
// them waits for nothing else.
type server struct {
	conn    *conn
	factory *sandbox.Factory
	watch   *watch

	mu      sync.Mutex
	hosted  map[uint64]*hosted
	running map[uint64]*running
	waiting map[uint64]chan *frame // for answers
	lastAsk atomic.Uint64
}

// hosted is one sandbox.
type hosted struct {
	id   uint64
	tell sync.Once

	// Guarded by server.mu.
	sandbox wire.Sandbox // nil when it was thrown away
	closing bool
	rough   bool // it did not end in peace, so that its code may go on
}

// running is a load or a call.
type running struct {
	in      *hosted
	sandbox wire.Sandbox
	cancel  context.CancelCauseFunc
	ended   chan struct{}
}

// serve reads frames until there are no more.
func (s *server) serve() error {
	for {
		f, err := s.conn.receive()
		if err != nil {
			return err
		}
		switch f.Kind {
		case kindLoad:
			sandbox, err := s.factory.NewSandbox(&asker{server: s, sandbox: f.Sandbox})
			if err != nil {
				return err
			}
			s.mu.Lock()
			s.hosted[f.Sandbox] = &hosted{id: f.Sandbox, sandbox: sandbox}
			s.mu.Unlock()
			ctx, r := s.begin(f)
			go s.load(ctx, r, f)
		case kindCall:
			if ctx, r := s.begin(f); r != nil {
				go s.call(ctx, r, f)
			} else { // it was closed meanwhile
				go s.reply(resultFrame(f.ID, wire.CallResult{Lost: true}))
			}
		case kindCancel:
			s.mu.Lock()
			r := s.running[f.ID]
			s.mu.Unlock()
			if r != nil {
				r.cancel(flagCause(f.Flag))
			}
		case kindClose:
			s.mu.Lock()
			h := s.hosted[f.Sandbox]
			s.mu.Unlock()
			go s.close(h, f)
		case kindAnswer:
			s.answered(f)
		case kindPing:
			if err := s.conn.send(&frame{header: header{Kind: kindPong, ID: f.ID}}); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%w: of kind %q", errFrame, f.Kind)
		}
	}
}

// reply sends a frame, if it could be made. A worker that cannot send is about
// to end.
func (s *server) reply(f *frame, err error) {
	if err == nil {
		_ = s.conn.send(f)
	}
}

// begin notes a load or call, so that it can be cancelled. It gives nil when the
// sandbox is not there any more.
func (s *server) begin(f *frame) (context.Context, *running) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hosted[f.Sandbox]
	if h == nil || h.sandbox == nil {
		return nil, nil
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	r := &running{in: h, sandbox: h.sandbox, cancel: cancel, ended: make(chan struct{})}
	s.running[f.ID] = r
	s.watch.enter()
	return ctx, r
}

func (s *server) end(id uint64, r *running) {
	s.watch.leave()
	s.mu.Lock()
	delete(s.running, id)
	s.mu.Unlock()
	r.cancel(context.Canceled)
	close(r.ended)
}

// sandboxLabel is on every goroutine that a sandbox starts, in its traces, and
// callLabel with it where a call's code runs.
const (
	sandboxLabel = "sandbox"
	callLabel    = "call"
)

func (s *server) load(ctx context.Context, r *running, f *frame) {
	req, err := f.loadRequest()
	var res wire.LoadResult
	if err == nil {
		pprof.Do(ctx, pprof.Labels(sandboxLabel, strconv.FormatUint(f.Sandbox, 10)), func(ctx context.Context) {
			res, err = r.sandbox.Load(ctx, req)
		})
	}
	switch cause := context.Cause(ctx); {
	case cause == nil:
	case isOveruse(cause):
		if res.Failure != nil || err != nil {
			res, err = wire.LoadResult{Failure: loadFailure(memoryThrown(s.watch.soft))}, nil
		}
		fallthrough
	default:
		s.mu.Lock()
		r.in.rough = true // a parser that was left behind goes on
		s.mu.Unlock()
	}
	s.end(f.ID, r)
	go s.mourn(r.in, r.sandbox.Done())
	out, encodeErr := loadedFrame(f.ID, res, err)
	if encodeErr != nil || out.size() > maxManifest {
		out, encodeErr = loadedFrame(f.ID, wire.LoadResult{Failure: &wire.Failure{Stage: wire.StageManifest,
			Message: fmt.Sprintf("the manifest is too large: at most %d bytes", maxManifest)}}, nil)
	}
	s.reply(out, encodeErr)
}

// maxManifest bounds what a load tells the host, which keeps it.
const maxManifest = 8 << 20

func (s *server) call(ctx context.Context, r *running, f *frame) {
	req, err := f.callRequest()
	if err != nil {
		s.end(f.ID, r)
		s.reply(resultFrame(f.ID, wire.CallResult{Thrown: &wire.Thrown{Kind: registry.KindOther, Code: "internal", Internal: true, Message: err.Error()}}))
		return
	}
	// The goroutine that runs its code carries the labels.
	res := r.sandbox.Call(pprof.WithLabels(ctx, pprof.Labels(
		sandboxLabel, strconv.FormatUint(f.Sandbox, 10), callLabel, strconv.FormatUint(f.ID, 10))), req)
	var over *overuse
	if errors.As(context.Cause(ctx), &over) {
		res = over.judge(res, s.watch.soft)
	}
	if res.Guilty {
		s.mu.Lock()
		r.in.rough = true
		s.mu.Unlock()
	}
	s.end(f.ID, r)
	out, err := resultFrame(f.ID, res)
	if err != nil || out.size() > maxPayload {
		out, err = resultFrame(f.ID, wire.CallResult{Thrown: &wire.Thrown{Kind: registry.KindOther, Message: "the result is too large"}})
	}
	s.reply(out, err)
}

// close ends a sandbox as the host asks.
func (s *server) close(h *hosted, f *frame) {
	if h != nil {
		s.mu.Lock()
		h.closing = true
		h.rough = h.rough || f.Flag == flagRough
		for _, r := range s.running {
			if r.in == h {
				h.rough = true
				r.cancel(wire.ErrClosed) // one that is still being parsed hears of nothing else
			}
		}
		sandbox := h.sandbox
		s.mu.Unlock()
		if sandbox != nil {
			_ = sandbox.Close()
		}
		s.forget(h)
	}
	_ = s.conn.send(&frame{header: header{Kind: kindClosed, Sandbox: f.Sandbox}})
	if h == nil {
		_ = s.conn.send(&frame{header: header{Kind: kindSound, Sandbox: f.Sandbox}})
	}
}

func (s *server) forget(h *hosted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hosted[h.id] == h {
		delete(s.hosted, h.id)
	}
}

// discard closes a sandbox and lets go of all that it holds.
func (s *server) discard(h *hosted) {
	s.forget(h)
	s.mu.Lock()
	sandbox := h.sandbox
	h.sandbox = nil
	s.mu.Unlock()
	if sandbox != nil {
		_ = sandbox.Close()
	}
}

// tellSuspect asks for an extension to get a worker of its own.
func (s *server) tellSuspect(h *hosted) {
	h.tell.Do(func() { _ = s.conn.send(&frame{header: header{Kind: kindSuspect, Sandbox: h.id}}) })
}
