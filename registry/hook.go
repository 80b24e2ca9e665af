package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"time"
)

// Hook sees calls before and after their tool runs. Hooks run in the order in
// which the door has them, before and after alike, those of
// [DoorOptions] first and then those of [Registry.AddHooks], and each sees what
// the one before it made of the call. A nil function does nothing.
//
// Both functions see redacted views: placeholders stand for secrets, and are
// restored in what a hook gives back. A Before that fails, panics or is late
// blocks the call; an After that does so changes nothing and is logged. The
// context of both carries the [Call], see [CallFrom].
type Hook struct {
	Name   string // for messages
	Before func(ctx context.Context, e BeforeEvent) (Decision, error)
	After  func(ctx context.Context, e AfterEvent) (Revision, error)
	// Budget is how long either function may take; zero means 2 s.
	Budget time.Duration
}

// BeforeEvent is a call that is about to run.
type BeforeEvent struct {
	CallID    string
	Tool      string
	Owner     string
	Risk      Risk
	Arguments json.RawMessage // validated, complete with defaults, redacted
}

// Decision is what a hook makes of a call that is about to run. The zero value
// lets it go on.
type Decision struct {
	block, stop bool
	reason      string
	args        json.RawMessage
	answer      *Result
}

// Continue lets the call go on.
func Continue() Decision { return Decision{} }

// BlockCall ends the call as skipped; the model sees reason, verbatim.
func BlockCall(reason string) Decision {
	return Decision{block: true, reason: cmp.Or(reason, "a hook blocked the call")}
}

// RewriteArgs lets the call go on with other arguments, which are validated
// again. Nil means no arguments, as in a [Request].
func RewriteArgs(args json.RawMessage) Decision {
	if args == nil {
		args = json.RawMessage{}
	}
	return Decision{args: args}
}

// AnswerWith ends the call with a result of the hook's own, as if the tool had
// given it. Nil is an empty result.
func AnswerWith(r *Result) Decision {
	if r == nil {
		r = &Result{}
	}
	return Decision{answer: r}
}

// StopBatch ends the call as cancelled, and its batch: calls of it that have
// not started are skipped, those that run are waited for.
func StopBatch(reason string) Decision {
	return Decision{stop: true, reason: cmp.Or(reason, "a hook stopped the batch")}
}

// AfterEvent is a call that has ended, whichever way.
type AfterEvent struct {
	CallID    string
	Tool      string
	Owner     string
	Arguments json.RawMessage // the effective ones, redacted
	Status    Status
	IsError   bool           // whether the model is told that the tool failed
	Failure   *Failure       // nil for a success
	Content   []Block        // as the model will see it, redacted
	Details   any            // redacted
	Metadata  map[string]any // what the tool left for the host, as it is
	Duration  time.Duration
}

// Revision is what a hook makes of a call that has ended. The zero value keeps
// everything. The status stays what it was: a hook can change what the model
// sees, not what happened.
type Revision struct {
	Content []Block // what the model sees instead; nil keeps it
	Details any     // instead; nil keeps them
	IsError *bool   // whether the model is told that the tool failed; nil keeps it
	Stop    string  // not empty: stop the batch, for this reason
}

// Keep changes nothing.
func Keep() Revision { return Revision{} }

// ReviseText replaces what the model sees by a text.
func ReviseText(text string) Revision {
	return Revision{Content: []Block{{Type: BlockText, Text: text}}}
}
