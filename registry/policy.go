package registry

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

// Action is what a policy says to a call.
type Action uint8

// The actions, from mild to strict. The zero value is no opinion.
const (
	Auto Action = iota + 1 // run it
	Ask                    // ask the gate
	Deny                   // never run it; final, whatever anyone answers
)

var actionNames = [...]string{Auto: "auto", Ask: "ask", Deny: "deny"}

// String is auto, ask or deny.
func (a Action) String() string {
	if a < Auto || a > Deny {
		return fmt.Sprintf("action(%d)", uint8(a))
	}
	return actionNames[a]
}

// ParseAction reads auto, ask or deny.
func ParseAction(s string) (Action, error) {
	for a := Auto; a <= Deny; a++ {
		if actionNames[a] == s {
			return a, nil
		}
	}
	return 0, fmt.Errorf("unknown action %q: expected auto, ask or deny", s)
}

// Rule is one sentence of a policy. It matches a call when every condition that
// it has holds; a rule without conditions matches every call.
type Rule struct {
	Action  Action
	Tool    string  // pattern of the tool's name, as of [path.Match]; empty is any
	Owner   string  // pattern of who brought the tool; "-" is the host program; empty is any
	Effects Effects // all of these are among the call's effects
	Arg     string  // name of a top-level argument that must match Match
	Match   string  // pattern: * is any text; without one, the value or a prefix of it up to a space, / or :
	Source  string  // where the rule stands, for messages
}

// Check says what is wrong with a rule.
func (r Rule) Check() error {
	if r.Action < Auto || r.Action > Deny {
		return fmt.Errorf("a rule needs an action: auto, ask or deny")
	}
	for _, p := range []string{r.Tool, r.Owner} {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("bad pattern %q: %w", p, err)
		}
	}
	if (r.Arg == "") != (r.Match == "") {
		return fmt.Errorf("a rule on an argument needs both its name and a pattern")
	}
	return nil
}

func (r Rule) matches(e *Entry, effects Effects, args string) bool {
	owner := e.Owner
	if owner == "" {
		owner = "-"
	}
	if !matchesName(r.Tool, e.name) || !matchesName(r.Owner, owner) || !effects.Has(r.Effects) {
		return false
	}
	return r.Arg == "" || matchesValue(r.Match, member(args, r.Arg), r.Action == Auto)
}

func matchesName(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// matchesValue compares an argument, or the items of a list, with a pattern.
// What is spelt in a roundabout way counts against the call: a rule that asks or
// denies matches a path also as what it comes down to and any item of a list;
// one that allows (strict) wants both of a path that climbs, all items, and of a
// command line no other command behind it.
func matchesValue(pattern, raw string, strict bool) bool {
	switch {
	case raw == "":
		return false
	case raw[0] == '[':
		some, all := false, true
		eachItem(raw, func(item string) {
			ok := matchesValue(pattern, item, strict)
			some, all = some || ok, all && ok
		})
		return some && (all || !strict)
	case raw[0] == '"':
		raw = unquote(raw)
	}
	clean := path.Clean(raw)
	if !strict {
		return matchesText(pattern, raw) || matchesText(pattern, clean)
	}
	if climbs(raw) && !matchesText(pattern, clean) || chains(raw, pattern) {
		return false
	}
	return matchesText(pattern, raw)
}

// matchesText compares text with a pattern that has * for any text, or is a
// whole or the start of it.
func matchesText(pattern, text string) bool {
	if strings.Contains(pattern, "*") {
		return glob(pattern, text)
	}
	rest, ok := strings.CutPrefix(text, pattern)
	return ok && (rest == "" || strings.HasSuffix(pattern, "/") || strings.ContainsRune(" /:", rune(rest[0])))
}

// climbs reports whether a path has a part that leads upwards.
func climbs(p string) bool { return slices.Contains(strings.Split(p, "/"), "..") }

// chains reports whether a command line goes on, after a command that pattern is
// the start of, in a way by which a shell would start another.
func chains(text, pattern string) bool {
	rest, ok := strings.CutPrefix(text, pattern)
	return ok && strings.HasPrefix(rest, " ") && strings.ContainsAny(rest, ";&|<>`$\n\r")
}

// glob matches text with a pattern in which * is any text, also none.
func glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return len(text) >= len(last) && strings.HasSuffix(text, last)
}

