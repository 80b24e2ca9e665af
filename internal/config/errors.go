package config

import (
	"fmt"
	"sort"
	"strings"
)

// Problem is one thing that is wrong with a configuration.
type Problem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"` // 1-based; 0 is unknown
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Frame   string `json:"frame,omitempty"` // the lines around it, ready to print
}

func (p Problem) String() string { return place(p.File, p.Line, p.Column) + p.Message }

func place(file string, line, column int) string {
	switch {
	case file == "":
		return ""
	case line == 0:
		return file + ": "
	}
	return fmt.Sprintf("%s:%d:%d: ", file, line, column)
}

// Error is the error of [Load]: everything that is wrong with one file, in the
// order of its lines.
type Error struct{ Problems []Problem }

// maxShown bounds the problems that an error's text tells of.
const maxShown = 5

// Error tells of the first problems, each with its frame.
func (e *Error) Error() string {
	var b strings.Builder
	for i, p := range e.Problems {
		if i == maxShown {
			fmt.Fprintf(&b, "\nand %d more", len(e.Problems)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.String())
		if p.Frame != "" {
			b.WriteString("\n  " + strings.ReplaceAll(p.Frame, "\n", "\n  "))
		}
	}
	return b.String()
}

func problem(file, message string) error {
	return &Error{Problems: []Problem{{File: file, Message: message}}}
}

func sortProblems(list []Problem) {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
}
