package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/internal/dirs"
)

type bundleFlags struct {
	analyze   bool
	out       string
	sourceMap string
}

// bundleReport is the document that bundle prints.
type bundleReport struct {
	Extension string `json:"extension"`
	Path      string `json:"path"`
	*bundle.Analysis
	Gzip      int     `json:"gzipBytes"`
	BundledMS float64 `json:"bundledMs"`
	ParsedMS  float64 `json:"parsedMs"`
	Out       string  `json:"out,omitempty"`    // where the script was written to
	Script    string  `json:"script,omitempty"` // where it was not, and no analysis was asked for
	SourceMap string  `json:"sourceMap,omitempty"`
}

func (a *app) bundleCommand() *cobra.Command {
	var f bundleFlags
	cmd := &cobra.Command{
		Use:   "bundle EXTENSION|PATH",
		Short: "Print the bundle of an extension, or what is in it",
		Long: `Print the one script that an extension becomes, as the sandbox gets it, on stdout.
EXTENSION is its name, PATH its file or folder, also of one that is in no folder
of extensions. Nothing of it is run, so it need not be trusted.

--analyze prints what the bundle consists of instead: each module and npm
package by what it takes, who imports the largest ones, the size of all, and how
long the engine needs to read it.

Exit status: 0 success, 1 there is no such extension, 3 it cannot be bundled.`,
		Example: `  rho-ext bundle weather --analyze
  rho-ext bundle .rho/extensions/weather.ts --out weather.js --sourcemap external`,
		Args: one("EXTENSION"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.bundle(cmd.Context(), args[0], f) },
	}
	cmd.Flags().BoolVar(&f.analyze, "analyze", false, "print what is in the bundle")
	cmd.Flags().StringVar(&f.out, "out", "", "write the script to `FILE`, not to stdout")
	cmd.Flags().StringVar(&f.sourceMap, "sourcemap", "none", "the source `MAP`: none, inline (at the end of the script) or external (FILE.map beside --out)")
	return cmd
}

func (a *app) bundle(ctx context.Context, name string, f bundleFlags) error {
	switch f.sourceMap {
	case "none", "inline":
	case "external":
		if f.out == "" {
			return usage("--sourcemap external needs --out FILE: the map is written beside it")
		}
	default:
		return usage("--sourcemap: unknown %q; expected none, inline or external", f.sourceMap)
	}
	made, err := a.bundled(ctx, name)
	if err != nil {
		return err
	}
	r := bundleReport{Extension: made.Extension, Path: made.Path, Analysis: made.Analysis, Gzip: gzipped(made.Script),
		BundledMS: millis(made.Took), ParsedMS: millis(made.Parsed), Out: f.out}
	script := made.Script
	switch f.sourceMap {
	case "inline":
		script = withMap(script, "data:application/json;base64,"+base64.StdEncoding.EncodeToString(made.SourceMap))
	case "external":
		script = withMap(script, filepath.Base(f.out)+".map")
		if err := writeWhole(f.out+".map", made.SourceMap); err != nil {
			return fail(exitFailed, "--out: %v", err)
		}
	}
	if f.out != "" {
		if err := writeWhole(f.out, script); err != nil {
			return fail(exitFailed, "--out: %v", err)
		}
	}
	switch {
	case a.json:
		if f.out == "" && !f.analyze {
			r.Script, r.SourceMap = string(script), string(made.SourceMap)
		}
		err = a.printJSON(r)
	case f.analyze:
		err = a.printAnalysis(r)
	case f.out != "":
		fmt.Fprintf(a.err, "wrote %s (%s)\n", cleanLine(f.out), size(len(script)))
	default:
		err = a.printText(string(script))
	}
	return written(err)
}

