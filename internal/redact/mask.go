package redact

import (
	"crypto/rand"
	hexa "encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
)

// masked is one secret behind a placeholder: as it is, and as it stands in a
// JSON string.
type masked struct{ plain, json string }

// Mask replaces every secret by a placeholder such as ⟦secret:1:4f2a91c07be3⟧.
// Equal secrets get the same one. The last part is random, differs from mask to
// mask and does not occur in text, so that nobody can write a placeholder
// without having seen the masked text.
//
// restore puts the secrets back, also into text that was changed around the
// placeholders or that was built out of it. Where its text is JSON, a secret is
// escaped as JSON needs it. It is safe for concurrent use.
func (r *Redactor) Mask(text string) (string, func(string) string) {
	original := text
	spans := r.find(text)
	if len(spans) == 0 {
		return text, func(s string) string { return s }
	}
	m := &mask{nonce: freshNonce(text), known: map[string]int{}}
	for pass := 0; len(spans) > 0 && pass < maxPasses; pass++ {
		isJSON := mayBeJSON(text) && json.Valid([]byte(text))
		var b strings.Builder
		b.Grow(len(text) + 32*len(spans))
		at := 0
		for _, s := range spans {
			b.WriteString(text[at:s.start])
			m.put(&b, text[s.start:s.end], isJSON)
			at = s.end
		}
		b.WriteString(text[at:])
		text = b.String()
		spans = r.find(text)
	}
	result := text
	return result, func(s string) string {
		if s == result {
			return original
		}
		return m.restore(s)
	}
}

// mask holds the secrets of one text.
type mask struct {
	nonce   string
	secrets []masked
	known   map[string]int // number by raw text
}

// put writes the placeholder of a secret, which is a piece of JSON text or not.
func (m *mask) put(b *strings.Builder, raw string, isJSON bool) {
	n, ok := m.known[raw]
	if !ok {
		// What was masked earlier may be a part of it.
		whole := m.expand(raw, isJSON)
		s := masked{plain: whole}
		if isJSON {
			s.json = whole
			s.plain, _ = decode(whole)
		} else {
			s.json = jsonEscaped(whole, false)
		}
		m.secrets = append(m.secrets, s)
		n = len(m.secrets)
		m.known[raw] = n
	}
	b.WriteString(maskOpen)
	b.WriteString(strconv.Itoa(n))
	b.WriteByte(':')
	b.WriteString(m.nonce)
	b.WriteString(maskClose)
}

func (m *mask) restore(text string) string {
	if !strings.Contains(text, m.nonce) {
		return text
	}
	return m.expand(text, mayBeJSON(text) && json.Valid([]byte(text)))
}

// expand replaces the placeholders in a text. Some JSON encoders escape their
// brackets.
func (m *mask) expand(text string, isJSON bool) string {
	const inside = "secret:"
	var b strings.Builder
	at := 0
	for from := 0; ; {
		n := strings.Index(text[from:], inside)
		if n < 0 {
			break
		}
		start := from + n
		from = start + len(inside)
		open := bracket(text[at:start], "⟦", `\u27e6`, strings.HasSuffix)
		if open == 0 {
			continue
		}
		end := from
		for end < len(text) && end < from+10 && digits[text[end]] {
			end++
		}
		number, err := strconv.Atoi(text[from:end])
		if err != nil || number < 1 || number > len(m.secrets) {
			continue
		}
		rest, ok := strings.CutPrefix(text[end:], ":"+m.nonce)
		if !ok {
			continue
		}
		closing := bracket(rest, "⟧", `\u27e7`, strings.HasPrefix)
		if closing == 0 {
			continue
		}
		b.WriteString(text[at : start-open])
		if isJSON {
			b.WriteString(m.secrets[number-1].json)
		} else {
			b.WriteString(m.secrets[number-1].plain)
		}
		at = len(text) - len(rest) + closing
		from = at
	}
	if at == 0 {
		return text
	}
	b.WriteString(text[at:])
	return b.String()
}

// bracket is the length of a bracket at the end or the beginning of s, or 0.
func bracket(s, plain, escaped string, has func(s, part string) bool) int {
	if has(s, plain) {
		return len(plain)
	}
	if has(s, escaped) || has(s, `\u`+strings.ToUpper(escaped[2:])) {
		return len(escaped)
	}
	return 0
}

// freshNonce makes a random word that is not in text.
func freshNonce(text string) string {
	var b [6]byte
	for {
		_, _ = rand.Read(b[:]) // never fails
		if n := hexa.EncodeToString(b[:]); !strings.Contains(text, n) {
			return n
		}
	}
}
