package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A schema is a tree of object, []any, string, json.Number, bool and nil.
// Trees are never changed in place: parts are shared.

// object keeps the order of its members, which models see.
type object []member

type member struct {
	key   string
	value any
}

func (o object) index(key string) int {
	return slices.IndexFunc(o, func(m member) bool { return m.key == key })
}

func (o object) get(key string) any {
	if i := o.index(key); i >= 0 {
		return o[i].value
	}
	return nil
}

func (o object) has(key string) bool { return o.index(key) >= 0 }

// with is o with a member set, at its old place or last.
func (o object) with(key string, value any) object {
	out := slices.Clone(o)
	if i := out.index(key); i >= 0 {
		out[i].value = value
		return out
	}
	return append(out, member{key, value})
}

// without is o less some members.
func (o object) without(keys ...string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return slices.Contains(keys, m.key) })
}

// parse reads a schema that the registry has accepted.
func parse(raw json.RawMessage) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return parseValue(dec)
}

func parseValue(dec *json.Decoder) (any, error) {
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('{'):
		o, places := object{}, map[string]int{}
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			v, err := parseValue(dec)
			if err != nil {
				return nil, err
			}
			if i, twice := places[key.(string)]; twice { // the last one counts, as in validation
				o[i].value = v
				continue
			}
			places[key.(string)] = len(o)
			o = append(o, member{key.(string), v})
		}
		_, err := dec.Token()
		return o, err
	case json.Delim('['):
		a := []any{}
		for dec.More() {
			v, err := parseValue(dec)
			if err != nil {
				return nil, err
			}
			a = append(a, v)
		}
		_, err := dec.Token()
		return a, err
	}
	return tok, nil
}

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	write(&b, o)
	return []byte(b.String()), nil
}

// encode writes a tree without white space and without HTML's escapes.
func encode(v any) json.RawMessage {
	var b strings.Builder
	write(&b, v)
	return json.RawMessage(b.String())
}

func write(b *strings.Builder, v any) {
	switch v := v.(type) {
	case object:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, m.key)
			b.WriteByte(':')
			write(b, m.value)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, e)
		}
		b.WriteByte(']')
	case string:
		enc := json.NewEncoder(newlineless{b})
		enc.SetEscapeHTML(false)
		_ = enc.Encode(v) // a string has no error
	case json.Number:
		b.WriteString(string(v))
	case json.RawMessage:
		b.Write(v)
	default: // bool, nil and counts
		fmt.Fprint(b, jsonWord(v))
	}
}

func jsonWord(v any) any {
	if v == nil {
		return "null"
	}
	return v
}

// newlineless drops the newline that an encoder ends each value with.
type newlineless struct{ b *strings.Builder }

// Write implements [io.Writer].
func (w newlineless) Write(p []byte) (int, error) {
	w.b.Write(bytes.TrimSuffix(p, []byte("\n")))
	return len(p), nil
}

// equal compares trees as they are written.
func equal(a, b any) bool { return bytes.Equal(encode(a), encode(b)) }

// size is about the length of a tree's text.
func size(v any) int {
	n := 2
	switch v := v.(type) {
	case object:
		for _, m := range v {
			n += len(m.key) + 4 + size(m.value)
		}
	case []any:
		for _, e := range v {
			n += 1 + size(e)
		}
	case string:
		n += len(v)
	case json.Number:
		n += len(v)
	}
	return n
}

// What the keywords of a schema hold that are not plain data.
var (
	holdsSchema = set("additionalProperties", "additionalItems", "items", "contains", "propertyNames", "not", "if", "then",
		"else", "unevaluatedItems", "unevaluatedProperties", "contentSchema")
	holdsList = set("allOf", "anyOf", "oneOf", "prefixItems", "items")
	holdsMap  = set("properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions")
)

func set(keys ...string) map[string]bool {
	m := map[string]bool{}
	for _, k := range keys {
		m[k] = true
	}
	return m
}

// isSchema reports whether v, where a schema can be, is one.
func isSchema(v any) bool {
	switch v.(type) {
	case object, bool:
		return true
	}
	return false
}

// mapParts is o with fn applied to every schema right under it.
func mapParts(o object, path string, fn func(v any, path string) any) object {
	out := make(object, 0, len(o))
	for _, m := range o {
		at := path + "/" + escaped(m.key)
		switch v := m.value.(type) {
		case []any:
			if holdsList[m.key] {
				list := make([]any, len(v))
				for i, e := range v {
					list[i] = fn(e, fmt.Sprintf("%s/%d", at, i))
				}
				m.value = list
			}
		case object:
			switch {
			case holdsMap[m.key]:
				parts := make(object, 0, len(v))
				for _, p := range v {
					if isSchema(p.value) { // dependencies can hold lists of names
						p.value = fn(p.value, at+"/"+escaped(p.key))
					}
					parts = append(parts, p)
				}
				m.value = parts
			case holdsSchema[m.key]:
				m.value = fn(v, at)
			}
		case bool:
			if holdsSchema[m.key] {
				m.value = fn(v, at)
			}
		}
		out = append(out, m)
	}
	return out
}

var (
	pointerEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// escaped is a key as a part of a JSON pointer.
func escaped(key string) string { return pointerEscaper.Replace(key) }