// Policy says which calls run, which are asked about and which never run. Of
// the rules that match, deny beats ask beats auto; where none does the risk of
// the call decides: Read runs, everything else is asked about. The zero value
// has no rules. It is safe for concurrent use.
type Policy struct {
	rules    []Rule
	defaults map[Risk]Action

	mu      sync.RWMutex
	granted []Approval
}

// PolicyOptions make a [Policy].
type PolicyOptions struct {
	Rules []Rule
	// Defaults decide where no rule matches; a risk that is absent is auto for
	// Read and ask for the others.
	Defaults map[Risk]Action
	// Granted are answers of earlier sessions that were given for always.
	Granted []Approval
}

// NewPolicy makes a policy. An error names the rule that is wrong.
func NewPolicy(o PolicyOptions) (*Policy, error) {
	for i, r := range o.Rules {
		if err := r.Check(); err != nil {
			return nil, fmt.Errorf("rule %d (%s): %w", i+1, r.Source, err)
		}
	}
	return &Policy{rules: slices.Clone(o.Rules), defaults: o.Defaults, granted: slices.Clone(o.Granted)}, nil
}

// Approval is a standing answer: calls of this tool of this owner, with no more
// effects than these, need not be asked about again.
type Approval struct {
	Tool    string  `json:"tool"`
	Owner   string  `json:"owner"`
	Effects Effects `json:"effects"`
}

// Verdict is what a policy makes of one call, and why.
type Verdict struct {
	Action Action
	Reason string // names the rule, or the default
}

// decide judges a call.
func (p *Policy) decide(e *Entry, effects Effects, args string) Verdict {
	v := Verdict{}
	if p != nil {
		for _, r := range p.rules {
			if r.Action > v.Action && r.matches(e, effects, args) {
				v = Verdict{Action: r.Action, Reason: r.describe()}
			}
		}
	}
	if v.Action == 0 {
		v = p.byRisk(effects.Risk())
	}
	if v.Action == Ask && p.remembers(e, effects) {
		return Verdict{Action: Auto, Reason: "it was allowed before"}
	}
	return v
}

func (r Rule) describe() string {
	text := r.Action.String()
	if r.Tool != "" {
		text += " for " + r.Tool
	}
	if r.Source != "" {
		text += " (" + r.Source + ")"
	}
	return "the rule " + text
}

func (p *Policy) byRisk(r Risk) Verdict {
	a := Ask
	if r == Read {
		a = Auto
	}
	if p != nil {
		if own, ok := p.defaults[r]; ok {
			a = own
		}
	}
	return Verdict{Action: a, Reason: fmt.Sprintf("the default for risk %s is %s", r, a)}
}

func (p *Policy) remembers(e *Entry, effects Effects) bool {
	if p == nil {
		return false
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	return slices.ContainsFunc(p.granted, func(a Approval) bool {
		return a.Tool == e.name && a.Owner == e.Owner && a.Effects.Has(effects)
	})
}

// remember keeps an answer for the rest of the session.
func (p *Policy) remember(a Approval) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.granted, a) {
		p.granted = append(p.granted, a)
	}
}

// Judge tells what the policy makes of a call, without running anything.
func (p *Policy) Judge(e Entry, args json.RawMessage) Verdict {
	doc, err := normaliseFor(e.format, args)
	if err != nil {
		return Verdict{Action: Deny, Reason: err.Error()}
	}
	return p.decide(&e, e.effectsOf(doc.text), doc.text)
}
