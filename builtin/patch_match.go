package builtin

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// passes are the ways to compare a line of a patch with one of a file, from
// strict to lenient.
var passes = []struct {
	about string
	form  func(string) string
}{
	{"", func(s string) string { return s }},
	{"but for white space at the end of lines", func(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }},
	{"but for white space around lines", strings.TrimSpace},
	{"but for white space, dashes and quotation marks", plainMarks},
}

// plainMarks takes the marks of typography for those of a keyboard.
func plainMarks(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch r {
		case '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2015', '\u2212':
			return '-'
		case '\u2018', '\u2019', '\u201a', '\u201b':
			return '\''
		case '\u201c', '\u201d', '\u201e', '\u201f':
			return '"'
		}
		if unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	}, s))
}

// patchChanges turns the chunks of a patch into changes of a document.
func patchChanges(doc *document, f *filePatch) (changes []change, notes []string, err error) {
	lines := newPatched(doc)
	at := 0
	for i := range f.chunks {
		c := &f.chunks[i]
		for _, context := range c.contexts {
			found, _ := lines.seek([]string{context}, at, false)
			if found < 0 {
				return nil, nil, refuse("context_not_found", fmt.Sprintf("patch line %d: the context %q is not in `%s` after line %d. Nothing was written.", c.line, clipText(context), printable(f.path), at))
			}
			at = found + 1
		}
		body := c.lines
		var old []string
		for _, l := range body {
			if l.kind != '+' {
				old = append(old, l.text)
			}
		}
		start, pass := at, 0
		switch {
		case len(old) == 0 && (c.eof || len(c.contexts) == 0):
			start = len(doc.lines)
		case len(old) > 0:
			start, pass = lines.seek(old, at, c.eof)
			if n := len(body); start < 0 && len(old) > 1 && old[len(old)-1] == "" && body[n-1].kind == ' ' {
				body = body[:n-1] // an empty line at the end is often not meant
				start, pass = lines.seek(old[:len(old)-1], at, c.eof)
			}
			if start < 0 {
				where := fmt.Sprintf("after line %d", at)
				if c.eof {
					where = "at the end of the file"
				}
				return nil, nil, refuse("lines_not_found", fmt.Sprintf("patch line %d: these lines are not in `%s` %s. Nothing was written. Read the file again and take them as they are:\n%s", c.line, printable(f.path), where, clipLines(old)))
			}
		}
		if about := passes[pass].about; about != "" {
			notes = append(notes, fmt.Sprintf("%s: patch line %d was found at line %d, %s", printable(f.path), c.line, start+1, about))
		}
		at = start
		for j := 0; j < len(body); {
			if body[j].kind == ' ' {
				at++
				j++
				continue
			}
			ch := change{from: at, edit: i + 1}
			for ; j < len(body) && body[j].kind != ' '; j++ {
				if body[j].kind == '-' {
					at++
				} else {
					ch.lines = append(ch.lines, body[j].text)
				}
			}
			ch.to = at
			changes = append(changes, ch)
		}
	}
	return changes, notes, nil
}

// patched are the lines of a file in the forms that they are compared in, made
// when they are needed.
type patched [][]string

func newPatched(doc *document) patched {
	forms := make(patched, len(passes))
	forms[0] = make([]string, len(doc.lines))
	for i := range forms[0] {
		forms[0][i] = doc.line(i)
	}
	return forms
}

// seek finds where lines stand in a file, from a place on; eof says that they
// are its last. It is -1 where they are not there.
func (p patched) seek(want []string, from int, eof bool) (at, pass int) {
	last := len(p[0]) - len(want)
	if eof {
		from = max(from, last)
	}
	for pass := range passes {
		if p[pass] == nil {
			p[pass] = inForm(p[0], pass)
		}
		forms := inForm(want, pass)
		for at := from; at <= last; at++ {
			if slices.Equal(p[pass][at:at+len(forms)], forms) {
				return at, pass
			}
		}
	}
	return -1, 0
}

func inForm(lines []string, pass int) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = passes[pass].form(line)
	}
	return out
}

func clipLines(lines []string) string {
	const most = 8
	more := ""
	if len(lines) > most {
		more = fmt.Sprintf("\n  … and %d more", len(lines)-most)
		lines = lines[:most]
	}
	shown := make([]string, len(lines))
	for i, l := range lines {
		shown[i] = "  " + clipText(l)
	}
	return strings.Join(shown, "\n") + more
}
