package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/internal/config"
	"github.com/rho-ext/rho-ext/internal/dirs"
	"github.com/rho-ext/rho-ext/internal/version"
)

// diagnosis is the document that doctor prints.
type diagnosis struct {
	OK          bool               `json:"ok"`
	Version     version.Info       `json:"version"`
	ProjectRoot string             `json:"projectRoot"`
	RootReason  string             `json:"rootReason"`
	Isolation   isolationState     `json:"isolation"`
	Directories []directory        `json:"directories"`
	ConfigFiles []config.File      `json:"configFiles"`
	Config      []config.Value     `json:"config"`
	Warnings    []config.Warning   `json:"warnings"`
	Extensions  map[host.State]int `json:"extensions"` // how many there are of each state
	Shadowed    []shadow           `json:"shadowed"`
	Loads       []loadTime         `json:"loads"` // the slowest first
	Outdated    []string           `json:"outdatedTypes"`
	Secrets     secretStore        `json:"secrets"`
	Log         logState           `json:"sessionLog"`
	Failures    []host.Failure     `json:"failures"`
	Problems    []string           `json:"problems"`
	Notes       []string           `json:"notes"` // what is worth knowing and not wrong
}

type isolationState struct {
	Mode    string `json:"mode"`
	Meaning string `json:"meaning"`
	// Of process isolation: how long a worker takes to be ready, and what it and
	// the process that bundles have given up.
	StartMS float64   `json:"workerStartMs,omitempty"`
	Worker  *lockdown `json:"worker,omitempty"`
	Bundler *lockdown `json:"bundler,omitempty"`
}

