package builtin

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/rho-ext/rho-ext/internal/proc"
	"github.com/rho-ext/rho-ext/registry"
)

//go:embed gotest.md
var goTestDescription string

type goTestArgs struct {
	Package string   `json:"package,omitempty" description:"Packages, such as ./... or ./internal/x" default:"./..." pattern:"^[A-Za-z0-9_.][A-Za-z0-9_.~/+-]*$" max:"500"`
	Run     string   `json:"run,omitempty" description:"Regular expression of the tests to run" max:"1000"`
	Tags    []string `json:"tags,omitempty" description:"Build tags" pattern:"^[A-Za-z0-9_][A-Za-z0-9_.]*$"`
	Race    bool     `json:"race,omitempty" description:"With the race detector"`
	Short   bool     `json:"short,omitempty" description:"Tell long tests to be short"`
	Cwd     string   `json:"cwd,omitempty" description:"Directory of the module, relative to the project root"`
}

// newGoTest makes the tool go_test. Its file is not go_test.go, which would be a
// test.
func newGoTest(p *programs) registry.Tool {
	return registry.MustTool(registry.TypedOptions{
		Name: "go_test", Description: strings.TrimSpace(goTestDescription), Risk: registry.Read,
		Info: buildInfo("Go test", schemaOf[testAnswer](),
			registry.Example{Args: json.RawMessage(`{}`)},
			registry.Example{Args: json.RawMessage(`{"package":"./internal/x","run":"^TestParse$"}`)}),
	}, p.goTest)
}

func (p *programs) goTest(ctx context.Context, a goTestArgs) (*registry.Result, error) {
	c := proc.Command{Args: []string{"test", "-json"}}
	if a.Run != "" {
		if _, err := regexp.Compile(a.Run); err != nil {
			return nil, invalid("run: %q is no regular expression: %v", a.Run, err)
		}
		c.Args = append(c.Args, "-run="+a.Run)
	}
	if a.Race {
		c.Args = append(c.Args, "-race")
	}
	if a.Short {
		c.Args = append(c.Args, "-short")
	}
	events := newGoEvents()
	report := registry.CallFrom(ctx)
	c.OnOutput = func(s proc.Stream, b []byte) {
		if s == proc.Stdout && events.add(b) {
			report.Report(registry.Progress{Message: fmt.Sprintf("%d passed, %d failed", events.passed, events.failed), Done: float64(events.passed + events.failed)})
		}
	}
	res, err := p.goCommand(ctx, goArgs{Package: a.Package, Tags: a.Tags, Cwd: a.Cwd}, &c)
	if err != nil {
		return nil, err
	}
	events.end()
	d, rest := goDiagnostics(events.build.String()+res.Stderr.String(), "error", c.Dir)
	ans := testAnswer{
		ExitCode: res.ExitCode, Passed: events.passed, Failed: events.failed, Ignored: events.skipped, Failures: events.failures,
		Diagnostics: d.shapes(), DurationMS: millis(res.Duration),
	}
	ans.OK = res.ExitCode == 0 && ans.Failed == 0
	if !ans.OK {
		ans.Stderr = tailOf(rest, 8000)
	}
	text := ans.text("go test", d, ans.Stderr)
	if ans.OK && ans.Passed+ans.Ignored == 0 {
		if a.Run != "" {
			ans.OK = false
			text = fmt.Sprintf("go test: no test matches run %q in %s", a.Run, a.Package)
		} else {
			text = "go test: there are no tests in " + a.Package
		}
	}
	r, err := answer(text, ans, !ans.OK)
	if err == nil && len(d) > 0 {
		r.Details = d
	}
	return r, err
}

// goEvent is a line of go test -json.
type goEvent struct {
	Action, Package, ImportPath, Test, Output string
}

// goEvents counts what a test run tells, as it tells it.
type goEvents struct {
	passed, failed, skipped int
	failures                []testFailure
	build                   strings.Builder

	rest   []byte
	output map[string]*strings.Builder // by package and test, of those that run
	parent map[string]bool             // tests that have failing parts
}

func newGoEvents() *goEvents {
	return &goEvents{failures: []testFailure{}, output: map[string]*strings.Builder{}, parent: map[string]bool{}}
}

// maxFailures is how many failing tests are shown.
const maxFailures = 100

// add takes a piece of the stream and reports whether it held a whole line.
func (g *goEvents) add(b []byte) (whole bool) {
	g.rest = append(g.rest, b...)
	for {
		n, line, _ := bufio.ScanLines(g.rest, false)
		if n == 0 {
			break
		}
		g.line(line)
		g.rest, whole = g.rest[n:], true
	}
	if len(g.rest) > buildOutput { // no event is so long
		g.rest = nil
	}
	return whole
}

func (g *goEvents) end() {
	if len(g.rest) > 0 {
		g.line(g.rest)
	}
}

func (g *goEvents) line(line []byte) {
	var e goEvent
	if json.Unmarshal(line, &e) != nil || e.Action == "" {
		if g.build.Len() < buildOutput {
			fmt.Fprintf(&g.build, "%s\n", line) // go itself, without an event
		}
		return
	}
	key := e.Package + "\x00" + e.Test
	switch e.Action {
	case "build-output":
		if g.build.Len() < buildOutput {
			g.build.WriteString(e.Output)
		}
	case "output":
		b := g.output[key]
		if b == nil {
			b = &strings.Builder{}
			g.output[key] = b
		}
		if b.Len() < 4*maxTestOutput {
			b.WriteString(e.Output)
		}
	case "pass", "skip":
		delete(g.output, key)
		if e.Test != "" && e.Action == "pass" {
			g.passed++
		} else if e.Test != "" {
			g.skipped++
		}
	case "fail":
		g.fail(e, key)
	}
}

// fail notes a test that failed, or a package that failed outside of its tests.
func (g *goEvents) fail(e goEvent, key string) {
	out := ""
	if b := g.output[key]; b != nil {
		out = b.String()
		delete(g.output, key)
	}
	outer := e.Package + "\x00"
	if i := strings.LastIndexByte(e.Test, '/'); i >= 0 {
		outer += e.Test[:i]
	}
	within := g.parent[key]
	g.parent[outer], g.parent[e.Package+"\x00"] = true, true
	if e.Test == "" {
		// The package's own line; its output matters where no test has failed,
		// and the build did not.
		if within || strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]") {
			return
		}
		g.failed++
		g.show(testFailure{Name: "(package)", Suite: e.Package, Output: g.left(e.Package, out)})
		return
	}
	g.failed++
	if within { // its parts say what went wrong
		return
	}
	g.show(testFailure{Name: e.Test, Suite: e.Package, Output: out})
}

// left is what tests of a package had written that have not ended, as those
// that a panic or a deadline took along.
func (g *goEvents) left(pkg, out string) string {
	for key, b := range g.output {
		if strings.HasPrefix(key, pkg+"\x00") {
			out = b.String() + out
		}
	}
	return out
}

func (g *goEvents) show(f testFailure) {
	if len(g.failures) >= maxFailures {
		return
	}
	f.Output, _ = clip(strings.ToValidUTF8(f.Output, "\uFFFD"), maxTestOutput, "")
	g.failures = append(g.failures, f)
}
