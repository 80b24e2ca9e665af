package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPatternsOfTheUser(t *testing.T) {
	r := must(t, Options{Patterns: []string{`\bACME-[0-9]{6}\b`, `(?i)codename \w+`}})
	assert.Equal(t, "id [REDACTED:custom], [REDACTED:custom]!", r.Redact("id ACME-123456, Codename bluebird!"))
	assert.Equal(t, "XACME-123456", r.Redact("XACME-123456"))
}

func TestAPatternThatCannotBeUsedIsNamed(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{`ab(cd`, `redaction pattern 2, "ab(cd": missing closing ) at column 3`},
		{`ab)cd`, `redaction pattern 2, "ab)cd": unexpected ) at column 3`},
		{`é[z-a]`, `redaction pattern 2, "é[z-a]": invalid character class range at column 3`},
		{`a**`, `redaction pattern 2, "a**": invalid nested repetition operator at column 2`},
		{`x(?=y)`, `redaction pattern 2, "x(?=y)": invalid or unsupported Perl syntax at column 2`},
		{`a*`, `redaction pattern 2, "a*": it matches the empty text, and so everywhere`},
	} {
		_, err := New(Options{Patterns: []string{"fine", c.pattern}})
		require.Error(t, err)
		assert.Equal(t, c.want, err.Error())
		var pe *PatternError
		require.ErrorAs(t, err, &pe)
		assert.Equal(t, 1, pe.Index)
	}
}

func TestSecretsByValue(t *testing.T) {
	secret := `pä"ss\wo rd/`
	r := must(t, Options{Secrets: []string{"", "topsecret", "topsecretlonger", secret, "tops;ecret"}})
	assert.Equal(t, "a[REDACTED:secret]b", r.Redact("atopsecretb"))
	assert.Equal(t, "a[REDACTED:secret]b", r.Redact("atopsecretlongerb"))
	assert.Equal(t, "[REDACTED:secret]", r.Redact(secret))
	assert.Equal(t, "q=[REDACTED:secret]", r.Redact("q=p%C3%A4%22ss%5Cwo+rd%2F"))
	assert.Equal(t, `{"a":"x[REDACTED:secret]"}`, r.Redact(`{"a":"xp\u00e4\"ss\\wo rd\/"}`))
	assert.Equal(t, `log: "[REDACTED:secret]"`, r.Redact(`log: "pä\"ss\\wo rd/"`))
	assert.Equal(t, "password=[REDACTED:secret].", r.Redact("password=12345tops;ecret."), "one that reaches beyond another is covered")

	_, err := New(Options{Secrets: []string{"long enough", "abc"}})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "secret 2")
	assert.NotContains(t, err.Error(), "abc")
}

func TestDisabledKnowsValuesAloneAndChecks(t *testing.T) {
	token := tokens["github_token"][0]
	text := "ACME-1 " + token + ` password=hunter2hunter {"password":"hunter2hunter"}`
	r := must(t, Options{Disabled: true, Patterns: []string{"ACME-1"}})
	assert.Equal(t, text, r.Redact(text))
	assert.JSONEq(t, `{"password":"hunter2hunter","x":"\u0041"}`, r.Redact(`{"password":"hunter2hunter","x":"\u0041"}`))
	masked, restore := r.Mask(text)
	assert.Equal(t, text, masked)
	assert.Equal(t, "x", restore("x"))

	r = must(t, Options{Disabled: true, Patterns: []string{"ACME-1"}, Secrets: []string{"topsecret"}})
	assert.Equal(t, text+" [REDACTED:secret]", r.Redact(text+" topsecret"))
	assert.Equal(t, `{"password":"hunter2hunter","a":"[REDACTED:secret]"}`, r.Redact(`{"password":"hunter2hunter","a":"top\u0073ecret"}`))
	masked, restore = r.Mask("a topsecret")
	assert.NotContains(t, masked, "topsecret")
	assert.Equal(t, "a topsecret", restore(masked))
	_, err := New(Options{Disabled: true, Patterns: []string{"("}})
	require.Error(t, err)
}

