package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/jsapi"
)

// testEnv is the sandbox of a test file as its library sees it.
type testEnv struct{ s *Sandbox }

var _ jsapi.TestEnv = testEnv{}

// TestState implements [jsapi.TestEnv].
func (e testEnv) TestState() goja.Value {
	if c := e.s.turn.current.Load(); c != nil && c.test != nil {
		return c.test
	}
	return goja.Undefined()
}

// SetTestState implements [jsapi.TestEnv].
func (e testEnv) SetTestState(v goja.Value) {
	if c := e.s.turn.current.Load(); c != nil && c != e.s.module {
		c.test = v
	}
}

// Place implements [jsapi.TestEnv].
func (e testEnv) Place() wire.Position {
	for _, p := range e.s.frames(e.s.vm.CaptureCallStack(maxFrames, nil)) {
		return p
	}
	return wire.Position{}
}

// Explain implements [jsapi.TestEnv].
func (e testEnv) Explain(v goja.Value) wire.TestError {
	t := e.s.thrown(e.s.turn.current.Load(), v, nil)
	return wire.TestError{Name: t.Name, Message: t.Message, Hint: t.Hint, Stack: t.Stack}
}

// SetDeadline implements [jsapi.TestEnv].
func (e testEnv) SetDeadline(fn goja.Callable, delay time.Duration) int64 {
	id := (*env)(e.s).SetTimer(fn, nil, delay, false)
	if t := e.s.byID[id]; t != nil {
		t.quiet = true
		e.s.timers--
	}
	return id
}

// collected ends the load of a test file: its modules have been evaluated.
func (l *loading) collected(c *call) error {
	s := l.s
	tree, err := s.globals.CollectTests()
	if err != nil {
		return err
	}
	return s.settle(c, tree, func(c *call, v goja.Value) error {
		root := &wire.TestNode{}
		if err := json.Unmarshal([]byte(v.String()), root); err != nil {
			return fmt.Errorf("the tests of the file: %w", err)
		}
		l.result = &wire.LoadResult{Tests: root}
		s.end(c, wire.CallResult{Value: &wire.Value{}})
		return nil
	})
}

// beginTest starts a part of a test file.
func (s *Sandbox) beginTest(c *call) {
	s.as(c, func() error {
		v, err := s.globals.RunTest(c.req.Tool, slices.Clone(c.req.Args))
		if err != nil {
			return err
		}
		return s.settle(c, v, func(c *call, v goja.Value) error {
			if c.ended.Load() {
				return nil
			}
			text := v.String()
			if len(text) > s.limits.ResultBytes {
				return fmt.Errorf("the result of the test is too large: %d bytes, at most %d", len(text), s.limits.ResultBytes)
			}
			raw := s.withUnhandled(c, json.RawMessage(text))
			s.end(c, wire.CallResult{Value: &wire.Value{Structured: raw}})
			return nil
		})
	})
}

// withUnhandled fails a test that left rejected promises behind which nobody
// looked at.
func (s *Sandbox) withUnhandled(c *call, raw json.RawMessage) json.RawMessage {
	var res wire.TestResult
	for p, r := range s.pending {
		if r.owner != c {
			continue
		}
		if res.State == "" && (json.Unmarshal(raw, &res) != nil || res.State == "skip") {
			return raw
		}
		delete(s.pending, p)
		e := testEnv{s}.Explain(r.value)
		e.In = "a promise that nobody awaits"
		res.State, res.Errors = "fail", append(res.Errors, e)
	}
	if res.State == "" {
		return raw
	}
	out, err := json.Marshal(res)
	if err != nil {
		return raw
	}
	return out
}

// testStuck lets the library of a test file end what c waits for in vain, with
// the hooks that are to run after it.
func (s *Sandbox) testStuck(c *call) (handled bool) {
	if c.test == nil {
		return false
	}
	var waits bool
	s.as(c, func() (err error) {
		handled, waits, err = s.globals.TestStuck(c.test)
		return err
	})
	if handled {
		s.loop.ring() // what comes next may be stuck as well
	}
	return handled || waits
}

// testFailed does the same with an exception that nobody caught.
func (s *Sandbox) testFailed(c *call, v goja.Value) bool {
	if c == nil || c.test == nil || c.ended.Load() || c.ctx.Err() != nil {
		return false
	}
	handled, err := s.globals.FailTest(c.test, v)
	if err != nil {
		s.lost(c, err)
	}
	return handled
}
