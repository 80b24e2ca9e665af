package redact

import (
	"math"
	"strings"
)

// A name before a value says that the value is a secret. What the value must
// look like depends on the name.
type naming uint8

const (
	namesPassword naming = iota + 1 // a person may have chosen it
	namesToken                      // a machine made it
	namesSecret                     // either
)

// names are the ends of names that are followed by a secret.
var names = []struct {
	word string
	naming
}{
	{"password", namesPassword},
	{"passwd", namesPassword},
	{"passphrase", namesPassword},
	{"pwd", namesPassword},
	{"secret", namesSecret},
	{"token", namesToken},
	{"credential", namesSecret},
	{"key", namesToken}, // only behind one of keyOwners
}

// keyOwners are what stands before "key" in names of secret ones.
var keyOwners = []string{"api", "access", "secret", "private", "encryption", "signing", "account", "auth", "master", "client", "admin", "subscription"}

func nameRules() []rule {
	var rules []rule
	for _, n := range names {
		label := "secret"
		switch n.naming {
		case namesPassword:
			label = "password"
		case namesToken:
			label = "token"
		}
		rules = append(rules, rule{label: label, prefix: n.word, fold: true, match: func(s *scan, i int) (span, bool) {
			return s.assigned(i, len(n.word), n.naming)
		}})
	}
	return rules
}

// assigned matches the value behind the name that ends n bytes after i.
func (s *scan) assigned(i, n int, kind naming) (span, bool) {
	t := s.text
	end := i + n
	if end == len(t) || alnum[t[end]] || !s.namesSecret(i, n) {
		return span{}, false
	}
	// name, "name", \"name\", name"], all before : = := => ==
	j := end
	j += escapedQuote(t[j:])
	if byteAt(t, j) == ']' {
		j++
	}
	gap := s.runTo(j, 8, space)
	op := gap
	for op < len(t) && op-gap < 2 && (t[op] == ':' || t[op] == '=') {
		op++
	}
	switch {
	case op > gap && byteAt(t, op) == '>' && t[op-1] == '=':
		op++
	case op == gap && gap > end && s.isFlag(i): // --password VALUE
	case op == gap:
		return span{}, false
	}
	j = s.runTo(op, 8, space)
	start := j + escapedQuote(t[j:])
	quoted := start > j
	if quoted {
		end = closingQuote(t, start, t[j:start])
	} else {
		end = s.runTo(start, 128, bare)
		if end < len(t) && strings.IndexByte("([{", t[end]) >= 0 { // code
			return span{}, false
		}
	}
	v := t[start:end]
	if kind == namesPassword && n == len("pwd") && strings.HasPrefix(v, "/") { // the working directory
		return span{}, false
	}
	if !secretValue(v, kind, quoted) {
		return span{}, false
	}
	if !quoted {
		end = s.run(end, bare)
	}
	return span{start, end, s.labelOf(start, end, nameLabel(t[i:i+n], v, kind))}, true
}

func nameLabel(name, v string, kind naming) string {
	switch {
	case kind == namesPassword:
		return "password"
	case len(v) == 40 && lower(name[0]) != 't' && isAll(v, base64Std) && strings.ContainsAny(v, "+/"):
		return "aws_secret_key"
	case lower(name[0]) == 'k':
		return "api_key"
	case kind == namesToken:
		return "token"
	}
	return "secret"
}

// bare is what a value without quotes is made of.
var bare = func() *set {
	s := chars("!~")
	for _, c := range "\"'`<>,;&(){}[]|\\" {
		s[c] = false
	}
	return s
}()

// namesSecret says whether the name that ends n bytes after i is one, as far as
// that depends on what stands before.
func (s *scan) namesSecret(i, n int) bool {
	before := s.text[max(s.floor, i-14):i]
	before = strings.TrimRight(before, "_- ")
	switch lower(s.text[i]) {
	case 'k':
		for _, owner := range keyOwners {
			if hasFoldSuffix(before, owner) {
				return true
			}
		}
		return false
	case 't': // of the next page
		for _, word := range []string{"page", "next", "continuation", "previous", "cursor", "sync", "stop", "eos", "bos", "pad"} {
			if hasFoldSuffix(before, word) {
				return false
			}
		}
	}
	return true
}

