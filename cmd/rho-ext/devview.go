package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/exttest"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/internal/sessionlog"
	"github.com/rho-ext/rho-ext/internal/version"
	"github.com/rho-ext/rho-ext/registry"
)

// devView shows what happens while somebody writes extensions: lines for people
// on stderr, or events on stdout with --json.
type devView struct {
	app  *app
	w    *workspace
	name string // the only extension to show, or empty

	mu sync.Mutex
}

func (v *devView) line(format string, args ...any) {
	if v.app.json {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	fmt.Fprintln(v.app.err, v.w.hide.Redact(fmt.Sprintf(format, args...)))
}

// event prints one line of JSON.
func (v *devView) event(e any) {
	if !v.app.json {
		return
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(e) != nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	_, _ = v.app.out.Write(v.w.hide.RedactJSON(b.Bytes()))
}

func (v *devView) shows(id string) bool { return v.name == "" || v.name == id }

func now() string { return time.Now().Format("15:04:05") }

// header says what is watched.
func (v *devView) header() {
	count := map[host.Scope]int{}
	for _, e := range v.w.host.Extensions() {
		count[e.Scope]++
	}
	var where []string
	for _, s := range []struct {
		scope host.Scope
		name  string
	}{{host.ScopeProject, ".rho/extensions"}, {host.ScopeUser, "~/.rho/extensions"}, {host.ScopeExplicit, "--extensions"}} {
		if n := count[s.scope]; n > 0 || s.scope == host.ScopeProject {
			where = append(where, fmt.Sprintf("%s (%d)", s.name, n))
		}
	}
	v.line("rho-ext dev  v%s   watching %s", version.Version, strings.Join(where, ", "))
}

// begin shows what every extension has come to.
func (v *devView) begin() {
	began := v.w.host.Began()
	width := 0
	for i := range began.Changes {
		width = max(width, len(began.Changes[i].Extension))
	}
	for i := range began.Changes {
		c := &began.Changes[i]
		if !v.shows(c.Extension) {
			continue
		}
		if c.Kind == host.ChangeFailed {
			v.line("  %s %-*s  failed to load; other extensions keep running", v.app.paint(red, "✗"), width, cleanLine(c.Extension))
			v.failures(c, false)
			continue
		}
		parts := []string{fmt.Sprintf("%-8s", counted(len(c.Serving), "tool", "tools"))}
		if p := v.permissions(c.Extension); p != "" {
			parts = append(parts, p)
		}
		parts = append(parts, "bundle "+short(c.Bundled), "load "+short(c.Loaded))
		v.line("  %s %-*s  %s", v.app.paint(green, "✓"), width, cleanLine(c.Extension), strings.Join(parts, "  "))
	}
}

// permissions are what an extension asks for beyond reading the project.
func (v *devView) permissions(id string) string {
	access := v.w.host.Access(id)
	if access == nil {
		return ""
	}
	byKind := map[permission.Kind][]string{}
	var kinds []permission.Kind
	for _, g := range access.Ceiling().Grants() {
		if g.Kind == permission.KindRead && g.Target == "." {
			continue
		}
		if byKind[g.Kind] == nil {
			kinds = append(kinds, g.Kind)
		}
		byKind[g.Kind] = append(byKind[g.Kind], cleanLine(g.Target))
	}
	var parts []string
	for _, k := range kinds {
		parts = append(parts, fmt.Sprintf("%s: %s", k, shortList(byKind[k], 3)))
	}
	return strings.Join(parts, "  ")
}

// ready is always the last line of the beginning.
func (v *devView) ready(took time.Duration) {
	tools := 0
	for _, e := range v.w.reg.Snapshot().Tools() {
		if e.Owner != "" {
			tools++
		}
	}
	failures := v.w.failures()
	text := fmt.Sprintf("ready in %s · %s", short(took), counted(tools, "tool", "tools"))
	if n := len(failures); n > 0 {
		text += " · " + counted(n, "failure", "failures")
	}
	if v.app.person() != nil {
		text += " · h and enter for help"
	}
	v.line("%s", text)
	if failures == nil {
		failures = []host.Failure{}
	}
	v.event(devEvent{Event: "ready", DurationMS: millis(took), Extensions: v.w.host.Extensions(), Failures: failures})
}

// devEvent is one line of dev --json.
type devEvent struct {
	Event string `json:"event"` // ready, change, call or tests
	// Of ready.
	Extensions []host.ExtensionInfo `json:"extensions,omitempty"`
	// Of change.
	Paths     []string        `json:"paths,omitempty"`
	Extension string          `json:"extension,omitempty"`
	Change    host.ChangeKind `json:"change,omitempty"`
	Version   int             `json:"version,omitempty"`
	Tools     []string        `json:"tools,omitempty"`
	Message   string          `json:"message,omitempty"`
	// Of ready and change.
	DurationMS float64        `json:"durationMs,omitempty"`
	Failures   []host.Failure `json:"failures,omitempty"`
	// Of tests: what they came to.
	Tests *exttest.Report `json:"tests,omitempty"`
	// Of call: the outcome as the session log keeps it.
	Outcome json.RawMessage `json:"outcome,omitempty"`
}

// reloaded shows a save.
func (v *devView) reloaded(r host.Report) {
	for i := range r.Changes {
		c := &r.Changes[i]
		if !v.shows(c.Extension) {
			continue
		}
		v.line("%s  change %s → %s", v.app.paint(dim, now()), saved(c), v.became(c, r.Duration))
		v.failures(c, true)
		v.event(devEvent{Event: "change", Paths: c.Paths, Extension: c.Extension, Change: c.Kind, Version: c.Version, Tools: c.Serving,
			Message: changeMessage(c), DurationMS: millis(r.Duration), Failures: c.Failures})
	}
}

// saved names the files that were saved.
func saved(c *host.Change) string {
	var files []string
	for _, p := range c.Paths {
		p, _ = strings.CutPrefix(p, ".rho/extensions/")
		files = append(files, cleanLine(p))
	}
	if len(files) == 0 {
		return "of files"
	}
	return shortList(files, 3)
}

// became says what a change has come to, in one line.
func (v *devView) became(c *host.Change, took time.Duration) string {
	id := cleanLine(c.Extension)
	tools := ""
	for i, t := range c.Tools {
		tools += map[bool]string{true: "; ", false: ", "}[i == 0] + cleanLine(t.String())
	}
	switch c.Kind {
	case host.ChangeFailed:
		text := v.app.paint(red, "error") + " " + cleanLine(c.Failures[0].Error())
		if c.Version > 0 {
			text += fmt.Sprintf("  · still serving v%d", c.Version)
		}
		return text
	case host.ChangeReloaded, host.ChangeAdded:
		return fmt.Sprintf("%s %s (v%d) in %s, %s%s", c.Kind, id, c.Version, short(took), counted(len(c.Serving), "tool", "tools"), tools)
	case host.ChangeRestored:
		return fmt.Sprintf("%s is right again, v%d serves", id, c.Version)
	default:
		return fmt.Sprintf("%s %s%s", c.Kind, id, tools)
	}
}

// failures shows why an extension did not load: all places, with the lines
// around them. The first message may have been told already.
func (v *devView) failures(c *host.Change, told bool) {
	for i := range c.Failures {
		f := &c.Failures[i]
		if i > 0 || !told {
			v.line("      %s", indented(f.Error()))
		}
		if f.Frame != "" {
			for line := range strings.SplitSeq(f.Frame, "\n") {
				v.line("        %s", v.app.paint(dim, clean(line)))
			}
		}
		if f.Hint != "" {
			v.line("      hint: %s", indented(f.Hint))
		}
	}
}

func (v *devView) status(s host.WatchStatus) {
	if s.Polled > 0 {
		v.line("%s %s", v.app.paint(yellow, "note:"), clean(pollLine(s)))
	}
}

// logged shows a call that has ended, in this program or another.
func (v *devView) logged(e sessionlog.Entry) {
	var c loggedCall
	if e.Kind != registry.LogKindOutcome || json.Unmarshal(e.Data, &c) != nil || !v.showsTool(c.Tool) {
		return
	}
	v.event(devEvent{Event: "call", Outcome: e.Data})
	v.line("%s  call  %s", v.app.paint(dim, e.Time.Local().Format("15:04:05")), painter(v.app.paint).callLine(&c))
	if c.Failure == nil {
		return
	}
	for _, line := range painter(v.app.paint).failureLines(&c) {
		v.line("      %s", line)
	}
	if !strings.HasPrefix(c.Tool, "command-") {
		v.line("      to repeat it: rho-ext run %s --args %s", cleanLine(c.Tool), cleanLine(permission.ShellQuote(string(c.Arguments))))
	}
}

// showsTool reports whether calls of a tool are shown.
func (v *devView) showsTool(tool string) bool {
	if v.name == "" {
		return true
	}
	return slices.ContainsFunc(v.w.reg.Snapshot().Tools(), func(e registry.Entry) bool { return e.Owner == v.name && e.Tool.Name() == tool })
}

// short is a time as a person reads it.
func short(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", millis(d))
	case d < 10*time.Second:
		return fmt.Sprintf("%.0f ms", millis(d))
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func size(n int) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f KB", float64(n)/1000)
}
