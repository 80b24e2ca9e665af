package builtin

import (
	"regexp"
	"strconv"
	"strings"
)

// libtest reads what Rust's test programs print, one after the other. What
// failing tests have printed stands in the midst of it, and can look the same:
// the names and the number of tests tell it apart.
type libtest struct {
	testAnswer

	state          libtestState
	left           int // tests that have not told how they ended
	passed, failed int
	pending        map[string]bool // failed tests whose output has not come
	current        string          // the one whose output this is
	output         strings.Builder
}

type libtestState uint8

const (
	betweenSuites libtestState = iota
	testsRunning
	failuresShown
)

var (
	suiteLine  = regexp.MustCompile(`^running (\d+) tests?$`)
	testLine   = regexp.MustCompile(`^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)(?:, .*)?$`)
	resultLine = regexp.MustCompile(`^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; \d+ measured; (\d+) filtered out`)
)

func (t *libtest) line(line string) {
	text := strings.TrimRight(line, "\r\n")
	switch t.state {
	case betweenSuites:
		if m := suiteLine.FindStringSubmatch(text); m != nil {
			t.state, t.passed, t.failed, t.pending = testsRunning, 0, 0, map[string]bool{}
			t.left, _ = strconv.Atoi(m[1])
		}
	case testsRunning:
		if m := testLine.FindStringSubmatch(text); m != nil && t.left > 0 {
			t.left--
			switch m[2] {
			case "ok":
				t.passed++
			case "FAILED":
				t.failed++
				t.pending[m[1]] = true
			}
			return
		}
		if text == "failures:" {
			t.state = failuresShown
			return
		}
		t.result(text)
	case failuresShown:
		if t.result(text) {
			return
		}
		if name, ok := strings.CutPrefix(text, "---- "); ok && strings.HasSuffix(name, " ----") {
			name = strings.TrimSuffix(strings.TrimSuffix(name, " ----"), " stdout")
			if t.pending[name] || t.left > 0 {
				t.flush()
				delete(t.pending, name)
				t.current = name
				return
			}
		}
		if text == "failures:" && len(t.pending) == 0 {
			t.flush()
		}
		if t.current != "" && t.output.Len() < 4*maxTestOutput {
			t.output.WriteString(line)
		}
	}
}

// result takes the line that ends a suite, unless its counts show that a test
// has printed it.
func (t *libtest) result(text string) bool {
	m := resultLine.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	var n [5]int
	for i := range n[1:] {
		n[i+1], _ = strconv.Atoi(m[i+1])
	}
	if t.left == 0 && (n[1] != t.passed || n[2] != t.failed) {
		return false
	}
	t.flush()
	t.Passed, t.Failed, t.Ignored, t.FilteredOut = t.Passed+n[1], t.Failed+n[2], t.Ignored+n[3], t.FilteredOut+n[4]
	t.state = betweenSuites
	return true
}

// end takes over what a suite has told that did not come to its end.
func (t *libtest) end() {
	if t.state != betweenSuites {
		t.flush()
		t.Passed, t.Failed = t.Passed+t.passed, t.Failed+t.failed
		t.state = betweenSuites
	}
}

func (t *libtest) flush() {
	if t.current != "" && len(t.Failures) < maxFailures {
		out, _ := clip(strings.TrimSpace(t.output.String()), maxTestOutput, "")
		t.Failures = append(t.Failures, testFailure{Name: t.current, Output: out})
	}
	t.current = ""
	t.output.Reset()
}
