package proc

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Output is what was kept of a stream.
type Output struct {
	// Head is the beginning, and everything if nothing was left out; Tail is the
	// end. Neither begins or ends within a character at the border.
	Head, Tail []byte
	// Total counts all bytes that were written.
	Total int64
	// Truncated says that something was left out between Head and Tail.
	Truncated bool
}

// Dropped counts the bytes that were left out.
func (o Output) Dropped() int64 { return o.Total - int64(len(o.Head)) - int64(len(o.Tail)) }

// String is the output as text, with a line that says where how much is missing.
func (o Output) String() string {
	if !o.Truncated {
		return Decode(o.Head)
	}
	var b strings.Builder
	b.WriteString(Decode(o.Head))
	if n := len(o.Head); n > 0 && o.Head[n-1] != '\n' {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "[... %d of %d bytes left out ...]\n", o.Dropped(), o.Total)
	b.WriteString(Decode(o.Tail))
	return b.String()
}

// Decode reads bytes as UTF-8 and puts U+FFFD in the place of what is not.
func Decode(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// A Decoder is Decode for output that comes in pieces: a character that is cut by
// the border of two pieces comes whole with the second.
type Decoder struct{ rest []byte }

// Text decodes the next piece.
func (d *Decoder) Text(b []byte) string {
	if len(d.rest) > 0 {
		b = append(d.rest, b...)
		d.rest = nil
	}
	n := unfinished(b)
	d.rest = append(d.rest, b[len(b)-n:]...)
	return Decode(b[:len(b)-n])
}

// End decodes what is left when no more will come.
func (d *Decoder) End() string {
	s := Decode(d.rest)
	d.rest = nil
	return s
}

// unfinished counts the bytes at the end that begin a character and do not end it.
func unfinished(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if end := b[len(b)-n:]; utf8.RuneStart(end[0]) {
			if utf8.FullRune(end) {
				return 0
			}
			return n
		}
	}
	return 0
}

// A capture keeps the first and the last bytes of a stream.
type capture struct {
	headMax, tailMax int
	head, tail       []byte
	at               int // where the oldest byte of a full tail is
	total            int64
}

func newCapture(limit int) capture {
	limit = max(limit, 0)
	return capture{headMax: limit / 2, tailMax: limit - limit/2}
}

func (c *capture) add(b []byte) {
	c.total += int64(len(b))
	n := min(len(b), c.headMax-len(c.head))
	c.head = append(c.head, b[:n]...)
	b = b[n:]
	if len(b) > c.tailMax {
		b = b[len(b)-c.tailMax:]
	}
	n = min(len(b), c.tailMax-len(c.tail))
	c.tail = append(c.tail, b[:n]...)
	for b = b[n:]; len(b) > 0; b = b[n:] {
		n = copy(c.tail[c.at:], b)
		c.at = (c.at + n) % c.tailMax
	}
}

func (c *capture) output() Output {
	tail := append(append([]byte(nil), c.tail[c.at:]...), c.tail[:c.at]...)
	o := Output{Head: c.head, Tail: tail, Total: c.total}
	if o.Dropped() == 0 {
		o.Head, o.Tail = append(o.Head, tail...), nil
		return o
	}
	o.Truncated = true
	o.Head = o.Head[:len(o.Head)-unfinished(o.Head)]
	for n := 0; n < utf8.UTFMax-1 && len(o.Tail) > 0 && !utf8.RuneStart(o.Tail[0]); n++ {
		o.Tail = o.Tail[1:]
	}
	return o
}
