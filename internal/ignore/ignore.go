// Package ignore reads files such as .gitignore and says which paths they leave
// out. It knows text and paths alone and touches no file.
package ignore

import (
	"strings"
)

// Verdict is what rules say of a path.
type Verdict uint8

// The verdicts.
const (
	None   Verdict = iota // no rule fits
	Ignore                // the last rule that fits leaves it out
	Keep                  // the last rule that fits starts with !
)

// Rules are the lines of one ignore file. The nil Rules have none.
type Rules struct{ rules []rule }

// Parse reads an ignore file. A line that is no pattern is passed over, as git
// does.
func Parse(text string) *Rules {
	text = strings.TrimPrefix(text, "\ufeff")
	r := &Rules{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		line = strings.TrimSuffix(line, "\r")
		if one, ok := parseRule(line); ok {
			r.rules = append(r.rules, one)
		}
	}
	if len(r.rules) == 0 {
		return nil
	}
	return r
}

// Match says what the rules make of a path, which is relative to the directory
// of the ignore file and has slashes; base is its last name. What lies in a
// directory that is ignored is not for Match to find out.
func (r *Rules) Match(path, base string, dir bool) Verdict {
	if r == nil {
		return None
	}
	for i := len(r.rules) - 1; i >= 0; i-- {
		rule := &r.rules[i]
		if rule.dirOnly && !dir || !rule.matches(path, base) {
			continue
		}
		if rule.negated {
			return Keep
		}
		return Ignore
	}
	return None
}
