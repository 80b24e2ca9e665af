package registry

import (
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
)

// errorTextLimit is how much of an error result's text becomes the message of
// its failure.
const errorTextLimit = 500

// draft is an outcome in the making: what came of the call, before hooks,
// redaction and bounding.
type draft struct {
	status     Status
	isError    bool // what the model is told
	failure    *Failure
	content    []Block
	structured json.RawMessage
	details    any
	metadata   map[string]any
}

// failed is the end of a call with f.
func (r *run) failed(f *Failure) *draft {
	if f.Retryable == RetryUnknown {
		f.Retryable = f.Kind.retryable()
	}
	return &draft{
		status: statusOf(f), isError: true, failure: f,
		content: []Block{{Type: BlockText, Text: f.TextForModel()}},
	}
}

// answered is the end of a call with a result.
func (r *run) answered(res *Result) *draft {
	if res == nil {
		res = &Result{}
	}
	d := &draft{status: StatusSuccess, content: res.Content, structured: res.Structured, details: res.Details, metadata: res.Metadata}
	if res.Structured != nil {
		switch err := checkJSON(res.Structured); {
		case err == nil:
		case res.IsError: // how the tool failed says more than how it said so
			d.structured = nil
			r.door.opts.Logger.Warn("the structured content of a failed result is not valid JSON; it was dropped",
				slog.String("tool", r.req.Tool), slog.Any("error", err))
		default:
			bad := r.failed(&Failure{Kind: KindOther, Code: "invalid_structured", Cause: err, ModelText: genericText,
				Message: "the structured content of the result is not valid JSON: " + err.Error()})
			bad.metadata = res.Metadata
			return bad
		}
	}
	if res.IsError {
		d.failure, d.details = r.failureIn(res)
		if d.failure.Retryable == RetryUnknown {
			d.failure.Retryable = d.failure.Kind.retryable()
		}
		d.status, d.isError = statusOf(d.failure), true
	}
	if len(d.content) == 0 {
		text := "(no output)"
		if d.failure != nil {
			text = d.failure.TextForModel()
		}
		d.content = []Block{{Type: BlockText, Text: text}}
	}
	return d
}

// seal makes the outcome: redacted, then bounded.
func (r *run) seal(d *draft) *Outcome {
	o := &Outcome{
		CallID: r.req.ID, Tool: r.req.Tool, Status: d.status, IsError: d.isError,
		Failure: r.cleanFailure(d.failure), Structured: d.structured, Metadata: d.metadata,
	}
	if r.args.text != "" {
		o.Arguments = json.RawMessage(r.args.text)
		if red := r.door.opts.Redactor; red != nil {
			o.Arguments = redactJSON(red, o.Arguments)
		}
	}
	content := r.redactBlocks(d.content)
	if red := r.door.opts.Redactor; red != nil && len(d.structured) > 0 {
		o.Structured = redactJSON(red, d.structured)
	}
	o.StructuredOmitted = len(o.Structured) > r.door.opts.StructuredLimit
	r.setContent(o, content, r.redactDetails(d.details))
	if r.consent.Action != 0 {
		c := r.consent
		c.Reason = redactedText(r.door.opts.Redactor, c.Reason)
		c.WaitedMS = float64(c.Wait.Microseconds()) / 1000
		o.Consent = &c
	}
	return o
}

// failureIn finds or makes the failure of an error result, and what is left of
// its details.
func (r *run) failureIn(res *Result) (*Failure, any) {
	if told, ok := res.Details.(*Failure); ok && told != nil {
		return failureOf(told), nil
	}
	text := prefix(strings.ToValidUTF8(res.Text(), "\uFFFD"), errorTextLimit)
	if isBlank(text) {
		text = "the tool failed and did not say why"
	}
	return &Failure{Kind: KindOther, Message: text}, res.Details
}

// statusOf is the status that a failure gives its call. A refusal is the tool's
// own, or that of a guard in front of it; where a service that the tool asked
// said no, which has an HTTP status, the tool failed.
func statusOf(f *Failure) Status {
	if f.Kind == KindPermissionDenied && f.HTTPStatus == 0 {
		return StatusDenied
	}
	return StatusError
}

// setContent bounds content and keeps what was cut in the details.
func (r *run) setContent(o *Outcome, content []Block, details any) {
	var full string
	o.Content, full, o.Truncated = boundContent(content, r.door.opts.TextLimit)
	o.Text = (&Result{Content: o.Content}).Text()
	o.Details = details
	switch own := fullOutput(details); {
	case own != nil: // the tool cut its text itself, and knows best what it was
		o.Truncated = true
	case o.Truncated && details == nil:
		o.Details = FullOutput{Size: len(full), Text: full}
	case o.Truncated:
		o.Details = Details{FullOutput: &FullOutput{Size: len(full), Text: full}, Value: details}
	}
}

// checkJSON reports whether raw is one JSON value.
func checkJSON(raw json.RawMessage) error {
	if json.Valid(raw) {
		return nil
	}
	var v json.RawMessage
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	return errors.New("more than one value")
}
