package check

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/suggest"
)

// ignoring is a comment that silences a rule.
type ignoring struct {
	rule string
	path string
	pos  wire.Position
	used bool
}

var ignoreComment = regexp.MustCompile(`^\s*//\s*rho-ext-ignore\b[ \t]*([^\s:]*)[ \t]*(:?)[ \t]*(.*?)\s*$`)

// silence takes out the findings that comments speak of: on the line above, or,
// of a finding about the extension as a whole, anywhere in its own module. That
// an extension does not load cannot be silenced.
func (u *unit) silence(report *Report) {
	var list []*ignoring
	for _, name := range u.Own() {
		n := 0
		for line := range strings.Lines(u.Text(name)) {
			n++
			m := ignoreComment.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			pos := wire.Position{File: name, Line: n, Column: 1 + strings.Index(line, "//")}
			rule, reason := m[1], m[3]
			switch {
			case ruleOf(rule) == nil:
				u.say("bad-ignore", at{pos: pos}, "write // rho-ext-ignore RULE: reason; docs/check.md lists the rules",
					"there is no rule %q%s", rule, suggest.Hint(suggest.Names(rule, ruleIDs(), 1)...))
			case reason == "" || m[2] == "":
				u.say("bad-ignore", at{pos: pos}, "write // rho-ext-ignore "+rule+": reason", "the comment does not say why %s is to be ignored", rule)
			case strings.HasPrefix(rule, "load-") || rule == "bad-ignore":
				u.say("bad-ignore", at{pos: pos}, "take the comment out", "%s cannot be ignored", rule)
			default:
				list = append(list, &ignoring{rule: rule, path: u.Locate(pos).Path, pos: pos})
			}
		}
	}
	entry := u.Locate(wire.Position{}).Path
	u.findings = slices.DeleteFunc(u.findings, func(f Finding) bool {
		for _, i := range list {
			if i.rule == f.Rule && i.path == f.Path && (f.Line == i.pos.Line+1 || f.Line == 0 && i.path == entry) {
				i.used = true
				report.Counts.Ignored++
				return true
			}
		}
		return false
	})
	for _, i := range list {
		// Types are not always checked.
		if !i.used && (i.rule != "types" || report.Types.Checked) {
			u.say("unused-ignore", at{pos: i.pos}, "take the comment out", "nothing here breaks %s", i.rule)
		}
	}
}
