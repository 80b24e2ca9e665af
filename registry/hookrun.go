package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"
)

// hookBudget is how long a hook may take when it does not say.
const hookBudget = 2 * time.Second

// before runs the hooks before the tool. A result ends the call.
func (r *run) before(ctx context.Context) *draft {
	ctx = WithCall(ctx, r.call)
	for _, h := range r.door.hooks() {
		if h.Before == nil {
			continue
		}
		masked, restore := r.mask(r.args.text)
		e := BeforeEvent{CallID: r.req.ID, Tool: r.entry.name, Owner: r.entry.Owner, Risk: r.effects().Risk(), Arguments: json.RawMessage(masked)}
		d, err := within(ctx, h.Budget, func(ctx context.Context) (Decision, error) { return h.Before(ctx, e) })
		switch {
		case ctx.Err() != nil:
			return r.failed(r.interrupted(ctx, 0, nil))
		case err != nil:
			r.door.opts.Logger.Warn("a hook failed; the call is blocked", slog.String("hook", h.Name), slog.String("tool", r.entry.name), slog.String("error", r.logText(err.Error())))
			return r.blocked("hook_failed", fmt.Sprintf("the call was blocked: the hook %s failed", h.Name), err)
		case d.stop:
			r.stop(d.reason)
			return r.failed(&Failure{Kind: KindCancelled, Code: "stopped", Message: d.reason, Retryable: RetryNo})
		case d.block:
			return r.blocked("hook", d.reason, nil)
		case d.answer != nil:
			return r.answered(restored(d.answer, restore))
		case d.args != nil:
			if end := r.edited(json.RawMessage(restore(string(d.args)))); end != nil {
				return end
			}
		}
	}
	return nil
}

// edited takes over arguments that a hook or a person changed.
func (r *run) edited(args json.RawMessage) *draft {
	r.req.Arguments = args
	if f := r.prepare(); f != nil {
		f.Message = "after they were rewritten: " + f.Message
		return r.failed(f)
	}
	return nil
}

// blocked is the end of a call that a hook stopped. Its reason is the model's
// text, verbatim.
func (r *run) blocked(code, reason string, cause error) *draft {
	d := r.failed(&Failure{Kind: KindPermissionDenied, Code: code, Retryable: RetryNo, Message: reason, Cause: cause})
	d.status = StatusSkipped
	return d
}

// restored puts secrets back into the text of a hook's own result; the final
// redaction takes out what must not leave.
func restored(res *Result, restore func(string) string) *Result {
	out := *res
	out.Content = slices.Clone(res.Content)
	for i := range out.Content {
		out.Content[i].Text = restore(out.Content[i].Text)
	}
	return &out
}

// after runs the hooks after the tool. They can change what the model sees, and
// nothing of what happened.
func (r *run) after(ctx context.Context, d *draft, took time.Duration) {
	hooks := r.door.hooks()
	if len(hooks) == 0 {
		return
	}
	ctx = WithCall(context.WithoutCancel(ctx), r.call) // a cancelled call has a result as well
	for _, h := range hooks {
		if h.After == nil {
			continue
		}
		masked, _ := r.mask(r.args.text)
		e := AfterEvent{
			CallID: r.req.ID, Tool: r.req.Tool, Status: d.status, IsError: d.isError, Failure: r.redactFailure(d.failure),
			Content: slices.Clone(r.redactBlocks(d.content)), Details: r.redactDetails(d.details), Metadata: maps.Clone(d.metadata), Duration: took,
		}
		if masked != "" { // else the call never had any
			e.Arguments = json.RawMessage(masked)
		}
		if r.entry != nil {
			e.Owner = r.entry.Owner
		}
		rev, err := within(ctx, h.Budget, func(ctx context.Context) (Revision, error) { return h.After(ctx, e) })
		if err != nil {
			r.door.opts.Logger.Warn("a hook failed after a call", slog.String("hook", h.Name), slog.String("tool", r.req.Tool), slog.String("error", r.logText(err.Error())))
			continue
		}
		if rev.Content != nil {
			d.content = slices.Clone(rev.Content)
			d.structured = nil // it would tell what the hook took out
		}
		if rev.Details != nil {
			d.details = rev.Details
		}
		if rev.IsError != nil {
			d.isError = *rev.IsError
		}
		if rev.Stop != "" {
			r.stop(rev.Stop)
			return
		}
	}
}

// within runs foreign code for at most its budget. Code that does not come back
// is left behind with its context ended.
func within[T any](ctx context.Context, budget time.Duration, f func(context.Context) (T, error)) (T, error) {
	budget = cmp.Or(max(budget, 0), hookBudget)
	ctx, cancel := context.WithTimeoutCause(ctx, budget, &budgetError{budget})
	defer cancel()
	return apart(ctx, f)
}

// budgetError is the cause of a hook's context that has run out.
type budgetError struct{ budget time.Duration }

// Error implements error.
func (e *budgetError) Error() string { return fmt.Sprintf("it took longer than %v", e.budget) }

// Unwrap makes it a deadline like that of a call.
func (e *budgetError) Unwrap() error { return ErrDeadline }

// apart runs foreign code on a goroutine of its own, where it may panic and
// exit, until ctx ends.
func apart[T any](ctx context.Context, f func(context.Context) (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		var res result
		ok := false
		defer func() {
			if !ok {
				res.err = fmt.Errorf("it panicked: %v", recover())
			}
			done <- res
		}()
		res.v, res.err = f(ctx)
		ok = true
	}()
	select {
	case res := <-done:
		return res.v, res.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
