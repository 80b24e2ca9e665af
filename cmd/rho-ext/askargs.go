package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/registry"
)

// askMissing asks the person at the terminal, where there is one, for the arguments
// that a tool needs and was not given. Whether a value will do is for the door to
// say; here it is only read as what it should be. Who answers nothing gets the
// door's own complaint.
func (a *app) askMissing(ctx context.Context, args json.RawMessage, tool registry.Tool, pairs []string) (json.RawMessage, error) {
	p := a.person()
	if p == nil || a.json {
		return args, nil
	}
	missing := missingParameters(args, tool.Parameters())
	var keys []string
	given := map[string]json.RawMessage{}
	for _, m := range missing {
		value, err := p.askParameter(ctx, m)
		switch {
		case errors.Is(err, errClosed), errors.Is(err, errNoAnswer):
			return args, nil
		case err != nil:
			return nil, fail(exitInterrupted, "interrupted")
		}
		keys = append(keys, m.name)
		given[m.name] = value
		pairs = append(slices.Clone(pairs), m.name+"="+m.typed(value))
	}
	if len(keys) == 0 {
		return args, nil
	}
	again := a.again() + " run " + tool.Name()
	for _, pair := range pairs {
		again += " --arg " + permission.ShellQuote(pair)
	}
	fmt.Fprintln(a.err, a.paint(dim, "without questions: "+cleanLine(again)))
	return withValues(args, keys, given), nil
}

// missingParameters are those that the schema requires and args do not have, as the
// schema orders them.
func missingParameters(args, schema json.RawMessage) (missing []parameter) {
	var s struct {
		Properties map[string]parameter `json:"properties"`
		Required   []string             `json:"required"`
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(schema, &s) != nil || json.Unmarshal(args, &given) != nil {
		return nil // the door says what is wrong
	}
	for i, name := range s.Required {
		_, has := given[name]
		p, known := s.Properties[name]
		if has || !known || slices.Contains(s.Required[:i], name) {
			continue
		}
		p.name = name
		missing = append(missing, p)
	}
	return missing
}

var errNoAnswer = errors.New("no answer would do")

// askParameter puts the question for one argument.
func (t *terminal) askParameter(ctx context.Context, p parameter) (json.RawMessage, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asking.Store(true)
	defer t.asking.Store(false)
	fmt.Fprintf(t.out, "%s %s (%s)\n", t.paint(yellow, "argument:"), shown(p.name), p.label())
	if p.Description != "" {
		fmt.Fprintf(t.out, "  %s\n", shown(p.Description))
	}
	for i, choice := range p.choices() {
		if i == maxChoices {
			fmt.Fprintf(t.out, "  … and %d more\n", len(p.Enum)-maxChoices)
			break
		}
		mark := "-"
		if p.numbered() {
			mark = fmt.Sprintf("%d)", i+1)
		}
		fmt.Fprintf(t.out, "  %s %s\n", mark, shown(choice))
	}
	for range 3 {
		fmt.Fprint(t.out, t.paint(yellow, p.prompt()), " ")
		line, err := t.line(ctx)
		if errors.Is(err, errClosed) {
			fmt.Fprintln(t.out)
		}
		if err != nil {
			return nil, err
		}
		value, why := p.read(strings.TrimRight(line, "\r\n"))
		if why == "" {
			return value, nil
		}
		fmt.Fprintf(t.out, "%s\n", why)
	}
	return nil, errNoAnswer
}
