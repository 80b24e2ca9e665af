package registry

import (
	"context"
	"encoding/json"
	"fmt"
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
	ParentID  string // of the call whose tool makes this one; empty where the caller does
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

// The scopes. On the wire they are once, session and always.
const (
	Once    Scope = iota // this call
	Session              // such calls of the tool, see [Approval], until the program ends
	Always               // the same, kept by [DoorOptions.KeepApproval]
)

var scopeNames = [...]string{Once: "once", Session: "session", Always: "always"}

// String is once, session or always.
func (s Scope) String() string {
	if s > Always {
		return fmt.Sprintf("scope(%d)", uint8(s))
	}
	return scopeNames[s]
}

// ParseScope reads once, session or always; nothing is once.
func ParseScope(s string) (Scope, error) {
	if s == "" {
		return Once, nil
	}
	for i, name := range scopeNames {
		if name == s {
			return Scope(i), nil
		}
	}
	return Once, fmt.Errorf("unknown scope %q: expected once, session or always", s)
}

// Answer answers one question.
type Answer struct {
	ID        string // of the question; another id approves nothing
	Allow     bool
	Scope     Scope           // of an approval
	Reason    string          // why not; the model sees it
	Arguments json.RawMessage // run with these instead; they are validated and judged again
	Stop      bool            // with Allow false: stop the batch, too
}

// Consent is how it was decided whether a call may run, as its outcome tells.
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
	if r.door.opts.Policy == nil {
		return nil
	}
	for range maxEdits {
		v := r.judge()
		r.consent = Consent{Action: v.Action, Allowed: v.Action == Auto, Reason: v.Reason}
		switch {
		case v.Action == Auto:
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
		ID: r.door.nextID("ask-" + r.door.prefix), CallID: r.req.ID, ParentID: r.call.ParentID(), Tool: r.entry.name, Title: r.entry.Info.Title, Owner: r.entry.Owner,
		Effects: r.effects(), Risk: r.effects().Risk(), Reason: v.Reason,
	}
	masked, restore := r.mask(r.args.text)
	q.Arguments = json.RawMessage(masked)
	if r.call.wornOut() {
		return false, r.refused("gate", fmt.Sprintf("nobody is asked any more: of what this call called, %d calls were refused", maxNestedNos), "")
	}
	if r.call.parent != nil {
		defer r.call.parent.PauseDeadline()() // somebody else waits for the answer
	}
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
		r.call.noteNo()
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
		if r.judge().Action == Deny {
			return true, nil // deny holds against everybody
		}
		return false, nil // what a person edited and allowed is allowed
	}
	r.keep(a.Scope, v.rule)
	return false, nil
}

// judge is what the policy says to the call as it is now.
func (r *run) judge() Verdict {
	return r.door.opts.Policy.decide(r.entry, r.effects(), r.args.text, r.door.opts.ProjectRoot)
}

func deniedText(reason string) string {
	if reason == "" {
		return "tool call denied"
	}
	return "tool call denied: " + reason
}

// askGate calls the gate, which is foreign code. One that does not come back
// when ctx ends is left behind, and whatever it answers then is dropped.
func (r *run) askGate(ctx context.Context, q Question) (Answer, error) {
	return apart(ctx, func(ctx context.Context) (Answer, error) { return r.door.opts.Gate.Ask(ctx, q) })
}

// keep remembers an approval for later calls. rule is what asked, as of
// [Approval.Rule].
func (r *run) keep(s Scope, rule string) {
	if s == Once {
		return
	}
	a := Approval{Tool: r.entry.name, Owner: r.entry.Owner, Origin: r.entry.Info.Origin, Effects: r.effects(), Rule: rule}
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
