package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// FreeformParameters is the schema of a freeform tool, for callers that can
// send nothing but JSON: an object with the text as its one property, input.
// The description is that of the text.
func FreeformParameters(description string) json.RawMessage {
	about := ""
	if description != "" {
		about = `,"description":` + quote(description)
	}
	return json.RawMessage(`{"type":"object","properties":{"input":{"type":"string"` + about +
		`}},"required":["input"],"additionalProperties":false}`)
}

// describe tells a model what the text looks like, where nothing but the
// description can.
func (f *InputFormat) describe() string {
	switch f.Syntax {
	case SyntaxLark:
		return "Text in this Lark grammar:\n" + f.Definition
	case SyntaxRegex:
		return "Text that matches, as a whole, the regular expression " + f.Definition
	default:
		return ""
	}
}

// textFormat is an [InputFormat] made ready.
type textFormat struct {
	InputFormat
	whole *regexp2.Regexp // nil: not enforced here
}

// compileFormat checks the input format of a tool whose parameters are params.
// A nil format is JSON.
//
// A regular expression is enforced by the door. A Lark grammar is not: it
// constrains what a provider lets the model write, and the tool parses the text
// anyway.
func compileFormat(f *InputFormat, params json.RawMessage) (*textFormat, error) {
	if f == nil {
		return nil, nil
	}
	if isBlank(f.Definition) {
		return nil, fmt.Errorf("the definition is empty: expected a grammar")
	}
	if !takesInput(params) {
		return nil, fmt.Errorf("the parameters of a freeform tool must be those of FreeformParameters: " +
			`one required property "input" of type string and no other`)
	}
	t := &textFormat{InputFormat: *f}
	switch f.Syntax {
	case SyntaxLark:
	case SyntaxRegex:
		if _, err := compilePattern(f.Definition); err != nil {
			return nil, fmt.Errorf("the regular expression cannot be compiled: %w", err)
		}
		p, err := compilePattern(`^(?:` + f.Definition + `)(?![\s\S])`)
		if err != nil {
			return nil, fmt.Errorf("the regular expression cannot be compiled: %w", err)
		}
		t.whole = p.(pattern).re
	default:
		return nil, fmt.Errorf("the syntax is %q: expected %q or %q", f.Syntax, SyntaxLark, SyntaxRegex)
	}
	return t, nil
}

// takesInput reports whether params are those of a freeform tool.
func takesInput(params json.RawMessage) bool {
	var s struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
		Required             []string        `json:"required"`
		AdditionalProperties json.RawMessage `json:"additionalProperties"`
	}
	if json.Unmarshal(params, &s) != nil {
		return false
	}
	return len(s.Properties) == 1 && s.Properties["input"].Type == "string" &&
		len(s.Required) == 1 && s.Required[0] == "input" && bytes.Equal(s.AdditionalProperties, []byte("false"))
}

// normaliseFor is normalise for a tool of the given format. For a freeform tool
// a JSON string is the text itself, also where it looks like JSON; an object
// is {"input": "…"}, from callers that cannot send text.
func normaliseFor(f *textFormat, raw json.RawMessage) (jsonDoc, error) {
	if f == nil {
		return normalise(raw)
	}
	text := string(raw)
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	doc, err := parseJSON(text)
	s, isText := doc.value.(string)
	switch {
	case err != nil || !isText:
		if doc, err = normalise(raw); err != nil {
			return doc, err
		}
	default:
		doc = jsonDoc{text: `{"input":` + doc.text + `}`, value: map[string]any{"input": s}}
	}
	return doc, f.check(doc)
}

// check enforces a regular expression. Whether there is an input at all is for
// the schema to say.
func (f *textFormat) check(doc jsonDoc) error {
	obj, _ := doc.value.(map[string]any)
	text, ok := obj["input"].(string)
	if !ok || f.whole == nil {
		return nil
	}
	p := Problem{Path: "input", Keyword: "pattern", Received: received(text)}
	switch ok, err := f.whole.MatchString(text); {
	case err != nil:
		p.Expected = fmt.Sprintf("text that the pattern %s can be matched with in %v", literal(f.Definition), patternTimeout)
	case ok:
		return nil
	default:
		p.Expected = "text that matches, as a whole, the pattern " + clipped(quote(f.Definition), maxExpected)
	}
	return &ArgumentError{Problems: []Problem{p}}
}
