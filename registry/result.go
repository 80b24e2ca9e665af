package registry

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Result is what a tool gives back. The zero value is an empty success.
type Result struct {
	// Content is what the model sees, in order.
	Content []Block `json:"content,omitempty"`
	// IsError says that the tool failed and Content explains how.
	IsError bool `json:"isError,omitempty"`
	// Structured is the same answer as data, for programs and for models that
	// take it. It is a JSON value, or nil.
	Structured json.RawMessage `json:"structured,omitempty"`
	// Details is for the host and its user interface, never for the model: a
	// [FullOutput], or any JSON value.
	Details any `json:"details,omitempty"`
	// Metadata is for the host program alone; it is not sent anywhere.
	Metadata map[string]any `json:"-"`
}

// The types of a [Block].
const (
	BlockText  = "text"
	BlockJSON  = "json"
	BlockImage = "image"
)

// Block is one piece of content. Type says which of the other fields count.
type Block struct {
	Type     string          `json:"type"`
	Text     string          `json:"text,omitempty"`     // text
	JSON     json.RawMessage `json:"json,omitempty"`     // json
	Data     []byte          `json:"data,omitempty"`     // image, base64 in JSON
	URL      string          `json:"url,omitempty"`      // image by reference
	MIMEType string          `json:"mimeType,omitempty"` // image
}

// FullOutput keeps what was cut from a result before the model saw it.
type FullOutput struct {
	Size int    `json:"size"` // bytes of Text
	Text string `json:"text"`
}

// Details holds two things where one was meant for them: the full text that
// the door cut, and what the tool had put into [Result.Details].
type Details struct {
	FullOutput *FullOutput `json:"fullOutput"`
	Value      any         `json:"value"`
}

// fullOutput finds the full text in details, or nil.
func fullOutput(details any) *FullOutput {
	switch d := details.(type) {
	case FullOutput:
		return &d
	case *FullOutput:
		return d
	case Details:
		return d.FullOutput
	}
	return nil
}

// Text is a successful result of one text block.
func Text(s string) *Result {
	return &Result{Content: []Block{{Type: BlockText, Text: s}}}
}

// ErrorText is a failed result of one text block.
func ErrorText(s string) *Result {
	r := Text(s)
	r.IsError = true
	return r
}

// Text joins the text and JSON blocks with newlines; an image becomes a short
// note. It is what a caller without structured content sees.
func (r *Result) Text() string {
	if r == nil {
		return ""
	}
	parts := make([]string, 0, len(r.Content))
	for _, b := range r.Content {
		switch b.Type {
		case BlockText:
			parts = append(parts, b.Text)
		case BlockJSON:
			parts = append(parts, string(b.JSON))
		case BlockImage:
			parts = append(parts, "[image "+b.MIMEType+"]")
		}
	}
	return strings.Join(parts, "\n")
}

// String tells the shape of the result and none of its content, so that a
// result in a log by accident tells no secret.
func (r *Result) String() string {
	if r == nil {
		return "no result"
	}
	return fmt.Sprintf("%d blocks, %d bytes of text, error %t", len(r.Content), len(r.Text()), r.IsError)
}

// GoString implements [fmt.GoStringer], as String does.
func (r *Result) GoString() string { return "registry.Result{" + r.String() + "}" }
