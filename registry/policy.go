package registry

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
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
//
// What an argument spells in a roundabout way counts against the call. A rule
// that asks or denies matches a path also as what it comes down to, relative to
// the project's root as well, each command of a command line, and anything
// inside of a list or an object. One
// that allows wants all of a list or an object to match, a path that climbs also
// as what it comes down to, and of a command line no other command in what the
// pattern leaves open, unless the pattern is * alone.
type Rule struct {
	Action  Action
	Tool    string  // pattern of the tool's name, as of [path.Match]; empty is any
	Owner   string  // pattern of who brought the tool; "-" is the host program; empty is any
	Effects Effects // all of these are among the call's effects
	Arg     string  // name of a top-level argument that must match Match
	Match   string  // pattern: * is any text; without one, the value or a prefix of it up to a space, / or :; see below
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

func (r Rule) matches(e *Entry, effects Effects, args, root string) bool {
	owner := e.Owner
	if owner == "" {
		owner = "-"
	}
	if !matchesName(r.Tool, e.name) || !matchesName(r.Owner, owner) || !effects.Has(r.Effects) {
		return false
	}
	return r.Arg == "" || matchesValue(r.Match, member(args, r.Arg), root, r.Action == Auto)
}

func matchesName(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	ok, err := path.Match(pattern, name)
	return err == nil && ok
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

// Approval is a standing answer: calls of this tool of this owner from this
// origin, with no more effects than these, need not be asked about again. An answer to a rule on an
// argument holds for what that rule asks about, and no other answer does.
type Approval struct {
	Tool    string  `json:"tool"`
	Owner   string  `json:"owner"`
	Origin  string  `json:"origin,omitempty"` // as of Info.Origin
	Effects Effects `json:"effects"`
	Rule    string  `json:"rule,omitempty"` // the conditions on arguments that asked
}

// Verdict is what a policy makes of one call, and why.
type Verdict struct {
	Action Action
	Reason string // names the rule, or the default

	rule string // as of Approval.Rule
}

// decide judges a call in the project at root.
func (p *Policy) decide(e *Entry, effects Effects, args, root string) Verdict {
	v, asks := Verdict{}, ""
	if p != nil {
		for _, r := range p.rules {
			special := r.Action == Ask && r.Arg != ""
			if (r.Action > v.Action || special && v.Action == Ask) && r.matches(e, effects, args, root) {
				if v.Action < r.Action {
					v = Verdict{Action: r.Action, Reason: r.describe()}
				}
				if special {
					asks += fmt.Sprintf("%q=%q ", r.Arg, r.Match)
				}
			}
		}
		v.rule = asks
	}
	if v.Action == 0 {
		v = p.byRisk(effects.Risk())
	}
	if v.Action == Ask && p.remembers(e, effects, v.rule) {
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

func (p *Policy) remembers(e *Entry, effects Effects, rule string) bool {
	if p == nil {
		return false
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	return slices.ContainsFunc(p.granted, func(a Approval) bool {
		return a.Tool == e.name && a.Owner == e.Owner && a.Origin == e.Info.Origin && a.Effects.Has(effects) && a.Rule == rule
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

// Judge tells what the policy makes of a call in the project at root, which may
// be empty, without running anything. Arguments that the tool would refuse are
// denied.
func (p *Policy) Judge(e Entry, args json.RawMessage, root string) Verdict {
	doc, err := normaliseFor(e.format, args)
	if err == nil {
		err = e.args.check(&doc)
	}
	if err != nil {
		return Verdict{Action: Deny, Reason: err.Error()}
	}
	return p.decide(&e, e.effectsOf(doc.text), doc.text, root)
}
