package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rho-ext/rho-ext/host/check"
)

var annotations = map[check.Severity]string{check.Error: "error", check.Warning: "warning", check.Info: "notice"}

// printAnnotations prints a report as commands of GitHub Actions, which shows
// them at the lines of a change.
func (a *app) printAnnotations(r *check.Report) error {
	var b strings.Builder
	for _, f := range r.Findings {
		var at []string
		if f.File != "" {
			at = append(at, "file="+property(annotated(f)))
		}
		if f.Line > 0 {
			at = append(at, fmt.Sprintf("line=%d", f.Line))
			if f.Column > 0 {
				at = append(at, fmt.Sprintf("col=%d", f.Column))
			}
		}
		at = append(at, "title="+property(f.Rule))
		message := f.Extension + ": " + f.Message
		if f.Hint != "" {
			message += "\nhint: " + f.Hint
		}
		fmt.Fprintf(&b, "::%s %s::%s\n", annotations[f.Severity], strings.Join(at, ","), data(clean(message)))
	}
	for _, note := range r.Types.Notes {
		b.WriteString("types: " + cleanLine(note) + "\n")
	}
	b.WriteString(a.summary(r) + "\n")
	_, err := io.WriteString(a.out, b.String())
	return err
}

// annotated is a finding's file as GitHub finds it: relative to the checkout.
func annotated(f check.Finding) string {
	dir := os.Getenv("GITHUB_WORKSPACE")
	if real, err := filepath.EvalSymlinks(dir); err == nil && dir != "" {
		if rel, err := filepath.Rel(real, f.Path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return f.File
}

// data and property escape texts of such commands, so that nothing in them ends
// the line or begins another command.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(clean(s))
}
