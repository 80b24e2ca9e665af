package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/rho-ext/rho-ext/host/exttest"
)

// tapReporter prints TAP 14, flat: https://testanything.org.
type tapReporter struct {
	out io.Writer
	n   int
	err error
}

func (r *tapReporter) begin([]exttest.File) {
	r.n = 0
	r.print("TAP version 14\n")
}

func (r *tapReporter) print(format string, args ...any) {
	if r.err == nil {
		_, r.err = fmt.Fprintf(r.out, format, args...)
	}
}

var escapeTAP = strings.NewReplacer("\\", "\\\\", "#", "\\#", "\n", " ", "\r", " ")

func (r *tapReporter) file(f exttest.FileReport) {
	line := func(ok bool, name, directive string) {
		r.n++
		state := "ok"
		if !ok {
			state = "not ok"
		}
		r.print("%s %d - %s%s\n", state, r.n, escapeTAP.Replace(clean(name)), directive)
	}
	if f.Failure != nil {
		line(false, f.File, "")
		r.block(f.Failure.Error(), f.Failure.File, f.Failure.Line, f.Failure.Column)
	}
	if f.Problem != "" {
		line(false, f.File, "")
		r.block(f.Problem, f.File, 0, 0)
	}
	for _, t := range f.Tests {
		directive := ""
		switch t.State {
		case exttest.StateSkip:
			directive = " # SKIP"
			if t.Note != "" {
				directive += " " + escapeTAP.Replace(clean(t.Note))
			}
		case exttest.StateTodo:
			directive = " # TODO"
		}
		// A test that is still to be written counts as not ok, which TAP forgives.
		line(t.State == exttest.StatePass || t.State == exttest.StateSkip, f.File+" > "+strings.Join(t.Path, " > "), directive)
		if t.State == exttest.StateFail && len(t.Errors) > 0 {
			e := t.Errors[0]
			r.block(e.Name+": "+e.Message, e.File, e.Line, e.Column)
		}
	}
}

// block tells about a failure, in YAML.
func (r *tapReporter) block(message, file string, line, column int) {
	r.print("  ---\n  message: |-\n    %s\n", strings.ReplaceAll(clean(message), "\n", "\n    "))
	if line > 0 {
		r.print("  at: %s:%d:%d\n", clean(file), line, column)
	}
	r.print("  ...\n")
}

func (r *tapReporter) end(rep *exttest.Report) error {
	if rep.Stopped {
		r.print("Bail out! the run was stopped\n")
		return r.err
	}
	r.print("1..%d\n", r.n)
	return r.err
}
