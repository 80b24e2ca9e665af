package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

// toolDetails is what info tells of a tool.
type toolDetails struct {
	Name         string             `json:"name"`
	Title        string             `json:"title"`
	Description  string             `json:"description"`
	Extension    string             `json:"extension,omitempty"` // empty for a built-in tool
	Risk         registry.Risk      `json:"risk"`
	DeclaredRisk registry.Risk      `json:"declaredRisk"`
	Effects      registry.Effects   `json:"effects"`
	Arguments    string             `json:"arguments,omitempty"` // how the function receives them
	TimeoutMS    float64            `json:"timeoutMs,omitempty"`
	Parameters   json.RawMessage    `json:"parameters"`
	Output       json.RawMessage    `json:"output,omitempty"`
	Examples     []registry.Example `json:"examples,omitempty"`
}

// details is the document that info prints. A name can be both.
type details struct {
	Tool      *toolDetails        `json:"tool,omitempty"`
	Extension *host.ExtensionInfo `json:"extension,omitempty"`
	// Permissions are the extension's, where they are known.
	Permissions *extensionPermission `json:"permissions,omitempty"`
}

func (a *app) infoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "info NAME",
		Short: "Show one tool or extension: risk, effects, schema, source, permissions",
		Long: `Show one tool or extension: a tool's risk, effects and schema as a model sees it;
where an extension comes from, its tools, what it asks for and what it was granted.`,
		Example: `  rho-ext info read_file
  rho-ext info weather --json`,
		Args: one("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := a.open(cmd.Context(), "", nil)
			if err != nil {
				return err
			}
			defer w.close()
			return a.info(w, args[0])
		},
	}
}

func (a *app) info(w *workspace, name string) error {
	var d details
	var mine []host.Failure
	for _, f := range w.failures() {
		if f.Extension == name {
			mine = append(mine, f)
		}
	}
	for _, e := range w.host.Extensions() {
		if e.ID == name && (d.Extension == nil || e.State != host.StateShadowed) {
			d.Extension = &e
		}
	}
	if e, ok := w.reg.Snapshot().Lookup(name); ok {
		d.Tool = describe(e)
	}
	if e := d.Extension; e != nil {
		if p := permissionsOf(w.host, *e); p.known() && w.host.Access(e.ID) != nil {
			d.Permissions = &p
		}
	}
	waiting := untrusted(w.host)
	switch {
	case len(mine) > 0:
		return a.loadFailed(name, mine)
	case d.Tool == nil && d.Extension == nil && len(w.failures()) > 0:
		return a.loadFailed(name, w.failures())
	case d.Tool == nil && d.Extension == nil && len(waiting) > 0:
		a.tellUntrusted(waiting)
		return fail(exitDenied, "there is no tool or extension %q in what is trusted; see rho-ext list", name)
	case d.Tool == nil && d.Extension == nil:
		return fail(exitFailed, "there is no tool or extension %q; see rho-ext list", name)
	}
	if a.json {
		return written(a.printJSON(d))
	}
	if err := a.printDetails(d); err != nil {
		return written(err)
	}
	if d.Extension != nil && d.Extension.State == host.StateUntrusted {
		a.tellUntrusted(waiting)
	}
	return nil
}

func describe(e registry.Entry) *toolDetails {
	t := &toolDetails{
		Name: e.Tool.Name(), Title: e.Info.Title, Description: e.Tool.Description(), Extension: e.Owner,
		Risk: e.Tool.Risk(), DeclaredRisk: e.Info.DeclaredRisk, Effects: e.Info.Effects,
		TimeoutMS:  float64(e.Info.Timeout.Microseconds()) / 1000,
		Parameters: e.Tool.Parameters(), Output: e.Info.OutputSchema, Examples: e.Info.Examples,
	}
	if js, ok := e.Tool.(*host.JSTool); ok {
		t.Arguments = string(js.Arguments())
	}
	return t
}

func (a *app) printDetails(d details) error {
	var b bytes.Buffer
	if t := d.Tool; t != nil {
		fmt.Fprintf(&b, "tool       %s\n", t.Name)
		if t.Title != t.Name {
			fmt.Fprintf(&b, "title      %s\n", cleanLine(t.Title))
		}
		from := "built-in"
		if t.Extension != "" {
			from = "extension " + cleanLine(t.Extension)
		}
		fmt.Fprintf(&b, "from       %s\n", from)
		fmt.Fprintf(&b, "risk       %s", t.Risk)
		if t.DeclaredRisk != t.Risk {
			fmt.Fprintf(&b, " (declared %s; its code uses more)", t.DeclaredRisk)
		}
		fmt.Fprintf(&b, "\neffects    %s\n", t.Effects)
		if t.Arguments != "" {
			fmt.Fprintf(&b, "arguments  %s\n", argumentForms[t.Arguments])
		}
		if t.TimeoutMS > 0 {
			fmt.Fprintf(&b, "timeout    %g ms\n", t.TimeoutMS)
		}
		fmt.Fprintf(&b, "\n%s\n\nparameters\n", clean(t.Description))
		var schema bytes.Buffer
		if err := json.Indent(&schema, t.Parameters, "", "  "); err != nil {
			return err
		}
		b.WriteString(clean(schema.String()))
		b.WriteByte('\n')
	}
	if e := d.Extension; e != nil {
		if d.Tool != nil {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "extension  %s %s\n", cleanLine(e.Title), cleanLine(e.Version))
		fmt.Fprintf(&b, "state      %s\nscope      %s\npath       %s\n", e.State, e.Scope, cleanLine(e.Path))
		for _, t := range e.Tools {
			fmt.Fprintf(&b, "has tool   %s (%s; effects %s)\n", t.Name, t.Risk, t.Effects)
		}
		for _, h := range e.Hooks {
			state := "not granted, so it does not run"
			if h.Granted {
				state = "runs"
			}
			fmt.Fprintf(&b, "has hook   %s (%s; effects %s)\n", h.Name, state, effectsOrNone(h.Effects))
		}
		for _, c := range e.Commands {
			fmt.Fprintf(&b, "command    %s (%s; effects %s)\n", cleanLine(c.Name), c.Risk, effectsOrNone(c.Effects))
		}
		for _, s := range e.Settings {
			kind := s.Type
			if s.Secret {
				kind = "secret"
			}
			fmt.Fprintf(&b, "setting    %s (%s)\n", s.Name, kind)
		}
	}
	if p := d.Permissions; p != nil {
		for _, r := range p.rows() {
			fmt.Fprintf(&b, "asks for   %s, ", r.what)
			switch r.by {
			case "no", "-":
				b.WriteString("not granted")
			case "default":
				b.WriteString("granted by default")
			case "granted":
				b.WriteString("granted by you")
			default:
				b.WriteString("granted by " + r.by)
			}
			if r.note != "" {
				b.WriteString(" (" + r.note + ")")
			}
			b.WriteByte('\n')
		}
	}
	_, err := io.Copy(a.out, &b)
	return err
}

func effectsOrNone(e registry.Effects) string {
	if e == 0 {
		return "none"
	}
	return e.String()
}

var argumentForms = map[string]string{
	"object": "an object",
	"text":   "the JSON text, as the function parses it",
	"both":   "an object that also gives its JSON text",
}
