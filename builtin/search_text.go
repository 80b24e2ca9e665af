package builtin

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// searchText collects what is shown.
type searchText struct {
	strings.Builder
	budget, max, context int

	answer   searchAnswer
	last     string // the file of the last line
	number   int    // and the line's number
	overflow bool   // the budget is spent
}

// add takes over what was found in a file, and reports whether there is room
// for more.
func (t *searchText) add(h hits) bool {
	for _, l := range h.lines {
		if l.match && t.answer.Matches == t.max {
			t.answer.Truncated = true
			return false
		}
		mark := "-"
		if l.match {
			mark = ":"
		}
		line := fmt.Sprintf("%s%s%d%s %s\n", fileLine(h.path), mark, l.number, mark, l.text)
		if t.context > 0 && t.Len() > 0 && (t.last != h.path || l.number != t.number+1) {
			line = "--\n" + line
		}
		if t.Len()+len(line) > t.budget {
			t.answer.Truncated, t.overflow = true, true
			return false
		}
		t.WriteString(line)
		t.last, t.number = h.path, l.number
		if !l.match {
			continue
		}
		t.answer.Matches++
		if n := len(t.answer.Files); n == 0 || t.answer.Files[n-1] != h.path {
			t.answer.Files = append(t.answer.Files, h.path)
		}
	}
	return true
}

// finish makes the text of the answer.
func (t *searchText) finish(a searchArgs) string {
	notes := ""
	switch {
	case t.overflow:
		notes = fmt.Sprintf("\n… more matches truncated (showing first %d, all that fit; narrow the pattern/path)", t.answer.Matches)
	case t.answer.Truncated && t.max < 500:
		notes = fmt.Sprintf("\n… more matches truncated (showing first %d; raise max_results up to 500 or narrow the pattern/path)", t.answer.Matches)
	case t.answer.Truncated:
		notes = fmt.Sprintf("\n… more matches truncated (showing first %d; narrow the pattern/path)", t.answer.Matches)
	}
	if t.answer.Unreadable > 0 {
		notes += fmt.Sprintf("\n(%d files or directories could not be searched)", t.answer.Unreadable)
	}
	if t.answer.Matches == 0 && !t.answer.Truncated {
		pattern := a.Pattern
		if utf8.RuneCountInString(pattern) > maxShown {
			pattern = string([]rune(pattern)[:maxShown]) + "…"
		}
		return "No matches for '" + printable(pattern) + "'" + notes
	}
	return frame("", t.String()) + notes
}
