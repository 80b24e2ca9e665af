package builtin

import (
	"fmt"
	"strings"
)

// Diagnostics are what a compiler or a linter says, for a host's user
// interface: the details of results of the Go and Cargo tools.
type Diagnostics []Diagnostic

// Diagnostic is one message of a compiler.
type Diagnostic struct {
	Level    string       `json:"level" description:"error, warning, note, help or failure-note"`
	Code     string       `json:"code,omitempty" description:"Such as E0308 or clippy::needless_return"`
	Message  string       `json:"message"`
	Spans    []Span       `json:"spans,omitempty"`
	Children []Diagnostic `json:"children,omitempty"`
	Rendered string       `json:"rendered,omitempty" description:"As the compiler shows it"`
}

// Span is a place in a source file. Lines and columns are counted from 1; zero
// is unknown.
type Span struct {
	File        string `json:"file"`
	LineStart   int    `json:"lineStart"`
	LineEnd     int    `json:"lineEnd"`
	ColumnStart int    `json:"columnStart"`
	ColumnEnd   int    `json:"columnEnd"`
	Primary     bool   `json:"primary,omitempty"`
	Label       string `json:"label,omitempty"`
	// Suggestion is what to put there, or nil.
	Suggestion *Suggestion `json:"suggestion,omitempty"`
}

// Suggestion is a change that a compiler offers.
type Suggestion struct {
	Replacement string `json:"replacement"`
	// Applicability is MachineApplicable, MaybeIncorrect, HasPlaceholders or
	// Unspecified.
	Applicability string `json:"applicability,omitempty"`
}

