package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// Report is what a look at the extensions changed, by extension id.
type Report struct {
	Added, Reloaded, Unchanged, Removed []string
	// Failures are what is wrong with the extensions now.
	Failures []Failure
	// Changes tell of every extension that is not simply unchanged.
	Changes  []Change
	Duration time.Duration
}

// ChangeKind is what became of an extension.
type ChangeKind string

// The kinds of changes.
const (
	ChangeAdded    ChangeKind = "added"
	ChangeReloaded ChangeKind = "reloaded" // a new version is in place
	ChangeRemoved  ChangeKind = "removed"
	ChangeFailed   ChangeKind = "failed"   // what was there before, if anything, goes on serving
	ChangeDisabled ChangeKind = "disabled" // by hand, see [Host.Disable] and [Host.Unload]
	// ChangeRestored is an extension that failed, and whose files are now again
	// those of the version that serves.
	ChangeRestored ChangeKind = "restored"
)

// Change is what became of one extension.
type Change struct {
	Extension string
	Kind      ChangeKind
	// Version counts what was put in place since the host began, from 1. With
	// ChangeFailed it is the one that goes on serving; zero is none.
	Version int
	// Serving are the names of the tools that it has now.
	Serving []string
	// Tools are those that are not as they were.
	Tools []ToolChange
	// Silenced are the hooks that ran before and do not any more: the new manifest
	// asks for more than was granted, or has them no longer.
	Silenced []string
	// Failures say why, with ChangeFailed.
	Failures []Failure
	// Paths are the files of it that were saved, as people see them, where that
	// is why it was looked.
	Paths []string
	// Bundled and Loaded are how long that took.
	Bundled, Loaded time.Duration

	again bool // it failed before in just this way
}

// ToolChange is how a tool differs from the one of its name before.
type ToolChange struct {
	Name string
	Kind ChangeKind // added, removed, or reloaded where it was there before
	// What differs for those who call it: description, schema, effects, output.
	What []string
}

// String is the tool's name with what changed.
func (t ToolChange) String() string {
	switch t.Kind {
	case ChangeAdded:
		return "+" + t.Name
	case ChangeRemoved:
		return "-" + t.Name
	default:
		return t.Name + " (" + strings.Join(t.What, ", ") + ")"
	}
}

func (c *Change) serves(g *generation) {
	c.Version, c.Serving = g.version, []string{}
	for _, t := range g.manifest.Tools {
		c.Serving = append(c.Serving, t.Name)
	}
}

// toolChanges compares two versions; nil is none.
func toolChanges(before, after *generation) (out []ToolChange) {
	find := func(g *generation, name string) int {
		if g == nil {
			return -1
		}
		for i, t := range g.manifest.Tools {
			if t.Name == name {
				return i
			}
		}
		return -1
	}
	if after != nil {
		for _, now := range after.manifest.Tools {
			i := find(before, now.Name)
			if i < 0 {
				out = append(out, ToolChange{Name: now.Name, Kind: ChangeAdded})
				continue
			}
			old := before.manifest.Tools[i]
			var what []string
			if old.Description != now.Description {
				what = append(what, "description")
			}
			if !bytes.Equal(old.Parameters, now.Parameters) {
				what = append(what, schemaChange(old.Parameters, now.Parameters))
			}
			if old.Effects != now.Effects {
				what = append(what, "effects: "+effectText(old.Effects)+" → "+effectText(now.Effects))
			}
			if !bytes.Equal(old.Output, now.Output) {
				what = append(what, "output schema")
			}
			if len(what) > 0 {
				out = append(out, ToolChange{Name: now.Name, Kind: ChangeReloaded, What: what})
			}
		}
	}
	if before != nil {
		for _, old := range before.manifest.Tools {
			if find(after, old.Name) < 0 {
				out = append(out, ToolChange{Name: old.Name, Kind: ChangeRemoved})
			}
		}
	}
	return out
}

func effectText(e registry.Effects) string {
	if s := e.String(); s != "" {
		return s
	}
	return "none"
}

// schemaChange says which properties of a schema came, went and changed.
func schemaChange(before, after json.RawMessage) string {
	old, now := properties(before), properties(after)
	var out []string
	for _, p := range now {
		i := slices.IndexFunc(old, func(o property) bool { return o.name == p.name })
		switch {
		case i < 0:
			out = append(out, "+"+p.name)
		case !bytes.Equal(old[i].schema, p.schema):
			out = append(out, "~"+p.name)
		}
	}
	for _, o := range old {
		if !slices.ContainsFunc(now, func(p property) bool { return p.name == o.name }) {
			out = append(out, "-"+o.name)
		}
	}
	if len(out) == 0 {
		return "schema"
	}
	return "schema: " + strings.Join(out, " ")
}

type property struct {
	name   string
	schema json.RawMessage
}

func properties(schema json.RawMessage) (out []property) {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(schema, &s)
	for name, p := range s.Properties {
		out = append(out, property{name, p})
	}
	slices.SortFunc(out, func(a, b property) int { return strings.Compare(a.name, b.name) })
	return out
}

// Text tells a model what changed, in a few lines; empty when nothing did.
func (r *Report) Text() string {
	var b strings.Builder
	for _, c := range r.Changes {
		b.WriteString(c.Text() + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Text is the change in one line or a few.
func (c *Change) Text() string {
	switch c.Kind {
	case ChangeAdded:
		return fmt.Sprintf("extension %s was added%s", c.Extension, toolText(c.Serving))
	case ChangeReloaded:
		return fmt.Sprintf("extension %s was reloaded (v%d)%s%s", c.Extension, c.Version, toolText(c.Serving), changedText(c.Tools)) + silencedText(c.Silenced)
	case ChangeRemoved:
		return fmt.Sprintf("extension %s was removed%s", c.Extension, changedText(c.Tools))
	case ChangeDisabled:
		return fmt.Sprintf("extension %s was disabled%s", c.Extension, changedText(c.Tools))
	case ChangeRestored:
		return fmt.Sprintf("extension %s is right again: v%d serves%s", c.Extension, c.Version, toolText(c.Serving))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "extension %s failed to load", c.Extension)
	if c.Version > 0 {
		fmt.Fprintf(&b, "; v%d, the last that worked, is still serving", c.Version)
	}
	for _, f := range c.Failures {
		b.WriteString("\n  " + f.Error())
		if f.Hint != "" {
			b.WriteString("\n  hint: " + f.Hint)
		}
	}
	return b.String()
}

func silencedText(hooks []string) string {
	if len(hooks) == 0 {
		return ""
	}
	verb := " does not run any more"
	if len(hooks) > 1 {
		verb = " do not run any more"
	}
	return "; its " + strings.Join(hooks, " and ") + verb
}

// silenced are the hooks that ran in one version and do not in the next.
func silenced(before, after *generation) (out []string) {
	runs := func(g *generation, name string) bool { return g.has(name) && g.deniedHook(name) == nil }
	for _, name := range []string{wire.HookToolCall, wire.HookToolResult, wire.HookBeforeModel} {
		if runs(before, name) && !runs(after, name) {
			out = append(out, name)
		}
	}
	return out
}

func toolText(names []string) string {
	if len(names) == 0 {
		return ", without tools"
	}
	what := ", tool "
	if len(names) > 1 {
		what = ", tools "
	}
	return what + strings.Join(names, ", ")
}

func changedText(list []ToolChange) string {
	if len(list) == 0 {
		return ""
	}
	parts := make([]string, len(list))
	for i, t := range list {
		parts[i] = t.String()
	}
	return "; changed: " + strings.Join(parts, ", ")
}
