package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxChoices is how many allowed values a question lists.
const maxChoices = 30

// parameter is what the schema of a tool says of one argument, as far as a question
// needs it.
type parameter struct {
	name        string
	Type        any               `json:"type"`
	Description string            `json:"description"`
	Enum        []json.RawMessage `json:"enum"`
	Default     json.RawMessage   `json:"default"`
	Minimum     *json.Number      `json:"minimum"`
	Maximum     *json.Number      `json:"maximum"`
}

// kind is the JSON type that an answer should have; "" where the schema does not
// say, or allows several.
func (p parameter) kind() string {
	kinds, ok := p.Type.([]any)
	if !ok {
		kind, _ := p.Type.(string)
		return kind
	}
	var named []string
	for _, k := range kinds {
		if k, ok := k.(string); ok && k != "null" {
			named = append(named, k)
		}
	}
	if len(named) == 1 {
		return named[0]
	}
	return ""
}

// label says for people what is expected.
func (p parameter) label() string {
	if len(p.Enum) > 0 {
		return "one of these"
	}
	switch p.kind() {
	case "string":
		return "text"
	case "boolean":
		return "yes or no"
	case "integer":
		return "a whole number" + p.bounds()
	case "number":
		return "a number" + p.bounds()
	case "array":
		return `a list, as JSON such as ["a","b"]`
	case "object":
		return `an object, as JSON such as {"key":"value"}`
	}
	return "text or JSON"
}

func (p parameter) bounds() string {
	switch {
	case p.Minimum != nil && p.Maximum != nil:
		return fmt.Sprintf(" from %s to %s", *p.Minimum, *p.Maximum)
	case p.Minimum != nil:
		return fmt.Sprintf(" from %s up", *p.Minimum)
	case p.Maximum != nil:
		return fmt.Sprintf(" up to %s", *p.Maximum)
	}
	return ""
}

// choices are the allowed values as text.
func (p parameter) choices() (all []string) {
	for _, v := range p.Enum {
		all = append(all, valueText(v))
	}
	return all
}

// numbered says that a choice can be answered by its number: where choices are
// numbers themselves, it would be unclear what a number means.
func (p parameter) numbered() bool {
	return len(p.Enum) > 0 && !slices.ContainsFunc(p.choices(), func(s string) bool {
		_, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		return err == nil
	})
}

func (p parameter) prompt() string {
	var b strings.Builder
	switch {
	case p.numbered():
		fmt.Fprintf(&b, "1-%d", len(p.Enum))
	case p.kind() == "boolean" && len(p.Enum) == 0:
		b.WriteString("y/n")
	default:
		b.WriteString("value")
	}
	if p.Default != nil {
		fmt.Fprintf(&b, " [%s]", shown(valueText(p.Default)))
	}
	return b.String() + ">"
}

// read makes a value of what was typed, or says why not.
func (p parameter) read(line string) (value json.RawMessage, why string) {
	kind, whole := p.kind(), line // a text may begin or end with spaces
	line = strings.TrimSpace(line)
	switch {
	case line == "" && p.Default != nil:
		return p.Default, ""
	case line == "":
		return nil, `it needs a value; "" is an empty text, and ctrl-D leaves`
	case len(p.Enum) > 0:
		choices := p.choices()
		if i := slices.Index(choices, line); i >= 0 {
			return p.Enum[i], ""
		}
		if n, err := strconv.Atoi(line); err == nil && p.numbered() && n >= 1 && n <= len(choices) {
			return p.Enum[n-1], ""
		}
		return nil, fmt.Sprintf("%q is none of them", clean(shorten(line, 40)))
	case kind == "boolean":
		switch strings.ToLower(line) {
		case "y", "yes", "true":
			return json.RawMessage("true"), ""
		case "n", "no", "false":
			return json.RawMessage("false"), ""
		}
		return nil, "type y or n"
	case kind == "string":
		if line == `""` {
			whole = ""
		}
		text, _ := json.Marshal(whole)
		return text, ""
	case kind == "":
		return argValue(line, nil), ""
	}
	if !json.Valid([]byte(line)) || !isKind(line, kind) {
		return nil, fmt.Sprintf("%q is not %s", clean(shorten(line, 40)), p.label())
	}
	return json.RawMessage(line), ""
}

// typed is a value as --arg takes it.
func (p parameter) typed(value json.RawMessage) string {
	if p.Type == "string" {
		return valueText(value)
	}
	return string(value)
}

// isKind says whether valid JSON is of a type.
func isKind(text, kind string) bool {
	switch kind {
	case "integer", "number":
		n, err := strconv.ParseFloat(text, 64)
		return err == nil && (kind == "number" || n == math.Trunc(n))
	case "array":
		return text[0] == '['
	case "object":
		return text[0] == '{'
	}
	return true
}

// valueText is a value as people write it: a text without quotes.
func valueText(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil && string(v) != "null" {
		return s
	}
	return string(v)
}