// diagnosticShape is a diagnostic as an answer shows it. Children are in the
// details alone: a schema that stands on its own cannot hold itself.
type diagnosticShape struct {
	Level   string `json:"level"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	// Fixes are changes that can be made by machine.
	Fixes []fix `json:"fixes,omitempty"`
}

type fix struct {
	File        string `json:"file"`
	Line        int    `json:"line"`
	Column      int    `json:"column"`
	EndLine     int    `json:"endLine"`
	EndColumn   int    `json:"endColumn"`
	Replacement string `json:"replacement"`
}

// count counts the messages of a level.
func (d Diagnostics) count(level string) (n int) {
	for _, m := range d {
		if m.Level == level {
			n++
		}
	}
	return n
}

// place is the primary span, or the first.
func (d Diagnostic) place() *Span {
	for i := range d.Spans {
		if d.Spans[i].Primary {
			return &d.Spans[i]
		}
	}
	if len(d.Spans) > 0 {
		return &d.Spans[0]
	}
	return nil
}

// fixes are the changes of a message and its children that a machine can make.
func (d Diagnostic) fixes() (out []fix) {
	for _, s := range d.Spans {
		if s.Suggestion != nil && s.Suggestion.Applicability == "MachineApplicable" {
			out = append(out, fix{s.File, s.LineStart, s.ColumnStart, s.LineEnd, s.ColumnEnd, s.Suggestion.Replacement})
		}
	}
	for _, c := range d.Children {
		out = append(out, c.fixes()...)
	}
	return out
}

// maxListed is how many messages an answer lists as data.
const maxListed = 200

func (d Diagnostics) shapes() []diagnosticShape {
	out := []diagnosticShape{}
	for _, m := range d[:min(len(d), maxListed)] {
		s := diagnosticShape{Level: m.Level, Code: m.Code, Message: m.Message, Fixes: m.fixes()}
		if at := m.place(); at != nil {
			s.File, s.Line, s.Column = at.File, at.LineStart, at.ColumnStart
		}
		out = append(out, s)
	}
	return out
}

// text shows the messages, errors first.
func (d Diagnostics) text() string {
	var b strings.Builder
	for _, errors := range []bool{true, false} {
		for _, m := range d {
			if (m.Level == "error") == errors {
				m.write(&b)
			}
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func (d Diagnostic) write(b *strings.Builder) {
	if d.Rendered != "" {
		b.WriteString(strings.TrimSpace(d.Rendered) + "\n")
	} else {
		code := ""
		if d.Code != "" {
			code = " [" + d.Code + "]"
		}
		fmt.Fprintf(b, "%s: %s%s\n", d.Level, d.Message, code)
		for _, s := range d.Spans {
			fmt.Fprintf(b, "  --> %s:%d:%d\n", s.File, s.LineStart, s.ColumnStart)
			if s.Label != "" {
				fmt.Fprintf(b, "      %s\n", s.Label)
			}
		}
	}
	for _, f := range d.fixes() {
		fmt.Fprintf(b, "  [machine-applicable fix] at %s:%d:%d → replace with: %s\n", f.File, f.Line, f.Column, f.Replacement)
	}
	b.WriteByte('\n')
}

// headline counts errors and warnings in words.
func (d Diagnostics) headline(what string) string {
	errors, warnings := d.count("error"), d.count("warning")
	if errors+warnings == 0 {
		return what + ": no errors or warnings"
	}
	return fmt.Sprintf("%s: %d error(s), %d warning(s)", what, errors, warnings)
}

// buildAnswer is the answer of a tool that builds.
type buildAnswer struct {
	OK          bool              `json:"ok" description:"The program returned 0 and found no errors"`
	ExitCode    int               `json:"exitCode"`
	Errors      int               `json:"errors"`
	Warnings    int               `json:"warnings"`
	Diagnostics []diagnosticShape `json:"diagnostics"`
	Stderr      string            `json:"stderr,omitempty" description:"What the program said beside them, where it failed"`
	DurationMS  float64           `json:"durationMs"`
}

// testAnswer is the answer of a tool that tests.
type testAnswer struct {
	OK          bool              `json:"ok"`
	ExitCode    int               `json:"exitCode"`
	Passed      int               `json:"passed"`
	Failed      int               `json:"failed"`
	Ignored     int               `json:"ignored"`
	FilteredOut int               `json:"filteredOut,omitempty"`
	Failures    []testFailure     `json:"failures"`
	Diagnostics []diagnosticShape `json:"diagnostics" description:"Of a build that failed"`
	Stderr      string            `json:"stderr,omitempty"`
	DurationMS  float64           `json:"durationMs"`
}

// testFailure is one test that failed.
type testFailure struct {
	Name   string `json:"name"`
	Suite  string `json:"suite,omitempty" description:"The package or program that it is in"`
	Output string `json:"output"`
}

// maxTestOutput is how much of a failing test's output is shown.
const maxTestOutput = 4000

// text shows the outcome of tests.
func (a *testAnswer) text(what string, d Diagnostics, stderr string) string {
	var b strings.Builder
	switch {
	case a.OK:
		fmt.Fprintf(&b, "%s: all tests passed: %d passed, %d ignored\n", what, a.Passed, a.Ignored)
	case len(a.Failures) > 0 || a.Failed > 0:
		fmt.Fprintf(&b, "%s: tests failed: %d failed, %d passed, %d ignored (exit code %d)\n", what, a.Failed, a.Passed, a.Ignored, a.ExitCode)
	default:
		fmt.Fprintf(&b, "%s: failed with exit code %d: %d passed, %d ignored\n", what, a.ExitCode, a.Passed, a.Ignored)
	}
	for _, f := range a.Failures {
		in := ""
		if f.Suite != "" {
			in = " (" + f.Suite + ")"
		}
		fmt.Fprintf(&b, "\n--- %s%s\n%s\n", f.Name, in, strings.TrimRight(f.Output, "\n"))
	}
	if len(d) > 0 && !a.OK {
		b.WriteString("\n" + d.text() + "\n")
	}
	if stderr != "" {
		b.WriteString("\n" + stderr + "\n")
	}
	return b.String()
}

// tailOf is the end of what a program said, for an answer.
func tailOf(s string, limit int) string {
	s = strings.TrimSpace(s)
	if len(s) <= limit {
		return s
	}
	s = s[len(s)-limit:]
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[i+1:]
	}
	return "[...]\n" + strings.ToValidUTF8(s, "")
}
