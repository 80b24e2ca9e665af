package check

import (
	"strings"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// effectRules compare what tools declare with what their code does.
func effectRules(u *unit) {
	if u.Survey == nil {
		return
	}
	for _, pos := range u.Survey.Code.Computed {
		if u.Owns(pos) {
			u.say("computed-access", at{pos: pos}, "write the name out, such as rho.readFile or globalThis.fetch",
				"what is used here is decided at run time, so nobody can read what the extension does")
		}
	}
	if u.Manifest == nil {
		return
	}
	for _, t := range u.Manifest.Tools {
		use, ok := u.Survey.Tools[t.Name]
		more := t.Effects &^ t.Risk.Effects() &^ registry.EffectRead
		if !ok || more == 0 || t.Effects.Risk() == t.Risk {
			continue
		}
		severity, by := severityOf("risk-understated"), ""
		for _, m := range use.Seen {
			if more.Has(m.Effect) && m.Effect != 0 {
				by = m.Name
				if loc := u.Locate(m.At); loc.Line > 0 {
					by += " (line " + lineOf(loc.File, u, loc.Line) + ")"
				}
				break
			}
		}
		if !use.Own || by == "" {
			severity = Info // of the file as a whole, or of what it is made from
			by = "code in this file"
		}
		u.sayAs(severity, "risk-understated", u.toolKey(t, "risk"), `declare risk: "`+t.Effects.Risk().String()+`"`,
			"%s declares %s and reaches %s, so it counts as %s", t.Name, t.Risk, by, t.Effects.Risk())
	}
}

// lineOf is a line, with its file where that is not the extension's own module.
func lineOf(file string, u *unit, line int) string {
	if file == u.Locate(wire.Position{}).File {
		return itoa(line)
	}
	return itoa(line) + " of " + file[strings.LastIndex(file, "/")+1:]
}
