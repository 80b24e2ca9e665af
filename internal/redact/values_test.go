package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASecretThatIsAddedIsFoundFromThenOn(t *testing.T) {
	t.Parallel()
	r := must(t, Options{Secrets: []string{"from-the-start"}})
	require.Equal(t, "a topsecret", r.Redact("a topsecret"))
	require.True(t, r.Add("topsecret", "", "topsecret"))
	require.Equal(t, "a [REDACTED:secret] [REDACTED:secret]", r.Redact("a topsecret from-the-start"))
	before := r.values.index.Load()
	require.True(t, r.Add("topsecret"))
	require.Same(t, before, r.values.index.Load(), "adding again changes nothing")

	require.False(t, r.Add("abc", "another-one"), "abc would occur in ordinary text")
	require.Equal(t, "abc [REDACTED:secret]", r.Redact("abc another-one"), "the others are known all the same")
}

func TestValuesKnowsTheSameSecretsAndNothingElse(t *testing.T) {
	t.Parallel()
	r := must(t, Options{Patterns: []string{"ACME"}})
	only := r.Values()
	r.Add("topsecret")
	token := tokens["github_token"][0]
	assert.Equal(t, "ACME "+token+" [REDACTED:secret]", only.Redact("ACME "+token+" topsecret"))
	only.Add("the-other-way")
	assert.Equal(t, "[REDACTED:secret]", r.Redact("the-other-way"))
}

func TestASecretIsFoundHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"sk-live-0123456789abcdef", `pä"ss\wo rd/<&>+=%`, "line one\nline two\n", "(it's!*)~:@$,;", "longenough"} {
		r := must(t, Options{Disabled: true})
		require.True(t, r.Add(secret))
		asJSON, err := json.Marshal(secret)
		require.NoError(t, err)
		for about, text := range map[string]string{
			"plain": secret, "JSON": string(asJSON[1 : len(asJSON)-1]), "quoted": strings.Trim(strconv.Quote(secret), `"`),
			"query": url.QueryEscape(secret), "path": url.PathEscape(secret),
			"%20":     strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"),
			"base64":  base64.StdEncoding.EncodeToString([]byte(secret)),
			"rawURL":  base64.RawURLEncoding.EncodeToString([]byte(secret)),
			"in JSON": fmt.Sprintf(`{"log":%q}`, asJSON),
		} {
			if about == "quoted" && secret[0] == 'p' {
				continue // Go leaves what JSON escapes
			}
			got := r.Redact("<" + text + ">")
			assert.Contains(t, got, "[REDACTED:secret]", about)
			assert.NotContains(t, got, text, about)
		}
		for user := range 4 { // all ways in which it can sit in base64
			text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("u", user) + ":" + secret + "\nX-More: 1"))
			got := r.Redact(text)
			require.Contains(t, got, "[REDACTED:secret]", text)
			for _, piece := range strings.Split(got, "[REDACTED:secret]") {
				plain, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(piece, "="))
				require.NotContains(t, string(plain), secret[1:len(secret)-1])
			}
		}
	}
	r := must(t, Options{})
	r.Add("(it's!*) a/b")
	assert.Equal(t, "[REDACTED:secret]", r.Redact("(it's!*)%20a%2Fb"), "as encodeURIComponent writes it")
}

func TestSecretsAreAddedWhileOthersLook(t *testing.T) {
	t.Parallel()
	r := must(t, Options{})
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(2)
		go func() {
			defer wg.Done()
			for i := range 20 {
				secret := fmt.Sprintf("secret-number-%d-%d", g, i)
				assert.True(t, r.Add(secret, secret))
				assert.Equal(t, "x [REDACTED:secret]", r.Redact("x "+secret), "known as soon as Add returns")
			}
		}()
		go func() {
			defer wg.Done()
			for range 50 {
				masked, restore := r.Mask(`{"a":"secret-number-1-1"}`)
				assert.Equal(t, `{"a":"secret-number-1-1"}`, restore(masked))
			}
		}()
	}
	wg.Wait()
	require.Len(t, r.values.known, 80)
}

func TestManySecretsDoNotSlowTheSearchDown(t *testing.T) {
	t.Parallel()
	r := must(t, Options{})
	var all []string
	for i := range 1000 {
		all = append(all, fmt.Sprintf("%c%c%c-value-%d", 'a'+i%26, 'a'+i/26%26, 'a'+i*7%26, i))
	}
	r.Add(all...)
	index := r.values.index.Load()
	longest := 0
	for _, b := range index.buckets {
		longest = max(longest, len(b))
	}
	require.Less(t, longest, 100, "no place of a text is compared with all of them")
	require.Equal(t, "[REDACTED:secret]", r.Redact(all[999]))
}
