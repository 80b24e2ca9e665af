package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/jsapi"
	"github.com/rho-ext/rho-ext/registry"
)

// env is the sandbox as the JavaScript surface sees it. Everything acts for the
// call whose code runs.
type env Sandbox

var _ jsapi.Env = (*env)(nil)

func (e *env) sandbox() *Sandbox { return (*Sandbox)(e) }

// owner is the running call, or nil where it may ask for nothing any more.
func (s *Sandbox) owner() *call {
	c := s.turn.current.Load()
	if c == nil || c.ended.Load() {
		return nil
	}
	return c
}

// jsTimer is a timer of JavaScript's.
type jsTimer struct {
	*timer
	id    int64
	owner *call
}

// SetTimer implements [jsapi.Env].
func (e *env) SetTimer(fn goja.Callable, args []goja.Value, delay time.Duration, repeat bool) int64 {
	s := e.sandbox()
	c := s.turn.current.Load()
	s.nextID++
	id := s.nextID
	if c == nil || c.ended.Load() && c != s.module {
		return id // code of an ended call sets nothing in motion
	}
	t := &jsTimer{id: id, owner: c}
	t.timer = s.loop.start(delay, func() {
		if repeat {
			s.loop.restart(t.timer, delay)
		} else {
			s.forgetTimer(t)
		}
		s.as(c, func() error {
			v, err := fn(goja.Undefined(), args...)
			if err != nil {
				return err
			}
			// An async callback's throw is its promise's rejection.
			if _, ok := v.(*goja.Object); ok {
				return s.glue.failOnReject(s, c, v)
			}
			return nil
		})
	})
	if s.byID == nil {
		s.byID = map[int64]*jsTimer{}
	}
	s.byID[id] = t
	s.timers++
	if c.timers == nil {
		c.timers = map[int64]*jsTimer{}
	}
	c.timers[id] = t
	return id
}

// ClearTimer implements [jsapi.Env].
func (e *env) ClearTimer(id int64) { e.sandbox().clearTimer(id) }

func (s *Sandbox) clearTimer(id int64) {
	if t := s.byID[id]; t != nil {
		s.loop.stop(t.timer)
		s.forgetTimer(t)
	}
}

func (s *Sandbox) forgetTimer(t *jsTimer) {
	if s.byID[t.id] == t {
		delete(s.byID, t.id)
		delete(t.owner.timers, t.id)
		s.timers--
	}
}

// request is one that the broker has not answered.
type request struct {
	cancel  context.CancelFunc
	dropped bool
}

// drop gives a request up; its answer will go nowhere.
func (s *Sandbox) drop(c *call, r *request) {
	if r.dropped {
		return
	}
	r.dropped = true
	r.cancel()
	delete(c.requests, r)
	s.reserved--
}

// Request implements [jsapi.Env].
func (e *env) Request(req wire.Request, done func(wire.Response) (goja.Value, error)) (*goja.Object, func()) {
	s := e.sandbox()
	var resp wire.Response
	return s.start(func(ctx context.Context, c *call) error {
		req.Call, req.Tool = c.req.ID, c.req.Tool
		var err error
		resp, err = s.broker.Do(ctx, req)
		return err
	}, req.Op, func(c *call, cancel context.CancelFunc) (goja.Value, error) {
		if resp.Stream == 0 {
			cancel()
			return done(resp)
		}
		// The body lives as long as the request's context.
		if c.streams == nil {
			c.streams = map[wire.Stream]context.CancelFunc{}
		}
		c.streams[resp.Stream] = cancel
		return done(resp)
	}, func() {
		if resp.Stream != 0 {
			s.broker.CloseStream(resp.Stream)
		}
	})
}

// start runs work on its own goroutine and settles a promise with what it
// brings. discard is called instead of done when nobody waits any more.
func (s *Sandbox) start(work func(context.Context, *call) error, op wire.Op, done func(*call, context.CancelFunc) (goja.Value, error), discard func()) (*goja.Object, func()) {
	promise, resolve, reject := s.vm.NewPromise()
	obj := s.vm.ToValue(promise).(*goja.Object)
	c := s.owner()
	if c == nil || c == s.module {
		s.native(reject(s.globals.Error(outsideCall(op), s.stackText(s.vm.CaptureCallStack(maxFrames, nil)))))
		return obj, func() {}
	}
	stack := s.vm.CaptureCallStack(maxFrames, nil)
	if !c.act(op) {
		s.native(reject(s.globals.Error(outsideCall(op), s.stackText(stack))))
		return obj, func() {}
	}
	ctx, cancel := context.WithCancel(c.ctx)
	r := &request{cancel: cancel}
	if c.requests == nil {
		c.requests = map[*request]struct{}{}
	}
	c.requests[r] = struct{}{}
	s.reserved++
	go func() {
		err := work(ctx, c)
		posted := s.loop.post(func() {
			if r.dropped {
				cancel()
				discard()
				return
			}
			delete(c.requests, r)
			s.reserved--
			s.as(c, func() error {
				if err != nil {
					cancel()
					return reject(s.globals.Error(jsError(err), s.stackText(stack)))
				}
				v, err := done(c, cancel)
				if err != nil {
					if thrown, ok := err.(*goja.Exception); ok {
						return reject(thrown.Value())
					}
					return reject(s.globals.Error(jsError(err), s.stackText(stack)))
				}
				return resolve(v)
			})
		})
		if !posted {
			cancel()
			discard()
		}
	}()
	return obj, func() { s.drop(c, r) }
}

