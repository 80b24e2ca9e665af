package builtin

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/rho-ext/rho-ext/internal/textdiff"
	"github.com/rho-ext/rho-ext/registry"
)

// maxReplaced is how many places one edit may replace.
const maxReplaced = 200_000

// textChanges puts a text in the place of another one.
func (e *editor) textChanges(item *edit, n int) ([]change, error) {
	if item.OldText == nil || item.NewText == nil {
		missing := "old_text"
		if item.OldText != nil {
			missing = "new_text"
		}
		return nil, invalid("edit %d has no %s: expected old_text and new_text", n, missing)
	}
	if e.start == nil {
		e.text, e.start = e.doc.text()
	}
	old := strings.ReplaceAll(*item.OldText, "\r\n", "\n")
	now := strings.ReplaceAll(*item.NewText, "\r\n", "\n")
	if old == "" {
		if len(e.doc.lines) > 0 {
			return nil, invalid("edit %d has an empty old_text, which is fine for an empty file alone: expected the text to replace", n)
		}
		end := strings.HasSuffix(now, "\n")
		return []change{{lines: splitLines(now), edit: n, end: &end}}, nil
	}
	count := strings.Count(e.text, old)
	switch first := strings.Index(e.text, old); {
	case first < 0:
		return nil, e.notFound(old, n)
	case count == 1 && strings.Contains(e.text[first+1:], old): // it overlaps itself
		count = 2
		fallthrough
	case count > 1 && !item.ReplaceAll:
		return nil, refuse("old_text_ambiguous", fmt.Sprintf("edit %d: old_text is ambiguous (%d matches) in `%s`, at lines %s. Nothing was written. Add lines around it until it is unique, or set replace_all.",
			n, count, printable(e.path), e.linesOf(old)))
	}
	if count > maxReplaced {
		return nil, refuse("too_many_matches", fmt.Sprintf("edit %d: old_text is there %d times, more than the %d that are replaced at once. Nothing was written.", n, count, maxReplaced))
	}
	for at := 0; ; {
		i := strings.Index(e.text[at:], old)
		if i < 0 {
			break
		}
		from := at + i
		at = from + len(old)
		e.splices = append(e.splices, splice{from, at, now, n})
	}
	return nil, nil
}

// splice puts a text in the place of bytes of the document's text.
type splice struct {
	from, to int
	now      string
	edit     int
}

// spliced turns the splices of all edits into changes of whole lines: those
// that touch the same line become one.
func (e *editor) spliced() ([]change, error) {
	slices.SortStableFunc(e.splices, func(a, b splice) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(e.splices); i++ {
		if a, b := e.splices[i-1], e.splices[i]; b.from < a.to {
			return nil, refuse("edits_overlap", fmt.Sprintf("edits %d and %d overlap at line %d: nothing was written; make one edit of them", a.edit, b.edit, e.lineAt(b.from)+1))
		}
	}
	var all []change
	for rest := e.splices; len(rest) > 0; {
		c := change{from: e.lineAt(rest[0].from), edit: rest[0].edit}
		var block strings.Builder
		at := e.start[c.from]
		for len(rest) > 0 && (c.to == 0 || e.lineAt(rest[0].from) < c.to) {
			block.WriteString(e.text[at:rest[0].from])
			block.WriteString(rest[0].now)
			at = rest[0].to
			c.to = len(e.doc.lines)
			if at < len(e.text) {
				c.to = e.lineAt(at) + 1 // the line that what follows is in
			}
			rest = rest[1:]
		}
		block.WriteString(e.text[at:e.start[c.to]])
		c.lines = splitLines(block.String())
		if c.to == len(e.doc.lines) {
			end := strings.HasSuffix(block.String(), "\n") || block.Len() == 0 && c.from > 0
			c.end = &end
		}
		all = append(all, e.shrink(c))
	}
	return all, nil
}

// lineAt is the line that a byte of the text is in, from 0.
func (e *editor) lineAt(at int) int {
	return max(sort.SearchInts(e.start[:len(e.doc.lines)], at+1)-1, 0)
}

// shrink leaves out the lines at both ends that stay what they are.
func (e *editor) shrink(c change) change {
	for c.from < c.to && len(c.lines) > 0 && e.doc.line(c.from) == c.lines[0] {
		c.from++
		c.lines = c.lines[1:]
	}
	for c.from < c.to && len(c.lines) > 0 && e.doc.line(c.to-1) == c.lines[len(c.lines)-1] {
		c.to--
		c.lines = c.lines[:len(c.lines)-1]
	}
	return c
}

// notFound says why a text may not be there.
func (e *editor) notFound(old string, n int) *registry.Failure {
	shown := old
	if r := []rune(shown); len(r) > 80 {
		shown = string(r[:80]) + "…"
	}
	hint := "It must match exactly, white space included; leave <context> lines out."
	switch {
	case func() bool { _, ok := copiedAnchor(splitLines(old)); return ok }():
		hint = "It holds anchors, which are not part of the file: leave LINE#HASH: out."
	case regexLike(old) != "":
		hint = "It contains what looks like a regular expression (" + regexLike(old) + "): old_text is compared as plain text."
	}
	if lines := e.alike(old); lines != "" {
		hint += " Its first line is, but for white space, at line " + lines + "."
	}
	return refuse("old_text_not_found", fmt.Sprintf("edit %d: old_text not found in `%s`: %q. Nothing was written. %s", n, printable(e.path), shown, hint))
}

// regexLike finds a token that nobody means literally.
func regexLike(s string) string {
	for _, token := range []string{`\s*`, `\s+`, `\d+`, `\d*`, `\w+`, `\w*`, `\n`, `\t`, `\r`, `.+`, `.*`} {
		if strings.Contains(s, token) {
			return token
		}
	}
	return ""
}

// alike lists the lines that are the first one of a text but for white space.
func (e *editor) alike(text string) string {
	var want string
	for _, line := range strings.Split(text, "\n") {
		if want = strings.Join(strings.Fields(line), " "); want != "" {
			break
		}
	}
	if want == "" {
		return ""
	}
	var found []string
	for i := range e.doc.lines {
		if strings.Join(strings.Fields(e.doc.line(i)), " ") == want {
			if found = append(found, fmt.Sprint(i+1)); len(found) == 3 {
				break
			}
		}
	}
	return strings.Join(found, ", ")
}

// linesOf lists where a text starts.
func (e *editor) linesOf(old string) string {
	var found []string
	for at := 0; len(found) < 8; {
		i := strings.Index(e.text[at:], old)
		if i < 0 {
			break
		}
		line := sort.SearchInts(e.start[:len(e.doc.lines)], at+i+1)
		found = append(found, fmt.Sprint(line))
		at += i + 1
	}
	return strings.Join(found, ", ")
}

// refine cuts changes down to the lines that differ.
func refine(d *document, changes []change) []change {
	var out []change
	for _, c := range changes {
		old := make([]string, 0, c.to-c.from)
		for i := c.from; i < c.to; i++ {
			old = append(old, d.line(i))
		}
		for _, part := range textdiff.Lines(old, c.lines) {
			out = append(out, change{from: c.from + part.A0, to: c.from + part.A1, lines: c.lines[part.B0:part.B1], edit: c.edit})
		}
	}
	return out
}
