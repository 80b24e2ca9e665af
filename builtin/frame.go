package builtin

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
	"unicode"
)

// frame puts text that comes from a file between two lines that say so. The
// second one carries a word that is new in every call, so that no file can hold
// it and make what follows look like ours.
func frame(file, body string) string {
	word := newWord()
	for strings.Contains(body, word) {
		word = newWord()
	}
	var b strings.Builder
	b.Grow(len(body) + len(file) + 64)
	b.WriteString("<context")
	if file != "" {
		b.WriteString(` file="` + attribute(file) + `"`)
	}
	b.WriteString(` end="` + word + "\">\n")
	b.WriteString(body)
	if !strings.HasSuffix(body, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString("<context:end " + word + ">")
	return b.String()
}

// frameRoom is how many bytes a frame adds to its text, at most.
func frameRoom(file string) int { return 64 + len(attribute(file)) }

func newWord() string {
	var b [5]byte
	_, _ = rand.Read(b[:]) // never fails
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
}

// attribute writes a value for use between quotes.
func attribute(s string) string {
	return escaper.Replace(printable(s))
}

var escaper = strings.NewReplacer(`&`, "&amp;", `"`, "&quot;", `<`, "&lt;", `>`, "&gt;")

// printable is a file's name on one line: what is not seen in it is replaced.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
