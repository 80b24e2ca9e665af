package redact

import (
	"encoding/base64"
	"slices"
	"strings"
	"sync"
)

// builtin is the index of all families. Custom patterns and secrets by value
// are apart, so it is the same for everybody.
var builtin = sync.OnceValue(func() *index { return newIndex(builtinRules()) })

// Families lists the labels of what is found without any configuration.
func Families() []string {
	var names []string
	for _, r := range builtinRules() {
		if r.label != "" {
			names = append(names, r.label)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// family is tokens that begin with a prefix: a run of least bytes or more of a
// set follows it.
type family struct {
	label  string
	prefix string
	in     *set
	least  int
	exact  bool                   // no more than least
	also   func(body string) bool // on what follows the prefix, at most 128 bytes of it
}

// The lengths are those that the issuers document or that the public rules of
// secret scanners use, less a little.
var families = []family{
	{"anthropic_key", "sk-ant-", base64URL, 20, false, looksRandom},
	{"openai_key", "sk-", base64URL, 20, false, looksRandom}, // sk-proj-, sk-svcacct-, and others who took it over
	{"github_token", "ghp_", alnum, 36, false, nil},
	{"github_token", "gho_", alnum, 36, false, nil},
	{"github_token", "ghu_", alnum, 36, false, nil},
	{"github_token", "ghs_", dotted, 36, false, nil}, // newer ones hold a JSON web token
	{"github_token", "ghr_", alnum, 36, false, nil},
	{"github_token", "github_pat_", word, 22, false, nil},
	{"gitlab_token", "glpat-", dotted, 20, false, nil},
	{"gitlab_token", "glptt-", base64URL, 20, false, nil},
	{"gitlab_token", "gldt-", base64URL, 20, false, nil},
	{"gitlab_token", "glrt-", dotted, 20, false, nil},
	{"gitlab_token", "glcbt-", base64URL, 20, false, nil},
	{"gitlab_token", "glsoat-", base64URL, 20, false, nil},
	{"gitlab_token", "glagent-", base64URL, 40, false, nil},
	{"slack_token", "xoxa-", base64URL, 10, false, hasDigit},
	{"slack_token", "xoxb-", base64URL, 10, false, hasDigit},
	{"slack_token", "xoxc-", base64URL, 10, false, hasDigit},
	{"slack_token", "xoxd-", base64URL, 10, false, hasDigit},
	{"slack_token", "xoxe-", base64URL, 10, false, hasDigit},
	{"slack_token", "xoxe.xoxp-", base64URL, 10, false, hasDigit},
	{"slack_token", "xoxe.xoxb-", base64URL, 10, false, hasDigit},
	{"slack_token", "xoxo-", base64URL, 10, false, hasDigit},
	{"slack_token", "xoxp-", base64URL, 10, false, hasDigit},
	{"slack_token", "xoxr-", base64URL, 10, false, hasDigit},
	{"slack_token", "xoxs-", base64URL, 10, false, hasDigit},
	{"slack_token", "xapp-", base64URL, 20, false, hasDigit},
	{"aws_access_key", "AKIA", upperNum, 16, true, nil},
	{"aws_access_key", "ASIA", upperNum, 16, true, nil},
	{"aws_access_key", "ABIA", upperNum, 16, true, hasDigit},
	{"aws_access_key", "ACCA", upperNum, 16, true, hasDigit},
	{"google_key", "AIza", base64URL, 35, false, nil},
	{"google_token", "ya29.", base64URL, 20, false, nil},
	{"google_client_secret", "GOCSPX-", base64URL, 24, false, nil},
	{"stripe_key", "sk_live_", alnum, 16, false, nil},
	{"stripe_key", "sk_test_", alnum, 16, false, nil},
	{"stripe_key", "rk_live_", alnum, 16, false, nil},
	{"stripe_key", "rk_test_", alnum, 16, false, nil},
	{"stripe_key", "whsec_", base64Std, 24, false, nil},
	{"npm_token", "npm_", alnum, 36, false, nil},
	{"pypi_token", "pypi-AgE", base64URL, 32, false, nil},
	{"pypi_token", "pypi-AgN", base64URL, 32, false, nil}, // test.pypi.org
	{"huggingface_token", "hf_", alnum, 30, false, nil},
	{"digitalocean_token", "dop_v1_", hex, 64, true, nil},
	{"digitalocean_token", "doo_v1_", hex, 64, true, nil},
	{"digitalocean_token", "dor_v1_", hex, 64, true, nil},
	{"shopify_token", "shpat_", alnum, 32, false, nil},
	{"shopify_token", "shpca_", alnum, 32, false, nil},
	{"shopify_token", "shppa_", alnum, 32, false, nil},
	{"shopify_token", "shpss_", alnum, 32, false, nil},
	{"databricks_token", "dapi", hex, 32, false, hasDigit},
	{"atlassian_token", "ATATT3", base64Dotless, 60, false, nil},
	{"linear_key", "lin_api_", alnum, 32, false, nil},
	{"notion_token", "ntn_", alnum, 40, false, nil},
	{"vault_token", "hvs.", base64URL, 24, false, nil},
	{"vault_token", "hvb.", base64URL, 24, false, nil},
	{"supabase_token", "sbp_", hex, 40, false, nil},
	{"groq_key", "gsk_", alnum, 40, false, nil},
	{"xai_key", "xai-", alnum, 60, false, nil},
	{"perplexity_key", "pplx-", alnum, 40, false, nil},
	{"replicate_token", "r8_", alnum, 37, false, nil},
	{"tavily_key", "tvly-", base64URL, 24, false, looksRandom},
	{"grafana_token", "glsa_", word, 32, false, nil},
	{"grafana_token", "glc_eyJ", base64Std, 32, false, nil},
	{"newrelic_key", "NRAK-", upperNum, 27, true, nil},
	{"docker_token", "dckr_pat_", base64URL, 24, false, nil},
	{"age_key", "AGE-SECRET-KEY-1", upperNum, 58, true, nil},
	{"sentry_token", "sntrys_", base64Std, 60, false, nil},
	{"sentry_token", "sntryu_", hex, 64, true, nil},
}

var base64Dotless = chars("09azAZ__--==")

func builtinRules() []rule {
	rules := []rule{
		{prefix: labelOpen, match: existing},
		{prefix: maskOpen, match: existing},
		{label: "private_key", prefix: "-----BEGIN", match: privateKey},
		{label: "jwt", prefix: "eyJ", match: jsonWebToken},
		{label: "sendgrid_key", prefix: "SG.", match: sendGrid},
		{label: "telegram_token", prefix: ":AA", match: telegram},
		{label: "slack_webhook", prefix: "hooks.slack.com/", match: webhook("slack_webhook", 20)},
		{label: "discord_webhook", prefix: "discord.com/api/webhooks/", match: webhook("discord_webhook", 40)},
		{label: "discord_webhook", prefix: "discordapp.com/api/webhooks/", match: webhook("discord_webhook", 40)},
		{label: "url_password", prefix: "://", match: urlPassword},
		{label: "bearer_token", prefix: "bearer ", fold: true, match: bearer},
		{label: "basic_credentials", prefix: "basic ", fold: true, match: basic},
	}
	for c := '0'; c <= 'f'; c++ {
		if hex[c] {
			rules = append(rules, rule{label: "twilio_key", prefix: "SK" + string(c), match: twilio})
		}
	}
	for _, f := range families {
		rules = append(rules, rule{label: f.label, prefix: f.prefix, match: f.match})
	}
	return append(rules, nameRules()...)
}

// tokenRules are those whose token begins with their prefix.
var tokenRules = sync.OnceValue(func() []rule {
	rules := []rule{{prefix: "eyJ", match: jsonWebToken}, {prefix: "SG.", match: sendGrid}}
	for _, f := range families {
		rules = append(rules, rule{prefix: f.prefix, match: f.match})
	}
	return rules
})

// existing steps over a label that is there already.
func existing(s *scan, i int) (span, bool) {
	end := labelAt(s.text, i)
	return span{i, end, ""}, end > 0
}

func (f family) match(s *scan, i int) (span, bool) {
	if !s.startsWord(i) {
		return span{}, false
	}
	body := i + len(f.prefix)
	end := s.runTo(body, 128, f.in)
	if end-body < f.least || f.exact && end-body > f.least {
		return span{}, false
	}
	if f.exact && end < len(s.text) && word[s.text[end]] {
		return span{}, false
	}
	if f.also != nil && !f.also(s.text[body:end]) {
		return span{}, false
	}
	if !f.exact {
		end = s.run(end, f.in)
	}
	for end > body && strings.IndexByte("-.", s.text[end-1]) >= 0 && end-body > f.least { // the end of a sentence
		end--
	}
	return span{i, end, f.label}, true
}

func hasDigit(s string) bool {
	return strings.ContainsAny(s, "0123456789")
}

// looksRandom tells a token from words with dashes between them.
func looksRandom(body string) bool {
	var digit, small, capital bool
	run := 0
	for i := range len(body) {
		c := body[i]
		if !alnum[c] {
			run = 0
			continue
		}
		if run++; run >= 16 {
			return true
		}
		switch {
		case digits[c]:
			digit = true
		case c >= 'a':
			small = true
		default:
			capital = true
		}
	}
	return digit && small && capital
}

// privateKey matches a PEM block, also one whose line ends are escaped, that
// has line numbers or marks before its lines, or that ends too early.
func privateKey(s *scan, i int) (span, bool) {
	header := i + len("-----BEGIN")
	title := s.runTo(header, 60, pemTitle)
	if !strings.HasSuffix(s.text[header:title], "PRIVATE KEY") && !strings.HasSuffix(s.text[header:title], "PRIVATE KEY BLOCK") {
		return span{}, false
	}
	if !strings.HasPrefix(s.text[title:], "-----") {
		return span{}, false
	}
	body := title + len("-----")
	end := len(s.text)
	closed := false
	// Two begins cannot look at the same text, so this stays linear.
	if n := strings.Index(s.text[body:], "-----"); n >= 0 {
		end = body + n
		closed = strings.HasPrefix(s.text[end:], "-----END")
	}
	if closed && hasRun(s.text[body:end], 16) {
		end += len("-----END")
		end = s.runTo(end, 60, pemTitle)
		if strings.HasPrefix(s.text[end:], "-----") {
			end += len("-----")
		}
		return span{i, end, "private_key"}, true
	}
	// Without an end it is as long as its lines look like it.
	end = pemLines(s.text, body, end)
	if !hasRun(s.text[body:end], 16) {
		return span{}, false
	}
	return span{i, end, "private_key"}, true
}

var pemTitle = chars("AZ09  ")

// hasRun says that there is a run of n base64 characters.
func hasRun(s string, n int) bool {
	run := 0
	for i := range len(s) {
		if !base64Std[s[i]] {
			run = 0
		} else if run++; run >= n {
			return true
		}
	}
	return false
}

// pemLines is where the base64 lines that begin at i end, at limit at most.
func pemLines(text string, i, limit int) int {
	end := i
	for i < limit {
		switch c := text[i]; {
		case c == '\n' || c == '\r' || c == '\t' || c == ' ':
			i++
			continue
		case c == '\\' && i+1 < limit && (text[i+1] == 'n' || text[i+1] == 'r'):
			i += 2
			continue
		}
		line := i
		for i < limit && base64Std[text[i]] {
			i++
		}
		if i == line || i < limit && strings.IndexByte(" \t,.;:!?()_-", text[i]) >= 0 {
			return end // no line of base64, or a line of prose
		}
		end = i
	}
	return end
}

// jsonWebToken matches signed and encrypted ones: two parts or more, of which
// the first is a JSON object.
func jsonWebToken(s *scan, i int) (span, bool) {
	if i < s.noJWT || !s.startsWord(i) {
		return span{}, false
	}
	end := s.run(i, base64URL)
	header := end
	parts := 1
	if header-i >= 10 {
		for parts < 5 && byteAt(s.text, end) == '.' {
			next := s.run(end+1, base64URL)
			if parts == 1 && next-end-1 < 8 && byteAt(s.text, next) != '.' {
				break
			}
			end = next
			parts++
		}
	}
	if parts < 2 || end-i < 36 {
		s.noJWT = max(header, end) // what begins later in it lacks the same
		return span{}, false
	}
	for s.text[end-1] == '.' || s.text[end-1] == '-' && parts == 2 {
		end--
	}
	return span{i, end, "jwt"}, true
}

func sendGrid(s *scan, i int) (span, bool) {
	if !s.startsWord(i) {
		return span{}, false
	}
	mid := s.runTo(i+3, 64, base64URL)
	if mid-i-3 < 16 || byteAt(s.text, mid) != '.' {
		return span{}, false
	}
	end := s.runTo(mid+1, 128, base64URL)
	return span{i, end, "sendgrid_key"}, end-mid-1 >= 16
}

// telegram matches a bot's number and token; i is at the colon between them.
func telegram(s *scan, i int) (span, bool) {
	start := i
	for start > s.floor && i-start < 12 && digits[s.text[start-1]] {
		start--
	}
	if n := i - start; n < 7 || n > 11 {
		return span{}, false
	}
	if !s.startsWord(start) && !strings.HasSuffix(s.text[s.floor:start], "bot") {
		return span{}, false
	}
	end := s.runTo(i+1, 64, base64URL)
	n := end - i - 1
	return span{start, end, "telegram_token"}, n >= 33 && n <= 37
}

func twilio(s *scan, i int) (span, bool) {
	end := s.runTo(i+2, 40, hex)
	ok := end-i-2 == 32 && s.startsWord(i) && (end == len(s.text) || !word[s.text[end]])
	return span{i, end, "twilio_key"}, ok
}

// webhook matches an address whose path is the secret.
func webhook(label string, least int) func(s *scan, i int) (span, bool) {
	path := chars("09azAZ__--//")
	return func(s *scan, i int) (span, bool) {
		start := s.runTo(i, 40, dotted) + 1 // behind the host
		end := s.runTo(start, 256, path)
		if end-start < least || !hasDigit(s.text[start:end]) {
			return span{}, false
		}
		return span{start, end, label}, true
	}
}

// urlPassword matches the password in scheme://user:password@host.
func urlPassword(s *scan, i int) (span, bool) {
	colon, at := -1, -1
	start := i + 3
	for j := start; j < len(s.text) && j < start+400; j++ {
		c := s.text[j]
		if c <= ' ' || strings.IndexByte("/?#\"'<>`\\|", c) >= 0 {
			break
		}
		if c == '[' || c == maskOpen[0] {
			if end := labelAt(s.text, j); end > 0 {
				j = end - 1
				continue
			}
		}
		switch {
		case c == ':' && colon < 0:
			colon = j
		case c == '@' && colon >= 0:
			at = j
		}
	}
	if at < 0 || at-colon-1 < 3 {
		return span{}, false
	}
	if v := s.text[colon+1 : at]; isPlaceholder(v) {
		return span{}, false
	}
	if user := s.text[start:colon]; len(user) >= 16 && looksRandom(user) { // a token in place of the name
		return span{start, at, "url_password"}, true
	}
	return span{colon + 1, at, "url_password"}, true
}

// bearer matches what follows "Bearer ".
func bearer(s *scan, i int) (span, bool) {
	if !s.startsWord(i) {
		return span{}, false
	}
	start := s.runTo(i+len("bearer "), 8, space)
	end := s.runTo(start, 64, token68)
	v := s.text[start:end]
	least := 16
	if s.afterAuthorization(i) {
		least = 6
	}
	if len(v) < least || !hasDigit(v) || !hasLetter(v) || isPlaceholder(v) {
		return span{}, false
	}
	end = s.run(end, token68)
	for strings.IndexByte(".:", s.text[end-1]) >= 0 {
		end--
	}
	if end-start < least {
		return span{}, false
	}
	return span{start, end, s.labelOf(start, end, "bearer_token")}, true
}

// basic matches what follows "Basic " and is base64 of user:password.
func basic(s *scan, i int) (span, bool) {
	if !s.startsWord(i) {
		return span{}, false
	}
	start := s.runTo(i+len("basic "), 8, space)
	end := s.runTo(start, 1024, base64Std)
	v := strings.TrimRight(s.text[start:end], "=")
	if len(v) < 6 {
		return span{}, false
	}
	plain, err := base64.RawStdEncoding.DecodeString(v[:min(len(v), 64)])
	if err != nil || !strings.Contains(string(plain), ":") && !s.afterAuthorization(i) {
		return span{}, false
	}
	for _, c := range plain {
		if c < ' ' || c == 0x7f {
			return span{}, false
		}
	}
	return span{start, end, "basic_credentials"}, true
}

var space = chars("  \t\t")

// afterAuthorization says that a header's name stands before i.
func (s *scan) afterAuthorization(i int) bool {
	before := s.text[max(s.floor, i-24):i]
	before = strings.TrimRight(before, " \t\"'`\\:=>")
	const name = "authorization"
	return len(before) >= len(name) && strings.EqualFold(before[len(before)-len(name):], name)
}

func hasLetter(s string) bool {
	for i := range len(s) {
		if c := lower(s[i]); 'a' <= c && c <= 'z' {
			return true
		}
	}
	return false
}
