// Package frame shows a place in a source text to people.
package frame

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

const (
	context = 2   // lines before and after
	width   = 160 // runes of a line that are shown
)

// Draw draws the lines around a 1-based position and marks the column, which
// counts UTF-16 units, as editors and source maps do. A line that the text does
// not have gives "".
func Draw(text string, line, column int) string {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	first, last := max(1, line-context), min(len(lines), line+context)
	for last > line && strings.TrimSpace(lines[last-1]) == "" {
		last--
	}
	digits := len(fmt.Sprint(last))
	var b strings.Builder
	for n := first; n <= last; n++ {
		src := []rune(strings.TrimRight(strings.ReplaceAll(lines[n-1], "\t", " "), "\r"))
		if n == line && column > 0 {
			column = runeColumn(src, column)
		}
		from := 0
		if n == line && column > width-20 {
			from = min(column-width/2, len(src)) // a long line is shown around its column
		}
		shown := src[from:min(len(src), from+width)]
		mark := " "
		if n == line {
			mark = ">"
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("%s %*d | %s", mark, digits, n, string(shown)), " ") + "\n")
		if n == line && column > 0 && column-1-from <= len(shown) {
			fmt.Fprintf(&b, "  %s | %s^\n", strings.Repeat(" ", digits), strings.Repeat(" ", column-1-from))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// runeColumn turns a column of UTF-16 units into one of runes.
func runeColumn(line []rune, column int) int {
	n := 1
	for _, r := range line {
		if column -= max(utf16.RuneLen(r), 1); column < 1 {
			return n
		}
		n++
	}
	return n + column - 1
}
