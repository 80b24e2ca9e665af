package registry

import (
	"encoding/json"
	"errors"
	"fmt"
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
	if r := t.Risk(); r < Read || r > Destructive {
		return fail(RuleRisk, fmt.Errorf("is %v: expected read, write, network or destructive", r))
	}
	args, err := compileArgs(t.Parameters())
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
	e := Entry{Tool: t, Owner: owner, Info: info, name: name, args: args, life: newLifetime(t)}
	e.effecter, _ = As[Effecter](t)
	e.footprinter, _ = As[Footprinter](t)
	return e, nil
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