func TestRedactJSONKeepsEverythingElse(t *testing.T) {
	token := tokens["github_token"][0]
	r := must(t, Options{Patterns: []string{`"code": *"[^"]*"`, `ACME-\d+`, `^alone$`}})
	for _, c := range []struct{ raw, want string }{
		{`{ "z":1.50e+2, "a":[12345678901234567890, true,null], "t":"` + token + `" }`, `{ "z":1.50e+2, "a":[12345678901234567890, true,null], "t":"[REDACTED:github_token]" }`},
		{`{"password":12345678}`, `{"password":12345678}`},
		{`{"password":"12345678"}`, `{"password":"[REDACTED:password]"}`},
		{`{"password":["a1b2c3d4"]}`, `{"password":["a1b2c3d4"]}`},
		{`{"code": "x", "n": "y"}`, `{"code": "[REDACTED:custom]", "n": "y"}`},
		{`{"n":"a\nACME-12\n"}`, `{"n":"a\n[REDACTED:custom]\n"}`},
		{`{"n":"alone","m":"not alone"}`, `{"n":"[REDACTED:custom]","m":"not alone"}`},
		{`["-----BEGIN PRIVATE KEY-----", "` + random(1, 64, letters) + `", "-----END PRIVATE KEY-----"]`, `["-----BEGIN PRIVATE KEY-----", "` + random(1, 64, letters) + `", "-----END PRIVATE KEY-----"]`},
		{`"` + token + `"`, `"[REDACTED:github_token]"`},
		{`{"a":"\ud83d\ude00\u0041` + `ghp"}`, `{"a":"\ud83d\ude00\u0041` + `ghp"}`},
		{`{"a":"\ud83d ` + token + ` \"` + `"}`, `{"a":"\ud83d [REDACTED:github_token] \"` + `"}`},
		{`not json ` + token, `not json [REDACTED:github_token]`},
	} {
		assert.Equal(t, c.want, string(r.RedactJSON([]byte(c.raw))))
	}
	clean := []byte(`{"a":1}`)
	assert.Same(t, &clean[0], &r.RedactJSON(clean)[0])
}

func TestMaskAndRestore(t *testing.T) {
	r := must(t, Options{})
	a, b := tokens["github_token"][0], tokens["openai_key"][0]
	masked, restore := r.Mask("a " + a + " b " + b + " again " + a)
	require.Regexp(t, `^a ⟦secret:1:[0-9a-f]{12}⟧ b ⟦secret:2:[0-9a-f]{12}⟧ again ⟦secret:1:[0-9a-f]{12}⟧$`, masked)
	first := strings.Fields(masked)[1]

	assert.Equal(t, "a "+a+" b "+b+" again "+a, restore(masked))
	assert.Equal(t, "x"+a+"y"+a, restore("x"+first+"y"+first), "edited")
	assert.Equal(t, `{"k":"`+a+`"}`, restore(`{"k":"`+first+`"}`), "built into JSON")
	escaped := strings.NewReplacer("⟦", `\u27e6`, "⟧", `\u27E7`).Replace(first)
	assert.Equal(t, `{"k":"`+a+`"}`, restore(`{"k":"`+escaped+`"}`))
	assert.Equal(t, r.Redact(masked), masked, "a placeholder is no secret")

	for _, forged := range []string{
		"⟦secret:1:000000000000⟧", strings.Replace(first, ":1:", ":3:", 1), strings.Replace(first, ":1:", ":0:", 1),
		strings.Replace(first, ":1:", ":99999999999:", 1), strings.Replace(first, ":1:", ":-1:", 1), first[:len(first)-1], strings.TrimPrefix(first, "⟦"), "⟦secret:", "secret:secret:1",
	} {
		assert.Equal(t, forged, restore(forged))
	}
}

func TestAPlaceholderInTheTextStaysAsItIs(t *testing.T) {
	r := must(t, Options{})
	_, other := r.Mask("password=hunter2secret")
	forged := "⟦secret:1:4f2a⟧ ⟦secret:1:4f2a91c07be3⟧"
	text := forged + " " + tokens["github_token"][0]
	masked, restore := r.Mask(text)
	assert.True(t, strings.HasPrefix(masked, forged+" ⟦secret:1:"))
	assert.Equal(t, text, restore(masked))
	assert.Equal(t, text+"!", restore(masked+"!"))
	assert.Equal(t, masked+"!", other(masked+"!"), "another mask restores nothing")
}

func TestMaskedJSONIsRestoredEscaped(t *testing.T) {
	r := must(t, Options{Secrets: []string{"pa\"ss\nword"}})
	raw := `{"n":1,"a":"x pa\"ss\u000aword y"}`
	masked, restore := r.Mask(raw)
	require.True(t, json.Valid([]byte(masked)))
	require.NotContains(t, masked, "ss")
	assert.Equal(t, raw, restore(masked))

	var v struct{ A string }
	require.NoError(t, json.Unmarshal([]byte(masked), &v))
	assert.Equal(t, "x pa\"ss\nword y!", restore(v.A+"!"), "a string out of it is plain text")
	edited, err := json.Marshal(map[string]string{"b": v.A})
	require.NoError(t, err)
	var back map[string]string
	require.NoError(t, json.Unmarshal([]byte(restore(string(edited))), &back))
	assert.Equal(t, "x pa\"ss\nword y", back["b"])
}

