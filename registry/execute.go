package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"time"
)

// genericText is what the model sees of a fault that is not the tool's to
// explain.
const genericText = "the tool failed with an internal error"

// PanicError is the cause of a failure with code "panic" or "goexit".
type PanicError struct {
	Value any    // nil for runtime.Goexit
	Stack string // the innermost frames, one per line
}

// Error implements error.
func (e *PanicError) Error() string {
	if e.Value == nil {
		return "runtime.Goexit called\n" + e.Stack
	}
	return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack)
}

// answer is what came of running a tool.
type answer struct {
	res    *Result
	err    error
	inTime bool // before the context ended
}

// execute runs the tool under its deadline. It returns a result or a failure.
func (r *run) execute(ctx context.Context) (*Result, *Failure) {
	r.limit = r.timeout()
	start := time.Now()
	parent := ctx
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	if ctx.Err() != nil {
		return nil, r.interrupted(ctx, 0, nil)
	}
	r.call.clock = startClock(r.limit, cancel)
	defer r.call.clock.stop()
	ctx = WithCall(ctx, r.call)

	done := make(chan answer, 1)
	go r.invoke(ctx, json.RawMessage(r.args.text), done)
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		grace := time.NewTimer(r.door.opts.Grace)
		defer grace.Stop()
		select {
		case a = <-done:
		case <-grace.C:
			r.door.opts.Logger.Warn("a tool did not stop when its call ended; it was left behind",
				slog.String("tool", r.req.Tool), slog.String("call", r.call.ID))
		}
	}
	if !a.inTime {
		return nil, r.interrupted(ctx, time.Since(start), a.err)
	}
	if a.err != nil {
		return nil, failureOf(a.err)
	}
	return a.res, nil
}

// timeout is the deadline of this call.
func (r *run) timeout() time.Duration {
	switch {
	case r.req.Timeout > 0:
		return r.req.Timeout
	case r.door.opts.ForceTimeout > 0:
		return r.door.opts.ForceTimeout
	case r.entry.Info.Timeout > 0:
		return r.entry.Info.Timeout
	default:
		return r.door.opts.Timeout
	}
}

// invoke calls the tool on a goroutine of its own, where it may panic, and
// sends one answer.
func (r *run) invoke(ctx context.Context, args json.RawMessage, done chan<- answer) {
	var a answer
	returned := false
	defer func() {
		if !returned { // it panicked, or called runtime.Goexit, which recovers as nil
			a.err = r.panicked(recover())
		}
		a.inTime = ctx.Err() == nil
		done <- a
	}()
	a.res, a.err = r.entry.Tool.Execute(ctx, args)
	returned = true
}

// panicked makes the failure of a panic with value v, nil for Goexit. It is
// called while the panicking stack is still there.
func (r *run) panicked(v any) *Failure {
	p := &PanicError{Value: v, Stack: shortStack()}
	f := &Failure{Kind: KindOther, Code: "panic", ModelText: genericText, Cause: p}
	if v == nil {
		f.Code = "goexit"
		f.Message = fmt.Sprintf("tool %q ended its goroutine (runtime.Goexit)", r.req.Tool)
	} else {
		f.Message = prefix(fmt.Sprintf("tool %q panicked: %v", r.req.Tool, v), 2000)
	}
	r.door.opts.Logger.Error(r.logText(f.Message), slog.String("call", r.call.ID), slog.String("stack", p.Stack))
	return f
}

// shortStack lists the frames that led to a panic, innermost first.
func shortStack() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs)])
	var b strings.Builder
	for n := 0; n < 16; {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") {
			fmt.Fprintf(&b, "%s (%s:%d)\n", f.Function, f.File, f.Line)
			n++
		}
		if !more {
			break
		}
	}
	return b.String()
}

// interrupted makes the failure of a call whose context ended. What the tool
// still said is kept as the cause, and where it was.
func (r *run) interrupted(ctx context.Context, after time.Duration, err error) *Failure {
	cause := context.Cause(ctx)
	f := &Failure{Cause: cause}
	switch {
	case cause == ErrDeadline:
		f.Kind = KindTimeout
		f.Message = fmt.Sprintf("timed out after %v", r.limit)
	case errors.Is(cause, context.DeadlineExceeded): // the caller's own deadline
		f.Kind = KindTimeout
		f.Message = fmt.Sprintf("timed out after %v", after.Round(time.Millisecond))
	case errors.Is(cause, context.Canceled):
		f.Kind = KindCancelled
		f.Message = "cancelled"
	default: // why it was cancelled is the operator's business
		f.Kind = KindCancelled
		f.Message = fmt.Sprintf("cancelled: %v", cause)
		f.ModelText = "cancelled"
	}
	var told *Failure
	if errors.As(err, &told) && told != nil {
		f.Location, f.Hint, f.Code = told.Location, told.Hint, told.Code
		f.Cause = errors.Join(cause, err)
	}
	return f
}

// failureOf turns the error of a tool into its failure.
func failureOf(err error) *Failure {
	var told *Failure
	if !errors.As(err, &told) {
		return &Failure{Kind: KindOther, Message: err.Error(), Cause: err}
	}
	if told == nil {
		return &Failure{Kind: KindOther, Message: "the tool returned a nil *registry.Failure as its error",
			ModelText: genericText}
	}
	f := *told // a tool may return the same one again, and from several calls at once
	if f.Kind == "" {
		f.Kind = KindOther
	}
	if err != error(told) { // wrapped: the outer text says more
		f.Message, f.Cause = err.Error(), err
	}
	return &f
}
