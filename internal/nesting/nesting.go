// Package nesting finds source text that is nested too deeply for a parser that
// recurses: a stack that overflows in Go ends the process. Bundling asks before
// esbuild parses a file, and a sandbox before the engine parses what code made.
package nesting

import (
	"bytes"
	"fmt"
)

// Real code stays far below these.
const (
	maxNesting = 1000   // brackets inside brackets
	maxChain   = 1000   // operators in one expression without a bracket around
	maxOpen    = 20_000 // operators that wait for their end in all brackets that are open
	maxRaw     = 3000   // brackets when nothing is taken for a string or comment
)

// Excess is where a text goes too deep.
type Excess struct {
	Offset    int    // in bytes
	Line      int    // from 1
	LineStart int    // offset of the line
	Limit     string // what is exceeded, such as "1000 levels"
}

// Find looks for the first place where JavaScript or TypeScript source nests too
// deeply, and gives nil where it does not. It knows strings and comments only
// roughly: a bracket in a regular expression counts, which no real file gets near
// the limit with. What looks like a string or comment but is none (a quote in a
// regular expression) could hide the rest of a file, so the brackets are counted
// once more without that knowledge.
func Find(text []byte) *Excess {
	type level struct{ chain, elses int }
	open := 0 // operators of all levels
	add := func(l *level) (tooMany bool) { l.chain++; open++; return l.chain > maxChain || open > maxOpen }
	reset := func(l *level) { open -= l.chain; l.chain = 0 }
	stack := []level{{}}
	line, lineStart := 1, 0
	last := byte(';') // the last byte that is no blank; an operator's stands for a keyword
	refuse := func(at int, what string) *Excess {
		return &Excess{Offset: at, Line: line, LineStart: lineStart, Limit: what}
	}
	for i := 0; i < len(text); i++ {
		top := &stack[len(stack)-1]
		switch c := text[i]; c {
		case '\n':
			line, lineStart = line+1, i+1
			if endsOperand(last) && startsOperand(text, i+1) {
				reset(top) // a statement without its semicolon
			}
			continue
		case ' ', '\t', '\r':
			continue
		case '"', '\'':
			i = skipString(text, i)
		case '/':
			if i+1 < len(text) && text[i+1] == '/' {
				if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
					i += n - 1
				} else {
					i = len(text)
				}
				continue
			} else if i+1 < len(text) && text[i+1] == '*' {
				if n := bytes.Index(text[i+2:], []byte("*/")); n >= 0 {
					body := text[i : i+2+n]
					if nl := bytes.LastIndexByte(body, '\n'); nl >= 0 {
						line, lineStart = line+bytes.Count(body, []byte{'\n'}), i+nl+1
					}
					i += n + 3
				}
				continue
			}
		case '(', '[', '{':
			if stack = append(stack, level{}); len(stack) > maxNesting {
				return refuse(i, levels)
			}
			// A call, an index, or the head of a statement.
			if c != '{' && endsOperand(last) {
				if top = &stack[len(stack)-2]; add(top) {
					return refuse(i, operators)
				}
			}
		case ')', ']', '}':
			if len(stack) > 1 {
				open -= top.chain + top.elses
				stack = stack[:len(stack)-1]
			}
		case ';', ',':
			reset(top)
		case '!', '~', '+', '-', '=', '?', '*', ':', '.', '<', '&', '|', '^', '%':
			if add(top) {
				return refuse(i, operators)
			}
		case 'e', 't', 'v', 'd', 'n', 'a', 'y':
			switch word := keyword(text, i); word {
			case "else":
				open++
				if top.elses++; top.elses > maxChain || open > maxOpen {
					return refuse(i, operators)
				}
			case "typeof", "void", "delete", "new", "await", "yield", "do":
				if add(top) {
					return refuse(i, operators)
				}
				i += len(word) - 1
				last = '!'
				continue
			}
		}
		if i < len(text) {
			last = text[i]
		}
	}
	if at := rawNesting(text); at >= 0 {
		line = 1 + bytes.Count(text[:at], []byte{'\n'})
		lineStart = 1 + bytes.LastIndexByte(text[:at], '\n')
		return refuse(at, levels)
	}
	return nil
}

var levels, operators = fmt.Sprintf("%d levels", maxNesting), fmt.Sprintf("%d operators in a row", maxChain)

// rawNesting returns where more than maxRaw brackets are open, or -1.
func rawNesting(text []byte) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '(', '[', '{':
			if depth++; depth > maxRaw {
				return i
			}
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
	}
	return -1
}

func endsOperand(c byte) bool {
	return isWord(c) || c == ')' || c == ']' || c == '}' || c == '"' || c == '\'' || c == '`'
}

func startsOperand(text []byte, i int) bool {
	for ; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return isWord(c) || c == '{' || c == '}' || c == '"' || c == '\'' || c == '/' || c == '@' || c == '#'
		}
	}
	return true
}

var prefixWords = []string{"else", "typeof", "void", "delete", "new", "await", "yield", "do"}

func keyword(text []byte, i int) string {
	if i > 0 && isWord(text[i-1]) {
		return ""
	}
	for _, w := range prefixWords {
		if bytes.HasPrefix(text[i:], []byte(w)) && (i+len(w) == len(text) || !isWord(text[i+len(w)])) {
			return w
		}
	}
	return ""
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// skipString returns the index of the closing quote, or of the line's end where
// there is none.
func skipString(text []byte, i int) int {
	quote := text[i]
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case quote:
			return j
		case '\n':
			return j - 1
		}
	}
	return len(text)
}
