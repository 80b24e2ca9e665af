package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// newEntries checks tools and compiles their schemas.
func newEntries(owner string, tools []Tool) ([]Entry, error) {
	entries := make([]Entry, 0, len(tools))
	for _, t := range tools {
		e, err := newEntry(owner, t)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func newEntry(owner string, t Tool) (_ Entry, err error) {
	name := ""
	fail := func(rule string, err error) (Entry, error) {
		return Entry{}, &InvalidToolError{Name: name, Owner: owner, Rule: rule, Err: err}
	}
	defer func() { // a tool is foreign code, also before its first call
		if v := recover(); v != nil {
			_, err = fail(RuleTool, fmt.Errorf("panicked while it was registered: %v", v))
		}
	}()
	if t == nil {
		return fail(RuleTool, errors.New("is nil"))
	}
	name = t.Name()
	if err := CheckName(name); err != nil {
		return fail(RuleName, err)
	}
	risk := t.Risk()
	if risk < Read || risk > Destructive {
		return fail(RuleRisk, fmt.Errorf("is %v: expected read, write, network or destructive", risk))
	}
	params := slices.Clone(t.Parameters())
	args, err := compileArgs(acceptedBy(t, params))
	if err != nil {
		return fail(RuleParameters, err)
	}
	info := InfoOf(t)
	info.Owner = owner
	if info.OutputSchema != nil {
		if err := checkOutputSchema(info.OutputSchema); err != nil {
			return fail(RuleOutput, err)
		}
	}
	format, err := compileFormat(info.InputFormat, params)
	if err != nil {
		return fail(RuleInputFormat, err)
	}
	e := Entry{Tool: t, Owner: owner, Info: info, name: name, description: t.Description(), parameters: params,
		risk: risk, args: args, format: format, life: newLifetime(t)}
	e.effecter, _ = As[Effecter](t)
	e.footprinter, _ = As[Footprinter](t)
	return e, nil
}

// accepter is implemented by tools that accept more than they show.
type accepter interface {
	acceptedParameters() json.RawMessage // nil: what is shown
}

// acceptedBy is the schema that calls of t must meet, if params is the one that
// models see. A wrapper that shows another schema than what it wraps is taken
// at its word.
func acceptedBy(t Tool, params json.RawMessage) json.RawMessage {
	a, ok := As[accepter](t)
	if !ok || a.acceptedParameters() == nil || !bytes.Equal(a.(Tool).Parameters(), params) {
		return params
	}
	return a.acceptedParameters()
}

// CheckName says what is wrong with a tool's name, or nil.
func CheckName(name string) error {
	const rule = "expected 1 to 64 characters of A-Z a-z 0-9 _ -, starting with a letter"
	if name == "" {
		return errors.New("is empty: " + rule)
	}
	if len(name) > 64 {
		return fmt.Errorf("has %d bytes: %s", len(name), rule)
	}
	for i, c := range name {
		letter := c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if letter || i > 0 && (c >= '0' && c <= '9' || c == '_' || c == '-') {
			continue
		}
		return fmt.Errorf("%q has %q at byte %d: %s", name, c, i, rule)
	}
	return nil
}

// checkOutputSchema makes sure that programs can use an output schema.
func checkOutputSchema(raw json.RawMessage) error {
	doc, err := parseSchema(raw)
	if err != nil {
		return err
	}
	_, err = compileSchema(doc)
	return err
}
