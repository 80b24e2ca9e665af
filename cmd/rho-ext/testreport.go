package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/host/exttest"
)

// reporter tells of a run of tests on stdout.
type reporter interface {
	begin(files []exttest.File)
	file(f exttest.FileReport) // in the order of the files
	end(r *exttest.Report) error
}

var reporterNames = []string{"default", "dot", "tap", "junit", "json"}

// newReporter gives the reporter of a name, or nil.
func (a *app) newReporter(name string) reporter {
	switch name {
	case "default":
		return &plainReporter{app: a}
	case "dot":
		return &plainReporter{app: a, dots: true}
	case "tap":
		return &tapReporter{out: a.out}
	case "junit":
		return &junitReporter{out: a.out}
	case "json":
		return jsonReporter{a}
	}
	return nil
}

type jsonReporter struct{ app *app }

func (jsonReporter) begin([]exttest.File)            {}
func (jsonReporter) file(exttest.FileReport)         {}
func (r jsonReporter) end(rep *exttest.Report) error { return r.app.printJSON(rep) }

// chance is a seed.
func chance() uint64 { return rand.Uint64N(1<<31-1) + 1 }

// plainReporter is for people: a line for each file, or a dot for each test,
// then what failed, then the sums.
type plainReporter struct {
	app    *app
	color  func(c color, text string) string // nil: as stdout wants it
	dots   bool
	column int
	failed []exttest.FileReport
}

// dotsInLine is how many dots stand in a line.
const dotsInLine = 76

func (r *plainReporter) begin([]exttest.File) { r.failed, r.column = nil, 0 }

func (r *plainReporter) file(f exttest.FileReport) {
	if f.Failed() {
		r.failed = append(r.failed, f)
	}
	if r.dots {
		r.printDots(f)
		return
	}
	out := r.app.out
	failed, skipped := 0, 0
	for _, t := range f.Tests {
		switch t.State {
		case exttest.StateFail:
			failed++
		case exttest.StateSkip, exttest.StateTodo:
			skipped++
		}
	}
	mark := r.paint(green, "✓")
	switch {
	case f.Failed():
		mark = r.paint(red, "✗")
	case len(f.Tests) == skipped:
		mark = r.paint(dim, "↓")
	}
	sums := []string{counted(len(f.Tests), "test", "tests")}
	if failed > 0 {
		sums = append(sums, r.paint(red, fmt.Sprintf("%d failed", failed)))
	}
	if skipped > 0 {
		sums = append(sums, fmt.Sprintf("%d skipped", skipped))
	}
	if f.Failure != nil {
		sums = []string{r.paint(red, "does not load")}
	}
	fmt.Fprintf(out, "%s %s %s\n", mark, cleanLine(f.File), r.paint(dim, "("+strings.Join(sums, ", ")+") "+shortTime(f.DurationMS)))
	for _, t := range f.Tests {
		r.printTest(t)
	}
	r.printLogs("outside of tests", f.Logs, f.Failed())
}

// printTest shows a test that failed, was slow, or had something to say.
func (r *plainReporter) printTest(t exttest.TestReport) {
	out := r.app.out
	name := cleanLine(strings.Join(t.Path, " > "))
	switch {
	case t.State == exttest.StateFail:
		fmt.Fprintf(out, "  %s %s %s\n", r.paint(red, "✗"), name, r.paint(dim, shortTime(t.DurationMS)))
	case t.Retries > 0:
		fmt.Fprintf(out, "  %s %s %s\n", r.paint(yellow, "✓"), name, r.paint(yellow, fmt.Sprintf("passed at attempt %d", t.Retries+1)))
	case t.State == exttest.StatePass && t.DurationMS > slowTest:
		fmt.Fprintf(out, "  %s %s %s\n", r.paint(green, "✓"), name, r.paint(yellow, shortTime(t.DurationMS)))
	}
	r.printLogs("of "+name, t.Logs, t.State == exttest.StateFail)
}

// maxLogLines bounds what is shown of the log of a test that passed.
const maxLogLines = 20

// reportWidth is how wide code is shown.
const reportWidth = 100

// printLogs shows what was logged. What an extension logs is of interest where
// something failed.
func (r *plainReporter) printLogs(whose string, logs []exttest.Log, failed bool) {
	out := r.app.out
	shown := 0
	for _, l := range logs {
		if l.From != "" && !failed {
			continue
		}
		if shown++; shown == 1 {
			fmt.Fprintf(out, "  %s\n", r.paint(dim, "log "+whose))
		}
		if shown > maxLogLines && !failed {
			fmt.Fprintf(out, "    %s\n", r.paint(dim, "… (--json has all of it)"))
			return
		}
		text := strings.TrimRight(clean(l.Message), "\n")
		if l.From != "" {
			text = clean(l.From) + ": " + text
		}
		if l.Level == "warn" || l.Level == "error" {
			text = r.paint(yellow, l.Level+" ") + text
		}
		fmt.Fprintf(out, "    %s\n", strings.ReplaceAll(text, "\n", "\n    "))
	}
}

// slowTest is from how many milliseconds on a test is shown as slow.
const slowTest = 300

func (r *plainReporter) printDots(f exttest.FileReport) {
	dot := func(text string) {
		fmt.Fprint(r.app.out, text)
		if r.column++; r.column == dotsInLine {
			fmt.Fprintln(r.app.out)
			r.column = 0
		}
	}
	if f.Failure != nil {
		dot(r.paint(red, "E"))
	}
	for _, t := range f.Tests {
		switch t.State {
		case exttest.StatePass:
			dot(r.paint(green, "·"))
		case exttest.StateFail:
			dot(r.paint(red, "x"))
		case exttest.StateTodo:
			dot(r.paint(dim, "t"))
		default:
			dot(r.paint(dim, "-"))
		}
	}
}

