package redact

import "strings"

// rule finds secrets of one family. Where prefix begins, in any case, match
// looks closer; what it looks at must be bounded or become part of the span, so
// that scanning stays linear.
type rule struct {
	label  string
	prefix string // at least three bytes
	fold   bool   // in upper or lower case
	match  func(s *scan, i int) (span, bool)
}

// index finds the places where the prefix of some rule may begin, by a hash of
// three bytes that rolls along the text.
type index struct {
	slots   [slots]uint16 // 0, or one more than the bucket
	buckets [][]rule
}

const slots = 1 << 12

// mixed gives each byte a value for the hash; letters in either case the same.
var mixed = func() (m [256]uint8) {
	for i := range m {
		m[i] = uint8(i * 167)
	}
	for c := 'A'; c <= 'Z'; c++ {
		m[c] = m[c|0x20]
	}
	return m
}()

func roll(h uint32, c byte) uint32 { return (h<<4 ^ uint32(mixed[c])) & (slots - 1) }

func newIndex(rules []rule) *index {
	x := &index{}
	for _, r := range rules {
		h := roll(roll(roll(0, r.prefix[0]), r.prefix[1]), r.prefix[2])
		if x.slots[h] == 0 {
			x.buckets = append(x.buckets, nil)
			x.slots[h] = uint16(len(x.buckets))
		}
		b := x.slots[h] - 1
		x.buckets[b] = append(x.buckets[b], r)
	}
	return x
}

// scan is one pass over a text.
type scan struct {
	text string
	// floor is where looking back ends: after the last secret or label.
	floor int
	// noJWT says up to where no JSON web token begins.
	noJWT int
}

// scan lists what the rules find, in order and apart.
func (x *index) scan(text string) []span {
	if len(text) < 3 {
		return nil
	}
	var (
		found []span
		s     = scan{text: text}
		h     = roll(roll(0, text[0]), text[1])
	)
	for i := 2; i < len(text); i++ {
		h = (h<<4 ^ uint32(mixed[text[i]])) & (slots - 1)
		slot := x.slots[h]
		if slot == 0 {
			continue
		}
		at := i - 2
		if at < s.floor { // inside what was just found
			continue
		}
		end := 0
		for _, r := range x.buckets[slot-1] {
			if !hasPrefix(text[at:], r.prefix, r.fold) {
				continue
			}
			m, ok := r.match(&s, at)
			if !ok {
				continue
			}
			if m.label != "" { // an existing label is no find
				found = append(found, m)
			}
			end = m.end
			break
		}
		if end > 0 {
			s.floor = end
			if end+2 > len(text) {
				break
			}
			if end > i { // skip it, and take up the hash behind it
				h = roll(roll(0, text[end]), byteAt(text, end+1))
				i = end + 1
			}
		}
	}
	return found
}

func byteAt(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

func hasPrefix(s, prefix string, fold bool) bool {
	if len(s) < len(prefix) {
		return false
	}
	if fold {
		for i := range len(prefix) {
			if lower(s[i]) != lower(prefix[i]) {
				return false
			}
		}
		return true
	}
	return s[:len(prefix)] == prefix
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// set is a set of bytes.
type set [256]bool

func chars(ranges string) *set {
	var s set
	for i := 0; i+1 < len(ranges); i += 2 {
		for c := int(ranges[i]); c <= int(ranges[i+1]); c++ {
			s[c] = true
		}
	}
	return &s
}

// Ranges, two bytes each.
var (
	digits    = chars("09")
	hex       = chars("09af")
	alnum     = chars("09azAZ")
	word      = chars("09azAZ__")
	upperNum  = chars("09AZ")
	base64URL = chars("09azAZ__--")
	base64Std = chars("09azAZ++//==")
	dotted    = chars("09azAZ__--..")
	token68   = chars("09azAZ__--..++//==~~::%%")
)

// run is the end of the run of bytes of a set that begins at i.
func (s *scan) run(i int, in *set) int {
	for i < len(s.text) && in[s.text[i]] {
		i++
	}
	return i
}

// runTo is run, but looks at most n bytes far.
func (s *scan) runTo(i, n int, in *set) int {
	end := min(len(s.text), i+n)
	for i < end && in[s.text[i]] {
		i++
	}
	return i
}

// startsWord says that no word goes on at i. The end of an escape such as \n,
// %3D or a terminal's color does not count as one.
func (s *scan) startsWord(i int) bool {
	if i <= s.floor || !word[s.text[i-1]] {
		return true
	}
	t := s.text[s.floor:i]
	n := len(t)
	switch c := t[n-1]; {
	case n >= 2 && t[n-2] == '\\' && strings.IndexByte("nrtbfv0", c) >= 0:
		return true
	case n >= 3 && t[n-3] == '%' && isHex(t[n-2]) && isHex(c):
		return true
	case n >= 6 && t[n-6] == '\\' && t[n-5] == 'u' && isHex(t[n-4]) && isHex(t[n-3]) && isHex(t[n-2]) && isHex(c):
		return true
	case c == 'm': // ESC [ 1;31 m
		j := n - 2
		for ; j >= 0 && j > n-16 && (digits[t[j]] || t[j] == ';'); j-- {
		}
		return j >= 0 && t[j] == '['
	}
	return false
}

func isHex(c byte) bool { return hex[lower(c)] }

const labelOpen = "[REDACTED:"

// The two ends of a placeholder of a mask.
const (
	maskOpen  = "⟦secret:"
	maskClose = "⟧"
)

// labelAt is the end of the label or placeholder that begins at i, or 0.
func labelAt(text string, i int) int {
	rest := text[i:]
	if r, ok := strings.CutPrefix(rest, labelOpen); ok {
		n := 0
		for n < len(r) && n < 40 && (r[n] == '_' || 'a' <= r[n] && r[n] <= 'z') {
			n++
		}
		if n > 0 && n < len(r) && r[n] == ']' {
			return i + len(labelOpen) + n + 1
		}
	}
	if r, ok := strings.CutPrefix(rest, maskOpen); ok {
		n := 0
		for n < len(r) && n < 40 && (r[n] == ':' || hex[r[n]]) {
			n++
		}
		if n > 0 && strings.HasPrefix(r[n:], maskClose) {
			return i + len(maskOpen) + n + len(maskClose)
		}
	}
	return 0
}

// labels lists the labels and placeholders in a text.
func labels(text string) []span {
	var found []span
	for i := 0; i < len(text); i++ {
		if c := text[i]; c != '[' && c != maskOpen[0] {
			continue
		}
		if end := labelAt(text, i); end > 0 {
			found = append(found, span{i, end, ""})
			i = end - 1
		}
	}
	return found
}

// isLabel says that all of v is one label or placeholder.
func isLabel(v string) bool { return v != "" && labelAt(v, 0) == len(v) }
