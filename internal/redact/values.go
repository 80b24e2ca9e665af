package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// values are the secrets that are known by value. Finding reads the index
// alone, so that it never waits for one that is added.
type values struct {
	index atomic.Pointer[index] // nil while there is none

	mu    sync.Mutex
	known map[string]bool
	rules []rule
}

// Add makes more secrets known, from the next text on. One that is known
// already changes nothing. It reports false when one of them is shorter than
// [MinSecret] and so stays unknown; empty ones are ignored.
func (r *Redactor) Add(secrets ...string) bool { return r.values.add(secrets) }

// Values is a redactor that finds the same secrets by value, now and later, and
// nothing else: for text in which what only looks like a secret must stay, such
// as a description.
func (r *Redactor) Values() *Redactor {
	return &Redactor{disabled: true, families: r.families, values: r.values}
}

func (v *values) add(secrets []string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	all := true
	rules := v.rules
	for _, s := range secrets {
		switch {
		case s == "" || v.known[s]:
		case len(s) < MinSecret:
			all = false
		default:
			if v.known == nil {
				v.known = map[string]bool{}
			}
			v.known[s] = true
			for _, form := range forms(s) {
				rules = append(rules, rule{label: "secret", prefix: form, match: func(_ *scan, i int) (span, bool) {
					return span{i, i + len(form), "secret"}, true
				}})
			}
		}
	}
	if len(rules) == len(v.rules) {
		return all
	}
	// Of two that begin alike the longer one counts.
	slices.SortStableFunc(rules, func(a, b rule) int { return len(b.prefix) - len(a.prefix) })
	v.rules = rules
	v.index.Store(newIndex(rules))
	return all
}

// minBase64 is the least length of what is looked for inside of base64: less
// would occur in ordinary text.
const minBase64 = 8

// forms are the ways in which a secret is written: as it is, and escaped as in
// JSON, a URL or base64.
func forms(s string) []string {
	query, plain, html := url.QueryEscape(s), jsonEscaped(s, false), jsonEscaped(s, true)
	list := []string{
		s, plain, html, jsonEscaped(plain, false), jsonEscaped(html, false), // JSON in JSON, as of a log
		query, strings.ReplaceAll(query, "+", "%20"), url.PathEscape(s), uriComponent.Replace(query),
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if n := enc.EncodedLen(len(s)); n >= minBase64 {
			list = append(list, enc.EncodeToString([]byte(s)), enc.WithPadding('=').EncodeToString([]byte(s)))
		}
		// Behind other bytes, as in the user:password of a header: only the
		// characters that are the secret's own.
		for before := range 3 {
			text := enc.EncodeToString(append(make([]byte, before), s...))
			text = text[(before*8+5)/6:]
			if (before+len(s))%3 != 0 {
				text = text[:len(text)-1]
			}
			if len(text) >= minBase64 {
				list = append(list, text)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// uriComponent makes what encodeURIComponent gives of a query that is escaped.
var uriComponent = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// jsonEscaped is s as it stands between the quotes of a JSON string; html says
// that < > and & are escaped as well.
func jsonEscaped(s string, html bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	_ = enc.Encode(s) // a string has no error
	quoted := strings.TrimSuffix(b.String(), "\n")
	return quoted[1 : len(quoted)-1]
}
