package builtin

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/internal/proc"
	"github.com/rho-ext/rho-ext/registry"
)

// The bounds of builds and tests.
const (
	buildTimeout = 15 * time.Minute
	buildOutput  = 8 << 20 // bytes of messages that are read
)

// goArgs are the arguments of all Go tools.
type goArgs struct {
	Package string   `json:"package,omitempty" description:"Packages, such as ./... or ./internal/x" default:"./..." pattern:"^[A-Za-z0-9_.][A-Za-z0-9_.~/+-]*$" max:"500"`
	Tags    []string `json:"tags,omitempty" description:"Build tags" pattern:"^[A-Za-z0-9_][A-Za-z0-9_.]*$"`
	Cwd     string   `json:"cwd,omitempty" description:"Directory of the module, relative to the project root"`
}

const noGo = "there is no go program in PATH: install Go from https://go.dev/dl, or use run_command with the path of yours"

// goCommand runs the go command.
func (p *programs) goCommand(ctx context.Context, a goArgs, c *proc.Command) (*proc.Result, error) {
	if err := checkGoPackage(a.Package); err != nil {
		return nil, err
	}
	dir, err := p.dir(ctx, a.Cwd)
	if err != nil {
		return nil, err
	}
	c.Path, c.Dir, c.Timeout, c.Grace, c.MaxOutput = "go", dir, buildTimeout, commandGrace, buildOutput
	c.Env.Set = map[string]string{"NO_COLOR": "1"}
	if len(a.Tags) > 0 {
		c.Args = append(c.Args, "-tags="+strings.Join(a.Tags, ","))
	}
	c.Args = append(c.Args, a.Package)
	if c.OnOutput == nil {
		c.OnOutput = progress(registry.CallFrom(ctx))
	}
	res, err := p.run(ctx, *c)
	if res == nil {
		return nil, startFailure(err, noGo)
	}
	if err := ended(ctx); err != nil {
		return nil, err
	}
	if res.TimedOut {
		return nil, registry.NewFailure(registry.KindTimeout, "go "+c.Args[0]+" was ended after "+buildTimeout.String())
	}
	return res, nil
}

// checkGoPackage refuses what leads out of the project, or is no package.
func checkGoPackage(name string) error {
	if strings.HasPrefix(name, "-") || path.IsAbs(name) || filepath.IsAbs(name) || strings.HasSuffix(name, ".go") || strings.Contains(name, "@") {
		return invalid("package: expected packages of this module such as ./... or ./internal/x, got %q", name)
	}
	for _, part := range strings.Split(name, "/") {
		if part == ".." {
			return invalid("package: %q leads upwards: name packages of this module, and set cwd for another one", name)
		}
	}
	return nil
}

// goPlace is how the go command's tools name a place.
var goPlace = regexp.MustCompile(`^(?:vet: )?((?:[A-Za-z]:)?[^:\s][^:]*\.(?:go|s|c|h|mod|work|sum)):(\d+)(?::(\d+))?:\s*(.*)$`)

// goDiagnostics reads what compiler and vet have to say. What is no message
// with a place and no heading comes back as rest.
func goDiagnostics(text, level, dir string) (d Diagnostics, rest string) {
	var other []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := goPlace.FindStringSubmatch(line); m != nil {
			l, _ := strconv.Atoi(m[2])
			c, _ := strconv.Atoi(m[3])
			file := relTo(dir, m[1])
			d = append(d, Diagnostic{Level: level, Message: m[4], Spans: []Span{{File: file, LineStart: l, LineEnd: l, ColumnStart: c, ColumnEnd: c, Primary: true}}})
			continue
		}
		switch {
		case strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "\t") && len(d) > 0: // the message goes on
			d[len(d)-1].Message += "\n" + strings.TrimSpace(line)
		case strings.TrimSpace(line) != "":
			other = append(other, line)
		}
	}
	return d, strings.Join(other, "\n")
}

// relTo is a file relative to a directory, where it is in it.
func relTo(dir, file string) string {
	file = filepath.FromSlash(file)
	if !filepath.IsAbs(file) {
		return filepath.ToSlash(filepath.Clean(file))
	}
	if rel, err := filepath.Rel(dir, file); err == nil && !strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(file)
}

// goBuild is what go_build and go_vet have in common.
func (p *programs) goBuild(ctx context.Context, what, level string, a goArgs, args ...string) (*registry.Result, error) {
	c := proc.Command{Args: args}
	res, err := p.goCommand(ctx, a, &c)
	if err != nil {
		return nil, err
	}
	d, rest := goDiagnostics(res.Stdout.String()+res.Stderr.String(), level, c.Dir)
	return buildResult(what, res, d, rest, nil)
}

// buildResult is the answer of a tool that builds: the exit code counts, also
// where no message was understood. rest is what the program said beside them.
func buildResult(what string, res *proc.Result, d Diagnostics, rest string, notes []string) (*registry.Result, error) {
	a := buildAnswer{ExitCode: res.ExitCode, Errors: d.count("error"), Warnings: d.count("warning"), Diagnostics: d.shapes(), DurationMS: millis(res.Duration)}
	a.OK = res.ExitCode == 0 && a.Errors == 0
	text := d.headline(what)
	switch {
	case a.OK:
	case len(d) == 0 && res.Signal != "":
		text = what + " was ended by signal " + res.Signal
	case a.Errors == 0:
		text = what + " failed with exit code " + strconv.Itoa(res.ExitCode)
		if a.Warnings > 0 {
			text += ", with " + strconv.Itoa(a.Warnings) + " warning(s)"
		}
	}
	if !a.OK {
		a.Stderr = tailOf(rest, 8000)
	}
	for _, n := range notes {
		text += "\n" + n
	}
	if len(d) > 0 {
		text += "\n\n" + d.text()
	}
	if a.Stderr != "" && a.Errors == 0 {
		text += "\n" + a.Stderr
	}
	r, err := answer(text, a, !a.OK)
	if err == nil && len(d) > 0 {
		r.Details = d
	}
	return r, err
}

// buildInfo is what tools that build say of themselves. Their label is Read, as
// they change no source; what a build runs (build scripts, macros, compilers
// that the project's configuration names, tests) is in their effects, which the
// policy goes by.
func buildInfo(title string, output []byte, examples ...registry.Example) registry.Info {
	no, yes := false, true
	return registry.Info{
		Title: title, Effects: runsAll, Timeout: buildTimeout + time.Minute, OutputSchema: output, Examples: examples,
		Annotations: &registry.Annotations{ReadOnly: &no, OpenWorld: &yes},
	}
}

var devNull = os.DevNull
