package builtin

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/internal/hashline"
	"github.com/rho-ext/rho-ext/registry"
)

// edit is one item of the edits of edit_file: either an operation on lines that
// anchors name, or a text and what stands in its place.
type edit struct {
	Op    string    `json:"op"`
	Pos   *string   `json:"pos"`
	End   *string   `json:"end"`
	Lines *[]string `json:"lines"`

	OldText    *string `json:"old_text"`
	NewText    *string `json:"new_text"`
	ReplaceAll bool    `json:"replace_all"`
}

// byText reports whether the edit is of the second form.
func (e *edit) byText() bool { return e.OldText != nil || e.NewText != nil }

// editor turns edits into changes of a document. All of them mean the text as
// it was before the first.
type editor struct {
	doc     *document
	path    string              // for messages
	fresh   func(line int) bool // whether a line's number is the one that was shown
	notes   []string            // for the model
	count   map[string]int      // of each hash, over all lines that tell something
	text    string              // of the document, when it is needed
	start   []int               // of its lines
	splices []splice            // of the edits by text
}

// changes gives the changes in the order of the lines.
func (e *editor) changes(edits []edit) ([]change, error) {
	var all []change
	for i := range edits {
		item, n := &edits[i], i+1
		var some []change
		var err error
		switch {
		case item.byText() && (item.Op != "" || item.Pos != nil || item.End != nil || item.Lines != nil):
			err = invalid("edit %d has both op and old_text: expected op, pos and lines, or old_text and new_text", n)
		case item.byText():
			some, err = e.textChanges(item, n)
		default:
			some, err = e.lineChange(item, n)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	some, err := e.spliced()
	if err != nil {
		return nil, err
	}
	all = append(all, some...)
	slices.SortStableFunc(all, func(a, b change) int {
		if c := cmp.Compare(a.from, b.from); c != 0 {
			return c
		}
		// What is inserted before a line comes before what stands in its place.
		return cmp.Compare(min(a.to-a.from, 1), min(b.to-b.from, 1))
	})
	for i := 1; i < len(all); i++ {
		a, b := all[i-1], all[i]
		if b.from < a.to {
			return nil, refuse("edits_overlap", fmt.Sprintf("edits %d and %d overlap (%s and %s): nothing was written; make one edit of them", a.edit, b.edit, a.where(), b.where()))
		}
	}
	return all, nil
}

func (c change) where() string {
	if c.from == c.to {
		return fmt.Sprintf("after line %d", c.from)
	}
	return fmt.Sprintf("lines %d-%d", c.from+1, c.to)
}

// lineChange is one operation on lines.
func (e *editor) lineChange(item *edit, n int) ([]change, error) {
	c := change{edit: n}
	switch item.Op {
	case "":
		return nil, invalid("edit %d has neither op nor old_text: expected op, pos and lines, or old_text and new_text", n)
	case "replace", "append", "prepend":
		if item.Lines == nil {
			return nil, invalid("edit %d has no lines: expected a list of lines, without their endings", n)
		}
		for _, line := range *item.Lines {
			more := splitLines(line)
			if more == nil {
				more = []string{""}
			}
			c.lines = append(c.lines, more...)
		}
		if line, ok := copiedAnchor(c.lines); ok {
			return nil, invalid("edit %d has an anchor in its lines, %q: the anchor is not part of the file; give the text alone", n, clipText(line))
		}
	case "delete":
		if item.Lines != nil && len(*item.Lines) > 0 {
			return nil, invalid("edit %d deletes and has lines: expected op replace, or no lines", n)
		}
	default:
		return nil, invalid("edit %d has the op %q: expected replace, append, prepend or delete", n, item.Op)
	}
	inserts := item.Op == "append" || item.Op == "prepend"
	if inserts && item.End != nil {
		return nil, invalid("edit %d has an end, which %s has no use for: expected pos alone", n, item.Op)
	}
	if item.Pos == nil || inserts && len(e.doc.lines) == 0 {
		switch {
		case !inserts:
			return nil, invalid("edit %d has no pos: expected the anchor of a line, such as 12#KYNT", n)
		case item.Op == "append":
			c.from = len(e.doc.lines)
		}
		c.to = c.from
		return []change{c}, nil
	}
	first, moved, err := e.resolve(*item.Pos, n, "pos")
	if err != nil {
		return nil, err
	}
	switch item.Op {
	case "append":
		c.from, c.to = first+1, first+1
		return []change{c}, nil
	case "prepend":
		c.from, c.to = first, first
		return []change{c}, nil
	}
	last := first
	if item.End != nil {
		movedEnd := 0
		if last, movedEnd, err = e.resolve(*item.End, n, "end"); err != nil {
			return nil, err
		}
		if moved != movedEnd {
			return nil, e.stale(n, first, fmt.Sprintf("the lines between %s and %s are not those that were read: the one moved by %+d, the other by %+d", *item.Pos, *item.End, moved, movedEnd))
		}
		if last < first {
			return nil, invalid("edit %d ends at line %d, before its pos at line %d: expected end at or after pos", n, last+1, first+1)
		}
	}
	c.from, c.to = first, last+1
	return []change{c}, nil
}

// near is how many lines away from its number a line is looked for.
const near = 20

// resolve finds the line that an anchor names, and by how much it has moved.
// Where there is doubt it fails: a short hash says what a line holds, not which
// of several like it was meant.
func (e *editor) resolve(s string, n int, what string) (line, moved int, err error) {
	a, err := hashline.Parse(s)
	if err != nil {
		return 0, 0, invalid("edit %d, %s: %w", n, what, err)
	}
	lines := len(e.doc.lines)
	at := a.Line - 1
	if at < lines && e.doc.hash(at) == a.Hash {
		if e.fresh == nil || e.fresh(a.Line) || e.unique(at) {
			return at, 0, nil
		}
		return 0, 0, e.stale(n, at, fmt.Sprintf("line %d was not shown since the file last changed, and the anchor %s alone does not tell it from others", a.Line, a))
	}
	if a.Hash != hashline.Blank(a.Line) { // else nothing is known of its text
		found := -1
		for i := max(at-near, 0); i <= at+near && i < lines; i++ {
			if e.doc.hash(i) == a.Hash && e.unique(i) {
				found = i
			}
		}
		if found >= 0 {
			moved = found - at
			e.notes = append(e.notes, fmt.Sprintf("anchor %s resolved to %d#%s (the line moved by %+d)", a, found+1, a.Hash, moved))
			return found, moved, nil
		}
	}
	if at >= lines {
		return 0, 0, e.stale(n, lines-1, fmt.Sprintf("anchor %s is out of range (the file has %d lines)", a, lines))
	}
	return 0, 0, e.stale(n, at, fmt.Sprintf("hash mismatch at anchor %s, and no line like the one that was read is nearby", a))
}

// unique reports whether a line has letters or digits and no other line has its
// hash.
func (e *editor) unique(i int) bool {
	line := e.doc.line(i)
	if !hashline.Telling(line) {
		return false
	}
	if e.count == nil {
		e.count = make(map[string]int, len(e.doc.lines))
		for j := range e.doc.lines {
			if l := e.doc.line(j); hashline.Telling(l) {
				e.count[hashline.Hash(l, 0)]++
			}
		}
	}
	return e.count[hashline.Hash(line, 0)] == 1
}

// stale is the failure of an anchor that cannot be trusted, with the anchors as
// they are now.
func (e *editor) stale(n, at int, why string) *registry.Failure {
	var b strings.Builder
	fmt.Fprintf(&b, "edit %d: %s. Nothing was written.", n, why)
	from, to := max(at-3, 0), min(at+4, len(e.doc.lines))
	if from < to {
		b.WriteString("\nFresh hashes around it:\n")
		width := hashline.Digits(to)
		for i := from; i < to; i++ {
			b.WriteString("  ")
			b.Write(anchorLine(nil, e.doc.line(i), i+1, width))
			b.WriteByte('\n')
		}
	}
	b.WriteString("Read the file again where you need more, and retry with the anchors as they are now.")
	return refuse("stale_anchor", b.String())
}

var anchored = regexp.MustCompile(`^\s*(\d{1,9})#([` + "ZPMQVRWSNKTXJBYH" + `]{4}):(.*)$`)

// copiedAnchor finds a line that starts with the anchor that its text has.
func copiedAnchor(lines []string) (string, bool) {
	all := len(lines) > 0
	for _, line := range lines {
		m := anchored.FindStringSubmatch(line)
		if m == nil {
			all = false
			continue
		}
		number := 0
		fmt.Sscan(m[1], &number)
		if hashline.Hash(m[3], number) == m[2] {
			return line, true
		}
	}
	if all {
		return lines[0], true
	}
	return "", false
}

// anchorLine is a line with its anchor, cut where it is long. The hash is of all
// of it.
func anchorLine(b []byte, text string, number, width int) []byte {
	b = hashline.Append(b, text, number, width)
	if shown := clipText(text); len(shown) < len(text) {
		b = append(b[:len(b)-len(text)], shown...)
	}
	return b
}

// clipText is a line for a message.
func clipText(line string) string {
	if len(line) <= maxShown {
		return line
	}
	if r := []rune(line); len(r) > maxShown+1 {
		return string(r[:maxShown]) + "…"
	}
	return line
}
