package builtin

import (
	"fmt"
	"regexp"
	"strings"
)

// What a patch does with a file.
const (
	patchAdd    = 'A'
	patchDelete = 'D'
	patchUpdate = 'M'
)

// filePatch is what a patch does with one file.
type filePatch struct {
	kind   byte
	path   string
	moveTo string // empty: it stays where it is
	line   int    // of the patch, from 1
	add    []string
	chunks []chunk
}

// chunk is one place of a file that changes.
type chunk struct {
	line     int      // of the patch
	contexts []string // lines that come before it, in order, not directly
	lines    []patchLine
	eof      bool // it ends where the file ends
}

// patchLine is a line of a chunk: kept (' '), taken away ('-') or added ('+').
type patchLine struct {
	kind byte
	text string
}

// patchError is an error in the text of a patch.
type patchError struct {
	line int
	text string
}

func (e *patchError) Error() string {
	if e.line == 0 {
		return "invalid patch: " + e.text
	}
	return fmt.Sprintf("invalid patch, line %d: %s", e.line, e.text)
}

var heredoc = regexp.MustCompile(`^(?:apply_patch\s+|cat\s+)?<<-?\s*(?:'(\w+)'|"(\w+)"|(\w+))$`)

// parsePatch reads a patch.
func parsePatch(text string) ([]filePatch, error) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	lines := strings.Split(text, "\n")
	offset := 1 // of the first line
	if m := heredoc.FindStringSubmatch(strings.TrimSpace(lines[0])); m != nil && len(lines) > 2 && strings.TrimSpace(lines[len(lines)-1]) == m[1]+m[2]+m[3] {
		lines = lines[1 : len(lines)-1]
		offset++
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 || strings.TrimSpace(lines[0]) != "*** Begin Patch" {
		return nil, &patchError{offset, `the first line must be "*** Begin Patch"`}
	}
	if strings.TrimSpace(lines[len(lines)-1]) != "*** End Patch" || len(lines) == 1 {
		return nil, &patchError{offset + len(lines) - 1, `the last line must be "*** End Patch"`}
	}
	p := &patchParser{lines: lines[1 : len(lines)-1], offset: offset + 1}
	var all []filePatch
	for p.at < len(p.lines) {
		if strings.TrimSpace(p.lines[p.at]) == "" {
			p.at++
			continue
		}
		f, err := p.file()
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	if len(all) == 0 {
		return nil, &patchError{0, "it is empty: expected at least one *** Add File, *** Delete File or *** Update File"}
	}
	return all, nil
}

type patchParser struct {
	lines  []string
	offset int // line number of the first
	at     int
}

func (p *patchParser) number() int { return p.offset + p.at }

// header reads a line that starts so and names a file.
func (p *patchParser) header(start string) (string, bool) {
	if p.at >= len(p.lines) {
		return "", false
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(p.lines[p.at]), start)
	return strings.TrimSpace(rest), ok
}

func (p *patchParser) file() (filePatch, error) {
	f := filePatch{line: p.number()}
	for start, kind := range map[string]byte{"*** Add File:": patchAdd, "*** Delete File:": patchDelete, "*** Update File:": patchUpdate} {
		if path, ok := p.header(start); ok {
			f.kind, f.path = kind, path
		}
	}
	switch {
	case f.kind == 0:
		return f, &patchError{p.number(), fmt.Sprintf(`%q is no header of a file: expected "*** Add File: PATH", "*** Delete File: PATH" or "*** Update File: PATH"`, clipText(p.lines[p.at]))}
	case f.path == "":
		return f, &patchError{p.number(), "the header names no file"}
	}
	p.at++
	var err error
	switch f.kind {
	case patchAdd:
		for p.at < len(p.lines) && strings.HasPrefix(p.lines[p.at], "+") {
			f.add = append(f.add, p.lines[p.at][1:])
			p.at++
		}
		if p.at < len(p.lines) && !strings.HasPrefix(p.lines[p.at], "*** ") && strings.TrimSpace(p.lines[p.at]) != "" {
			err = &patchError{p.number(), fmt.Sprintf("%q is no line of a new file: each starts with +", clipText(p.lines[p.at]))}
		}
	case patchUpdate:
		err = p.update(&f)
	}
	return f, err
}

func (p *patchParser) update(f *filePatch) error {
	if to, ok := p.header("*** Move to:"); ok {
		if to == "" {
			return &patchError{p.number(), "the header names no file"}
		}
		f.moveTo = to
		p.at++
	}
	for p.at < len(p.lines) && !p.ends() {
		if strings.TrimSpace(p.lines[p.at]) == "" && p.onlyBlank() {
			break
		}
		c, err := p.chunk(len(f.chunks) == 0)
		if err != nil {
			return err
		}
		f.chunks = append(f.chunks, c)
	}
	if len(f.chunks) == 0 && f.moveTo == "" {
		return &patchError{f.line, fmt.Sprintf("the update of %q is empty: expected a chunk that starts with @@", f.path)}
	}
	return nil
}

// ends reports whether the next line is the header of another file.
func (p *patchParser) ends() bool {
	line := strings.TrimSpace(p.lines[p.at])
	return strings.HasPrefix(line, "*** ") && line != "*** End of File" && p.lines[p.at][0] == '*'
}

// onlyBlank reports whether nothing but blank lines comes before the next file.
func (p *patchParser) onlyBlank() bool {
	for i := p.at; i < len(p.lines); i++ {
		if line := strings.TrimSpace(p.lines[i]); line != "" {
			return strings.HasPrefix(p.lines[i], "*** ") && line != "*** End of File"
		}
	}
	return true
}

func (p *patchParser) chunk(first bool) (chunk, error) {
	c := chunk{line: p.number()}
	started := false
	for p.at < len(p.lines) {
		line := p.lines[p.at]
		if line == "@@" || strings.HasPrefix(line, "@@ ") {
			if len(c.lines) > 0 {
				break
			}
			started = true
			if context := strings.TrimPrefix(strings.TrimPrefix(line, "@@"), " "); strings.TrimSpace(context) != "" {
				c.contexts = append(c.contexts, context)
			}
			p.at++
			continue
		}
		if strings.TrimSpace(line) == "*** End of File" && strings.HasPrefix(line, "*") {
			c.eof = true
			p.at++
			break
		}
		if p.ends() || line == "" && p.onlyBlank() {
			break
		}
		if !started && !first {
			return c, &patchError{p.number(), fmt.Sprintf("%q starts no chunk: expected @@", clipText(line))}
		}
		switch {
		case line == "":
			c.lines = append(c.lines, patchLine{' ', ""})
		case line[0] == ' ' || line[0] == '-' || line[0] == '+':
			c.lines = append(c.lines, patchLine{line[0], line[1:]})
		default:
			return c, &patchError{p.number(), fmt.Sprintf("%q is no line of a chunk: each starts with a space (kept), - (taken away) or + (added)", clipText(line))}
		}
		p.at++
	}
	if len(c.lines) == 0 {
		return c, &patchError{c.line, "the chunk has no lines"}
	}
	return c, nil
}
