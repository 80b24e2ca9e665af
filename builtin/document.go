package builtin

import (
	"fmt"
	"strings"

	"github.com/rho-ext/rho-ext/internal/hashline"
	"github.com/rho-ext/rho-ext/internal/textenc"
)

// document is the text of a file as lines, from which the file can be made again
// to the byte.
type document struct {
	enc   textenc.Encoding
	lines []string // as they stand in the file, without their endings
	ends  []string // the endings: "\n", "\r\n", or nothing for the last line
	end   string   // the ending that most lines have
}

// maxLines is how many lines a file may have to be taken apart.
const maxLines = 2_000_000

var errManyLines = fmt.Errorf("it has more than %d lines", maxLines)

// newDocument reads the content of a file.
func newDocument(data []byte) (*document, error) {
	text, enc, err := textenc.Decode(data)
	if err != nil {
		return nil, err
	}
	d := &document{enc: enc, end: "\n"}
	n := strings.Count(text, "\n") + 1
	if n > maxLines {
		return nil, errManyLines
	}
	d.lines, d.ends = make([]string, 0, n), make([]string, 0, n)
	crlf := 0
	for line := range strings.Lines(text) {
		text := strings.TrimSuffix(line, "\n")
		if len(text) < len(line) && strings.HasSuffix(text, "\r") {
			text = text[:len(text)-1]
			crlf++
		}
		d.lines = append(d.lines, text)
		d.ends = append(d.ends, line[len(text):])
	}
	if crlf*2 > len(d.lines) || crlf > 0 && crlf*2 >= strings.Count(text, "\n") {
		d.end = "\r\n"
	}
	return d, nil
}

// line is a line as a model sees it; i counts from 0.
func (d *document) line(i int) string {
	text, _ := textenc.Line(d.lines[i])
	return text
}

// hash is the anchor's hash of a line.
func (d *document) hash(i int) string { return hashline.Hash(d.line(i), i+1) }

// open reports whether the last line has no ending.
func (d *document) open() bool {
	n := len(d.ends)
	return n > 0 && d.ends[n-1] == ""
}

// text is the whole text as a model sees it, with newlines for all endings, and
// where each line starts in it.
func (d *document) text() (string, []int) {
	var b strings.Builder
	starts := make([]int, len(d.lines)+1)
	for i := range d.lines {
		starts[i] = b.Len()
		b.WriteString(d.line(i))
		if d.ends[i] != "" {
			b.WriteByte('\n')
		}
	}
	starts[len(d.lines)] = b.Len()
	return b.String(), starts
}

// bytes is the content of the file.
func (d *document) bytes() ([]byte, error) {
	n := len(textenc.Mark)
	for i := range d.lines {
		n += len(d.lines[i]) + len(d.ends[i])
	}
	b := make([]byte, 0, n)
	if d.enc == textenc.UTF8BOM {
		b = append(b, textenc.Mark...)
	}
	for i := range d.lines {
		b = append(b, d.lines[i]...)
		b = append(b, d.ends[i]...)
	}
	if d.enc == textenc.UTF16LE || d.enc == textenc.UTF16BE {
		return textenc.Encode(string(b), d.enc)
	}
	return b, nil
}

// change puts lines in the place of [from,to). Where the two are equal it
// inserts.
type change struct {
	from, to int
	lines    []string // as a model writes them
	edit     int      // the number of the edit, from 1
	end      *bool    // whether the file ends in a newline from now on; nil: as it was
}

// apply makes the changed document. The changes are in order and do not overlap.
func (d *document) apply(changes []change) (*document, error) {
	open := d.open()
	next := &document{enc: d.enc, end: d.end}
	next.lines, next.ends = make([]string, 0, len(d.lines)+16), make([]string, 0, len(d.lines)+16)
	at := 0
	for _, c := range changes {
		next.lines = append(next.lines, d.lines[at:c.from]...)
		next.ends = append(next.ends, d.ends[at:c.from]...)
		for i, line := range c.lines {
			raw, err := textenc.FromUTF8(line, d.enc)
			if err != nil {
				return nil, err
			}
			end := d.end
			if old := c.from + i; old < c.to && d.ends[old] != "" {
				end = d.ends[old]
			}
			next.lines, next.ends = append(next.lines, raw), append(next.ends, end)
		}
		at = c.to
		if c.end != nil {
			open = !*c.end
		}
	}
	next.lines = append(next.lines, d.lines[at:]...)
	next.ends = append(next.ends, d.ends[at:]...)
	for i := range next.ends {
		last := i == len(next.ends)-1
		switch {
		case last && open:
			next.ends[i] = ""
		case next.ends[i] == "":
			next.ends[i] = d.end
		}
	}
	return next, nil
}

// splitLines takes a text of a model apart. A newline at the end ends the last
// line and starts no other.
func splitLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
