package redact

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// mayBeJSON says that text begins and ends like a JSON object, array or string.
func mayBeJSON(text string) bool {
	text = strings.Trim(text, " \t\r\n")
	if len(text) < 2 {
		return false
	}
	switch text[0] {
	case '{':
		return text[len(text)-1] == '}'
	case '[':
		return text[len(text)-1] == ']'
	case '"':
		return text[len(text)-1] == '"'
	}
	return false
}

// hasUnicodeEscape says that letters may be written as escapes.
func hasUnicodeEscape(text string) bool {
	return strings.Contains(text, `\u`) || strings.Contains(text, `\/`)
}

// findJSON is find for valid JSON.
func (r *Redactor) findJSON(text string) []span {
	var found []span
	name := "" // of the value that comes next
	across := merge(r.matches(text), nil)
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			end := stringEnd(text, i)
			raw := text[i+1 : end]
			plain, offsets := decode(raw)
			next := end + 1
			for next < len(text) && strings.IndexByte(" \t\r\n", text[next]) >= 0 {
				next++
			}
			isName := byteAt(text, next) == ':'
			inside := r.findString(plain, name)
			if offsets != nil {
				for k, s := range inside {
					inside[k].start, inside[k].end = offsets[s.start], offsets[s.end]
				}
			}
			for len(across) > 0 && across[0].end <= i {
				across = across[1:]
			}
			if more := overlapping(across, i, end, raw, offsets, isName); more != nil {
				inside = merge(append(inside, more...), labels(raw))
			}
			for _, s := range inside {
				found = append(found, span{i + 1 + s.start, i + 1 + s.end, s.label})
			}
			name = ""
			if isName {
				name = plain
				end = next
			}
			i = end
		case ' ', '\t', '\r', '\n':
		default: // any other value, or the end of one
			name = ""
		}
	}
	return found
}

// overlapping lists what patterns, which matched the JSON text as a whole, mean
// for the string between the quotes at i and end. One that reaches beyond the
// string takes all of a value, and no name.
func overlapping(across []span, i, end int, raw string, offsets []int, isName bool) []span {
	var found []span
	for _, m := range across {
		if m.start > end {
			break
		}
		start, stop := m.start-i-1, m.end-i-1
		whole := start < 0 || stop > len(raw)
		switch {
		case isLabel(raw) || raw == "":
			continue
		case whole && (isName || m.end == i+1 || m.start == end):
			continue
		case offsets != nil && !whole:
			_, from := slices.BinarySearch(offsets, start)
			_, to := slices.BinarySearch(offsets, stop)
			whole = !from || !to // it cuts an escape
		}
		if whole {
			start, stop = 0, len(raw)
		}
		found = append(found, span{start, stop, m.label})
	}
	return found
}

// findString lists the secrets in one string of JSON, which is the value of
// name, or has none.
func (r *Redactor) findString(s, name string) []span {
	if name != "" && s != "" && !r.disabled {
		if label := labelByName(name, s); label != "" {
			return []span{{0, len(s), label}}
		}
	}
	return r.findIn(s)
}

// labelByName is the label of a value that its name marks as a secret, or "".
func labelByName(name, value string) string {
	if len(name) > 200 {
		return ""
	}
	for _, n := range names {
		i := len(name) - len(n.word)
		if i < 0 || !hasPrefix(name[i:], n.word, true) {
			continue
		}
		s := scan{text: name}
		if !s.namesSecret(i, len(n.word)) || !secretValue(value, n.naming, true) {
			return ""
		}
		if len(n.word) == len("pwd") && strings.HasPrefix(value, "/") && n.naming == namesPassword {
			return ""
		}
		v := scan{text: value}
		return v.labelOf(0, len(value), nameLabel(n.word, value, n.naming))
	}
	return ""
}

// stringEnd is the index of the quote that ends the string that begins at i.
func stringEnd(text string, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// decode reads the inside of a JSON string. offsets tells for each byte of it,
// and for its end, where that begins in raw; nil means at the same place.
func decode(raw string) (plain string, offsets []int) {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw, nil
	}
	b := make([]byte, 0, len(raw))
	offsets = make([]int, 0, len(raw)+1)
	for i := 0; i < len(raw); {
		start := i
		if raw[i] != '\\' {
			b = append(b, raw[i])
			offsets = append(offsets, start)
			i++
			continue
		}
		c := raw[i+1]
		i += 2
		switch c {
		case 'n':
			c = '\n'
		case 't':
			c = '\t'
		case 'r':
			c = '\r'
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'u':
			r := hexRune(raw[i:])
			i += 4
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if strings.HasPrefix(raw[i:], `\u`) {
					low = hexRune(raw[i+2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				}
			}
			n := len(b)
			b = utf8.AppendRune(b, r)
			for range len(b) - n {
				offsets = append(offsets, start)
			}
			continue
		}
		b = append(b, c)
		offsets = append(offsets, start)
	}
	return string(b), append(offsets, len(raw))
}

func hexRune(s string) rune {
	var r rune
	for i := range 4 {
		c := lower(s[i])
		if digits[c] {
			r = r<<4 | rune(c-'0')
		} else {
			r = r<<4 | rune(c-'a'+10)
		}
	}
	return r
}
