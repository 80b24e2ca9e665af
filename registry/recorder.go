package registry

import (
	"context"
	"encoding/json"
	"sync"
)

// Appender takes what a session log keeps. It must be safe for concurrent use.
type Appender interface {
	Append(ctx context.Context, kind string, v any) error
}

// The kinds of what [SessionLog], [LogRequest] and [LogHandler] append.
const (
	LogKindOutcome = "outcome"
	LogKindRequest = "request"
	LogKindLine    = "log"
)

// logLimit is how many bytes of each of a call's arguments, text, structured
// content and details the session log keeps.
const logLimit = 64 << 10

// SessionLog is middleware that appends each outcome to log: what the model
// sees of it, without images, and what people need to understand it, redacted
// by red where that is not nil. What is larger than 64 KiB is cut or left out,
// and "omitted" names it. The call does not fail when the log does; failed
// hears of the first such error, and may be nil.
func SessionLog(log Appender, red Redactor, failed func(error)) Middleware {
	var once sync.Once
	return func(next Handler) Handler {
		return func(ctx context.Context, req Request) *Outcome {
			out := next(ctx, req)
			if out == nil { // the door makes one, and says whose fault it is
				return nil
			}
			if err := log.Append(ctx, LogKindOutcome, logged(out, red)); err != nil && failed != nil {
				once.Do(func() { failed(err) })
			}
			return out
		}
	}
}

// LogRequest appends to log what a user asked for, redacted by red where that
// is not nil.
func LogRequest(ctx context.Context, log Appender, red Redactor, text string) error {
	entry := struct {
		Text      string `json:"text"`
		Truncated bool   `json:"truncated,omitempty"`
	}{Text: redactedText(red, text)}
	if len(entry.Text) > logLimit {
		entry.Text, entry.Truncated = prefix(entry.Text, logLimit), true
	}
	return log.Append(ctx, LogKindRequest, entry)
}

// loggedOutcome is an [Outcome] as the session log keeps it.
type loggedOutcome struct {
	CallID     string          `json:"callId"`
	ParentID   string          `json:"parentId,omitempty"`
	Tool       string          `json:"tool"`
	Extension  string          `json:"extension,omitempty"` // who brought the tool
	Status     Status          `json:"status"`
	Text       string          `json:"text"`
	Structured json.RawMessage `json:"structured,omitempty"`
	Failure    json.RawMessage `json:"failure,omitempty"`
	Truncated  bool            `json:"truncated,omitempty"`
	Details    json.RawMessage `json:"details,omitempty"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	Attempts   int             `json:"attempts,omitempty"`
	DurationMS float64         `json:"durationMs"`
	Uses       []Use           `json:"uses"`
	Omitted    []string        `json:"omitted,omitempty"` // members that were too large
}

func logged(o *Outcome, red Redactor) *loggedOutcome {
	l := &loggedOutcome{
		CallID: o.CallID, ParentID: o.ParentID, Tool: prefix(redactedText(red, o.Tool), maxReceived), Extension: o.Owner, Status: o.Status, Text: redactedText(red, o.Text),
		Truncated: o.Truncated, Attempts: o.Attempts, DurationMS: float64(o.Duration.Microseconds()) / 1000,
		Uses: append([]Use{}, redactUses(red, o.Uses)...), // never null
	}
	if len(l.Text) > logLimit {
		l.Text = prefix(l.Text, logLimit)
		l.Omitted = append(l.Omitted, "text")
	}
	keep := func(to *json.RawMessage, name string, raw json.RawMessage) {
		switch {
		case len(raw) == 0:
		case len(raw) > logLimit:
			l.Omitted = append(l.Omitted, name)
		default:
			*to = raw
			if red != nil {
				*to = redactJSON(red, raw)
			}
		}
	}
	keep(&l.Structured, "structured", o.Structured)
	keep(&l.Arguments, "arguments", o.Arguments)
	if o.Failure != nil {
		keep(&l.Failure, "failure", encoded(o.Failure))
	}
	if o.Details != nil && fullOutput(o.Details) == nil { // the full text is what the log has no room for
		keep(&l.Details, "details", encoded(o.Details))
	}
	return l
}

// encoded is v as JSON, or nil where that cannot be.
func encoded(v any) (raw json.RawMessage) {
	defer func() {
		if recover() != nil { // in a method of the tool's own
			raw = nil
		}
	}()
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return raw
}

func redactedText(red Redactor, text string) string {
	if red == nil || text == "" {
		return text
	}
	return red.Redact(text)
}
