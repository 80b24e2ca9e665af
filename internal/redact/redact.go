// Package redact takes secrets out of text: tokens of well-known families, what
// is assigned to a name like password, patterns of the user's own, and secrets
// known by value.
//
// It errs on the side of leaving ordinary text alone: families have word
// boundaries and least lengths, and a value that nothing but its name marks as
// a secret must look random. Finding takes linear time.
package redact

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// MinSecret is the least length of [Options.Secrets]: a shorter one would
// occur in ordinary text.
const MinSecret = 4

// maxPasses bounds how often a text is looked at again after something was
// taken out of it, which can make its surroundings match. Only patterns of a
// user's own ever need more than two.
const maxPasses = 16

// Options configure a [Redactor].
type Options struct {
	// Patterns are regular expressions (RE2) of more secrets.
	Patterns []string
	// Secrets are known by value. They are found verbatim, and escaped as in
	// JSON or a URL. Empty ones are ignored.
	Secrets []string
	// Disabled leaves everything alone but the secrets that are known by value:
	// Secrets, and those of [Redactor.Add]. Patterns are checked all the same.
	Disabled bool
}

// Redactor finds secrets. It is safe for concurrent use.
type Redactor struct {
	disabled bool // knows values alone
	families *index
	values   *values
	patterns []*regexp.Regexp // none where it is disabled
}

// PatternError is a pattern that cannot be used.
type PatternError struct {
	Index   int    // in Options.Patterns
	Pattern string //
	Offset  int    // byte offset of what is wrong, or -1 for the whole pattern
	Reason  string
}

// Error implements error.
func (e *PatternError) Error() string {
	at := ""
	if e.Offset >= 0 {
		at = fmt.Sprintf(" at column %d", utf8.RuneCountInString(e.Pattern[:e.Offset])+1)
	}
	return fmt.Sprintf("redaction pattern %d, %q: %s%s", e.Index+1, e.Pattern, e.Reason, at)
}

// New makes a redactor.
func New(o Options) (*Redactor, error) {
	r := &Redactor{disabled: o.Disabled, families: builtin(), values: &values{}}
	for i, p := range o.Patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, patternError(i, p, err)
		}
		if re.MatchString("") {
			return nil, &PatternError{Index: i, Pattern: p, Offset: -1, Reason: "it matches the empty text, and so everywhere"}
		}
		if !o.Disabled {
			r.patterns = append(r.patterns, re)
		}
	}
	for i, s := range o.Secrets {
		if s != "" && len(s) < MinSecret {
			return nil, fmt.Errorf("secret %d to redact has %d bytes; at least %d are needed, or ordinary text would be redacted", i+1, len(s), MinSecret)
		}
	}
	r.Add(o.Secrets...)
	return r, nil
}

func patternError(i int, pattern string, err error) error {
	e := &PatternError{Index: i, Pattern: pattern, Offset: -1, Reason: err.Error()}
	var se *syntax.Error
	if errors.As(err, &se) {
		e.Reason = se.Code.String()
		switch {
		case se.Code == syntax.ErrMissingParen, se.Code == syntax.ErrUnexpectedParen:
			e.Offset = oddParen(pattern)
		case se.Expr != "":
			e.Offset = strings.Index(pattern, se.Expr)
		}
	}
	return e
}

// oddParen finds the parenthesis without a partner.
func oddParen(pattern string) int {
	var open []int
	class := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			open = append(open, i)
		case c == ')':
			if len(open) == 0 {
				return i
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1]
}

// Redact replaces every secret by a label such as [REDACTED:github_token]. The
// text around it stays as it is, and JSON stays JSON. Redacting again changes
// nothing.
func (r *Redactor) Redact(text string) string {
	for range maxPasses {
		spans := r.find(text)
		if len(spans) == 0 {
			break
		}
		var b strings.Builder
		b.Grow(len(text))
		at := 0
		for _, s := range spans {
			b.WriteString(text[at:s.start])
			b.WriteString(labelOpen)
			b.WriteString(s.label)
			b.WriteByte(']')
			at = s.end
		}
		b.WriteString(text[at:])
		text = b.String()
	}
	return text
}

// RedactJSON is Redact for JSON text: it redacts strings, names and values
// alike, looking at what they mean rather than how they are escaped, and leaves
// numbers, order and white space alone. Text that is not valid JSON is redacted
// as text. It returns raw itself when there is nothing to redact.
func (r *Redactor) RedactJSON(raw []byte) []byte {
	text := string(raw)
	redacted := r.Redact(text)
	if redacted == text {
		return raw
	}
	return []byte(redacted)
}

// span is a piece of text that is a secret.
type span struct {
	start, end int
	label      string
}

// find lists the secrets in text, in order and apart from each other.
func (r *Redactor) find(text string) []span {
	if r.disabled && r.values.index.Load() == nil {
		return nil
	}
	spans := r.findIn(text)
	if mayBeJSON(text) && (len(spans) > 0 || r.patterns != nil || hasUnicodeEscape(text)) && json.Valid([]byte(text)) {
		// What stands in a string says its meaning, and no span may cross the
		// end of one.
		return r.findJSON(text)
	}
	return spans
}

// findIn is find for text that is not JSON.
func (r *Redactor) findIn(text string) []span {
	var spans []span
	if !r.disabled {
		spans = r.families.scan(text)
	}
	known := r.values.index.Load()
	if known == nil && r.patterns == nil {
		return spans // in order and apart already, and never in a label
	}
	if known != nil {
		spans = append(spans, known.scan(text)...)
	}
	spans = append(spans, r.matches(text)...)
	if len(spans) == 0 {
		return nil
	}
	return merge(spans, labels(text))
}

// matches lists what the user's own patterns match.
func (r *Redactor) matches(text string) []span {
	var spans []span
	for _, re := range r.patterns {
		for _, m := range re.FindAllStringIndex(text, -1) {
			if m[0] < m[1] {
				spans = append(spans, span{m[0], m[1], "custom"})
			}
		}
	}
	return spans
}

// merge puts spans in order and unites those that overlap, under the label of
// the longest. A span inside a label is dropped, and one that cuts into a label
// takes it in whole.
func merge(spans, labels []span) []span {
	kept := spans[:0]
	for _, s := range spans {
		i, _ := slices.BinarySearchFunc(labels, s.start, func(l span, start int) int {
			if l.end <= start {
				return -1
			}
			return 1
		})
		inside := false
		for ; i < len(labels) && labels[i].start < s.end; i++ {
			l := labels[i]
			if l.start <= s.start && s.end <= l.end {
				inside = true
				break
			}
			s.start, s.end = min(s.start, l.start), max(s.end, l.end)
		}
		if !inside {
			kept = append(kept, s)
		}
	}
	slices.SortFunc(kept, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	merged := kept[:0]
	longest := 0
	for _, s := range kept {
		if n := len(merged); n > 0 && s.start < merged[n-1].end {
			last := &merged[n-1]
			last.end = max(last.end, s.end)
			if s.end-s.start > longest {
				last.label, longest = s.label, s.end-s.start
			}
			continue
		}
		merged = append(merged, s)
		longest = s.end - s.start
	}
	return merged
}
