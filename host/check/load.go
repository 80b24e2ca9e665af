package check

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/wire"
)

// loadFailures tells why the extension did not load. That its tools clash with
// others is told by the rule for it.
func (u *unit) loadFailures() {
	for _, f := range u.Failures {
		if u.Manifest != nil && f.Stage == wire.StageManifest && u.clashing {
			continue
		}
		if m := undefined.FindStringSubmatch(f.Message); m != nil {
			u.absent = m[1]
			f.Hint = cmp.Or(f.Hint, insteadOf(m[1]))
		}
		if f.Stage == wire.StageEvaluate && f.Hint == "" && u.Survey != nil {
			for _, t := range u.Survey.Targets {
				if t.Kind == wire.TargetEnv && u.Owns(t.At) {
					f.Hint = "nothing is granted here, so " + t.Name + " is not set: ask for it when a tool runs, not while the module loads"
					break
				}
			}
		}
		u.findings = append(u.findings, ofFailure(f, u.pathOf(f)))
	}
}

var undefined = regexp.MustCompile(`^ReferenceError: (\S+) is not defined$`)

// pathOf finds the file that a failure names.
func (u *unit) pathOf(f host.Failure) string {
	for _, name := range u.Own() {
		if loc := u.Locate(wire.Position{File: name}); loc.File == f.File {
			return loc.Path
		}
	}
	return u.run.absolute(f.File)
}

func ofFailure(f host.Failure, path string) Finding {
	return Finding{
		Rule: "load-" + string(f.Stage), Severity: Error, Extension: f.Extension,
		File: f.File, Path: path, Line: f.Line, Column: f.Column, Message: f.Message, Hint: f.Hint, Frame: f.Frame,
	}
}

// clashes finds tools and commands of one name. Those of all extensions count,
// also of those that nobody asked about.
func (r *run) clashes(asked []*unit) {
	tools, commands := map[string][]*unit{}, map[string][]*unit{}
	for _, u := range r.units {
		if u.Manifest == nil {
			continue
		}
		for _, t := range u.Manifest.Tools {
			tools[t.Name] = append(tools[t.Name], u)
		}
		for _, c := range u.Manifest.Commands {
			commands[c.Name] = append(commands[c.Name], u)
		}
	}
	for _, u := range asked {
		if u.Manifest == nil {
			continue
		}
		for _, t := range u.Manifest.Tools {
			switch other := another(tools[t.Name], u); {
			case r.builtins[t.Name]:
				u.clashing = true
				u.say("tool-clash", u.toolKey(t, "name"), "give the tool another name", "%s is the name of a built-in tool", t.Name)
			case other != nil:
				u.clashing = true
				u.say("tool-clash", u.toolKey(t, "name"), "rename one of the two, or remove it; only the first to load has it",
					"%s is also a tool of the extension %s (%s)", t.Name, other.Source.ID, other.Locate(wire.Position{}).File)
			}
		}
		for _, c := range u.Manifest.Commands {
			if other := another(commands[c.Name], u); other != nil {
				u.say("command-clash", u.key("commands"), "both can be run by their long names",
					"the command %s is also one of the extension %s: it can only be run as %s:%s", c.Name, other.Source.ID, u.Source.ID, c.Name)
			}
		}
	}
}

func another(list []*unit, u *unit) *unit {
	if i := slices.IndexFunc(list, func(o *unit) bool { return o != u }); i >= 0 {
		return list[i]
	}
	return nil
}
