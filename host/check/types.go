package check

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/frame"
	"github.com/rho-ext/rho-ext/internal/proc"
)

// typesTimeout bounds one run of the compiler.
const typesTimeout = time.Minute

// compile is one run of a compiler, for all extensions that it is for.
type compile struct {
	tsc, config string
	units       []*unit
}

// types has the project's own compiler check the types, where there is one.
func (r *run) types(ctx context.Context, asked []*unit, t *Types) {
	var runs []*compile
	missing := map[string]bool{}
	for _, u := range asked {
		if len(u.Failures) > 0 && u.Manifest == nil {
			continue // the compiler would say it again
		}
		tsc, config := r.compilerOf(u)
		if tsc == "" || config == "" {
			if tsc == "" {
				missing["no tsc in node_modules: npm i -D typescript adds it"] = true
			} else {
				missing["no tsconfig.json for an extension: rho-ext init writes one"] = true
			}
			continue
		}
		i := slices.IndexFunc(runs, func(c *compile) bool { return c.tsc == tsc && c.config == config })
		if i < 0 {
			runs = append(runs, &compile{tsc: tsc, config: config})
			i = len(runs) - 1
		}
		runs[i].units = append(runs[i].units, u)
	}
	for _, why := range slices.Sorted(maps.Keys(missing)) {
		what := "not checked"
		if len(runs) > 0 {
			what = "not checked everywhere"
		}
		t.note(what + ", " + why)
	}
	for _, c := range runs {
		r.compile(ctx, c, t)
	}
}

func (t *Types) note(text string) {
	if !slices.Contains(t.Notes, text) {
		t.Notes = append(t.Notes, text)
	}
}

// compilerOf looks for a compiler and its settings from the extension's folder
// upward to the project's root.
func (r *run) compilerOf(u *unit) (tsc, config string) {
	name := "tsc"
	if runtime.GOOS == "windows" {
		name = "tsc.cmd"
	}
	limit := u.Source.Limit
	if !inside(u.Source.Dir, limit) {
		limit = u.Source.Dir
	}
	for dir := u.Source.Dir; ; dir = filepath.Dir(dir) {
		if p := filepath.Join(dir, "node_modules", ".bin", name); tsc == "" && regular(p) {
			tsc = p
		}
		if p := filepath.Join(dir, "tsconfig.json"); config == "" && regular(p) {
			config = p
		}
		if dir == limit || filepath.Dir(dir) == dir {
			return tsc, config
		}
	}
}

func regular(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// compile runs a compiler, if it may run.
func (r *run) compile(ctx context.Context, c *compile, t *Types) {
	if !r.opts.Trusted && inside(c.tsc, r.root) {
		t.note("not checked, for " + r.show(c.tsc) + " is a program of this project, and the project is not trusted; see rho-ext trust")
		return
	}
	res, err := proc.Run(ctx, proc.Command{
		Path: c.tsc, Args: []string{"--noEmit", "--pretty", "false", "--listFiles", "--project", c.config},
		Dir: filepath.Dir(c.config), Timeout: typesTimeout, Grace: -1, KillDaemons: true, MaxOutput: 8 << 20,
	})
	switch {
	case err != nil:
		t.note("not checked, " + r.show(c.tsc) + " could not be run: " + err.Error())
		return
	case res.TimedOut:
		t.note("not checked, " + r.show(c.tsc) + " took longer than " + typesTimeout.String())
		return
	case res.Cancelled:
		return
	}
	out := readCompiler(res.Stdout.String(), filepath.Dir(c.config))
	if res.ExitCode != 0 && len(out.found) == 0 {
		text := strings.TrimSpace(res.Stdout.String() + "\n" + res.Stderr.String())
		line, _, _ := strings.Cut(text, "\n")
		t.note("not checked, " + r.show(c.tsc) + " ended with " + strconv.Itoa(res.ExitCode) + ": " + short(line, 200))
		return
	}
	for _, u := range c.units {
		if !out.has(u.Source.Entry) {
			t.note(u.Locate(wire.Position{}).File + " is not checked: " + r.show(c.config) + " does not include it")
			continue
		}
		t.Checked = true
		for _, f := range out.found {
			if f.path == u.Source.Entry || slices.ContainsFunc(u.Own(), func(name string) bool { return u.Locate(wire.Position{File: name}).Path == f.path }) {
				u.findings = append(u.findings, r.typeFinding(u, f))
			}
		}
	}
}

func (r *run) typeFinding(u *unit, f compilerFinding) Finding {
	hint := ""
	if strings.Contains(f.message, "'rho-ext'") || strings.Contains(f.message, "'rho'") {
		hint = "rho-ext types writes the declarations"
	}
	out := Finding{Rule: "types", Severity: severityOf("types"), Extension: u.Source.ID, File: r.show(f.path), Path: f.path,
		Line: f.line, Column: f.column, Message: f.message + " (" + f.code + ")", Hint: hint}
	if text, err := os.ReadFile(f.path); err == nil && len(text) < 4<<20 {
		out.Frame = frame.Draw(string(text), f.line, f.column)
	}
	return out
}

// compilerFinding is one line of a compiler.
type compilerFinding struct {
	path          string
	line, column  int
	code, message string
}

// compilerOutput is what a compiler has printed.
type compilerOutput struct {
	found []compilerFinding
	files map[string]bool // those that it has looked at
}

var compilerLine = regexp.MustCompile(`^(.+?)\((\d+),(\d+)\): error (TS\d+): (.*)$`)

// readCompiler reads the output of tsc. Lines that are set in go on with what is
// said above them.
func readCompiler(text, dir string) compilerOutput {
	out := compilerOutput{files: map[string]bool{}}
	path := func(p string) string {
		p = filepath.FromSlash(p)
		if !filepath.IsAbs(p) {
			p = filepath.Join(dir, p)
		}
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return real
		}
		return filepath.Clean(p)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch m := compilerLine.FindStringSubmatch(line); {
		case m != nil:
			row, _ := strconv.Atoi(m[2])
			column, _ := strconv.Atoi(m[3])
			out.found = append(out.found, compilerFinding{path(m[1]), row, column, m[4], m[5]})
		case strings.HasPrefix(line, "  ") && len(out.found) > 0:
			last := &out.found[len(out.found)-1]
			if strings.Count(last.message, "\n") < 3 {
				last.message += "\n" + line
			}
		case line != "" && filepath.IsAbs(filepath.FromSlash(line)):
			out.files[path(line)] = true
		}
	}
	return out
}

func (o compilerOutput) has(path string) bool { return o.files[path] }
