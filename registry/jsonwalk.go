package registry

import (
	"encoding/json"
	"strings"
)

// The functions here walk over JSON text that parseJSON has accepted, so they
// need not check it, and keep its bytes as they are: key order, white space and
// numbers of any size.

// eachMember calls fn for each member of an object's text, in order.
func eachMember(object string, fn func(key, value string)) {
	for i := skipSpace(object, 1); object[i] == '"'; {
		keyEnd := skipValue(object, i)
		key := unquote(object[i:keyEnd])
		start := skipSpace(object, skipSpace(object, keyEnd)+1) // over the colon
		end := skipValue(object, start)
		fn(key, object[start:end])
		if i = skipSpace(object, end); object[i] == ',' {
			i = skipSpace(object, i+1)
		}
	}
}

// eachItem calls fn for each item of an array's text, in order.
func eachItem(array string, fn func(value string)) {
	for i := skipSpace(array, 1); array[i] != ']'; {
		end := skipValue(array, i)
		fn(array[i:end])
		if i = skipSpace(array, end); array[i] == ',' {
			i = skipSpace(array, i+1)
		}
	}
}

// member is the text of the last member of that name, or "".
func member(object, name string) string {
	found := ""
	eachMember(object, func(key, value string) {
		if key == name {
			found = value
		}
	})
	return found
}

func skipSpace(s string, i int) int {
	for s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r' {
		i++
	}
	return i
}

// skipValue is the index after the value that starts at i.
func skipValue(s string, i int) int {
	switch s[i] {
	case '"':
		for i++; s[i] != '"'; i++ {
			if s[i] == '\\' {
				i++
			}
		}
		return i + 1
	case '{', '[':
		for depth := 0; ; {
			switch s[i] {
			case '"':
				i = skipValue(s, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
	default:
		for i < len(s) && strings.IndexByte(" \t\r\n,]}", s[i]) < 0 {
			i++
		}
		return i
	}
}

// unquote decodes a JSON string.
func unquote(quoted string) string {
	if strings.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	var s string
	_ = json.Unmarshal([]byte(quoted), &s) // parseJSON has accepted it
	return s
}

// quote encodes a string as JSON, without the escapes that HTML would need.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string has no error
	return strings.TrimSuffix(b.String(), "\n")
}

// withoutDuplicates rewrites a value so that no object has a key twice: the
// last value wins, at the place of the first. Decoders do not agree on
// duplicates (encoding/json merges them into a struct), and a tool must not
// see anything but what was validated.
func withoutDuplicates(b *strings.Builder, value string) {
	switch value[0] {
	case '{':
		var keys []string
		last := map[string]string{}
		eachMember(value, func(key, v string) {
			if _, ok := last[key]; !ok {
				keys = append(keys, key)
			}
			last[key] = v
		})
		b.WriteByte('{')
		for i, k := range keys {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quote(k))
			b.WriteByte(':')
			withoutDuplicates(b, last[k])
		}
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		first := true
		eachItem(value, func(v string) {
			if !first {
				b.WriteByte(',')
			}
			first = false
			withoutDuplicates(b, v)
		})
		b.WriteByte(']')
	default:
		b.WriteString(value)
	}
}