// end tells what failed, and the sums.
func (r *plainReporter) end(rep *exttest.Report) error {
	out := r.app.out
	if r.dots && r.column > 0 {
		fmt.Fprintln(out)
	}
	for i := range r.failed {
		r.printFailures(&r.failed[i])
	}
	fmt.Fprintln(out)
	files, passed := 0, 0
	for i := range rep.Files {
		if files++; !rep.Files[i].Failed() {
			passed++
		}
	}
	r.sums("Files", files, sum{"passed", green, passed}, sum{"failed", red, files - passed})
	r.sums("Tests", rep.Passed+rep.Failed+rep.Skipped+rep.Todo, sum{"passed", green, rep.Passed}, sum{"failed", red, rep.Failed},
		sum{"skipped", dim, rep.Skipped}, sum{"todo", dim, rep.Todo})
	s := rep.Snapshots
	if s.Added+s.Updated+s.Removed+s.Obsolete+s.Failed > 0 {
		r.sums("Snapshots", 0, sum{"written", green, s.Added}, sum{"updated", green, s.Updated}, sum{"removed", green, s.Removed},
			sum{"failed", red, s.Failed}, sum{"obsolete", yellow, s.Obsolete})
	}
	if rep.Seed != 0 {
		fmt.Fprintf(out, "%9s  %d\n", "Seed", rep.Seed)
	}
	_, err := fmt.Fprintf(out, "%9s  %s\n", "Time", shortTime(rep.DurationMS))
	if err != nil {
		return err
	}
	if rep.Stopped {
		fmt.Fprintln(out, r.paint(yellow, "The run was stopped before its end."))
	}
	if s.Obsolete > 0 || s.Failed > 0 {
		fmt.Fprintln(out, r.paint(dim, "rho-ext test --update writes snapshots that differ and removes obsolete ones."))
	}
	return nil
}

type sum struct {
	name  string
	color color
	n     int
}

func (r *plainReporter) sums(title string, all int, list ...sum) {
	var parts []string
	for _, s := range list {
		if s.n > 0 {
			parts = append(parts, r.paint(s.color, fmt.Sprintf("%d %s", s.n, s.name)))
		}
	}
	if len(parts) == 0 {
		parts = []string{"none"}
	}
	text := strings.Join(parts, ", ")
	if all > 0 && len(parts) > 1 {
		text += r.paint(dim, fmt.Sprintf(" (%d)", all))
	}
	fmt.Fprintf(r.app.out, "%9s  %s\n", title, text)
}

func (r *plainReporter) printFailures(f *exttest.FileReport) {
	out := r.app.out
	head := func(rest string) { fmt.Fprintf(out, "\n%s %s%s\n", r.paint(red, "FAIL"), clean(f.File), rest) }
	if f.Failure != nil {
		head("")
		fmt.Fprintf(out, "%s\n", clean(f.Failure.Error()))
		r.indent(f.Failure.Frame, "  ")
		r.hint(f.Failure.Hint)
	}
	if f.Problem != "" {
		head("")
		fmt.Fprintln(out, clean(f.Problem))
	}
	for _, t := range f.Tests {
		if t.State != exttest.StateFail {
			continue
		}
		head(" > " + cleanLine(strings.Join(t.Path, " > ")))
		for i := range t.Errors {
			r.printError(&t.Errors[i])
		}
	}
}

func (r *plainReporter) printError(e *exttest.Error) {
	out := r.app.out
	title := clean(e.Message)
	if e.Name != "" && e.Name != "Error" {
		title = clean(e.Name) + ": " + title
	}
	if e.In != "" {
		title = "in " + clean(e.In) + ": " + title
	}
	fmt.Fprintln(out, title)
	if e.Diff != "" {
		fmt.Fprintln(out)
		r.diff(e.Diff)
	}
	if e.File != "" {
		fmt.Fprintf(out, "\n  %s\n", r.paint(dim, fmt.Sprintf("%s:%d:%d", clean(e.File), e.Line, e.Column)))
		for _, line := range fitted(clean(e.Frame), reportWidth-2) {
			fmt.Fprintf(out, "  %s\n", line)
		}
	}
	for _, line := range e.Stack {
		fmt.Fprintf(out, "  %s\n", r.paint(dim, "at "+clean(line)))
	}
	r.hint(e.Hint)
	if e.Cause != nil {
		fmt.Fprint(out, "caused by ")
		r.printError(e.Cause)
	}
}

func (r *plainReporter) hint(text string) {
	if text != "" {
		fmt.Fprintf(r.app.out, "  %s %s\n", r.paint(yellow, "hint:"), clean(text))
	}
}

func (r *plainReporter) diff(text string) {
	for line := range strings.SplitSeq(strings.TrimRight(clean(text), "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, "-"):
			line = r.paint(green, line)
		case strings.HasPrefix(line, "+"):
			line = r.paint(red, line)
		}
		fmt.Fprintln(r.app.out, strings.TrimRight("  "+line, " "))
	}
}

func (r *plainReporter) indent(text, by string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(clean(text), "\n") {
		fmt.Fprintf(r.app.out, "%s%s\n", by, line)
	}
}

// paint colours text for stdout.
func (r *plainReporter) paint(c color, text string) string {
	if r.color != nil {
		return r.color(c, text)
	}
	return paintFor(r.app.out, c, text)
}

// shortTime is a time in milliseconds as people read it.
func shortTime(ms float64) string {
	switch d := time.Duration(ms * float64(time.Millisecond)); {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", ms)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", ms)
	default:
		return fmt.Sprintf("%.1f s", ms/1000)
	}
}
