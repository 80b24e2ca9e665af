package registry

import (
	"encoding/json"
	"errors"
	"strings"
)

// errorTextLimit is how much of an error result's text becomes the message of
// its failure.
const errorTextLimit = 500

// outcome starts the outcome of the call.
func (r *run) outcome(s Status) *Outcome {
	o := &Outcome{CallID: r.req.ID, Tool: r.req.Tool, Status: s, IsError: s != StatusSuccess}
	if r.args.text != "" {
		o.Arguments = json.RawMessage(r.args.text)
	}
	return o
}

// failed is the outcome of a call that ended with f.
func (r *run) failed(f *Failure) *Outcome {
	o := r.outcome(statusOf(f))
	o.Failure = f
	r.setContent(o, []Block{{Type: BlockText, Text: f.TextForModel()}}, nil)
	return o
}

// answered is the outcome of a call that ended with a result.
func (r *run) answered(res *Result) *Outcome {
	if res == nil {
		res = &Result{}
	}
	if res.Structured != nil {
		if err := checkJSON(res.Structured); err != nil {
			return r.failed(&Failure{Kind: KindOther, Code: "invalid_structured", Cause: err, ModelText: genericText,
				Message: "the structured content of the result is not valid JSON: " + err.Error()})
		}
	}
	status := StatusSuccess
	content, details := res.Content, res.Details
	var f *Failure
	if res.IsError {
		if f, details = r.failureIn(res); statusOf(f) == StatusDenied {
			status = StatusDenied
		} else {
			status = StatusError
		}
	}
	if len(content) == 0 {
		text := "(no output)"
		if f != nil {
			text = f.TextForModel()
		}
		content = []Block{{Type: BlockText, Text: text}}
	}
	o := r.outcome(status)
	o.Failure = f
	o.Structured = res.Structured
	o.StructuredOmitted = len(res.Structured) > r.door.opts.StructuredLimit
	o.Metadata = res.Metadata
	r.setContent(o, content, details)
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

// statusOf is the status that a failure gives its call.
func statusOf(f *Failure) Status {
	if f.Kind == KindPermissionDenied {
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
