package registry

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rho-ext/rho-ext/internal/suggest"
)

// maxProblems is how many problems a message lists; a model that gets more
// mends none.
const maxProblems = 5

// maxReceived bounds a received value in a message: it may be a secret or a
// megabyte.
const maxReceived = 60

// The longest path and expectation of a problem in a message. Both grow with
// how deep the value and the schema are nested.
const (
	maxPath     = 200
	maxExpected = 600
)

// Problem is one way in which arguments break a tool's schema.
type Problem struct {
	// Path is where: "filter.tags[2]". Empty means the arguments as a whole.
	Path string `json:"path"`
	// Keyword is the keyword of JSON Schema that was broken.
	Keyword string `json:"keyword"`
	// Expected says in words what would be right.
	Expected string `json:"expected,omitempty"`
	// Received is the start of what came instead, as JSON; for an object or
	// an array only its size. Empty where nothing came.
	Received string `json:"received,omitempty"`
	// Allowed lists the allowed values as JSON, where they are few; for an
	// unknown argument the names of the known.
	Allowed []string `json:"allowed,omitempty"`
	// Suggestion is the name or value that was probably meant: for a missing
	// argument the unknown one that came, for an unknown one the known.
	Suggestion string `json:"suggestion,omitempty"`
}

// String is the problem as the model reads it.
func (p Problem) String() string {
	path := p.Path
	if len(path) > maxPath {
		path = "…" + suffix(path, maxPath)
	}
	where := ""
	if path != "" {
		where = path + ": "
	}
	hint := ""
	if p.Suggestion != "" {
		hint = suggest.Hint(quote(p.Suggestion))
	}
	switch p.Keyword {
	case "required":
		if p.Suggestion != "" {
			hint = fmt.Sprintf(" (the unknown argument %s looks like it)", quote(p.Suggestion))
		}
		return where + p.Expected + ", but missing" + hint
	case "additionalProperties":
		if p.Suggestion == "" && len(p.Allowed) > 0 {
			hint = clipped(" (known: "+strings.Join(p.Allowed, ", "), maxExpected) + ")"
		}
		return "unknown argument " + quote(path) + hint
	}
	s := where + "expected " + p.Expected
	if p.Received != "" {
		s += ", got " + p.Received
	}
	return s + hint
}

// ArgumentError is the cause of a failure of kind invalid_args: every problem,
// sorted by where it is.
type ArgumentError struct {
	Problems []Problem
}

// Error implements error with the message for the model.
func (e *ArgumentError) Error() string { return "invalid arguments: " + joinProblems(e.Problems) }

// joinProblems lists the first few problems.
func joinProblems(problems []Problem) string {
	parts := make([]string, 0, maxProblems)
	for _, p := range problems {
		if len(parts) == maxProblems {
			break
		}
		parts = append(parts, p.String())
	}
	s := strings.Join(parts, "; ")
	if more := len(problems) - len(parts); more > 0 {
		s += fmt.Sprintf(" (and %d more)", more)
	}
	return s
}

// received describes a value that came, without ever showing all of it.
func received(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "an array of " + count(len(v), "item")
	case nil:
		return "null"
	default:
		return literal(v)
	}
}

// literal is a scalar as JSON, cut to a bearable length.
func literal(v any) string {
	if s, ok := v.(string); ok {
		if len(s) > maxReceived { // before quoting, which can make it longer
			return fmt.Sprintf("%s (%s)", quote(prefix(s, maxReceived)+"…"), count(len(s), "byte"))
		}
		return quote(s)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("a value of type %T", v)
	}
	return clipped(string(b), maxReceived)
}

// prefix is the longest start of s of at most n bytes that cuts no character.
func prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// clipped is s, or a prefix of it with a sign that there was more.
func clipped(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return prefix(s, n) + "…"
}

// suffix is the longest end of s of at most n bytes that cuts no character.
func suffix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := len(s) - n
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return s[i:]
}

// count is a number with its noun: "1 item", "3 items".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// oneOf lists alternatives for "expected …".
func oneOf(allowed []string, total int) string {
	if total == 1 {
		return allowed[0]
	}
	s := "one of " + strings.Join(allowed, ", ")
	if more := total - len(allowed); more > 0 {
		s += fmt.Sprintf(" (and %d more)", more)
	}
	return s
}
