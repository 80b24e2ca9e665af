// Package hashline makes and reads the anchors by which a model names lines:
// the line's number and a short hash of its text, as in 12#KYNT.
package hashline

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// alphabet has the 16 letters that a hash is written in.
const alphabet = "ZPMQVRWSNKTXJBYH"

// Len is the number of letters of a hash.
const Len = 4

// Hash is the hash of a line without its ending. A line that has neither letter
// nor digit has that of its number, counted from 1: it says nothing of the text.
func Hash(line string, number int) string {
	if Telling(line) {
		var seed uint32
		for i := 0; i < len(line); i++ {
			seed = seed*31 + uint32(line[i])
		}
		return letters(seed)
	}
	return Blank(number)
}

// Blank is the hash of a line of that number which has neither letter nor digit.
func Blank(number int) string { return letters(uint32(number)) }

// Telling reports whether the hash of a line tells its text: whether the line
// has a letter or a digit.
func Telling(line string) bool {
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
			return true
		case c >= utf8.RuneSelf:
			return strings.ContainsFunc(line[i:], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
		}
	}
	return false
}

func letters(seed uint32) string {
	return string([]byte{alphabet[seed&15], alphabet[seed>>4&15], alphabet[seed>>8&15], alphabet[seed>>12&15]})
}

// Anchor names a line.
type Anchor struct {
	Line int // from 1
	Hash string
}

// String is the anchor as a model writes it.
func (a Anchor) String() string { return strconv.Itoa(a.Line) + "#" + a.Hash }

// Parse reads an anchor. What a model copies along with it, the spaces before
// and a colon with the line's text after, is let pass.
func Parse(s string) (Anchor, error) {
	number, rest, ok := strings.Cut(strings.TrimSpace(s), "#")
	bad := func(why string) (Anchor, error) {
		return Anchor{}, fmt.Errorf("%q is no anchor: %s; expected LINE#HASH as read_file shows it, such as 12#KYNT", clip(s), why)
	}
	if !ok {
		return bad("it has no #")
	}
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil || n == 0 {
		return bad("before the # stands no line number")
	}
	hash, _, _ := strings.Cut(rest, ":")
	hash = strings.TrimSpace(hash)
	if len(hash) != Len || strings.Trim(hash, alphabet) != "" {
		return bad(fmt.Sprintf("after the # stand no %d letters of %s", Len, alphabet))
	}
	return Anchor{Line: int(n), Hash: hash}, nil
}

func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// Append writes a line with its anchor, the number right-aligned in width.
func Append(b []byte, line string, number, width int) []byte {
	digits := Digits(number)
	for range width - digits {
		b = append(b, ' ')
	}
	b = strconv.AppendInt(b, int64(number), 10)
	b = append(b, '#')
	b = append(b, Hash(line, number)...)
	b = append(b, ':')
	return append(b, line...)
}

// Digits is how many digits a line number has.
func Digits(n int) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return d
}
