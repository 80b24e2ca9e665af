package registry

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The limits of a JSON text that comes from outside. They keep one message
// from exhausting the host: a decoded value costs up to fifty times its text.
const (
	maxJSONBytes  = 16 << 20
	maxJSONDepth  = 200
	maxJSONValues = 1 << 20
	maxNumberLen  = 1000 // digits of one number
	maxExponent   = 400  // beyond it no float64 is left, and big.Rat takes megabytes
)

// jsonError is a JSON text that cannot be taken.
type jsonError struct {
	Offset int // in bytes, from 0
	Msg    string
}

// Error implements error.
func (e *jsonError) Error() string { return fmt.Sprintf("%s at byte %d", e.Msg, e.Offset) }

// jsonDoc is a parsed JSON text.
type jsonDoc struct {
	text       string // the value's own text, without space around it
	value      any    // map[string]any, []any, string, json.Number, bool or nil
	duplicates bool   // some object has a key twice; the last one is in value
}

// parseJSON reads exactly one JSON value. In contrast to encoding/json it
// keeps numbers as they are written, knows the limits above, and cuts all
// strings out of one copy of the text.
func parseJSON(text string) (jsonDoc, error) {
	if len(text) > maxJSONBytes {
		return jsonDoc{}, &jsonError{Offset: maxJSONBytes, Msg: fmt.Sprintf("more than %d MiB of JSON", maxJSONBytes>>20)}
	}
	p := jsonParser{s: text}
	p.space()
	start := p.i
	v, err := p.value(0)
	if err != nil {
		return jsonDoc{}, err
	}
	end := p.i
	p.space()
	if p.i < len(text) {
		return jsonDoc{}, p.fail("unexpected " + p.here() + " after the value")
	}
	return jsonDoc{text: text[start:end], value: v, duplicates: p.duplicates}, nil
}

type jsonParser struct {
	s          string
	i          int
	values     int
	duplicates bool
}

func (p *jsonParser) fail(msg string) error { return &jsonError{Offset: p.i, Msg: msg} }

// here names the character at the position for a message.
func (p *jsonParser) here() string {
	if p.i >= len(p.s) {
		return "end of text"
	}
	for _, r := range p.s[p.i:] {
		return fmt.Sprintf("%q", r)
	}
	return ""
}

func (p *jsonParser) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

func (p *jsonParser) value(depth int) (any, error) {
	if p.i >= len(p.s) {
		return nil, p.fail("unexpected end of text")
	}
	if p.values++; p.values > maxJSONValues {
		return nil, p.fail(fmt.Sprintf("more than %d values", maxJSONValues))
	}
	switch c := p.s[p.i]; {
	case (c == '{' || c == '[') && depth == maxJSONDepth:
		return nil, p.fail(fmt.Sprintf("nested deeper than %d levels", maxJSONDepth))
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		return p.str()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case strings.HasPrefix(p.s[p.i:], "true"):
		p.i += 4
		return true, nil
	case strings.HasPrefix(p.s[p.i:], "false"):
		p.i += 5
		return false, nil
	case strings.HasPrefix(p.s[p.i:], "null"):
		p.i += 4
		return nil, nil
	default:
		return nil, p.fail("expected a value, got " + p.here())
	}
}

func (p *jsonParser) object(depth int) (any, error) {
	p.i++ // {
	obj := map[string]any{}
	p.space()
	if p.i < len(p.s) && p.s[p.i] == '}' {
		p.i++
		return obj, nil
	}
	for {
		p.space()
		if p.i >= len(p.s) || p.s[p.i] != '"' {
			return nil, p.fail("expected a quoted key, got " + p.here())
		}
		key, err := p.str()
		if err != nil {
			return nil, err
		}
		p.space()
		if p.i >= len(p.s) || p.s[p.i] != ':' {
			return nil, p.fail(`expected ":" after the key, got ` + p.here())
		}
		p.i++
		p.space()
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		before := len(obj)
		obj[key] = v
		p.duplicates = p.duplicates || len(obj) == before
		done, err := p.next('}', "object")
		if done || err != nil {
			return obj, err
		}
	}
}

func (p *jsonParser) array(depth int) (any, error) {
	p.i++ // [
	arr := []any{}
	p.space()
	if p.i < len(p.s) && p.s[p.i] == ']' {
		p.i++
		return arr, nil
	}
	for {
		p.space()
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		arr = append(arr, v)
		done, err := p.next(']', "array")
		if done || err != nil {
			return arr, err
		}
	}
}

// next steps over what follows an element: a comma, or the end.
func (p *jsonParser) next(closing byte, what string) (done bool, err error) {
	p.space()
	if p.i < len(p.s) {
		switch p.s[p.i] {
		case ',':
			p.i++
			return false, nil
		case closing:
			p.i++
			return true, nil
		}
	}
	return false, p.fail(fmt.Sprintf(`expected "," or %q in the %s, got %s`, string(closing), what, p.here()))
}

// str reads a string. Only one with escapes needs memory of its own.
func (p *jsonParser) str() (string, error) {
	start := p.i
	escaped := false
	for p.i++; p.i < len(p.s); p.i++ {
		switch c := p.s[p.i]; {
		case c == '"':
			p.i++
			if !escaped {
				return p.s[start+1 : p.i-1], nil
			}
			var out string
			if err := json.Unmarshal([]byte(p.s[start:p.i]), &out); err != nil {
				p.i = start
				return "", p.fail("a string with an invalid escape")
			}
			return out, nil
		case c == '\\':
			escaped = true
			p.i++
		case c < ' ':
			return "", p.fail(fmt.Sprintf("the control character %q in a string, which JSON wants escaped", c))
		}
	}
	p.i = len(p.s)
	return "", p.fail("unexpected end of text in a string")
}

func (p *jsonParser) digits() int {
	start := p.i
	for p.i < len(p.s) && p.s[p.i] >= '0' && p.s[p.i] <= '9' {
		p.i++
	}
	return p.i - start
}

func (p *jsonParser) number() (any, error) {
	start := p.i
	if p.s[p.i] == '-' {
		p.i++
	}
	first := p.i
	if n := p.digits(); n == 0 || n > 1 && p.s[first] == '0' {
		p.i = first
		return nil, p.fail("not a number: expected a digit, and no leading zero")
	}
	if p.i < len(p.s) && p.s[p.i] == '.' {
		p.i++
		if p.digits() == 0 {
			return nil, p.fail("expected a digit after the decimal point, got " + p.here())
		}
	}
	if p.i < len(p.s) && (p.s[p.i] == 'e' || p.s[p.i] == 'E') {
		p.i++
		if p.i < len(p.s) && (p.s[p.i] == '+' || p.s[p.i] == '-') {
			p.i++
		}
		from := p.i
		if p.digits() == 0 {
			return nil, p.fail("expected a digit in the exponent, got " + p.here())
		}
		if exp := strings.TrimLeft(p.s[from:p.i], "0"); len(exp) > 3 || len(exp) == 3 && exp > fmt.Sprint(maxExponent) {
			p.i = start
			return nil, p.fail("a number with an exponent beyond " + fmt.Sprint(maxExponent))
		}
	}
	if p.i-start > maxNumberLen {
		p.i = start
		return nil, p.fail(fmt.Sprintf("a number of more than %d characters", maxNumberLen))
	}
	return json.Number(p.s[start:p.i]), nil
}
