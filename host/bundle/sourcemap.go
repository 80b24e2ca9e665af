package bundle

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// plainName is a source name that passes through the engine's URL handling
// unchanged.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_@+.\-/]+$`)

// adaptMap makes a source map give exact 1-based columns in goja, which counts
// bytes where source maps count UTF-16 units, looks a 1-based generated column
// up as if it were 0-based, and reports the 0-based source column. Names that
// are not plain get a stand-in.
func adaptMap(data, script []byte) ([]byte, map[string]string, error) {
	var m struct {
		Version  int      `json:"version"`
		Sources  []string `json:"sources"`
		Mappings string   `json:"mappings"`
		Names    []string `json:"names"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, nil, err
	}
	aliases := map[string]string{}
	for i, s := range m.Sources {
		if name, err := url.PathUnescape(s); err == nil { // the bundler escapes names
			s, m.Sources[i] = name, name
		}
		if plainName.MatchString(s) {
			continue
		}
		alias := fmt.Sprintf("rho-src:%d", i)
		if strings.HasPrefix(s, virtualPrefix) {
			alias = virtualPrefix + fmt.Sprint(i)
		}
		aliases[alias] = s
		m.Sources[i] = alias
	}
	var err error
	if m.Mappings, err = byteColumns(m.Mappings, string(script)); err != nil {
		return nil, nil, err
	}
	if m.Mappings, err = shiftColumns(m.Mappings); err != nil {
		return nil, nil, err
	}
	out, err := json.Marshal(m)
	return out, aliases, err
}

// byteColumns turns the generated columns from UTF-16 units into bytes, on the
// lines where that makes a difference.
func byteColumns(mappings, script string) (string, error) {
	if isASCII(script) {
		return mappings, nil
	}
	var b strings.Builder
	b.Grow(len(mappings) + len(mappings)/8)
	for i := 0; ; i++ {
		line, others, more := strings.Cut(mappings, ";")
		text, rest, _ := strings.Cut(script, "\n")
		mappings, script = others, rest
		if i > 0 {
			b.WriteByte(';')
		}
		if line != "" && !isASCII(text) {
			var err error
			if line, err = byteColumnsOf(line, text); err != nil {
				return "", err
			}
		}
		b.WriteString(line)
		if !more {
			return b.String(), nil
		}
	}
}

func byteColumnsOf(line, text string) (string, error) {
	segs := strings.Split(line, ",")
	units, bytes, before := 0, 0, 0 // of the text so far, and the last column
	column := 0
	for j, seg := range segs {
		f, err := decodeVLQ(seg)
		if err != nil {
			return "", err
		}
		column += f[0]
		for units < column && bytes < len(text) {
			r, size := utf8.DecodeRuneInString(text[bytes:])
			units, bytes = units+utf16.RuneLen(r), bytes+size
		}
		at := bytes + column - units
		f[0], before = at-before, at
		segs[j] = encodeVLQ(f)
	}
	return strings.Join(segs, ","), nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// shiftColumns adds one to every generated and every source column. Both are
// running sums, so one field per line and one of the whole map suffice.
func shiftColumns(mappings string) (string, error) {
	var b strings.Builder
	b.Grow(len(mappings) + len(mappings)/8)
	shifted := false
	for i := 0; ; i++ {
		line, others, more := strings.Cut(mappings, ";")
		mappings = others
		if i > 0 {
			b.WriteByte(';')
		}
		for first := true; line != "" && (first || !shifted); first = false {
			end := strings.IndexByte(line, ',')
			if end < 0 {
				end = len(line)
			}
			f, err := decodeVLQ(line[:end])
			if err != nil {
				return "", err
			}
			line = line[end:]
			if first {
				f[0]++
			}
			if !shifted && len(f) >= 4 {
				f[3]++
				shifted = true
			}
			b.WriteString(encodeVLQ(f))
			if !shifted && line != "" {
				b.WriteByte(',')
				line = line[1:]
			}
		}
		b.WriteString(line)
		if !more {
			return b.String(), nil
		}
	}
}

const base64VLQ = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func decodeVLQ(seg string) ([]int, error) {
	var out []int
	value, shift := 0, 0
	for i := 0; i < len(seg); i++ {
		d := strings.IndexByte(base64VLQ, seg[i])
		if d < 0 || shift > 30 {
			return nil, fmt.Errorf("bad mapping %q", seg)
		}
		value |= (d & 31) << shift
		shift += 5
		if d&32 == 0 {
			if value&1 == 1 {
				value = -(value >> 1)
			} else {
				value >>= 1
			}
			out = append(out, value)
			value, shift = 0, 0
		}
	}
	if shift != 0 || len(out) == 0 {
		return nil, fmt.Errorf("bad mapping %q", seg)
	}
	return out, nil
}

func encodeVLQ(fields []int) string {
	var b strings.Builder
	for _, v := range fields {
		if v < 0 {
			v = -v<<1 | 1
		} else {
			v <<= 1
		}
		for {
			d := v & 31
			v >>= 5
			if v > 0 {
				d |= 32
			}
			b.WriteByte(base64VLQ[d])
			if v == 0 {
				break
			}
		}
	}
	return b.String()
}
