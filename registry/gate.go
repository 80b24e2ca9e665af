package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Gate asks somebody whether a call may run. It must be safe for concurrent
// use, and return when ctx ends.
type Gate interface {
	Ask(ctx context.Context, q Question) (Answer, error)
}

// GateFunc is a function as a [Gate].
type GateFunc func(ctx context.Context, q Question) (Answer, error)

// Ask implements [Gate].
func (f GateFunc) Ask(ctx context.Context, q Question) (Answer, error) { return f(ctx, q) }

// AllowAll is a gate that says yes. It answers asks only: what the policy
// denies stays denied.
var AllowAll Gate = GateFunc(func(_ context.Context, q Question) (Answer, error) {
	return Answer{ID: q.ID, Allow: true}, nil
})

// Question is one request for an approval.
type Question struct {
	ID        string // of the request; an answer names it
	CallID    string
	Tool      string
	Title     string
	Owner     string
	Risk      Risk
	Effects   Effects
	Arguments json.RawMessage // redacted
	Reason    string          // why it is asked
}

// Scope is how long an answer holds.
type Scope uint8

// The scopes.
const (
	Once    Scope = iota // this call
	Session              // calls of the tool with the same effects, until the program ends
	Always               // the same, kept by [DoorOptions.KeepApproval]
)

// Answer answers one question.
type Answer struct {
	ID        string // of the question; another id approves nothing
	Allow     bool
	Scope     Scope           // of an approval
	Reason    string          // why not; the model sees it
	Arguments json.RawMessage // run with these instead; they are validated and judged again
	Stop      bool            // with Allow false: stop the batch, too
}

// Decision of a person or the policy, as an outcome tells it.
type Consent struct {
	Action   Action        `json:"-"`
	Asked    bool          `json:"asked"`
	Allowed  bool          `json:"allowed"`
	Reason   string        `json:"reason,omitempty"` // the rule, or the person's
	Wait     time.Duration `json:"-"`
	WaitedMS float64       `json:"waitedMs,omitempty"`
}

// approve is step five of the door: what the policy says, and if it says ask,
// what the gate says. A nil result lets the call run.
func (r *run) approve(ctx context.Context) *draft {
	for range maxEdits {
		v := r.door.opts.Policy.decide(r.entry, r.effects(), r.args.text)
		r.consent = Consent{Action: v.Action, Allowed: v.Action == Auto, Reason: v.Reason}
		switch {
		case v.Action == Auto, r.door.opts.Policy == nil:
			r.consent.Allowed = true
			return nil
		case v.Action == Deny:
			return r.refused("policy", "denied by the policy: "+v.Reason, "")
		case r.door.opts.Gate == nil:
			return r.refused("policy", "this call needs an approval, and nobody can be asked ("+v.Reason+")",
				"allow it in the configuration, under [approval.per_tool], or run with --yes")
		}
		again, d := r.ask(ctx, v)
		if !again {
			return d
		}
	}
	return r.refused("policy", "the arguments were edited again and again", "")
}

// maxEdits bounds how often an approver may change the arguments of one call.
const maxEdits = 5

// ask puts one question. again says that the arguments were edited and the
// call is to be judged anew; the edit itself is then approved.
func (r *run) ask(ctx context.Context, v Verdict) (again bool, _ *draft) {
	q := Question{
		ID: r.door.nextID("ask-"), CallID: r.req.ID, Tool: r.entry.name, Title: r.entry.Info.Title, Owner: r.entry.Owner,
		Effects: r.effects(), Risk: r.effects().Risk(), Reason: v.Reason,
	}
	masked, restore := r.mask(r.args.text)
	q.Arguments = json.RawMessage(masked)
	start := time.Now()
	a, err := r.askGate(ctx, q)
	r.consent.Asked, r.consent.Wait = true, time.Since(start)
	switch {
	case ctx.Err() != nil:
		return false, r.failed(r.interrupted(ctx, time.Since(start), nil))
	case err != nil:
		return false, r.refused("gate", "the approval failed: "+err.Error(), "")
	case a.ID != q.ID:
		return false, r.refused("gate", "the approval answered another request", "")
	case !a.Allow:
		if a.Stop {
			r.stop(a.Reason)
		}
		d := r.refused("person", deniedText(a.Reason), "")
		r.consent.Reason = a.Reason
		return false, d
	}
	r.consent.Allowed = true
	if len(a.Arguments) > 0 {
		if d := r.edited(json.RawMessage(restore(string(a.Arguments)))); d != nil {
			return false, d
		}
		if r.door.opts.Policy.decide(r.entry, r.effects(), r.args.text).Action == Deny {
			return true, nil // deny holds against everybody
		}
		return false, nil // what a person edited and allowed is allowed
	}
	r.keep(a.Scope)
	return false, nil
}

func deniedText(reason string) string {
	if reason == "" {
		return "tool call denied"
	}
	return "tool call denied: " + reason
}

// askGate calls the gate, which is foreign code.
func (r *run) askGate(ctx context.Context, q Question) (a Answer, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the gate panicked: %v", v)
		}
	}()
	return r.door.opts.Gate.Ask(ctx, q)
}

// keep remembers an approval for later calls.
func (r *run) keep(s Scope) {
	if s == Once {
		return
	}
	a := Approval{Tool: r.entry.name, Owner: r.entry.Owner, Effects: r.effects()}
	r.door.opts.Policy.remember(a)
	if s == Always && r.door.opts.KeepApproval != nil {
		if err := r.door.opts.KeepApproval(a); err != nil {
			r.door.opts.Logger.Warn("an approval could not be kept", "tool", a.Tool, "error", err)
		}
	}
}

// refused is the end of a call that may not run.
func (r *run) refused(code, text, hint string) *draft {
	r.consent.Allowed = false
	d := r.failed(&Failure{Kind: KindPermissionDenied, Code: code, Retryable: RetryNo, Message: text, Hint: hint})
	d.status = StatusSkipped
	return d
}

// Approvals is a [Gate] whose answers come in from elsewhere, such as over a
// connection, by the id of the request. An answer approves exactly one request:
// a repeated, late or unknown one is an error and approves nothing. The zero
// value is ready; it is safe for concurrent use.
type Approvals struct {
	// Notify tells somebody of a question. It must not block for long.
	Notify func(Question)

	mu      sync.Mutex
	waiting map[string]chan Answer
}

var _ Gate = (*Approvals)(nil)

// ErrNoQuestion is the error of an answer that nobody waits for.
var ErrNoQuestion = errors.New("no request with this id waits for an answer")

// Ask implements [Gate].
func (g *Approvals) Ask(ctx context.Context, q Question) (Answer, error) {
	ch := make(chan Answer, 1)
	g.mu.Lock()
	if g.waiting == nil {
		g.waiting = map[string]chan Answer{}
	}
	g.waiting[q.ID] = ch
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		delete(g.waiting, q.ID)
		g.mu.Unlock()
	}()
	if g.Notify != nil {
		g.Notify(q)
	}
	select {
	case a := <-ch:
		return a, nil
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
}

// Answer gives the answer to the question that a.ID names.
func (g *Approvals) Answer(a Answer) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	ch, ok := g.waiting[a.ID]
	if !ok {
		return fmt.Errorf("%w: %q", ErrNoQuestion, a.ID)
	}
	delete(g.waiting, a.ID)
	ch <- a
	return nil
}
