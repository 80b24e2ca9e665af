package redact

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	letters  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	urlChars = letters + "_-"
	hexChars = "0123456789abcdef"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// random makes n random characters, the same in every run. Tokens are made
// here rather than written down, or scanners would report this file.
func random(seed uint64, n int, from string) string {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = from[r.IntN(len(from))]
	}
	return string(b)
}

func jwt() string {
	enc := base64.RawURLEncoding.EncodeToString
	return enc([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + enc([]byte(`{"sub":"1234567890"}`)) + "." + random(9, 43, urlChars[:62])
}

func pem(title, lineEnd string) string {
	body := ""
	for i := range 6 {
		body += random(uint64(i), 64, letters+"+/") + lineEnd
	}
	return "-----BEGIN " + title + "-----" + lineEnd + body + "-----END " + title + "-----"
}

// tokens are true positives by label; each is the secret alone.
var tokens = map[string][]string{
	"openai_key": {
		"sk-" + random(1, 20, letters) + "T3BlbkFJ" + random(2, 20, letters),
		"sk-proj-" + random(1, 120, urlChars) + "x",
		"sk-svcacct-" + random(3, 100, urlChars) + "x",
		"sk-or-v1-" + random(1, 64, hexChars),
	},
	"anthropic_key":        {"sk-ant-api03-" + random(1, 93, urlChars) + "AA", "sk-ant-admin01-" + random(2, 93, urlChars) + "AA"},
	"github_token":         {"ghp_" + random(1, 36, letters), "gho_" + random(2, 36, letters), "ghu_" + random(3, 36, letters), "ghs_" + random(4, 36, letters), "ghr_" + random(5, 76, letters), "github_pat_" + random(6, 22, letters) + "_" + random(7, 59, letters), "ghs_1234_" + jwt()},
	"gitlab_token":         {"glpat-" + random(1, 20, letters), "glptt-" + random(2, 40, hexChars), "gldt-" + random(3, 20, letters), "glrt-" + random(4, 20, letters)},
	"slack_token":          {"xoxb-123456789012-1234567890123-" + random(1, 24, letters), "xoxp-1-" + random(2, 30, letters), "xoxa-2-" + random(3, 30, letters), "xoxo-1" + random(4, 20, letters), "xoxr-1" + random(4, 20, letters), "xoxs-1" + random(4, 20, letters), "xoxe.xoxp-1-" + random(5, 100, letters), "xapp-1-A1-" + random(6, 60, hexChars)},
	"aws_access_key":       {"AKIA" + random(1, 16, capitals), "ASIA" + random(2, 16, capitals), "AKIA" + "IOSFODNN7EXAMPLE"},
	"google_key":           {"AIza" + random(1, 35, letters)},
	"google_token":         {"ya29." + random(1, 60, letters)},
	"google_client_secret": {"GOCSPX-" + random(1, 28, letters)},
	"private_key": {
		pem("RSA PRIVATE KEY", "\n"), pem("PRIVATE KEY", `\n`), pem("OPENSSH PRIVATE KEY", "\r\n"),
		pem("EC PRIVATE KEY", "\n"), pem("ENCRYPTED PRIVATE KEY", "\n"), pem("PGP PRIVATE KEY BLOCK", "\n"), pem("RSA PRIVATE KEY", "\n> "),
	},
	"stripe_key":         {"sk_" + "live_" + random(1, 24, letters), "rk_" + "live_" + random(2, 24, letters), "sk_" + "test_" + random(3, 99, letters), "whsec_" + random(4, 32, letters)},
	"npm_token":          {"npm_" + random(1, 36, letters)},
	"pypi_token":         {"pypi-AgEIcHlwaS5vcmc" + random(1, 120, letters)},
	"huggingface_token":  {"hf_" + random(1, 34, letters)},
	"twilio_key":         {"SK" + random(1, 32, hexChars)},
	"sendgrid_key":       {"SG." + random(1, 22, letters) + "." + random(2, 43, letters)},
	"telegram_token":     {"1234567890:AA" + random(1, 33, letters)},
	"jwt":                {jwt()},
	"digitalocean_token": {"dop_v1_" + random(1, 64, hexChars)},
	"shopify_token":      {"shpat_" + random(1, 32, hexChars)},
	"databricks_token":   {"dapi" + random(1, 32, hexChars)},
	"atlassian_token":    {"ATATT3xFfGF0" + random(1, 180, letters)},
	"linear_key":         {"lin_api_" + random(1, 40, letters)},
	"notion_token":       {"ntn_" + random(1, 46, letters)},
	"vault_token":        {"hvs." + random(1, 90, letters)},
	"supabase_token":     {"sbp_" + random(1, 40, hexChars)},
	"groq_key":           {"gsk_" + random(1, 52, letters)},
	"xai_key":            {"xai-" + random(1, 80, letters)},
	"perplexity_key":     {"pplx-" + random(1, 48, letters)},
	"replicate_token":    {"r8_" + random(1, 37, letters)},
	"tavily_key":         {"tvly-dev-" + random(1, 32, letters)},
	"grafana_token":      {"glsa_" + random(1, 32, letters) + "_" + random(2, 8, hexChars)},
	"newrelic_key":       {"NRAK-" + random(1, 27, capitals)},
	"docker_token":       {"dckr_pat_" + random(1, 27, letters)},
	"age_key":            {"AGE-SECRET-KEY-1" + random(1, 58, capitals)},
	"sentry_token":       {"sntrys_" + random(1, 80, letters), "sntryu_" + random(1, 64, hexChars)},
}

// surroundings are where a token stands, with %s for it.
var surroundings = []string{
	"%s", " %s ", "(%s)", `"%s"`, "'%s'", "<%s>", "a\n%s\nb", `a\n%s\n`, `{"a":"%s"}`, `{"a":"x\n%s"}`, "x=%s&y=1",
	"KEY=%s", "key: %s", "\x1b[1;31m%s\x1b[0m", "q%%3D%s", "it is %s.", "é%sé", "--flag=%s", "[%s]", "a,%s,b", "%s %s",
}

func TestEveryFamilyIsFoundWhereverItStands(t *testing.T) {
	r := must(t, Options{})
	for label, list := range tokens {
		t.Run(label, func(t *testing.T) {
			for _, token := range list {
				for _, around := range surroundings {
					if strings.Contains(token, "\n") && strings.HasPrefix(around, `{`) {
						continue
					}
					text := strings.ReplaceAll(strings.ReplaceAll(around, "%s", token), "%%", "%")
					want := strings.ReplaceAll(strings.ReplaceAll(around, "%s", labelOpen+label+"]"), "%%", "%")
					assert.Equal(t, want, r.Redact(text))
				}
			}
		})
	}
}

func TestEveryFamilyHasATest(t *testing.T) {
	// These have no form of their own and are tested below.
	named := []string{"password", "token", "secret", "url_password", "bearer_token", "basic_credentials", "slack_webhook", "discord_webhook"}
	for _, label := range Families() {
		if assert.NotEmpty(t, label) && !contains(named, label) {
			assert.NotEmpty(t, tokens[label], label)
		}
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

func TestValuesThatTheirSurroundingsMarkAsSecrets(t *testing.T) {
	r := must(t, Options{})
	key := random(5, 32, letters)
	for _, c := range []struct{ text, want string }{
		{"password=hunter2secret", "password=[REDACTED:password]"},
		{"PASSWORD = 'hunter2 secret!'", "PASSWORD = '[REDACTED:password]'"},
		{`DB_PASSWORD: "s3cr3t-v4lue"`, `DB_PASSWORD: "[REDACTED:password]"`},
		{`dbPassword := "corr3ct"`, `dbPassword := "[REDACTED:password]"`},
		{`config["password"] = "p@sswort"`, `config["password"] = "[REDACTED:password]"`},
		{`{:password => "hunter22"}`, `{:password => "[REDACTED:password]"}`},
		{"Server=db;User=sa;Password=Pa55w.rd!;Encrypt=true", "Server=db;User=sa;Password=[REDACTED:password];Encrypt=true"},
		{"MYSQL_PWD=abc123def mysql", "MYSQL_PWD=[REDACTED:password] mysql"},
		{"mysql --password hunter2secret db", "mysql --password [REDACTED:password] db"},
		{"pin password: 493817", "pin password: [REDACTED:password]"},
		{`{"api_key": "` + key + `"}`, `{"api_key": "[REDACTED:api_key]"}`},
		{`{"apiKey":"` + key + `"}`, `{"apiKey":"[REDACTED:api_key]"}`},
		{`"{\"api-key\": \"` + key + `\"}"`, `"{\"api-key\": \"[REDACTED:api_key]\"}"`},
		{"x-api-key: " + key, "x-api-key: [REDACTED:api_key]"},
		{"token=" + key, "token=[REDACTED:token]"},
		{"access_token: 123e4567-e89b-12d3-a456-426614174000", "access_token: [REDACTED:token]"},
		{"client_secret = " + key, "client_secret = [REDACTED:secret]"},
		{"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = [REDACTED:aws_secret_key]"},
		{`"SecretAccessKey": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",`, `"SecretAccessKey": "[REDACTED:aws_secret_key]",`},
		{"AccountKey=" + random(1, 86, letters) + "==;EndpointSuffix=core", "AccountKey=[REDACTED:api_key];EndpointSuffix=core"},
		{"GITHUB_TOKEN=" + tokens["github_token"][0], "GITHUB_TOKEN=[REDACTED:github_token]"},
		{"Authorization: Bearer " + key, "Authorization: Bearer [REDACTED:bearer_token]"},
		{"authorization: bearer abc123def", "authorization: bearer [REDACTED:bearer_token]"},
		{`-H "Authorization: Bearer ` + jwt() + `"`, `-H "Authorization: Bearer [REDACTED:jwt]"`},
		{`{"Authorization":"Bearer ` + key + `"}`, `{"Authorization":"Bearer [REDACTED:bearer_token]"}`},
		{"Authorization: Basic dXNlcjpwYXNzd29yZA==", "Authorization: Basic [REDACTED:basic_credentials]"},
		{"Basic dXNlcjpwYXNzd29yZA==", "Basic [REDACTED:basic_credentials]"},
		{"postgres://user:hunter2@db:5432/x", "postgres://user:[REDACTED:url_password]@db:5432/x"},
		{"https://me:p%40ss@example.com and more", "https://me:[REDACTED:url_password]@example.com and more"},
		{"redis://:s3cret@localhost", "redis://:[REDACTED:url_password]@localhost"},
		{"https://" + tokens["github_token"][0] + "@github.com/a/b", "https://[REDACTED:github_token]@github.com/a/b"},
		{"https://" + tokens["github_token"][0] + ":x-oauth-basic@github.com/a/b", "https://[REDACTED:url_password]@github.com/a/b"},
		{"https://hooks.slack.com/services/T00000000/B00000000/" + random(1, 24, letters), "https://hooks.slack.com/[REDACTED:slack_webhook]"},
		{"https://discord.com/api/webhooks/123456789012345678/" + random(1, 68, letters), "https://discord.com/[REDACTED:discord_webhook]"},
		{"https://api.telegram.org/bot" + tokens["telegram_token"][0] + "/getMe", "https://api.telegram.org/bot[REDACTED:telegram_token]/getMe"},
		{`{"private_key": "` + pem("PRIVATE KEY", `\n`) + `\n", "client_id": "1"}`, `{"private_key": "[REDACTED:private_key]\n", "client_id": "1"}`},
		{"-----BEGIN RSA PRIVATE KEY-----\n" + random(1, 64, letters) + "\n" + random(2, 64, letters) + "\n\nIt is cut off.", "[REDACTED:private_key]\n\nIt is cut off."},
		{`{"a":"\u0067hp_` + random(1, 36, letters) + `"}`, `{"a":"[REDACTED:github_token]"}`},
		{`{"pass\u0077ord":"hunter2!"}`, `{"pass\u0077ord":"[REDACTED:password]"}`},
		{`{"` + tokens["github_token"][0] + `":1}`, `{"[REDACTED:github_token]":1}`},
	} {
		assert.Equal(t, c.want, r.Redact(c.text), c.text)
	}
}

func TestLookAlikesStay(t *testing.T) {
	r := must(t, Options{})
	for _, text := range []string{
		// words around the prefixes
		"task-" + random(1, 48, letters), "risk-assessment-of-the-2024-plan", "desk-" + random(2, 30, letters),
		"sk-learn-pipelines-with-many-steps-2024", "sk-short1", "the disk-usage-of-all-containers-v2",
		"xghp_" + random(1, 36, letters), "ghp_tooshort123", "ghp_" + random(1, 20, letters) + "-" + random(2, 20, letters),
		"github_pat_short", "glpat-short", "xoxb-words-only-here", "xoxo-lots-of-love-to-you",
		"AKIA" + random(1, 15, capitals), "AKIA" + random(1, 17, capitals), "XAKIA" + random(1, 16, capitals), "AKIAabcdefghijklmnop",
		"AIza" + random(1, 20, letters), "BAIza" + random(1, 35, letters),
		"sk_live_short", "task_live_" + random(1, 24, letters), "npm_config_registry_of_the_whole_company", "npm_lifecycle_event",
		"pypi-server-configuration-of-the-company", "hf_hub_download_with_a_very_long_name_here", "shf_" + random(1, 34, letters),
		"SK" + random(1, 31, hexChars), "SK" + random(1, 33, hexChars), "RISK" + random(1, 32, hexChars),
		"SG.short.short", "MSG." + random(1, 22, letters) + "." + random(2, 43, letters),
		"12:AA", "12345:AA" + random(1, 33, letters), "a1b2:AAAA", "eyJhbGciOiJIUzI1NiJ9", "eyJ.eyJ.eyJ",
		"keyJson.keyJson.keyJsonAndMoreAndMoreAndMoreAndMore", random(1, 40, hexChars), random(1, 64, hexChars),
		"dapi" + random(1, 20, hexChars), "r8_short", "xai-grok-is-a-model-with-a-long-name",
		"-----BEGIN PUBLIC KEY-----\n" + random(1, 64, letters) + "\n-----END PUBLIC KEY-----",
		"-----BEGIN CERTIFICATE-----\n" + random(1, 64, letters) + "\n-----END CERTIFICATE-----",
		"It begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.",
		"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
		// names without a secret
		"password: string", "password = getPassword()", "password = os.environ['DB_PASSWORD']", "password: ${DB_PASSWORD}",
		"password=$PASSWORD1", `password: "<your password 1>"`, `"password": "Enter your password"`, "Password: must be at least 8 characters",
		"password = config.database.password", "password=********", "password: z.string().min(8)", "PASSWORD=%DB_PASSWORD1%",
		"passwordless login works since 2024", `if password == "" {`, "const passwordMinLength = 12345678", "PWD=/home/user1/work2", `{"pwd":"/home/user1/work2"}`,
		"OLDPWD=/usr/local/lib64", "token: string", "token = request.headers.authorization", "max_tokens: 1234567890123456",
		`"next_page_token": "CAUQAA` + random(1, 20, letters) + `"`, "token_count=1234567890123456", `{"type":"token","value":"x"}`,
		"key: " + random(1, 32, letters), "primary_key = user_identifier_2024", "keyboard: qwertz12345678901234", "api_key: YOUR_API_KEY_GOES_HERE",
		"api_key = os.getenv(\"KEY1234567890\")", "secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:x", "secretary: anna1234567890ab",
		"PrivateKey: testRSA2048PrivateKey,", `append(env, "PWD="+cmd2.Dir)`, "The secret: be kind.", "token := lexer.next2(abc)", "Authorization: required", "Authorization: Bearer <token>", "Authorization: Bearer $TOKEN1",
		"Bearer of good news in 2024", "bearer authentication-is-required-here", "Basic information about 2024", "Basic authentication", "basic knowledgeable",
		"https://example.com:8080/@scope/pkg", "https://example.com/a:b@c", "https://user@example.com", "http://localhost:3000", "https://user:$PASS@host", "https://user:<pass>@host", "ssh://git@github.com:22/a",
		"https://hooks.slack.com/services/", "see https://slack.com/help",
		"func (t *Tool) Key() string { return t.key }", "## Tokens and passwords\n\nSee secrets management.", "0000000000000000:AAAA",
		"commit 3f786850e387550fdab836ed7e6dc881de23001b", "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA",
		"sha512-" + random(1, 86, letters) + "==",
	} {
		assert.Equal(t, text, r.Redact(text))
	}
}

func must(t testing.TB, o Options) *Redactor {
	t.Helper()
	r, err := New(o)
	require.NoError(t, err)
	return r
}
