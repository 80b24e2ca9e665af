// Package grep finds the lines of a text that match a regular expression of Go,
// in time that grows with the text alone. What a match must contain is searched
// for first, which is many times as fast as the expression itself.
package grep

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Options say how a pattern is meant.
type Options struct {
	Literal    bool // the pattern is plain text
	IgnoreCase bool
	Multiline  bool // a match may span lines, and . matches a line break too
}

// Pattern is a compiled pattern. It is safe for concurrent use.
type Pattern struct {
	re        *regexp.Regexp
	needles   []needle   // each match contains one of them; nil: not known
	sets      []*byteSet // of each of which a match has a byte, where needles tell little
	plain     bool       // each of the needles is a match
	multiline bool
}

// maxPattern is how long a pattern may be, in bytes.
const maxPattern = 10_000

// Compile reads a pattern.
func Compile(expr string, o Options) (*Pattern, error) {
	if len(expr) > maxPattern {
		return nil, fmt.Errorf("it has %d bytes, more than the %d that a pattern may have", len(expr), maxPattern)
	}
	full := expr
	if o.Literal {
		full = regexp.QuoteMeta(expr)
	}
	flags := ""
	if o.IgnoreCase {
		flags += "i"
	}
	if o.Multiline {
		flags += "ms"
	}
	if flags != "" {
		full = "(?" + flags + ")" + full
	}
	tree, err := syntax.Parse(full, syntax.Perl)
	if err != nil {
		return nil, explain(err)
	}
	if !o.Multiline && hasNewline(tree) {
		return nil, errors.New("it has a line break in it, which no single line has: set multiline, or search for one line")
	}
	re, err := regexp.Compile(full)
	if err != nil {
		return nil, explain(err)
	}
	p := &Pattern{re: re, multiline: o.Multiline}
	simple := tree.Simplify()
	p.needles = newNeedles(required(simple))
	if wants := required(simple); wants == nil || shortest(wants) == 1 {
		if p.sets = requiredSets(simple); len(p.sets) > 0 {
			p.needles = nil
		}
	}
	p.plain = simple.Op == syntax.OpLiteral && len(p.needles) == 1 && !p.needles[0].fold && !o.Multiline
	return p, nil
}

// explain says what the syntax lacks where a pattern of another engine was
// meant.
func explain(err error) error {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return err
	}
	lacks := ""
	switch {
	case e.Code == syntax.ErrInvalidPerlOp && strings.HasPrefix(e.Expr, "(?>"),
		e.Code == syntax.ErrInvalidRepeatOp && strings.HasSuffix(e.Expr, "+") && len(e.Expr) > 1:
		lacks = "atomic groups and possessive repeats are not offered, and not needed: matching takes linear time"
	case e.Code == syntax.ErrInvalidPerlOp && (strings.HasPrefix(e.Expr, "(?=") || strings.HasPrefix(e.Expr, "(?!")),
		strings.HasPrefix(e.Expr, "(?<=") || strings.HasPrefix(e.Expr, "(?<!"):
		lacks = "look-around is not offered (matching takes linear time): match more and pick from the lines found"
	case e.Code == syntax.ErrInvalidEscape && len(e.Expr) == 2 && e.Expr[1] >= '1' && e.Expr[1] <= '9':
		lacks = "back-references are not offered (matching takes linear time): write out what may be repeated"
	case e.Code == syntax.ErrMissingParen, e.Code == syntax.ErrUnexpectedParen, e.Code == syntax.ErrMissingBracket, e.Code == syntax.ErrMissingRepeatArgument:
		lacks = `put a backslash before characters that are meant literally, or set literal`
	case e.Code == syntax.ErrInvalidEscape:
		lacks = "the syntax is that of Go (RE2)"
	}
	text := e.Code.String() + ": " + "`" + e.Expr + "`"
	if lacks != "" {
		text += "; " + lacks
	}
	return errors.New(text)
}

// hasNewline reports whether every match holds a line break.
func hasNewline(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '\n' {
				return true
			}
		}
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, sub := range re.Sub {
			if hasNewline(sub) {
				return true
			}
		}
	}
	return false
}
