package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/rho-ext/rho-ext/host/exttest"
)

// junitReporter prints the XML that continuous integration reads, in the form of
// https://github.com/testmoapp/junitxml.
type junitReporter struct{ out io.Writer }

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string         `xml:"classname,attr"`
	Name    string         `xml:"name,attr"`
	File    string         `xml:"file,attr"`
	Line    int            `xml:"line,attr,omitempty"`
	Time    string         `xml:"time,attr"`
	Skipped *junitSkipped  `xml:"skipped"`
	Failed  []junitFailure `xml:"failure"`
	Error   *junitFailure  `xml:"error"`
	Out     string         `xml:"system-out,omitempty"`
}

type junitSkipped struct {
	Message string `xml:"message,attr,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

func (r *junitReporter) begin([]exttest.File)    {}
func (r *junitReporter) file(exttest.FileReport) {}

func (r *junitReporter) end(rep *exttest.Report) error {
	all := junitSuites{Name: "rho-ext test", Time: seconds(rep.DurationMS)}
	for i := range rep.Files {
		f := &rep.Files[i]
		s := junitSuite{Name: f.File, Time: seconds(f.DurationMS)}
		broken := func(kind, message, text string) {
			s.Errors++
			s.Tests++
			s.Cases = append(s.Cases, junitCase{Class: f.File, Name: f.File, File: f.File, Time: "0.000", Error: &junitFailure{message, kind, text}})
		}
		if f.Failure != nil {
			broken(string(f.Failure.Stage), clean(f.Failure.Error()), clean(f.Failure.Frame))
		}
		if f.Problem != "" {
			broken("problem", clean(f.Problem), "")
		}
		for _, t := range f.Tests {
			s.Tests++
			c := junitCase{Class: f.File, Name: clean(strings.Join(t.Path, " > ")), File: f.File, Line: t.Line, Time: seconds(t.DurationMS)}
			switch t.State {
			case exttest.StateSkip, exttest.StateTodo:
				s.Skipped++
				c.Skipped = &junitSkipped{Message: clean(t.Note)}
				if t.State == exttest.StateTodo {
					c.Skipped.Message = "todo"
				}
			case exttest.StateFail:
				s.Failures++
				for _, e := range t.Errors {
					c.Failed = append(c.Failed, junitFailure{clean(e.Message), e.Name, clean(junitText(&e))})
				}
			}
			for _, l := range t.Logs {
				c.Out += clean(l.Message) + "\n"
			}
			s.Cases = append(s.Cases, c)
		}
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Skipped += s.Skipped
		all.Suites = append(all.Suites, s)
	}
	if rep.Stopped {
		all.Errors++
		all.Tests++
		all.Suites = append(all.Suites, junitSuite{Name: "the run", Tests: 1, Errors: 1, Time: "0.000",
			Cases: []junitCase{{Class: "the run", Name: "it was stopped before its end", Time: "0.000", Error: &junitFailure{Message: "tests are missing", Type: "stopped"}}}})
	}
	if _, err := io.WriteString(r.out, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(r.out)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(r.out, "\n")
	return err
}

func seconds(ms float64) string { return fmt.Sprintf("%.3f", ms/1000) }

// junitText is what a failure says beside its message.
func junitText(e *exttest.Error) string {
	var b strings.Builder
	if e.Diff != "" {
		b.WriteString(e.Diff + "\n")
	}
	if e.File != "" {
		fmt.Fprintf(&b, "%s:%d:%d\n", e.File, e.Line, e.Column)
	}
	if e.Frame != "" {
		b.WriteString(e.Frame + "\n")
	}
	for _, line := range e.Stack {
		b.WriteString("at " + line + "\n")
	}
	if e.Hint != "" {
		b.WriteString("hint: " + e.Hint + "\n")
	}
	return b.String()
}
