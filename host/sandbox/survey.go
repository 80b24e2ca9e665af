package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/reading"
	"github.com/rho-ext/rho-ext/host/wire"
)

// survey tells what the code does, and tries which of the things that it uses
// are there: before any of the code has run.
func (s *Sandbox) survey(p *program) *wire.Survey {
	out := &wire.Survey{
		Code: codeUse(p.script.Uses, true), Tools: map[string]wire.CodeUse{}, Hooks: map[string]wire.CodeUse{}, Commands: map[string]wire.CodeUse{},
		Targets: p.survey.Targets, Cut: p.survey.Cut,
	}
	for _, t := range p.script.Tools {
		if t.Name != "" && len(out.Tools) < maxSurveyedTools {
			out.Tools[t.Name] = codeUse(p.script.UsesOf(t.Name), p.script.Apart(t.Name))
		}
	}
	for name, u := range p.script.Hooks {
		out.Hooks[name] = codeUse(u, true)
	}
	for name, u := range p.script.Commands {
		out.Commands[name] = codeUse(u, true)
	}
	tr := &trials{vm: s.vm}
	for _, x := range p.survey.Globals {
		if x.Name != "arguments" && s.vm.GlobalObject().Get(x.Name) == nil {
			out.Traps = append(out.Traps, wire.Trap{Kind: wire.TrapGlobal, Name: x.Name, At: x.At})
		}
	}
	for _, x := range p.survey.Members {
		if o, ok := s.vm.GlobalObject().Get(x.Global).(*goja.Object); ok && missing(o, x.Name) {
			out.Traps = append(out.Traps, wire.Trap{Kind: wire.TrapMember, Name: x.Global + "." + x.Name, At: x.At})
		}
	}
	for _, x := range p.survey.Regexps {
		if why := tr.regexp(x); why != "" {
			out.Traps = append(out.Traps, wire.Trap{Kind: wire.TrapRegexp, Name: "/" + x.Pattern + "/" + x.Flags, Detail: why, At: x.At})
		}
	}
	for _, x := range p.survey.Locales {
		if why := tr.locale(x.Name); why != "" {
			out.Traps = append(out.Traps, wire.Trap{Kind: wire.TrapLocale, Name: x.Name, Detail: why, At: x.At})
		}
	}
	return out
}

// maxSurveyedTools bounds a survey: code may hold any number of literals that look
// like tools.
const maxSurveyedTools = 500

// missing reports whether a global lacks a member. Objects that make members up
// have them all.
func missing(o *goja.Object, name string) (yes bool) {
	if o.ClassName() == "Proxy" {
		return false
	}
	return o.Get(name) == nil
}

func codeUse(u reading.Uses, own bool) wire.CodeUse {
	out := wire.CodeUse{Effects: u.Effects, CallsTools: u.CallsTools, Whole: u.Whole, Own: own, Computed: u.Computed}
	for _, m := range u.Seen {
		out.Seen = append(out.Seen, wire.CodeMention{Effect: m.Effect, Name: m.Name, At: m.At})
	}
	return out
}

// noteUnused notes the settings that no code mentions.
func noteUnused(out *wire.Survey, seen *reading.Surveyed, m wire.Manifest) {
	if seen.Names == nil {
		return
	}
	for name := range m.Settings {
		if !seen.Names[name] {
			out.Unused = append(out.Unused, name)
		}
	}
	slices.Sort(out.Unused)
}

// trials tries out what the engine can do, each thing once.
type trials struct {
	vm    *goja.Runtime
	known map[string]bool
}

// holds reports whether an expression of ours is true.
func (t *trials) holds(code string) bool {
	if yes, ok := t.known[code]; ok {
		return yes
	}
	v, err := t.vm.RunString("(function () { try { return " + code + "; } catch { return false; } })()")
	yes := err == nil && v.ToBoolean()
	if t.known == nil {
		t.known = map[string]bool{}
	}
	t.known[code] = yes
	return yes
}

// regexp says what is wrong with a regular expression here.
func (t *trials) regexp(x reading.Regexp) string {
	if _, err := t.vm.New(t.vm.Get("RegExp"), t.vm.ToValue(x.Pattern), t.vm.ToValue(x.Flags)); err != nil {
		for _, flag := range []string{"v", "d"} {
			if strings.Contains(x.Flags, flag) && !t.holds(fmt.Sprintf("!!new RegExp('a', %q)", flag)) {
				return "the flag " + flag + " is not known here"
			}
		}
		return "it does not compile here"
	}
	if strings.Contains(x.Flags, "u") && classes(x.Pattern) && !t.holds(`/\p{L}/u.test("a")`) {
		return `\p{…} never matches here`
	}
	return ""
}

// classes reports whether a pattern has a Unicode property.
func classes(pattern string) bool {
	for i := 0; i+2 < len(pattern); i++ {
		if pattern[i] != '\\' {
			continue
		}
		if next := pattern[i+1]; (next == 'p' || next == 'P') && pattern[i+2] == '{' {
			return true
		}
		i++ // an escaped backslash hides what comes behind
	}
	return false
}

// locale says what is wrong with a method that is given a locale.
func (t *trials) locale(method string) string {
	switch method {
	case "localeCompare":
		if !t.holds(`"a10".localeCompare("a2", "en", { numeric: true }) > 0`) {
			return "it does not heed options"
		}
	default:
		if !t.holds(`new Date(0).toLocaleDateString("en-US", { month: "short" }).includes("Jan")`) {
			if method == "toLocaleString" && !t.holds(`(1234.5).toLocaleString("en-US") === "1,234.5"`) {
				return "with arguments it throws for numbers, and ignores them for dates"
			}
			return "it ignores its arguments"
		}
	}
	return ""
}
