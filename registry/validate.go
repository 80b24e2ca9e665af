package registry

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// check fills the defaults of doc and validates it. The error is an
// [*ArgumentError], or says why it could not be decided.
func (c *argSchema) check(doc *jsonDoc) error {
	c.fill.fill(doc)
	return c.validate(c.root, doc.value)
}

// validate checks value against s, which is a part of c.
func (c *argSchema) validate(s *jsonschema.Schema, value any) error {
	var err error
	if c.budget != nil {
		err = c.budget.run(func() error { return guarded(s, value) })
	} else {
		err = guarded(s, value)
	}
	var v *jsonschema.ValidationError
	if err == nil || !errors.As(err, &v) {
		return err
	}
	found := explain(v, value, c.byURL)
	sort.SliceStable(found, func(i, j int) bool { return found[i].before(found[j]) })
	return &ArgumentError{Problems: exported(found)}
}

// guarded validates, and turns the panics by which the validator is stopped
// into problems.
func guarded(s *jsonschema.Schema, value any) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case slowPattern:
			err = &ArgumentError{Problems: []Problem{{Keyword: "pattern",
				Expected: fmt.Sprintf("text that the pattern %s can be matched with in %v", literal(v.pattern), patternTimeout)}}}
		case tooManySteps:
			err = &ArgumentError{Problems: []Problem{{Keyword: "$ref",
				Expected: fmt.Sprintf("a simpler value, that can be checked in %d steps and %v", maxSteps, maxTime)}}}
		default: // the validator is not ours, and the value comes from outside
			err = fmt.Errorf("the arguments could not be validated: %v", v)
		}
	}()
	return s.Validate(value)
}

// found is a problem with the place that it is sorted by.
type found struct {
	Problem
	at    []string // tokens of the place; for a missing or unknown name those of its object
	class int
}

// The classes order the problems of one object: what is missing, what is wrong
// with it or in it, what is unknown.
const (
	classMissing = iota
	classWrong
	classUnknown
)

// before orders problems by place, an object's unknown names last.
func (f found) before(g found) bool {
	for i := 0; i < len(f.at) && i < len(g.at); i++ {
		if f.at[i] != g.at[i] {
			a, errA := strconv.Atoi(f.at[i])
			b, errB := strconv.Atoi(g.at[i])
			if errA == nil && errB == nil && a != b {
				return a < b
			}
			return f.at[i] < g.at[i]
		}
	}
	switch {
	case len(f.at) < len(g.at):
		return f.class != classUnknown
	case len(f.at) > len(g.at):
		return g.class == classUnknown
	case f.class != g.class:
		return f.class < g.class
	default:
		return f.Path < g.Path
	}
}

// exported drops what only sorting needs, and repetitions.
func exported(list []found) []Problem {
	out := make([]Problem, 0, len(list))
	seen := map[string]bool{}
	for _, f := range list {
		f.Expected = clipped(f.Expected, maxExpected)
		if text := f.String(); !seen[text] {
			seen[text] = true
			out = append(out, f.Problem)
		}
	}
	return out
}

// pathText writes a place as a person would: filter.tags[2]["a b"].
func pathText(tokens []string, root any) string {
	var b strings.Builder
	at := root
	for _, t := range tokens {
		switch v := at.(type) {
		case []any:
			b.WriteString("[" + t + "]")
			at = nil
			if i, err := strconv.Atoi(t); err == nil && i >= 0 && i < len(v) {
				at = v[i]
			}
			continue
		case map[string]any:
			at = v[t]
		}
		switch {
		case !isIdentifier(t):
			b.WriteString("[" + literal(t) + "]")
		case b.Len() > 0:
			b.WriteString("." + t)
		default:
			b.WriteString(t)
		}
	}
	return b.String()
}

func isIdentifier(s string) bool {
	if s == "" || len(s) > maxReceived {
		return false
	}
	for _, r := range s {
		if r <= ' ' || strings.ContainsRune(`.[]"'\`, r) || r == 0x7f {
			return false
		}
	}
	return true
}

// lookup finds the value at a place, or nil.
func lookup(root any, tokens []string) any {
	for _, t := range tokens {
		switch v := root.(type) {
		case map[string]any:
			root = v[t]
		case []any:
			i, err := strconv.Atoi(t)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			root = v[i]
		default:
			return nil
		}
	}
	return root
}