// bundled bundles an extension, in a process that may only read it.
func (a *app) bundled(ctx context.Context, name string) (*host.Bundled, error) {
	if err := a.checkFlags(); err != nil {
		return nil, err
	}
	root, c, err := a.configured()
	if err != nil {
		return nil, err
	}
	isolation, err := a.isolationOf(c)
	if err != nil {
		return nil, err
	}
	made, failures, err := host.Bundle(ctx, host.Options{
		Isolation: isolation, Root: root, Dirs: c.Extensions.Dirs, Home: dirs.Home(), LoadTimeout: c.Sandbox.LoadTimeout,
	}, name)
	var none *host.NoExtensionError
	switch {
	case ctx.Err() != nil:
		return nil, fail(exitInterrupted, "interrupted")
	case errors.As(err, &none) && len(none.Failures) > 0:
		return nil, a.loadFailed(name, none.Failures)
	case errors.As(err, &none):
		return nil, fail(exitFailed, "%v; rho-ext list shows those that there are", err)
	case err != nil:
		return nil, fail(exitFailed, "%v", err)
	case len(failures) > 0:
		return nil, a.notBundled(name, failures)
	}
	return made, nil
}

// notBundled tells why an extension has no bundle.
func (a *app) notBundled(name string, failures []host.Failure) error {
	if a.json {
		if err := a.printJSON(map[string]any{"failures": failures}); err != nil {
			return written(err)
		}
	}
	for _, f := range failures {
		a.printFailure(f)
	}
	return fail(exitLoad, "%s cannot be bundled: %s above", name, counted(len(failures), "failure is", "failures are"))
}

// withMap says at the end of a script where its source map is.
func withMap(script []byte, url string) []byte {
	out := bytes.TrimRight(bytes.Clone(script), "\n")
	return append(out, "\n//# sourceMappingURL="+url+"\n"...)
}

func gzipped(data []byte) int {
	var n countWriter
	z := gzip.NewWriter(&n)
	_, _ = z.Write(data)
	_ = z.Close()
	return int(n)
}

type countWriter int

func (n *countWriter) Write(p []byte) (int, error) {
	*n += countWriter(len(p))
	return len(p), nil
}

// writeWhole writes a file so that nobody ever sees half of it.
func writeWhole(path string, data []byte) error {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".rho-ext-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// shownInputs is how many modules the table has at most.
const shownInputs = 20

func (a *app) printAnalysis(r bundleReport) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s  %s, %s compressed, read in %s\n\n", cleanLine(r.Extension), cleanLine(r.Path), size(r.Bytes), size(r.Gzip), short(toDuration(r.ParsedMS)))
	fmt.Fprintf(&b, "%9s  %6s  %s\n", "BYTES", "SHARE", "MODULE")
	row := func(bytes int, name string) {
		fmt.Fprintf(&b, "%9d  %5.1f%%  %s\n", bytes, 100*float64(bytes)/float64(max(r.Bytes, 1)), fit(cleanLine(name), 60))
	}
	rest, sum := 0, 0
	for i, in := range r.Inputs {
		sum += in.Bytes
		if i < shownInputs {
			row(in.Bytes, in.Name)
		} else {
			rest += in.Bytes
		}
	}
	if n := len(r.Inputs) - shownInputs; n > 0 {
		row(rest, fmt.Sprintf("(%d more; --json lists them)", n))
	}
	row(r.Bytes-sum, "(what joins them)")
	if len(r.Packages) > 0 {
		fmt.Fprintf(&b, "\n%9s  %6s  %s\n", "BYTES", "SHARE", "PACKAGE")
		for _, p := range r.Packages {
			row(p.Bytes, fmt.Sprintf("%s (%s)", p.Name, counted(p.Files, "module", "modules")))
			a.importedBy(&b, p.By)
		}
	}
	if len(r.Inputs) > 1 {
		fmt.Fprintln(&b, "\nTHE LARGEST, AND WHAT IMPORTS THEM")
		for _, in := range r.Inputs[:min(3, len(r.Inputs))] {
			fmt.Fprintln(&b, fit(cleanLine(in.Name), 78))
			a.importedBy(&b, in.By)
		}
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

// importedBy lists up to four importers, one to a line.
func (a *app) importedBy(b *strings.Builder, by []string) {
	for i, name := range by {
		if i == 4 {
			fmt.Fprintf(b, "    and %d more\n", len(by)-i)
			break
		}
		fmt.Fprintf(b, "    from %s\n", fit(cleanLine(name), 69))
	}
}

// fit leaves the beginning of a long name out: its end says more.
func fit(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return "…" + string(r[len(r)-most+1:])
}

func toDuration(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
