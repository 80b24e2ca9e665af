package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/rho-ext/rho-ext/internal/hashline"
	"github.com/rho-ext/rho-ext/internal/textenc"
)

const (
	headerRoom = 250 // bytes that the line about the text may take
	chunkSize  = 64 << 10
)

// lines picks a range of lines out of a stream, in memory that depends on the
// range and the budget alone, and counts the rest.
type lines struct {
	first  int  // 1-based
	limit  int  // zero: no limit
	budget int  // bytes of text
	hashes bool // the lines are to be shown with their anchors

	kept    []string // as they are shown, without their endings
	size    int      // bytes of them
	crlf    int      // how many of them end so
	latin   int      // how many of them are not UTF-8
	cutAt   int      // bytes that are kept of a line which is longer than the budget; zero: no such line
	full    bool     // the budget is spent
	total   int
	open    bool // the last line has no ending
	bytes   int64
	enc     textenc.Encoding
	head    []byte // of a binary file
	line    []byte // start of the current line, when it is wanted
	lineLen int    // of all of it
}

func newLines(first, limit, budget int, hashes bool) *lines {
	return &lines{first: max(first, 1), limit: max(limit, 0), budget: max(budget, 1), hashes: hashes}
}

// counter counts what is read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// read goes through the whole stream.
func (l *lines) read(ctx context.Context, r io.Reader) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	count := &counter{r: r}
	buffered := bufio.NewReaderSize(count, chunkSize)
	head, err := buffered.Peek(textenc.SniffLen)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	defer func() { l.bytes = count.n }()
	if l.enc = textenc.Sniff(head); l.enc == textenc.Binary {
		l.head = bytes.Clone(head)
		return nil
	}
	text := textenc.Reader(buffered, l.enc)
	chunk := make([]byte, chunkSize)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := io.ReadFull(text, chunk)
		l.take(chunk[:n])
		switch {
		case err == nil:
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			if l.lineLen > 0 { // the last line need not end in a newline
				l.open = true
				l.endLine()
			}
			return nil
		default:
			return err
		}
	}
}

// take goes through a piece of the text.
func (l *lines) take(p []byte) {
	for len(p) > 0 {
		if !l.wanted() && l.skip(p) {
			return
		}
		part := p
		i := bytes.IndexByte(p, '\n')
		if i >= 0 {
			part = p[:i+1]
		}
		p = p[len(part):]
		if l.wanted() {
			// More than fits, to know that it does not: an ending and one byte.
			room := l.budget + 3 - len(l.line)
			l.line = append(l.line, part[:min(len(part), max(room, 0))]...)
		}
		l.lineLen += len(part)
		if i >= 0 {
			l.endLine()
		}
	}
}

// skip counts the lines of p at once when none of them is wanted.
func (l *lines) skip(p []byte) bool {
	n := bytes.Count(p, []byte{'\n'})
	if before := l.first - 1 - l.total; before > 0 && n >= before && !l.full {
		return false
	}
	l.total += n
	if n > 0 {
		l.lineLen = 0
	}
	l.lineLen += len(p) - 1 - bytes.LastIndexByte(p, '\n')
	return true
}

// wanted reports whether the current line is to be shown.
func (l *lines) wanted() bool {
	number := l.total + 1
	return !l.full && number >= l.first && (l.limit == 0 || number-l.first < l.limit)
}

// cost is how many bytes the kept lines and one more take.
func (l *lines) cost(more int) int {
	n := len(l.kept) + 1
	size := l.size + more + n
	if l.hashes {
		size += n * (hashline.Digits(l.first+n-1) + 2 + hashline.Len)
	}
	return size
}

// endLine keeps the current line if it is wanted and fits.
func (l *lines) endLine() {
	if l.wanted() {
		complete := len(l.line) == l.lineLen
		raw := strings.TrimSuffix(string(l.line), "\n")
		end := strings.HasSuffix(raw, "\r") && len(raw) < len(l.line)
		if end {
			raw = raw[:len(raw)-1]
		}
		if !complete { // may end inside a character
			for range utf8.UTFMax - 1 {
				if r, size := utf8.DecodeLastRuneInString(raw); r != utf8.RuneError || size != 1 {
					break
				}
				raw = raw[:len(raw)-1]
			}
		}
		text, latin := textenc.Line(raw)
		switch {
		case complete && l.cost(len(text)) <= l.budget:
			l.keep(text, end, latin)
		case len(l.kept) == 0: // not even one line fits
			n := min(len(text), max(l.budget-20, 1))
			for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
				n--
			}
			l.keep(text[:n], end, latin)
			l.cutAt, l.full = n, true
		default:
			l.full = true
		}
	}
	l.total++
	l.line, l.lineLen = l.line[:0], 0
}

func (l *lines) keep(text string, crlf, latin bool) {
	l.kept = append(l.kept, text)
	l.size += len(text)
	if crlf {
		l.crlf++
	}
	if latin {
		l.latin++
	}
}

// last is the number of the last line that is shown.
func (l *lines) last() int { return l.first + len(l.kept) - 1 }

// encoding is what is known of the encoding from what is shown.
func (l *lines) encoding() textenc.Encoding {
	if l.latin > 0 && l.enc == textenc.UTF8 {
		return textenc.Latin1
	}
	return l.enc
}

// header says what is shown, of how much, and how to go on.
func (l *lines) header() string {
	var notes []string
	if l.cutAt > 0 {
		notes = append(notes, fmt.Sprintf("line %d of %d, cut to its first %d bytes", l.last(), l.total, l.cutAt))
		if l.hashes {
			notes[0] += " and without an anchor"
		}
	} else {
		notes = append(notes, fmt.Sprintf("lines %d-%d of %d", l.first, l.last(), l.total))
	}
	if e := l.encoding(); e != textenc.UTF8 {
		notes = append(notes, e.String())
	}
	switch l.crlf {
	case 0:
	case len(l.kept):
		notes = append(notes, "CRLF")
	default:
		notes = append(notes, "CRLF and LF mixed")
	}
	if l.open && l.last() == l.total && l.cutAt == 0 {
		notes = append(notes, "no newline at the end")
	}
	if l.last() < l.total {
		notes = append(notes, fmt.Sprintf("go on with offset %d", l.last()+1))
	}
	return "[" + strings.Join(notes, "; ") + "]\n"
}

// body is the lines themselves.
func (l *lines) body() string {
	if !l.hashes {
		return strings.Join(l.kept, "\n")
	}
	if l.cutAt > 0 {
		return fmt.Sprintf("%d:%s", l.first, l.kept[0])
	}
	width := hashline.Digits(l.last())
	b := make([]byte, 0, l.size+len(l.kept)*(width+3+hashline.Len))
	for i, line := range l.kept {
		if i > 0 {
			b = append(b, '\n')
		}
		b = hashline.Append(b, line, l.first+i, width)
	}
	return string(b)
}
