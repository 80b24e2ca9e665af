package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/dop251/goja"
)

// maxJSONDepth is far above what the door lets through.
const maxJSONDepth = 256

// fromJSON builds native values, with the keys in their order. The engine's own
// conversion of Go maps would shuffle them and lose changes to nested arrays,
// and a general JSON reader takes most of the time of a call with large
// arguments.
func fromJSON(vm *goja.Runtime, raw []byte) (goja.Value, error) {
	r := jsonReader{vm: vm, data: raw}
	v, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if r.skipSpace(); r.at < len(r.data) {
		return nil, r.unexpected()
	}
	return v, nil
}

type jsonReader struct {
	vm   *goja.Runtime
	data []byte
	at   int
}

func (r *jsonReader) skipSpace() {
	for r.at < len(r.data) {
		switch r.data[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// peek gives the next byte that is no white space, or 0 at the end.
func (r *jsonReader) peek() byte {
	r.skipSpace()
	if r.at == len(r.data) {
		return 0
	}
	return r.data[r.at]
}

func (r *jsonReader) unexpected() error {
	if r.at >= len(r.data) {
		return fmt.Errorf("the JSON ends too early")
	}
	return fmt.Errorf("unexpected %q in the JSON at byte %d", r.data[r.at], r.at)
}

func (r *jsonReader) value(depth int) (goja.Value, error) {
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("the JSON is nested more than %d levels deep", maxJSONDepth)
	}
	switch c := r.peek(); {
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case c == '"':
		s, err := r.text()
		if err != nil {
			return nil, err
		}
		return r.vm.ToValue(s), nil
	case c == '-' || '0' <= c && c <= '9':
		return r.number()
	default:
		return r.word()
	}
}

func (r *jsonReader) object(depth int) (goja.Value, error) {
	obj := r.vm.NewObject()
	r.at++ // {
	if r.peek() == '}' {
		r.at++
		return obj, nil
	}
	for {
		if r.peek() != '"' {
			return nil, r.unexpected()
		}
		key, err := r.text()
		if err != nil {
			return nil, err
		}
		if r.peek() != ':' {
			return nil, r.unexpected()
		}
		r.at++
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		// Defining, not setting: a key __proto__ is data like any other.
		if err := obj.DefineDataProperty(key, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
			return nil, err
		}
		if more, err := r.more('}'); !more {
			return obj, err
		}
	}
}

func (r *jsonReader) array(depth int) (goja.Value, error) {
	var items []any
	r.at++ // [
	if r.peek() == ']' {
		r.at++
		return r.vm.NewArray(), nil
	}
	for {
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		items = append(items, v)
		if more, err := r.more(']'); !more {
			return r.vm.NewArray(items...), err
		}
	}
}

// more reads the comma before a further member, or what closes the list.
func (r *jsonReader) more(end byte) (bool, error) {
	switch r.peek() {
	case ',':
		r.at++
		return true, nil
	case end:
		r.at++
		return false, nil
	default:
		return false, r.unexpected()
	}
}

// text reads a string. One without escapes is taken as it stands.
func (r *jsonReader) text() (string, error) {
	start := r.at + 1
	end := bytes.IndexByte(r.data[start:], '"')
	if end < 0 {
		r.at = len(r.data)
		return "", r.unexpected()
	}
	raw := r.data[start : start+end]
	if bytes.IndexByte(raw, '\\') < 0 {
		r.at = start + end + 1
		return string(raw), nil
	}
	i := start
	for i < len(r.data) && r.data[i] != '"' {
		if r.data[i] == '\\' {
			i++
		}
		i++
	}
	if i >= len(r.data) {
		r.at = len(r.data)
		return "", r.unexpected()
	}
	var s string
	if err := json.Unmarshal(r.data[start-1:i+1], &s); err != nil {
		return "", err
	}
	r.at = i + 1
	return s, nil
}

func (r *jsonReader) number() (goja.Value, error) {
	start := r.at
	whole := true
	for ; r.at < len(r.data); r.at++ {
		switch c := r.data[r.at]; {
		case '0' <= c && c <= '9' || c == '-':
		case c == '.' || c == 'e' || c == 'E' || c == '+':
			whole = false
		default:
			return r.parsed(string(r.data[start:r.at]), whole)
		}
	}
	return r.parsed(string(r.data[start:r.at]), whole)
}

func (r *jsonReader) parsed(text string, whole bool) (goja.Value, error) {
	const safe = 1 << 53
	if whole && text != "-0" {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil && i < safe && i > -safe {
			return r.vm.ToValue(i), nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && f == 0 {
		return nil, fmt.Errorf("%q is no number", text)
	}
	return r.vm.ToValue(f), nil // too large a number is infinite, as in JavaScript
}

var jsonWords = []struct {
	text  string
	value func(*goja.Runtime) goja.Value
}{
	{"null", func(*goja.Runtime) goja.Value { return goja.Null() }},
	{"true", func(vm *goja.Runtime) goja.Value { return vm.ToValue(true) }},
	{"false", func(vm *goja.Runtime) goja.Value { return vm.ToValue(false) }},
}

func (r *jsonReader) word() (goja.Value, error) {
	for _, w := range jsonWords {
		if bytes.HasPrefix(r.data[r.at:], []byte(w.text)) {
			r.at += len(w.text)
			return w.value(r.vm), nil
		}
	}
	return nil, r.unexpected()
}
