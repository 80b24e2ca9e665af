package check

import (
	"fmt"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/wire"
)

// unit is one extension under the rules.
type unit struct {
	*host.Inspection
	run      *run
	findings []Finding
	absent   string // a global whose absence ended the load, and is told with that
	clashing bool   // a tool of it has a name that is taken
}

func newUnit(r *run, i *host.Inspection) *unit { return &unit{Inspection: i, run: r} }

func (u *unit) checked() Checked {
	c := Checked{ID: u.Source.ID, Title: u.Source.ID, Scope: string(u.Source.Scope), File: u.Locate(wire.Position{}).File}
	if u.Manifest != nil {
		c.Title = u.Manifest.Name
	}
	return c
}

// at is where a finding is: a position, and the tool that it is about.
type at struct {
	pos  wire.Position
	tool string
}

// say reports a finding of a rule.
func (u *unit) say(rule string, where at, hint, format string, args ...any) {
	u.sayAs(severityOf(rule), rule, where, hint, format, args...)
}

// sayAs is say with another severity than the rule's own.
func (u *unit) sayAs(s Severity, rule string, where at, hint, format string, args ...any) {
	loc := u.Locate(where.pos)
	u.findings = append(u.findings, Finding{
		Rule: rule, Severity: s, Extension: u.Source.ID, Tool: where.tool,
		File: loc.File, Path: loc.Path, Line: loc.Line, Column: loc.Column,
		Message: fmt.Sprintf(format, args...), Hint: hint, Frame: u.Frame(where.pos),
	})
}

// key is the place of a member of the manifest, or of the manifest.
func (u *unit) key(name string) at {
	if p, ok := u.Manifest.Keys[name]; ok {
		return at{pos: p}
	}
	return at{pos: u.Manifest.Keys["name"]}
}

// toolKey is the place of a member of a tool, or of the tool.
func (u *unit) toolKey(t wire.Tool, name string) at {
	if p, ok := t.Keys[name]; ok && u.Owns(p) {
		return at{p, t.Name}
	}
	return at{t.Location, t.Name}
}
