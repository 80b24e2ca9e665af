package ignore

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// rule is one line of an ignore file.
type rule struct {
	negated  bool
	dirOnly  bool
	anchored bool // compared with the path, not with the last name
	how      how
	text     string
}

// how a rule is compared: most are plain names or endings, for which a pattern
// matcher would be a waste.
type how uint8

const (
	exactly how = iota
	suffix
	prefix
	pattern
)

// parseRule reads a line; ok is false where it holds no rule.
func parseRule(line string) (r rule, ok bool) {
	line = trimSpaces(line)
	if line == "" || line[0] == '#' {
		return r, false
	}
	if line[0] == '!' {
		r.negated = true
		line = line[1:]
	}
	if l := len(line); l > 0 && line[l-1] == '/' {
		r.dirOnly = true
		line = line[:l-1]
	}
	if strings.HasPrefix(line, "/") {
		r.anchored = true
		line = line[1:]
	}
	if line == "" {
		return r, false
	}
	r.anchored = r.anchored || strings.Contains(line, "/")
	if rest, found := strings.CutPrefix(line, "**/"); found && !strings.Contains(rest, "/") && rest != "**" && rest != "" {
		r.anchored, line = false, rest // any depth is what a bare name means
	}
	r.how, r.text = classify(line, r.anchored)
	if r.how == pattern {
		r.text = translate(line)
		return r, doublestar.ValidatePattern(r.text)
	}
	return r, true
}

// trimSpaces drops the spaces at the end that no backslash protects.
func trimSpaces(line string) string {
	end := len(line)
	for end > 0 && line[end-1] == ' ' {
		slashes := 0
		for i := end - 2; i >= 0 && line[i] == '\\'; i-- {
			slashes++
		}
		if slashes%2 == 1 {
			break
		}
		end--
	}
	return line[:end]
}

// classify finds the cheapest way to compare.
func classify(line string, anchored bool) (how, string) {
	const special = `*?[\`
	switch {
	case !strings.ContainsAny(line, special):
		return exactly, line
	case anchored:
		return pattern, line
	case line[0] == '*' && len(line) > 1 && !strings.ContainsAny(line[1:], special):
		return suffix, line[1:]
	case line[len(line)-1] == '*' && len(line) > 1 && !strings.ContainsAny(line[:len(line)-1], special):
		return prefix, line[:len(line)-1]
	default:
		return pattern, line
	}
}

// translate turns git's syntax into doublestar's: braces mean nothing special to
// git, and "x/**" is what lies in x but not x itself.
func translate(line string) string {
	var b strings.Builder
	class := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && i+1 < len(line):
			b.WriteByte(c)
			i++
			b.WriteByte(line[i])
			continue
		case c == '[' && !class:
			class = true
		case c == ']' && class:
			class = false
		case (c == '{' || c == '}' || c == ',') && !class:
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	s := b.String()
	if strings.HasSuffix(s, "/**") {
		s += "/*"
	}
	return s
}

func (r *rule) matches(path, base string) bool {
	what := base
	if r.anchored {
		what = path
	}
	switch r.how {
	case exactly:
		return what == r.text
	case suffix:
		return strings.HasSuffix(what, r.text)
	case prefix:
		return strings.HasPrefix(what, r.text)
	default:
		return doublestar.MatchUnvalidated(r.text, what)
	}
}
