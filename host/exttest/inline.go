package exttest

import (
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"
	"unicode/utf16"

	"github.com/rho-ext/rho-ext/host/wire"
)

// edit is a change of a source text.
type edit struct {
	from, to int // bytes that go
	text     string
}

// writeInline puts inline snapshots into the test file.
func (s *snapshots) writeInline(p place) error {
	byFile := map[string][]wire.TestSnapshot{}
	for _, n := range s.inline {
		if n.Place == nil || n.Place.Line == 0 {
			return errors.New("an inline snapshot cannot be written: where its matcher stands is not known")
		}
		byFile[n.Place.File] = append(byFile[n.Place.File], n)
	}
	var errs []error
	for name, list := range byFile {
		path := p.sources.Path(name)
		seen, ok := p.sources.Source(name)
		data, err := os.ReadFile(path)
		switch {
		case path == "" || !ok || err != nil:
			errs = append(errs, fmt.Errorf("the inline snapshots of %s cannot be written", name))
			continue
		case string(data) != seen:
			errs = append(errs, fmt.Errorf("the inline snapshots of %s were not written: the file has changed meanwhile; run the tests again", p.show(name)))
			continue
		}
		text, bad := inlined(seen, list)
		if text != seen {
			bad = append(bad, replaceInside(s.folder, path, []byte(text)))
		}
		for _, err := range bad {
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", p.show(name), err))
				s.count.Failed++
				s.count.Added = max(0, s.count.Added-1)
			}
		}
	}
	return errors.Join(errs...)
}

// inlined gives a source text with its inline snapshots, and what is wrong with
// those that it does not hold.
func inlined(text string, list []wire.TestSnapshot) (string, []error) {
	type placed struct {
		edit
		line int
	}
	var edits []placed
	var errs []error
	for _, n := range list {
		e, err := inlineEdit(text, n)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		edits = append(edits, placed{e, n.Place.Line})
	}
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].from > edits[j].from })
	for i := 0; i < len(edits); {
		same := i + 1
		differ := false
		for same < len(edits) && edits[same].from == edits[i].from {
			differ = differ || edits[same].text != edits[i].text
			same++
		}
		if e := edits[i]; differ {
			errs = append(errs, fmt.Errorf("line %d: one matcher has several snapshots: an inline snapshot cannot stand in a loop", e.line))
		} else {
			text = text[:e.from] + e.text + text[e.to:]
		}
		i = same
	}
	return text, errs
}

// inlineMatcher is how the names of the matchers end.
const inlineMatcher = "InlineSnapshot"

// inlineEdit finds the call of the matcher at or after a place, and what to put
// between its parentheses.
func inlineEdit(text string, n wire.TestSnapshot) (edit, error) {
	at := offset(text, n.Place.Line, n.Place.Column)
	// The place may be in the name, at the dot before it or at the parenthesis
	// after it.
	start := min(at, len(text))
	for start > 0 && isLetter(text[start-1]) {
		start--
	}
	i := strings.Index(text[start:], inlineMatcher)
	if at > len(text) || i < 0 {
		return edit{}, fmt.Errorf("line %d: no matcher for inline snapshots stands there", n.Place.Line)
	}
	open := start + i + len(inlineMatcher)
	if generic := strings.IndexByte(text[open:], '('); generic >= 0 && strings.HasPrefix(text[open:], "<") {
		open += generic
	}
	if open >= len(text) || text[open] != '(' {
		return edit{}, fmt.Errorf("line %d: the matcher for inline snapshots is not called there", n.Place.Line)
	}
	open++
	from := skipSpace(text, open)
	to := from
	switch {
	case from < len(text) && strings.IndexByte("`\"'", text[from]) >= 0:
		end := literalEnd(text, from)
		if end < 0 {
			return edit{}, fmt.Errorf("line %d: the inline snapshot does not end", n.Place.Line)
		}
		to = end
	case from >= len(text) || text[from] != ')':
		return edit{}, fmt.Errorf("line %d: the first argument of the matcher is no text, so its snapshot cannot be written", n.Place.Line)
	}
	if to == from { // there was none: what is between the parentheses goes
		from = open
	}
	return edit{from, to, indented(n.Text, indentAt(text, at))}, nil
}

// literalEnd is where a text in quotes or backquotes ends, or -1.
func literalEnd(text string, from int) int {
	for i := from + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[from]:
			return i + 1
		}
	}
	return -1
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func skipSpace(text string, i int) int {
	for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
		i++
	}
	return i
}

// indented is a snapshot as it stands in a source text.
func indented(text, indent string) string {
	text = wholeLines(text)
	if !strings.Contains(text, "\n") {
		return quoted(text)
	}
	lines := strings.Split(escapeTemplate.Replace(text), "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = indent + "  " + l
		}
	}
	return "`\n" + strings.Join(lines, "\n") + "\n" + indent + "`"
}

// indentAt is the space that the line of an offset begins with.
func indentAt(text string, at int) string {
	line := text[strings.LastIndexByte(text[:min(at, len(text))], '\n')+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// offset turns a 1-based position, whose column counts UTF-16 units, into bytes.
func offset(text string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return len(text)
		}
		at += next + 1
	}
	for _, r := range text[at:] {
		if column <= 1 || r == '\n' {
			break
		}
		column -= max(utf16.RuneLen(r), 1)
		at += len(string(r))
	}
	return at
}