func outsideCall(op wire.Op) *wire.Error {
	return &wire.Error{
		Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Code: "no_call",
		Message: string(op) + " is only possible while a call runs",
		Hint:    "move it into execute, and await it there; top-level code and what a call leaves behind may ask for nothing",
	}
}

// jsError makes any broker error fit for JavaScript.
func jsError(err error) *wire.Error {
	var we *wire.Error
	switch {
	case errors.As(err, &we):
		return we
	case errors.Is(err, context.DeadlineExceeded):
		return &wire.Error{Kind: registry.KindTimeout, Name: "TimeoutError", Message: "the call's deadline has passed"}
	case errors.Is(err, context.Canceled):
		return &wire.Error{Kind: registry.KindCancelled, Name: "AbortError", Message: "the call was cancelled"}
	default:
		return &wire.Error{Kind: registry.KindOther, Name: "Error", Message: err.Error()}
	}
}

// Do implements [jsapi.Env]. It blocks the loop, at most until the call's
// context ends.
func (e *env) Do(req wire.Request) (wire.Response, goja.Value) {
	s := e.sandbox()
	c := s.owner()
	if req.Op == wire.OpEnv && c == nil {
		c = s.module // the environment is there for the module's own code, too
	}
	if c == nil || c == s.module && req.Op != wire.OpEnv || !c.act(req.Op) && c != s.module {
		return wire.Response{}, s.globals.Error(outsideCall(req.Op), s.stackText(s.vm.CaptureCallStack(maxFrames, nil)))
	}
	req.Call, req.Tool = c.req.ID, c.req.Tool
	resp, err := s.broker.Do(c.ctx, req)
	if err != nil {
		return resp, s.globals.Error(jsError(err), s.stackText(s.vm.CaptureCallStack(maxFrames, nil)))
	}
	return resp, nil
}

// Read implements [jsapi.Env].
func (e *env) Read(stream wire.Stream, max int) *goja.Object {
	s := e.sandbox()
	var chunk []byte
	eof := false
	obj, _ := s.start(func(ctx context.Context, _ *call) error {
		var err error
		chunk, err = s.broker.Read(ctx, stream, max)
		if errors.Is(err, io.EOF) {
			eof, err = true, nil
		}
		return err
	}, "", func(c *call, cancel context.CancelFunc) (goja.Value, error) {
		cancel()
		if eof && len(chunk) == 0 {
			s.closeStream(c, stream)
			return goja.Null(), nil
		}
		return s.bytes(chunk)
	}, func() {})
	return obj
}

func (s *Sandbox) bytes(b []byte) (goja.Value, error) {
	return s.vm.New(s.vm.Get("Uint8Array"), s.vm.ToValue(s.vm.NewArrayBuffer(b)))
}

// CloseStream implements [jsapi.Env].
func (e *env) CloseStream(stream wire.Stream) {
	s := e.sandbox()
	if c := s.turn.current.Load(); c != nil {
		s.closeStream(c, stream)
	}
}

// closeStream gives up a stream of c's; another call's is none of its business.
func (s *Sandbox) closeStream(c *call, stream wire.Stream) {
	if cancel, ok := c.streams[stream]; ok {
		delete(c.streams, stream)
		cancel()
		s.broker.CloseStream(stream)
	}
}

// Log implements [jsapi.Env].
func (e *env) Log(rec wire.LogRecord) {
	s := e.sandbox()
	s.log(s.turn.current.Load(), rec)
}

func (s *Sandbox) logAs(c *call, level, message string) {
	s.log(c, wire.LogRecord{Level: level, Message: message})
}

// log passes a line on until the call has used its share.
func (s *Sandbox) log(c *call, rec wire.LogRecord) {
	if c == nil {
		c = s.module
	}
	left := s.limits.LogBytes - c.logBytes
	if left <= 0 {
		return
	}
	size := len(rec.Message) + len(rec.Data)
	c.logBytes += size
	if size > left {
		rec = wire.LogRecord{Level: "warn", Message: strings.ToValidUTF8(rec.Message[:min(left, len(rec.Message))], "") + " … (the log of this call is full)"}
	}
	data, err := json.Marshal(rec)
	if err != nil {
		return
	}
	_, _ = s.broker.Do(c.ctx, wire.Request{Call: c.req.ID, Tool: c.req.Tool, Op: wire.OpLog, Data: data})
}

// ReportError implements [jsapi.Env].
func (e *env) ReportError(v goja.Value) {
	s := e.sandbox()
	s.fail(s.turn.current.Load(), v, nil)
}

// Model implements [jsapi.Env].
func (e *env) Model() string {
	if c := e.sandbox().owner(); c != nil && c.req.Model != "" {
		return c.req.Model
	}
	return e.req.Model
}

// ProjectRoot implements [jsapi.Env].
func (e *env) ProjectRoot() string { return e.req.ProjectRoot }
