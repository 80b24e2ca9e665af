package sandbox

import (
	"context"
	"errors"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/jsapi"
	"github.com/rho-ext/rho-ext/registry"
)

// caller says in whose name the broker is asked: the bound call, whoever's code
// holds its ctx, or else the call whose code runs. Either way the name is good
// only until that call has ended.
type caller struct {
	s     *Sandbox
	bound *call
}

var _ jsapi.Caller = caller{}

// call gives the call to act for, or nil where there is none that may ask.
func (a caller) call() *call {
	c := a.bound
	if c == nil {
		c = a.s.turn.current.Load()
	}
	if c == nil || c == a.s.module || c.ended.Load() {
		return nil
	}
	return c
}

// act notes that c is about to do op, and that the code which runs had it done:
// neither may then run again as if it had not. It reports false when c has
// ended meanwhile.
func (a caller) act(c *call, op wire.Op) bool {
	if runs := a.s.turn.current.Load(); runs != nil && runs != c {
		runs.act(op)
	}
	return c.act(op)
}

// Do implements [jsapi.Caller]. It blocks the loop, at most until the context
// of the call ends, or that of the call whose code waits.
func (a caller) Do(req wire.Request) (wire.Response, goja.Value) {
	s := a.s
	c := a.call()
	if c == nil && a.bound == nil && req.Op == wire.OpEnv {
		c = s.module // the environment is there for the module's own code, too
	}
	if c == nil || !a.act(c, req.Op) && c != s.module {
		return wire.Response{}, s.thrownHere(a.refusal(req.Op, req.As))
	}
	if s.req.Test != nil && req.Op == wire.OpFetch { // it holds the loop that would answer
		return wire.Response{}, s.thrownHere(&wire.Error{Kind: registry.KindOther, Name: "Error", Code: "blocked",
			Message: req.As + " blocks the test file, whose mocks could not answer then",
			Hint:    "call the tool with callTool, or use fetch"})
	}
	ctx := c.ctx
	if c.ended.Load() {
		ctx = s.life
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if runs := s.turn.current.Load(); runs != nil && runs != c && !runs.ended.Load() {
		defer context.AfterFunc(runs.ctx, cancel)()
	}
	req.Call, req.Tool = c.req.ID, c.req.Tool
	resp, err := s.block(ctx, req)
	if err != nil {
		return resp, s.thrownHere(jsError(err))
	}
	return resp, nil
}

// block asks the broker and waits no longer than ctx lives, even where the
// broker cannot stop: no interrupt reaches a loop that waits here.
func (s *Sandbox) block(ctx context.Context, req wire.Request) (wire.Response, error) {
	type answer struct {
		resp wire.Response
		err  error
	}
	ch := make(chan answer, 1)
	go func() {
		resp, err := s.broker.Do(ctx, req)
		ch <- answer{resp, err}
	}()
	select {
	case a := <-ch:
		return a.resp, a.err
	case <-ctx.Done():
		return wire.Response{}, ctx.Err()
	}
}

// thrownHere makes an exception that points at the code that runs.
func (s *Sandbox) thrownHere(e *wire.Error) goja.Value {
	return s.globals.Error(e, s.stackText(s.vm.CaptureCallStack(maxFrames, nil)))
}

// refusal is the answer where there is no call to act for.
func (a caller) refusal(op wire.Op, as string) *wire.Error {
	if as == "" {
		as = string(op)
	}
	e := &wire.Error{
		Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Code: "no_call",
		Message: as + " is only possible while a call runs",
		Hint:    "move it into execute, and await it there; top-level code and what a call leaves behind may ask for nothing",
	}
	if a.bound != nil {
		e.Message = as + " is only possible while the call of this ctx runs, and it has ended"
		e.Hint = "await it in execute, and use the ctx of the call that runs"
	}
	return e
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
