package registry

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// mask gives a redacted view of arguments and the way back.
func (r *run) mask(text string) (string, func(string) string) {
	if r.door.opts.Redactor == nil || text == "" {
		return text, func(s string) string { return s }
	}
	return r.door.opts.Redactor.Mask(text)
}

// redactFailure is a copy of f for hooks, which may keep or change it, without
// secrets. Its cause, where a secret could be, stays behind.
func (r *run) redactFailure(f *Failure) *Failure {
	if f == nil {
		return nil
	}
	c := *r.cleanFailure(f)
	if r.door.opts.Redactor != nil {
		c.Cause = nil
	}
	return &c
}

// cleanFailure is f without secrets in what it says. Its cause is for Go code
// and stays.
func (r *run) cleanFailure(f *Failure) *Failure {
	red := r.door.opts.Redactor
	if red == nil || f == nil {
		return f
	}
	c := *f
	c.Message, c.ModelText, c.Hint = red.Redact(f.Message), red.Redact(f.ModelText), red.Redact(f.Hint)
	if f.Location != nil && f.Location.Frame != "" {
		at := *f.Location
		at.Frame = red.Redact(at.Frame)
		c.Location = &at
	}
	return &c
}

// redactDetails takes secrets out of details. A Go value that holds none stays
// what it is; one that does is replaced by its JSON.
func (r *run) redactDetails(details any) any {
	red := r.door.opts.Redactor
	if red == nil || details == nil {
		return details
	}
	if own := fullOutput(details); own != nil {
		clean := FullOutput{Size: own.Size, Text: red.Redact(own.Text)}
		if d, ok := details.(Details); ok {
			return Details{FullOutput: &clean, Value: r.redactDetails(d.Value)}
		}
		return clean
	}
	if text, ok := details.(string); ok {
		return red.Redact(text)
	}
	raw := encoded(details)
	if clean := redactJSON(red, raw); len(raw) > 0 && !bytes.Equal(clean, raw) {
		return clean
	}
	return details
}

// redactUses takes secrets out of what was touched, such as a command.
func redactUses(red Redactor, uses []Use) []Use {
	if red == nil {
		return uses
	}
	out := slices.Clone(uses)
	for i := range out {
		out[i].Target = red.Redact(out[i].Target)
	}
	return out
}

// redactProgress is f, which hears of no secret.
func redactProgress(red Redactor, f func(Progress)) func(Progress) {
	if red == nil || f == nil {
		return f
	}
	return func(p Progress) {
		p.Message = red.Redact(p.Message)
		f(p)
	}
}

// logText is text that may hold secrets, for the log.
func (r *run) logText(text string) string { return redactedText(r.door.opts.Redactor, text) }

// redactBlocks takes secrets out of content. Images stay as they are.
func (r *run) redactBlocks(content []Block) []Block {
	red := r.door.opts.Redactor
	if red == nil {
		return content
	}
	content = slices.Clone(content)
	for i, b := range content {
		content[i].Text = red.Redact(b.Text)
		if len(b.JSON) > 0 {
			content[i].JSON = redactJSON(red, b.JSON)
		}
	}
	return content
}

// redactJSON takes secrets out of the strings of a JSON value, keys included.
// Everything else keeps its bytes.
func redactJSON(red Redactor, raw json.RawMessage) json.RawMessage {
	if whole, ok := red.(interface{ RedactJSON([]byte) []byte }); ok {
		return whole.RedactJSON(raw) // it knows keys that say what their value is
	}
	doc, err := parseJSON(string(raw))
	if err != nil {
		return json.RawMessage(quote(red.Redact(string(raw))))
	}
	var b strings.Builder
	redactValue(red, doc.text, &b)
	return json.RawMessage(b.String())
}

// redactValue writes value with its strings redacted. Braces, commas and
// numbers cannot hold a secret, so only string literals are looked at.
func redactValue(red Redactor, text string, b *strings.Builder) {
	for i := 0; i < len(text); {
		if text[i] != '"' {
			b.WriteByte(text[i])
			i++
			continue
		}
		end := skipValue(text, i)
		literal := text[i:end]
		plain := unquote(literal)
		if clean := red.Redact(plain); clean != plain {
			literal = quote(clean)
		}
		b.WriteString(literal)
		i = end
	}
}
