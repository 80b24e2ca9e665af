package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/internal/scaffold"
	"github.com/rho-ext/rho-ext/internal/suggest"
	"github.com/rho-ext/rho-ext/jsapi"
)

// initReport is the document that init prints.
type initReport struct {
	Extension string   `json:"extension"`
	Template  string   `json:"template"`
	Folder    string   `json:"folder"`
	Files     []string `json:"files"`              // relative to the folder
	Tools     []string `json:"tools"`              // empty where the template has none
	Replaces  string   `json:"replaces,omitempty"` // the extension of this name that it shadows
	Trusted   bool     `json:"trusted"`            // whether it is loaded from now on
	Next      []string `json:"next"`               // what can be typed now
}

func (a *app) initCommand() *cobra.Command {
	var template string
	var about strings.Builder
	for _, t := range scaffold.Templates {
		fmt.Fprintf(&about, "\n  %-8s  %s", t.Name, t.Summary)
	}
	cmd := &cobra.Command{
		Use:   "init NAME",
		Short: "Begin a new extension in this project, with tests and types",
		Long: `Begin a new extension: a folder NAME in this project's .rho/extensions, with code
that works, tests that pass, and types for an editor, which needs no npm. With
--extensions the folder goes there. Nothing that exists is overwritten.

The templates are:` + about.String() + `

A project that had no extensions is trusted from then on, so that the new one is
loaded; for any other see rho-ext trust.

Exit status: 0 when it was written, 1 when it was not, 2 for a name that will not do.`,
		Example: `  rho-ext init word-count
  rho-ext init weather --template fetch`,
		Args: one("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.init(cmd.Context(), args[0], template) },
	}
	cmd.Flags().StringVar(&template, "template", scaffold.Templates[0].Name, "begin with the template `NAME`: "+strings.Join(scaffold.TemplateNames(), ", "))
	return cmd
}

func (a *app) init(ctx context.Context, name, template string) error {
	t, ok := scaffold.Find(template)
	if !ok {
		all := scaffold.TemplateNames()
		return usage("--template: there is no template %q%s; expected %s", template, suggest.Hint(suggest.Names(template, all, 1)...), strings.Join(all, ", "))
	}
	if err := scaffold.CheckName(name); err != nil {
		return usage("%v", err)
	}
	place, err := a.newPlace()
	if err != nil {
		return err
	}
	tools := t.Tools(name)
	replaces, err := a.freeTools(ctx, name, tools)
	if err != nil {
		return err
	}
	trust := a.mayTrust(place)
	report := initReport{Extension: name, Template: t.Name, Folder: filepath.Join(place.base, filepath.FromSlash(place.dir), name), Tools: append([]string{}, tools...), Replaces: replaces}
	files := t.Files(name, jsapi.Types)
	if err := place.write(name, files); err != nil {
		return err
	}
	for _, f := range files {
		report.Files = append(report.Files, f.Path)
	}
	switch {
	case trust == trustNow:
		if err := a.trustStore().Set(place.base, true); err != nil {
			a.warnOnce(fmt.Sprintf("this project is not trusted yet: the answer could not be kept: %v", err))
		} else {
			report.Trusted = true
		}
	default:
		report.Trusted = trust == trustedAlready
	}
	if !report.Trusted {
		report.Next = append(report.Next, a.again()+" trust")
	}
	report.Next = append(report.Next, a.again()+" test "+name, a.again()+" dev "+name)
	if a.json {
		return written(a.printJSON(report))
	}
	return a.tellInit(report, trust)
}

// tellInit prints the files on stdout and says the rest.
func (a *app) tellInit(r initReport, trust trustState) error {
	for _, f := range r.Files {
		if err := a.printText(filepath.Join(shownPath(r.Folder), filepath.FromSlash(f))); err != nil {
			return written(err)
		}
	}
	if r.Replaces != "" {
		fmt.Fprintf(a.err, "%s it takes the place of another extension of this name: %s\n", a.paint(yellow, "note:"), cleanLine(r.Replaces))
	}
	switch {
	case trust == trustNow && r.Trusted:
		fmt.Fprintln(a.err, "this project had no extensions, so it is trusted from now on; rho-ext trust --remove takes that back")
	case !r.Trusted:
		fmt.Fprintf(a.err, "%s this project is not trusted, so its extensions are not loaded yet; rho-ext trust lets them, the new one and those that were there\n", a.paint(yellow, "note:"))
	}
	fmt.Fprintln(a.err, "next:")
	for _, next := range r.Next {
		fmt.Fprintf(a.err, "  %s\n", clean(next))
	}
	return nil
}

// shownPath is a path as people type it here: relative where it lies below.
func shownPath(p string) string {
	wd, err := os.Getwd()
	if err != nil {
		return p
	}
	if real, err := filepath.EvalSymlinks(wd); err == nil {
		wd = real
	}
	if rel, err := filepath.Rel(wd, p); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return p
}

// freeTools refuses a name whose tools would clash with one that is there. It gives
// the path of the extension that the new one takes the place of, or nothing.
func (a *app) freeTools(ctx context.Context, name string, tools []string) (replaces string, err error) {
	w, err := a.open(ctx, "", nil)
	if err != nil {
		return "", err
	}
	defer w.close()
	for _, e := range w.host.Extensions() {
		if e.ID == name && e.State != host.StateShadowed {
			replaces = e.Path
		}
	}
	for _, tool := range tools {
		entry, taken := w.reg.Snapshot().Lookup(tool)
		if !taken {
			continue
		}
		if entry.Owner == name {
			continue // the new one takes its place, or its file is in the way
		}
		owner := "built in"
		if entry.Owner != "" {
			owner = "of the extension " + cleanLine(entry.Owner)
		}
		return "", fail(exitFailed, "the extension would have the tool %s, and there is one, %s; choose another name, such as my-%s", tool, owner, name)
	}
	return replaces, nil
}
