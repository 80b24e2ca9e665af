package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	headerRoom = 200     // bytes that the line about a part of a file may take
	sniffLen   = 8 << 10 // a NUL in the first so many bytes makes a file binary
	chunkSize  = 64 << 10
)

// lines picks a range of lines out of a stream, in memory that depends on the
// range and the budget alone, and counts the rest.
type lines struct {
	first  int // 1-based
	limit  int // zero: no limit
	budget int // bytes of text

	buf    strings.Builder
	kept   int  // lines in buf
	cutAt  int  // bytes that are kept of a line which is longer than the budget; zero: no such line
	full   bool // the budget is spent
	total  int
	bytes  int64
	binary bool

	line    []byte // start of the current line, when it is wanted
	lineLen int    // of all of it
}

func newLines(first, limit, budget int) *lines {
	return &lines{first: max(first, 1), limit: max(limit, 0), budget: max(budget, 1)}
}

// read goes through the whole stream.
func (l *lines) read(ctx context.Context, r io.Reader) error {
	chunk := make([]byte, chunkSize)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := io.ReadFull(r, chunk)
		if l.bytes == 0 && bytes.IndexByte(chunk[:min(n, sniffLen)], 0) >= 0 {
			l.binary = true
		}
		l.bytes += int64(n)
		if !l.binary {
			l.take(chunk[:n])
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			if l.lineLen > 0 { // the last line need not end in a newline
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
		part := p
		i := bytes.IndexByte(p, '\n')
		if i >= 0 {
			part = p[:i+1]
		}
		p = p[len(part):]
		if l.wanted() {
			// One byte more than fits, to know that it does not.
			room := l.budget + 1 - len(l.line)
			l.line = append(l.line, part[:min(len(part), max(room, 0))]...)
		}
		l.lineLen += len(part)
		if i >= 0 {
			l.endLine()
		}
	}
}

// wanted reports whether the current line is to be shown.
func (l *lines) wanted() bool {
	number := l.total + 1
	return !l.full && number >= l.first && (l.limit == 0 || number-l.first < l.limit)
}

// endLine keeps the current line if it is wanted and fits.
func (l *lines) endLine() {
	if l.wanted() {
		text := strings.ToValidUTF8(string(l.line), "\uFFFD") // here, for it can be longer
		complete := len(l.line) == l.lineLen
		switch {
		case complete && l.buf.Len()+len(text) <= l.budget:
			l.buf.WriteString(text)
			l.kept++
		case l.kept == 0: // not even one line fits
			n := min(len(text), l.budget)
			for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
				n--
			}
			l.buf.WriteString(text[:n])
			l.kept, l.cutAt, l.full = 1, n, true
		default:
			l.full = true
		}
	}
	l.total++
	l.line, l.lineLen = l.line[:0], 0
}

// text is the picked text, below a line that says what it is where it is not
// all.
func (l *lines) text() string {
	last := l.first + l.kept - 1
	switch {
	case l.binary:
		return fmt.Sprintf("[binary file of %d bytes, not shown]", l.bytes)
	case l.total == 0:
		return "[empty file]"
	case l.cutAt > 0:
		s := fmt.Sprintf("[line %d of %d, cut to its first %d bytes%s]\n", last, l.total, l.cutAt, l.next(last))
		return s + l.buf.String()
	case l.kept < l.total:
		return fmt.Sprintf("[lines %d-%d of %d%s]\n", l.first, last, l.total, l.next(last)) + l.buf.String()
	default:
		return l.buf.String()
	}
}

// next says how to go on after a line.
func (l *lines) next(last int) string {
	if last >= l.total {
		return ""
	}
	return fmt.Sprintf("; go on with offset %d", last+1)
}