func hasFoldSuffix(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

// isFlag says that the name that holds i is that of a command's flag.
func (s *scan) isFlag(i int) bool {
	for j := i; j > s.floor && i-j < 24; j-- {
		c := s.text[j-1]
		if c == '-' && j-1 > s.floor && s.text[j-2] == '-' {
			return j-2 == s.floor || s.text[j-3] == ' '
		}
		if !base64URL[c] {
			return false
		}
	}
	return false
}

// escapedQuote is the length of the quote that s begins with, escaped or not.
func escapedQuote(s string) int {
	n := 0
	for n < len(s) && n < 3 && s[n] == '\\' {
		n++
	}
	if n < len(s) && strings.IndexByte("\"'`", s[n]) >= 0 {
		return n + 1
	}
	return 0
}

// closingQuote is where the quote comes again that stands before start.
func closingQuote(t string, start int, quote string) int {
	limit := min(len(t), start+256)
	for j := start; j < limit; j++ {
		switch {
		case t[j] == '\n' || t[j] == '\r':
			return j
		case strings.HasPrefix(t[j:], quote):
			return j
		case t[j] == '\\' && len(quote) == 1:
			j++
		}
	}
	if limit == len(t) {
		return limit
	}
	// A long one has no spaces.
	for limit < len(t) && token68[t[limit]] {
		limit++
	}
	return limit
}

// secretValue says whether v, whose name says that it is a secret, is one
// rather than a word, a type, a piece of code or a place for a secret.
func secretValue(v string, kind naming, quoted bool) bool {
	if len(v) < 6 || isPlaceholder(v) {
		return false
	}
	for _, p := range []string{"arn:", "http://", "https://", "file:", "./", "~/"} {
		if strings.HasPrefix(v, p) {
			return false
		}
	}
	if v[0] == '+' && strings.ContainsAny(v, ".()") { // "PWD="+cmd.Dir
		return false
	}
	if kind != namesPassword && madeByMachine(v) {
		// Code such as PrivateKey: testRSA2048PrivateKey is no secret.
		return quoted || !isAll(v, word) || !strings.HasSuffix(v, "Key") && !strings.HasSuffix(v, "Token") && !strings.HasSuffix(v, "Secret")
	}
	if kind == namesToken || kind == namesSecret && (!quoted || len(v) < 8) {
		return false
	}
	var letter, digit, symbol, space, other bool
	for i := range len(v) {
		switch c := v[i]; {
		case digits[c]:
			digit = true
		case alnum[c]:
			letter = true
		case c == ' ':
			space = true
		case strings.IndexByte("._-/:", c) >= 0:
			other = true
		default:
			symbol = true
		}
	}
	if space && !(digit && symbol) { // a sentence, more likely
		return false
	}
	if strings.Contains(v, "://") || digit && !letter && (symbol || other) {
		return symbol && letter
	}
	return (digit || symbol && letter) && entropy(v) >= 1.9
}

// madeByMachine says that v looks like a token.
func madeByMachine(v string) bool {
	head := v[:min(len(v), 64)]
	if len(v) < 12 || !isAll(head, token68) {
		return false
	}
	if len(v) >= 32 && isAll(head, base64Std) && looksMixed(head) && entropy(head) >= 4 {
		return true
	}
	run, digit, letter := 0, false, false
	for i := range len(head) {
		c := head[i]
		if !alnum[c] {
			run, digit, letter = 0, false, false
			continue
		}
		run++
		if digits[c] {
			digit = true
		} else {
			letter = true
		}
		if run >= 8 && digit && letter {
			return entropy(head) >= 2.8
		}
	}
	return false
}

// looksMixed says that digits and letters of both cases are in s.
func looksMixed(s string) bool {
	return hasDigit(s) && s != strings.ToLower(s) && s != strings.ToUpper(s)
}

func isAll(s string, in *set) bool {
	for i := range len(s) {
		if !in[s[i]] {
			return false
		}
	}
	return true
}

// isPlaceholder says that v stands for a secret without being one.
func isPlaceholder(v string) bool {
	if v == "" || isLabel(v) {
		return true
	}
	switch v[0] {
	case '$', '<', '{':
		return true
	case '%':
		if n := len(v); n == 2 || v[n-1] == '%' || v[1] == '(' {
			return true
		}
	}
	if strings.Trim(v, v[:1]) == "" { // ****, xxxx
		return strings.IndexByte("*xX.-#_?", v[0]) >= 0
	}
	for _, p := range []string{"process.env", "os.environ", "os.getenv", "env.", "secrets.", "***"} {
		if strings.HasPrefix(v, p) {
			return true
		}
	}
	return false
}

// entropy is Shannon's, in bits per byte.
func entropy(s string) float64 {
	s = s[:min(len(s), 64)]
	var counts [256]uint8
	for i := range len(s) {
		counts[s[i]]++
	}
	var e float64
	for i := range len(s) {
		if n := float64(counts[s[i]]); n > 0 {
			counts[s[i]] = 0
			e -= n / float64(len(s)) * math.Log2(n/float64(len(s)))
		}
	}
	return e
}

// labelOf is the label of the one family that all of a value belongs to, or
// else the given one.
func (s *scan) labelOf(start, end int, or string) string {
	if end-start > 512 {
		end = start + 512
	}
	v := s.text[start:end]
	inner := scan{text: v}
	for _, r := range tokenRules() {
		if strings.HasPrefix(v, r.prefix) {
			if m, ok := r.match(&inner, 0); ok && m.start == 0 && m.end == len(v) {
				return m.label
			}
		}
	}
	return or
}
