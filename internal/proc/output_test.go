package proc

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestCaptureKeepsBothEnds(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 30)
	for limit := range 24 {
		for piece := 1; piece < 40; piece++ {
			for total := range 60 {
				c := newCapture(limit)
				for rest := text[:total]; rest != ""; {
					n := min(piece, len(rest))
					c.add([]byte(rest[:n]))
					rest = rest[n:]
				}
				o := c.output()
				if total <= limit {
					if string(o.Head) != text[:total] || len(o.Tail) > 0 || o.Truncated {
						t.Fatal(limit, piece, total, o)
					}
					continue
				}
				head := limit / 2
				if string(o.Head) != text[:head] || string(o.Tail) != text[total-(limit-head):total] || !o.Truncated || o.Total != int64(total) {
					t.Fatal(limit, piece, total, o)
				}
			}
		}
	}
}

func TestNoCharacterIsCutAtTheBorder(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("aé漢\U0001F600", 20)
	for limit := range 60 {
		c := newCapture(limit)
		c.add([]byte(text))
		o := c.output()
		assert.True(t, utf8.Valid(o.Head), limit)
		assert.True(t, utf8.Valid(o.Tail), limit)
		assert.Equal(t, int64(len(text)), o.Dropped()+int64(len(o.Head)+len(o.Tail)))
		assert.LessOrEqual(t, limit-len(o.Head)-len(o.Tail), 6)
		assert.NotContains(t, o.String(), "\uFFFD")
	}
}

func TestBytesThatAreNoTextStayAtTheBorder(t *testing.T) {
	t.Parallel()
	c := newCapture(8)
	c.add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
	o := c.output()
	assert.Equal(t, []byte("\xff\xff\xff\xff"), o.Head)
	assert.Equal(t, "\uFFFD\n[... 4 of 12 bytes left out ...]\n\uFFFD", o.String())
}

func TestDecoder(t *testing.T) {
	t.Parallel()
	text := "aé漢\U0001F600\xffz\xe6\xbc"
	for size := 1; size < 12; size++ {
		var d Decoder
		var b strings.Builder
		for rest := []byte(text); len(rest) > 0; {
			n := min(size, len(rest))
			b.WriteString(d.Text(rest[:n]))
			rest = rest[n:]
		}
		b.WriteString(d.End())
		assert.Equal(t, "aé漢\U0001F600\uFFFDz\uFFFD", b.String(), size)
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte("aé漢\xff"), 2)
	f.Add([]byte("\xf0\x9f\x98"), 1)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		size = max(1, size)
		var d Decoder
		got := ""
		for rest := data; len(rest) > 0; {
			n := min(size, len(rest))
			s := d.Text(rest[:n])
			if !utf8.ValidString(s) {
				t.Fatalf("%q is no text", s)
			}
			got += s
			rest = rest[n:]
		}
		got += d.End()
		squeeze := func(s string) string { // runs of U+FFFD may be cut differently
			for strings.Contains(s, "\uFFFD\uFFFD") {
				s = strings.ReplaceAll(s, "\uFFFD\uFFFD", "\uFFFD")
			}
			return s
		}
		if squeeze(got) != squeeze(Decode(data)) {
			t.Fatalf("%q in pieces of %d: %q", data, size, got)
		}
	})
}
