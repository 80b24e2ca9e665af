package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Status is how a call ended.
type Status string

// The ways in which a call ends.
const (
	StatusSuccess Status = "success"
	StatusError   Status = "error"   // the tool failed
	StatusDenied  Status = "denied"  // the tool refused, or a guard what the tool asked for
	StatusSkipped Status = "skipped" // a hook, the policy or a person stopped it before it ran
)

// Outcome is the one end of one call.
type Outcome struct {
	CallID string `json:"callId"`
	// ParentID is the id of the call whose tool made this one, or empty.
	ParentID string `json:"parentId,omitempty"`
	Tool     string `json:"tool"`
	// Owner is who brought the tool; empty is the host program, or a tool that
	// there is not.
	Owner  string `json:"-"`
	Status Status `json:"status"`
	// Text is what the model sees, already bounded.
	Text    string `json:"text"`
	IsError bool   `json:"isError"`
	// Structured is the answer as data, or nil. Programs get it whole.
	Structured json.RawMessage `json:"structured,omitempty"`
	// StructuredOmitted says that Structured is too large for a model: leave
	// it out of what a model is shown.
	StructuredOmitted bool `json:"structuredOmitted,omitempty"`
	// Content is the model-facing content, bounded. Text is its text.
	Content []Block `json:"content,omitempty"`
	// Failure says why, when Status is not success. A tool that answered with
	// IsError and said no more has one of kind other.
	Failure *Failure `json:"failure,omitempty"`
	// Duration is the time from entering the door to leaving it.
	Duration time.Duration `json:"-"`
	// Truncated says that Text was cut, by the door or by the tool itself;
	// FullText has it whole.
	Truncated bool `json:"truncated"`
	// Details is for the host and its user interface, never for the model:
	// what the tool left there, a [FullOutput] where the text was cut, or
	// [Details] with both. Where a [Redactor] finds a secret in another Go
	// value, its redacted JSON is here instead.
	Details any `json:"details,omitempty"`
	// Arguments are the effective ones: normalised, with defaults, redacted.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Sent is what the caller sent as arguments, to the byte, secrets included.
	Sent json.RawMessage `json:"-"`
	// Consent says how it was decided that the call may run or not; nil where
	// the call ended before that.
	Consent *Consent `json:"consent,omitempty"`
	// Attempts is how often the call ran, when more than once.
	Attempts int `json:"attempts,omitempty"`
	// Uses lists what the call touched.
	Uses []Use `json:"uses"`
	// Metadata is what the tool left for the host program alone.
	Metadata map[string]any `json:"-"`
}

// MarshalJSON adds durationMs, in milliseconds with a fraction.
func (o Outcome) MarshalJSON() ([]byte, error) {
	type plain Outcome
	if o.Uses == nil {
		o.Uses = []Use{}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // whoever encodes the outcome decides that
	err := enc.Encode(struct {
		plain
		DurationMS float64 `json:"durationMs"`
	}{plain(o), float64(o.Duration.Microseconds()) / 1000})
	return b.Bytes(), err
}

// FullText is the text before it was cut for the model.
func (o *Outcome) FullText() string {
	if f := fullOutput(o.Details); f != nil {
		return f.Text
	}
	return o.Text
}

// String tells how the call ended and none of its content.
func (o *Outcome) String() string {
	if o == nil {
		return "no outcome"
	}
	s := fmt.Sprintf("%s %s: %s", o.Tool, o.CallID, o.Status)
	if o.Failure != nil {
		s += ":" + string(o.Failure.Kind)
	}
	return s
}

// GoString implements [fmt.GoStringer], as String does.
func (o *Outcome) GoString() string { return "registry.Outcome{" + o.String() + "}" }
