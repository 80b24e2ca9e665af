package registry

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// normalise turns what a caller sent as arguments into one JSON object. Models
// and protocols say "no arguments" in several ways, and some send the object
// as a string; that is forgiven. Nothing else is: the error, an
// [*ArgumentError], says what came.
func normalise(raw json.RawMessage) (jsonDoc, error) {
	text := string(raw) // a copy: the caller may go on to change raw
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if isBlank(text) {
		return emptyObject(), nil
	}
	doc, err := parseJSON(text)
	if err != nil {
		return jsonDoc{}, notAnObject("text that is not valid JSON: " + err.Error())
	}
	if s, ok := doc.value.(string); ok {
		if isBlank(s) {
			return emptyObject(), nil
		}
		if doc, err = parseJSON(s); err != nil {
			return jsonDoc{}, notAnObject("a string that does not hold one: " + err.Error())
		}
	}
	switch doc.value.(type) {
	case map[string]any:
		if doc.duplicates {
			var b strings.Builder
			withoutDuplicates(&b, doc.text)
			doc.text = b.String()
		}
		return doc, nil
	case nil:
		return emptyObject(), nil
	default:
		return jsonDoc{}, notAnObject(received(doc.value))
	}
}

func isBlank(s string) bool { return strings.Trim(s, " \t\r\n") == "" }

func emptyObject() jsonDoc { return jsonDoc{text: "{}", value: map[string]any{}} }

func notAnObject(got string) error {
	return &ArgumentError{Problems: []Problem{{Keyword: "type", Expected: "a JSON object", Received: got}}}
}
