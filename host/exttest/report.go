package exttest

import (
	"time"

	"github.com/rho-ext/rho-ext/host"
)

// The states of a test.
const (
	StatePass = "pass"
	StateFail = "fail"
	StateSkip = "skip"
	StateTodo = "todo"
)

// Report is what a run came to.
type Report struct {
	Files      []FileReport `json:"files"`
	Passed     int          `json:"passed"`
	Failed     int          `json:"failed"`
	Skipped    int          `json:"skipped"`
	Todo       int          `json:"todo"`
	Snapshots  Snapshots    `json:"snapshots"`
	Seed       uint64       `json:"seed,omitempty"`
	DurationMS float64      `json:"durationMs"`
	// Stopped says that the run ended before all files had run: it was
	// interrupted, or too many tests had failed.
	Stopped bool `json:"stopped,omitempty"`
}

// OK reports whether nothing failed and the run came to its end.
func (r *Report) OK() bool {
	if r.Stopped || r.Failed > 0 {
		return false
	}
	for _, f := range r.Files {
		if f.Failure != nil || f.Problem != "" {
			return false
		}
	}
	return true
}

func (r *Report) add(f *FileReport) {
	for _, t := range f.Tests {
		switch t.State {
		case StatePass:
			r.Passed++
		case StateFail:
			r.Failed++
		case StateSkip:
			r.Skipped++
		case StateTodo:
			r.Todo++
		}
	}
	r.Snapshots.Matched += f.Snapshots.Matched
	r.Snapshots.Added += f.Snapshots.Added
	r.Snapshots.Updated += f.Snapshots.Updated
	r.Snapshots.Removed += f.Snapshots.Removed
	r.Snapshots.Obsolete += f.Snapshots.Obsolete
	r.Snapshots.Failed += f.Snapshots.Failed
}

// Snapshots counts what became of snapshots.
type Snapshots struct {
	Matched  int `json:"matched"`
	Added    int `json:"added"`
	Updated  int `json:"updated"`
	Removed  int `json:"removed"`
	Obsolete int `json:"obsolete"` // that no test used, and that were left
	Failed   int `json:"failed"`
}

// FileReport is what a file came to.
type FileReport struct {
	File      string `json:"file"`
	Extension string `json:"extension,omitempty"`
	// Failure is why the file could not be loaded; then it has no tests.
	Failure *host.Failure `json:"failure,omitempty"`
	// Problem is what is wrong with the file as a whole, such as snapshots that
	// cannot be written.
	Problem    string       `json:"problem,omitempty"`
	Tests      []TestReport `json:"tests"`
	Snapshots  Snapshots    `json:"snapshots"`
	Logs       []Log        `json:"logs,omitempty"` // of no test in particular
	DurationMS float64      `json:"durationMs"`
}

// Failed reports whether the file or one of its tests failed.
func (f *FileReport) Failed() bool {
	if f.Failure != nil || f.Problem != "" {
		return true
	}
	for _, t := range f.Tests {
		if t.State == StateFail {
			return true
		}
	}
	return false
}

// TestReport is what one test came to.
type TestReport struct {
	// Path holds the names of its suites and its own.
	Path  []string `json:"path"`
	State string   `json:"state"`
	Note  string   `json:"note,omitempty"` // why it was skipped
	Line  int      `json:"line,omitempty"` // 1-based
	// Column is 1-based.
	Column     int     `json:"column,omitempty"`
	Errors     []Error `json:"errors,omitempty"`
	Logs       []Log   `json:"logs,omitempty"`
	Retries    int     `json:"retries,omitempty"`
	DurationMS float64 `json:"durationMs"`
}

// Error is one thing that failed in a test.
type Error struct {
	Name     string `json:"name"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	In       string `json:"in,omitempty"` // the hook that failed
	Diff     string `json:"diff,omitempty"`
	Expected string `json:"expected,omitempty"`
	Actual   string `json:"actual,omitempty"`
	// File is as people see it, such as in [File.Name]; Line and Column are
	// 1-based.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Frame is a few source lines around the place, ready to print.
	Frame string   `json:"frame,omitempty"`
	Stack []string `json:"stack,omitempty"`
	Cause *Error   `json:"cause,omitempty"`
}

// Log is a line that was logged while a test ran.
type Log struct {
	From    string `json:"from,omitempty"` // the extension; empty is the test file
	Level   string `json:"level"`
	Message string `json:"message"`
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