type directory struct {
	Name     string `json:"name"`
	Path     string `json:"path"`
	Reason   string `json:"reason,omitempty"`
	Exists   bool   `json:"exists"`
	Writable bool   `json:"writable"` // or could be made
}

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Show what is wrong with this setup, and where each setting comes from",
		Long: `Show what is wrong with this setup, and where each setting comes from.

Exit status: 0 when all is well, 1 when something is wrong.`,
		Example: `  rho-ext doctor
  rho-ext doctor --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.diagnose(cmd.Context())
			if err != nil {
				return err
			}
			if a.json {
				err = a.printJSON(d)
			} else {
				err = a.printDiagnosis(d)
			}
			switch {
			case err != nil:
				return fail(exitFailed, "%v", err)
			case !d.OK:
				return &exitError{code: exitFailed}
			}
			return nil
		},
	}
}

func (a *app) diagnose(ctx context.Context) (*diagnosis, error) {
	if err := a.checkFlags(); err != nil {
		return nil, err
	}
	root, err := a.findRoot()
	if err != nil {
		return nil, err
	}
	d := &diagnosis{
		Version: version.Read(), ProjectRoot: root, RootReason: a.rootReason(root),
		Extensions: map[host.State]int{}, Warnings: []config.Warning{}, Failures: []host.Failure{}, Problems: []string{}, Notes: []string{},
		Shadowed: []shadow{}, Loads: []loadTime{}, Outdated: []string{},
	}
	c, warnings, err := a.loadConfig(root)
	if err != nil {
		d.problemf("%v", err)
		d.problemf("the defaults hold below, since the configuration cannot be used")
		c = config.Default()
	}
	d.ConfigFiles, d.Config = append([]config.File{}, c.Files()...), c.Explain()
	d.Warnings = append(d.Warnings, warnings...)
	d.Isolation = isolationState{Mode: "none", Meaning: "no extension runs"}
	d.lookAtDirectories(root)
	d.lookAtKept(root, c)
	a.muteUnreadable()
	w, err := a.openWith(ctx, "", nil, root, c)
	if err != nil {
		var exit *exitError
		if errors.As(err, &exit) && exit.code == exitInterrupted {
			return nil, err
		}
		d.problemf("%v", err)
	} else {
		defer w.close()
		d.lookAtExtensions(w.host, c)
		d.Failures = append(d.Failures, w.failures()...)
		d.Warnings = append(d.Warnings, settingWarnings(c, w.host.Extensions())...)
		d.lookAtIsolation(ctx, w.host)
		d.lookAtTrust(w.host)
		d.lookAtGrants(w.host)
	}
	if n := len(d.Failures); n > 0 {
		d.problemf("%s to load", counted(n, "extension failed", "extensions failed"))
	}
	d.OK = len(d.Problems) == 0
	return d, nil
}

func (d *diagnosis) problemf(format string, args ...any) {
	d.Problems = append(d.Problems, fmt.Sprintf(format, args...))
}

func (a *app) rootReason(root string) string {
	if a.root != "" {
		return "--root names it"
	}
	if m := host.RootMarker(root); m != "" {
		return "it has " + m
	}
	return "the current directory, as no folder above has a marker such as .git"
}

// lookAtDirectories checks where rho-ext keeps things. A project that cannot be
// written is fine.
func (d *diagnosis) lookAtDirectories(root string) {
	reason := "~/.rho, as " + dirs.HomeVariable + " is not set"
	if os.Getenv(dirs.HomeVariable) != "" {
		reason = dirs.HomeVariable + " names it"
	}
	home, state := dirs.Home(), ""
	if real, err := filepath.EvalSymlinks(root); err == nil && home != "" {
		state = dirs.Project(home, real)
	}
	for _, dir := range []directory{
		{Name: "user", Path: home, Reason: reason},
		{Name: "project", Path: filepath.Join(root, ".rho")},
		{Name: "state", Path: state, Reason: "of this project"},
		{Name: "cache", Path: dirs.Cache()},
	} {
		if dir.Path == "" {
			d.problemf("the %s directory is not known: set HOME or %s", dir.Name, dirs.HomeVariable)
			continue
		}
		_, err := os.Stat(dir.Path)
		dir.Exists = err == nil
		err = dirs.Writable(dir.Path)
		dir.Writable = err == nil
		if err != nil && dir.Name != "project" {
			d.problemf("the %s directory %s cannot be written: %v", dir.Name, dir.Path, err)
		}
		d.Directories = append(d.Directories, dir)
	}
}

func (a *app) printDiagnosis(d *diagnosis) error {
	var b strings.Builder
	fmt.Fprintf(&b, "rho-ext %s (%s, goja %s, esbuild %s)\n", d.Version.Version, d.Version.Go, d.Version.Goja, d.Version.Esbuild)
	fmt.Fprintf(&b, "project root: %s (%s)\n", cleanLine(d.ProjectRoot), d.RootReason)
	fmt.Fprintf(&b, "isolation: %s (%s)\n\n", d.Isolation.Mode, d.Isolation.Meaning)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "DIRECTORY\tSTATE\tPATH")
	for _, dir := range d.Directories {
		note := ""
		if dir.Reason != "" {
			note = " (" + dir.Reason + ")"
		}
		fmt.Fprintf(t, "%s\t%s\t%s%s\n", dir.Name, dir.state(), cleanLine(dir.Path), note)
	}
	fmt.Fprintln(t, "\nCONFIGURATION\tSTATE\tPATH")
	for _, f := range d.ConfigFiles {
		state := "not there"
		if f.Found {
			state = "read"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.Source, state, cleanLine(f.Path))
	}
	fmt.Fprintln(t, "\nKEY\tVALUE\tFROM")
	for _, v := range d.Config {
		fmt.Fprintf(t, "%s\t%s\t%s\n", cleanLine(v.Key), cleanLine(v.Value), cleanLine(v.Origin.String()))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	b.WriteString("\nextensions: " + d.counts() + "\n")
	if err := d.printState(&b); err != nil {
		return err
	}
	if d.OK {
		b.WriteString("nothing is wrong\n")
	}
	if _, err := io.WriteString(a.out, b.String()); err != nil {
		return err
	}
	for _, w := range d.Warnings {
		a.warnOnce(w.String())
	}
	for _, f := range d.Failures {
		a.printFailure(f)
	}
	for _, n := range d.Notes {
		fmt.Fprintln(a.err, a.paint(yellow, "note:"), clean(n))
	}
	for _, p := range d.Problems {
		fmt.Fprintln(a.err, a.paint(red, "✗"), clean(p))
	}
	return nil
}

func (d directory) state() string {
	switch {
	case d.Exists && d.Writable:
		return "writable"
	case d.Writable:
		return "not there yet"
	case d.Exists:
		return "not writable"
	}
	return "cannot be made"
}

// counts tells how many extensions there are of each state.
func (d *diagnosis) counts() string {
	var parts []string
	for _, s := range []host.State{host.StateLoaded, host.StateFailed, host.StateUntrusted, host.StateDisabled, host.StateShadowed} {
		if n := d.Extensions[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
