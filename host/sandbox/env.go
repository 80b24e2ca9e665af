package sandbox

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/jsapi"
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
	quiet bool // nothing that a call waits for
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
		if !t.quiet {
			s.timers--
		}
	}
}

// Request implements [jsapi.Env].
func (e *env) Request(req wire.Request, done func(wire.Response) (goja.Value, error)) (*goja.Object, func()) {
	return caller{s: e.sandbox()}.Request(req, done)
}

// Do implements [jsapi.Env].
func (e *env) Do(req wire.Request) (wire.Response, goja.Value) {
	return caller{s: e.sandbox()}.Do(req)
}

// Read implements [jsapi.Env].
func (e *env) Read(stream wire.Stream, max int) *goja.Object {
	return caller{s: e.sandbox()}.Read(stream, max)
}

// CloseStream implements [jsapi.Env].
func (e *env) CloseStream(stream wire.Stream) { caller{s: e.sandbox()}.CloseStream(stream) }

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
