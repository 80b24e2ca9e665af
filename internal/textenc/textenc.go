// Package textenc finds out how a text is encoded, and turns it into UTF-8 and
// back to the byte.
package textenc

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Encoding is how a text is written.
type Encoding uint8

// The encodings. Latin1 is what a text is taken for that is not UTF-8: each byte
// is the character of that number, so that nothing is lost.
const (
	UTF8 Encoding = iota
	UTF8BOM
	UTF16LE // with a byte order mark, as is UTF16BE
	UTF16BE
	Latin1
	Mixed // lines of UTF-8 and lines of Latin1
	Binary
)

// String is the usual name.
func (e Encoding) String() string {
	return [...]string{"UTF-8", "UTF-8 with BOM", "UTF-16LE", "UTF-16BE", "Latin-1", "UTF-8 and Latin-1 mixed", "binary"}[e]
}

const (
	// Mark is the byte order mark of UTF-8.
	Mark = "\xef\xbb\xbf"
	// SniffLen is how much of a file Sniff wants to see.
	SniffLen = 8 << 10
)

// Sniff says what the first bytes of a file tell: a byte order mark, or a NUL,
// which makes it binary. It does not tell UTF-8 from Latin-1.
func Sniff(head []byte) Encoding {
	switch {
	case bytes.HasPrefix(head, []byte(Mark)):
		return UTF8BOM
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}) && !bytes.HasPrefix(head, []byte{0xff, 0xfe, 0, 0}):
		return UTF16LE
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return UTF16BE
	case bytes.IndexByte(head[:min(len(head), SniffLen)], 0) >= 0:
		return Binary
	default:
		return UTF8
	}
}

// MIMEType guesses what a binary file is.
func MIMEType(head []byte) string {
	t, _, _ := strings.Cut(http.DetectContentType(head), ";")
	return t
}

// Reader takes a byte order mark off r and turns UTF-16 into UTF-8 as it reads.
// What is not UTF-8 stays what it is; see Line.
func Reader(r io.Reader, e Encoding) io.Reader {
	switch e {
	case UTF16LE:
		return transform.NewReader(r, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder())
	case UTF16BE:
		return transform.NewReader(r, unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder())
	case UTF8BOM:
		return &skipper{r: r, n: len(Mark)}
	default:
		return r
	}
}

type skipper struct {
	r io.Reader
	n int
}

func (s *skipper) Read(p []byte) (int, error) {
	for s.n > 0 {
		n, err := s.r.Read(make([]byte, s.n))
		if s.n -= n; err != nil {
			return 0, err
		}
	}
	return s.r.Read(p)
}

// Line is a line as text: as it is where it is UTF-8, else taken for Latin-1,
// and latin tells so.
func Line(line string) (text string, latin bool) {
	if utf8.ValidString(line) {
		return line, false
	}
	b := make([]rune, len(line))
	for i := 0; i < len(line); i++ {
		b[i] = rune(line[i])
	}
	return string(b), true
}

// Decode finds the encoding of a whole text and gives the text without its byte
// order mark: UTF-8, but for the lines in Latin-1, which stay bytes. Bytes that
// cannot be brought back by Encode are an error.
func Decode(data []byte) (text string, e Encoding, err error) {
	e = Sniff(data)
	switch e {
	case Binary:
		return "", e, fmt.Errorf("it is not text: %s", MIMEType(data))
	case UTF16LE, UTF16BE:
		out, err := io.ReadAll(Reader(bytes.NewReader(data), e))
		if err != nil {
			return "", e, err
		}
		text = string(out)
		if back, err := Encode(text, e); err != nil || !bytes.Equal(back, data) {
			return "", e, fmt.Errorf("it is damaged %s, which could not be written back as it was", e)
		}
		return text, e, nil
	}
	text = string(data)
	if e == UTF8BOM {
		text = text[len(Mark):]
	}
	if utf8.ValidString(text) {
		return text, e, nil
	}
	if e == UTF8BOM {
		return text, Mixed, fmt.Errorf("it starts with the mark of UTF-8 and holds bytes that are not UTF-8")
	}
	e = Latin1
	for line := range strings.Lines(text) {
		if utf8.ValidString(line) && !ascii(line) {
			e = Mixed
		}
	}
	return text, e, nil
}

// Encode brings a decoded text back into its encoding. Lines in Latin-1 are
// bytes already; see FromUTF8 for new ones.
func Encode(text string, e Encoding) ([]byte, error) {
	switch e {
	case UTF8BOM:
		return append([]byte(Mark), text...), nil
	case UTF16LE:
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(text))
	case UTF16BE:
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(text))
	default:
		return []byte(text), nil
	}
}

// FromUTF8 turns new text into what stands in a decoded text of that encoding.
func FromUTF8(s string, e Encoding) (string, error) {
	if e != Latin1 && e != Mixed || ascii(s) {
		return s, nil
	}
	if e == Mixed {
		return "", fmt.Errorf("the file mixes UTF-8 and Latin-1, so that it is unclear how to write %q: use ASCII, or convert the file first", firstOther(s, 0x7f))
	}
	b := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xff {
			return "", fmt.Errorf("the file is Latin-1, which has no %q: leave it out, or convert the file to UTF-8 first", r)
		}
		b = append(b, byte(r))
	}
	return string(b), nil
}

func firstOther(s string, most rune) rune {
	for _, r := range s {
		if r > most {
			return r
		}
	}
	return 0
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
