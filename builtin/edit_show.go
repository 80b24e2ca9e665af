package builtin

import (
	"fmt"
	"strings"

	"github.com/rho-ext/rho-ext/internal/hashline"
)

const (
	diffContext  = 3 // lines around a change in a diff
	freshContext = 5 // lines around a change that are given with new anchors
)

// hunk is a change with the place it has in the new text.
type hunk struct {
	change
	at int // where its lines are in the new document, from 0
}

// hunks gives the changes their places. They are in order.
func hunks(changes []change) []hunk {
	all := make([]hunk, len(changes))
	moved := 0
	for i, c := range changes {
		all[i] = hunk{c, c.from + moved}
		moved += len(c.lines) - (c.to - c.from)
	}
	return all
}

func (h hunk) end() int { return h.at + len(h.lines) }

// shower writes lines of two documents within a budget.
type shower struct {
	strings.Builder
	budget int
	width  int
	full   bool
}

// line writes one line; false says that the budget is spent.
func (s *shower) line(mark, text string, number int) bool {
	if s.full {
		return false
	}
	return s.raw(string(anchorLine([]byte(mark), text, number, s.width)))
}

func (s *shower) raw(line string) bool {
	if s.full || s.Len()+len(line)+1 > s.budget {
		s.full = true
		return false
	}
	s.WriteString(line)
	s.WriteByte('\n')
	return true
}

// diff shows what changed: old lines with a minus, new ones with a plus, and
// some around them, with the numbers that they have now.
func diff(old, now *document, all []hunk, budget int) string {
	s := &shower{budget: budget - 40, width: hashline.Digits(max(len(old.lines), len(now.lines), 1))}
	at := 0 // of the new document: up to here all is shown or passed over
	for i, h := range all {
		from := max(h.at-diffContext, at)
		if from > at && (i > 0 || s.Len() > 0) {
			s.raw("  ...")
		}
		for j := from; j < h.at; j++ {
			s.line("  ", now.line(j), j+1)
		}
		for j := h.from; j < h.to; j++ {
			s.line("- ", old.line(j), j+1)
		}
		for j := h.at; j < h.end(); j++ {
			s.line("+ ", now.line(j), j+1)
		}
		at = min(h.end()+diffContext, len(now.lines))
		if i+1 < len(all) {
			at = min(at, all[i+1].at)
		}
		for j := h.end(); j < at; j++ {
			s.line("  ", now.line(j), j+1)
		}
	}
	if s.full {
		s.WriteString("  … the rest of the diff is left out\n")
	}
	return "<diff>\n" + s.String() + "</diff>\n"
}

// freshAnchors shows the lines around the changes as they are now, and says
// which they are.
func freshAnchors(now *document, all []hunk, budget int) (string, []span) {
	s := &shower{budget: budget - 60, width: hashline.Digits(max(len(now.lines), 1))}
	var shown []span
	at := 0
	for _, h := range all {
		from := max(h.at-freshContext, at)
		if from > at && len(shown) > 0 {
			s.raw("  ...")
		}
		end := min(h.end()+freshContext, len(now.lines))
		for j := from; j < end && s.line("  ", now.line(j), j+1); j++ {
			if n := len(shown); n > 0 && shown[n-1].last == j {
				shown[n-1].last = j + 1
			} else {
				shown = append(shown, span{j + 1, j + 1})
			}
		}
		at = max(at, end)
	}
	if s.full {
		s.WriteString("  … read the file for the rest\n")
	}
	return "<fresh-anchors>\n" + s.String() + "</fresh-anchors>\n", shown
}

// movedNote says how lines that are not shown are numbered now.
func movedNote(all []hunk) string {
	last := all[len(all)-1]
	moved := last.end() - last.to
	if moved == 0 {
		return "These anchors are fresh: use them for further edits of these lines."
	}
	return fmt.Sprintf("These anchors are fresh: use them for further edits of these lines. Lines after %d moved by %+d.", last.to, moved)
}