// soup makes texts of tokens, pieces of tokens, labels and noise.
func soup(rng *rand.Rand) string {
	var all []string
	for _, label := range Families() {
		all = append(all, tokens[label]...)
	}
	pieces := []string{
		"password=", `"password": "`, "token: ", "api_key=", "Authorization: Bearer ", "Basic ", "https://u:", "@h", "://", "topsecret", "topsec", "ACME-1", "-----BEGIN PRIVATE KEY-----", "-----END", "eyJ", "sk-", "ghp_", "xoxb-", ":AA", "12345678",
		"[REDACTED:token]", "[REDACTED:", "⟦secret:1:4f2a⟧", "⟦secret:", "⟧", `\n`, `\"`, `"`, `\u0041`, "\n", " ", "é", "\xff", "{", "}", "[", "]", ",", ":", "=", "'", "hunter2!", "AKIA", "_", "-", ".", "%3D",
	}
	var b strings.Builder
	for range rng.IntN(20) {
		switch rng.IntN(4) {
		case 0:
			b.WriteString(all[rng.IntN(len(all))])
		case 1:
			token := all[rng.IntN(len(all))]
			b.WriteString(token[:rng.IntN(len(token))])
		default:
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
	}
	return b.String()
}

var known = Options{Secrets: []string{"topsecret", `qu"ote`}, Patterns: []string{`ACME-\d`, `^x.*y$`}}

// check holds for every text.
func check(t testing.TB, r *Redactor, text string) {
	redacted := r.Redact(text)
	require.Equal(t, redacted, r.Redact(redacted), "redacting %q again", text)
	for _, secret := range []string{"topsecret", `qu"ote`} {
		require.NotContains(t, redacted, secret, "in %q", text)
	}
	if json.Valid([]byte(text)) {
		require.True(t, json.Valid([]byte(redacted)), "%q became %q", text, redacted)
	}
	if utf8.ValidString(text) {
		require.True(t, utf8.ValidString(redacted))
	}
	masked, restore := r.Mask(text)
	require.Equal(t, text, restore(masked))
	require.Equal(t, redacted == text, masked == text)
	require.Equal(t, masked, r.Redact(masked), "something is left in the mask of %q", text)
	require.NotContains(t, masked, "topsecret")
	if !mayBeJSON(text) {
		require.Equal(t, "(\n"+text+"\n", restore("(\n"+masked+"\n"))
	}
	if json.Valid([]byte(text)) {
		require.True(t, json.Valid([]byte(masked)))
		require.Equal(t, "["+text+"]", restore("["+masked+"]"))
	}
}

func TestWhatHoldsForEveryText(t *testing.T) {
	r := must(t, known)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	rounds := 1500
	if raceEnabled {
		rounds = 150
	}
	for range rounds {
		text := soup(rng)
		check(t, r, text)
		quoted, err := json.Marshal(map[string]any{"password": text, text: []string{text}})
		require.NoError(t, err)
		check(t, r, string(quoted))
	}
}

func TestNoTokenOutlivesRedaction(t *testing.T) {
	r := must(t, Options{})
	rng := rand.New(rand.NewPCG(1, 2))
	for label, list := range tokens {
		for _, token := range list {
			for range 3 {
				text := soup(rng) + " " + token + " " + soup(rng)
				require.NotContains(t, r.Redact(text), " "+token+" ", label)
				masked, _ := r.Mask(text)
				require.NotContains(t, masked, " "+token+" ", label)
			}
		}
	}
}

func FuzzRedact(f *testing.F) {
	seeds(f)
	r := must(f, known)
	f.Fuzz(func(t *testing.T, text string) { check(t, r, text) })
}

func FuzzMask(f *testing.F) {
	seeds(f)
	r := must(f, known)
	f.Fuzz(func(t *testing.T, text string) {
		masked, restore := r.Mask(text)
		require.Equal(t, text, restore(masked))
		// Whatever is done to it, restoring neither panics nor loses text.
		for i := range min(len(masked), 64) {
			_ = restore(masked[i:])
			_ = restore(masked[:i] + masked)
		}
		quoted, err := json.Marshal(masked)
		require.NoError(t, err)
		require.True(t, json.Valid([]byte(restore(string(quoted)))))
	})
}

func seeds(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		f.Add(soup(rng))
	}
	f.Add(`{"password":"hunter2!","a":["topsecret",1]}`)
}

func TestTimeIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := must(t, Options{})
	size, limit := 10<<20, time.Second
	if raceEnabled { // it is ten times as slow
		size /= 10
	}
	for name, unit := range map[string]string{
		"prose": "The quick brown fox jumps over the lazy dog; it passes a token to the secretary, and so on.\n",
		"sk-":   "sk-", "sk-a-": "sk-abcdefghi-", "eyJ": "eyJ", "-eyJ": "-eyJabc", ".eyJ": ".eyJabcdefghijk", "://": "://a:", "://@": "://a:@",
		"begin": "-----BEGIN PRIVATE KEY-----", "begin space": "-----BEGIN PRIVATE KEY-----  \n ", "dashes": "-----", "password=": "password=", `password="`: `password="`, `password="\\`: `password="\\\\`,
		"token:": "token: ab1-", "pwd=": "pwd=", "bearer": "bearer ", "basic": "basic AAAA", "authorization": "authorization: bearer a1", ":AA": "1234567:AA", "[REDACTED:": "[REDACTED:", "label": "[REDACTED:x]", "⟦secret:": "⟦secret:1", "key": "api_key=a1b2c3d4-",
		"secrets": tokens["github_token"][0] + " ", "dense": "password=hunter2secret ", "hex": "SK0123456789abcdef", "SG.": "SG.aaaaaaaaaaaaaaaaaaaaaaa", "json": `\"a\":\"token\",`, "same": "a", "digits": "1", "hooks": "hooks.slack.com/",
		"quoted": `"password":"`, "--password": "--password ", "%": "%41ghp_", "esc": "\x1b[1;1;1;1;1;1mghp_",
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Repeat(unit, size/len(unit))
			start := time.Now()
			r.Redact(text)
			took := time.Since(start)
			t.Logf("%v", took.Round(time.Millisecond))
			assert.Less(t, took, 30*limit) // the machine is shared; quadratic time would be minutes
		})
	}
}

func TestConcurrentUse(t *testing.T) {
	r := must(t, known)
	text := "topsecret " + tokens["jwt"][0] + " ACME-1"
	masked, restore := r.Mask(text)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				assert.Equal(t, "[REDACTED:secret] [REDACTED:jwt] [REDACTED:custom]", r.Redact(text))
				assert.Equal(t, text+"!", restore(masked+"!"))
			}
		})
	}
	wg.Wait()
}

func prose(n int) string {
	words := strings.Fields(`func main imports the package net/http and returns an error if password or token is missing; "key": value, while i < len(items) { continue } the lazy dog passes secrets`)
	rng := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[rng.IntN(len(words))])
		b.WriteByte(" \n"[rng.IntN(12)/11])
	}
	return b.String()[:n]
}

func BenchmarkRedact(b *testing.B) {
	r := must(b, Options{})
	token := tokens["github_token"][0]
	for _, c := range []struct{ name, text string }{
		{"clean 100 B", prose(100)},
		{"clean 1 KB", prose(1 << 10)},
		{"clean 30 KB", prose(30 << 10)},
		{"clean JSON 1 KB", fmt.Sprintf(`{"text":%q}`, prose(1000))},
		{"1 KB with a secret", prose(512) + " " + token + " " + prose(512)},
		{"30 KB with a secret", prose(15<<10) + " " + token + " " + prose(15<<10)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				r.Redact(c.text)
			}
		})
	}
}

func BenchmarkMask(b *testing.B) {
	r := must(b, Options{})
	for _, c := range []struct{ name, text string }{
		{"clean 1 KB", prose(1 << 10)},
		{"arguments with a secret", `{"path":"a.txt","content":"x ` + tokens["github_token"][0] + `"}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				masked, restore := r.Mask(c.text)
				restore(masked)
			}
		})
	}
}

func TestCleanTextCostsNothing(t *testing.T) {
	r := must(t, Options{})
	text := prose(30 << 10)
	require.Equal(t, text, r.Redact(text))
	if !raceEnabled {
		assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { r.Redact(text) }), 1.0)
	}
	raw := bytes.Repeat([]byte("a"), 10)
	assert.Same(t, &raw[0], &r.RedactJSON(raw)[0])
}
