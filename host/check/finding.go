package check

import (
	"cmp"
	"math"
	"slices"
)

// Severity is how bad a finding is.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // it does not work
	Warning Severity = "warning" // it will not do what its author means
	Info    Severity = "info"    // worth knowing
)

// rank orders severities, the worst first.
func (s Severity) rank() int { return slices.Index([]Severity{Error, Warning, Info}, s) }

// Finding is one thing that a rule has to say.
type Finding struct {
	Rule      string   `json:"rule"`
	Severity  Severity `json:"severity"`
	Extension string   `json:"extension"`
	Tool      string   `json:"tool,omitempty"`
	// File is relative to the project's root where it lies inside, with forward
	// slashes; Path is the same file, absolute.
	File    string `json:"file,omitempty"`
	Path    string `json:"-"`
	Line    int    `json:"line,omitempty"`   // 1-based; 0 is unknown
	Column  int    `json:"column,omitempty"` // 1-based
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Frame is a few source lines around the place, ready to print.
	Frame string `json:"frame,omitempty"`
}

// place orders findings of a file; those about an extension as a whole come last.
func (f *Finding) place() int {
	if f.Line == 0 {
		return math.MaxInt
	}
	return f.Line
}

// Checked is an extension that was looked at.
type Checked struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Scope string `json:"scope"`
	File  string `json:"file"`
}

// Report is what a run found.
type Report struct {
	Root       string    `json:"projectRoot"`
	Extensions []Checked `json:"extensions"`
	Findings   []Finding `json:"findings"` // by extension, then file and place
	Counts     Counts    `json:"counts"`
	Types      Types     `json:"types"`
	DurationMS float64   `json:"durationMs"`
}

// Counts are numbers of findings. Ignored are those that comments in the source
// silence.
type Counts struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	Ignored  int `json:"ignored"`
}

// Types say whether the types of the code were checked.
type Types struct {
	Checked bool `json:"checked"`
	// Notes say what was not, and why.
	Notes []string `json:"notes,omitempty"`
}

// Failed reports whether the findings are a failure; strict also counts
// warnings.
func (r *Report) Failed(strict bool) bool {
	return r.Counts.Errors > 0 || strict && r.Counts.Warnings > 0
}

// arrange sorts and counts the findings, and drops those that are told twice.
func (r *Report) arrange() {
	order := map[string]int{}
	for i, e := range r.Extensions {
		if _, ok := order[e.ID]; !ok {
			order[e.ID] = i
		}
	}
	for _, f := range r.Findings { // what is no extension comes last
		if _, ok := order[f.Extension]; !ok {
			order[f.Extension] = len(r.Extensions)
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(order[a.Extension], order[b.Extension]), cmp.Compare(a.Extension, b.Extension),
			cmp.Compare(a.File, b.File), cmp.Compare(a.place(), b.place()), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
	r.Findings = slices.Compact(r.Findings)
	for _, f := range r.Findings {
		switch f.Severity {
		case Error:
			r.Counts.Errors++
		case Warning:
			r.Counts.Warnings++
		default:
			r.Counts.Infos++
		}
	}
}
