package permission

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseNetRule(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"api.github.com":          "api.github.com",
		"API.GitHub.com":          "api.github.com",
		"api.github.com.":         "api.github.com",
		"api.github.com:8443":     "api.github.com:8443",
		"https://api.github.com":  "api.github.com",
		"HTTPS://api.github.com/": "api.github.com",
		"http://localhost:3000":   "localhost:3000",
		"*.example.org":           "*.example.org",
		"*.example.org:8443":      "*.example.org:8443",
		"*":                       "*",
		"*:8080":                  "*:8080",
		"127.0.0.1":               "127.0.0.1",
		"127.1":                   "127.0.0.1",
		"0x7f.1:80":               "127.0.0.1:80",
		"::1":                     "[::1]",
		"[::1]":                   "[::1]",
		"[0:0::1]:8080":           "[::1]:8080",
		"[::ffff:127.0.0.1]":      "127.0.0.1",
		"bücher.example":          "xn--bcher-kva.example",
		"*.BÜCHER.example":        "*.xn--bcher-kva.example",
		"my_host":                 "my_host",
		" spaced.example ":        "spaced.example",
	} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			rule, err := ParseNetRule(in)
			require.NoError(t, err)
			require.Equal(t, want, rule.String())
			require.Equal(t, "--allow-net="+want, rule.Grant())
			again, err := ParseNetRule(rule.String())
			require.NoError(t, err)
			require.Equal(t, rule, again)
		})
	}
}

func TestParseNetRuleErrors(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                       "it is empty",
		"https://":               "it is empty",
		"ftp://example.org":      "the scheme ftp cannot be granted",
		"example.org/path":       "it has a path",
		"https://example.org/a/": "it has a path",
		"example.org?q":          "it has a path",
		"me@example.org":         "it has a user name",
		"example.org:":           `the port "" is not a number`,
		"example.org:0":          `the port "0" is not a number`,
		"example.org:http":       `the port "http" is not a number`,
		"example.org:65536":      `the port "65536" is not a number`,
		"a:b:80":                 "not a valid host name",
		"api.*.org":              "a * may stand only alone",
		"*example.org":           "a * may stand only alone",
		"*.*.org":                "a * may stand only alone",
		"*.10.0.0.1":             "an address has no subdomains",
		"[::1":                   "not a valid host name",
		"fe80::1%eth0":           "not a valid host name",
		"1.2.3.4.5":              "not a valid host name",
		"two words":              "not a valid host name",
		".":                      "not a valid host name",
		"a,b^c":                  "not a valid host name",
		"a,b":                    "not a valid host name",
		"$(reboot)":              "not a valid host name",
		"a;b":                    "not a valid host name",
		"a..b":                   "not a valid host name",
		".a":                     "not a valid host name",
	} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			_, err := ParseNetRule(in)
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, "expected a host such as api.github.com")
		})
	}
}

func TestParseNetRuleLength(t *testing.T) {
	t.Parallel()
	_, err := ParseNetRule(strings.Repeat("x", maxRule+1))
	require.ErrorContains(t, err, "a host of 1025 bytes cannot be granted")
}

func TestRuleCovers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule, hostport string
		want           bool
	}{
		{"api.github.com", "api.github.com:443", true},
		{"api.github.com", "api.github.com:9999", true},
		{"api.github.com", "API.github.com.:443", true},
		{"api.github.com:443", "api.github.com:80", false},
		{"api.github.com", "github.com:443", false},
		{"api.github.com", "xapi.github.com:443", false},
		{"api.github.com", "api.github.com.evil.example:443", false},
		{"*.example.org", "a.example.org:443", true},
		{"*.example.org", "a.b.example.org:443", true},
		{"*.example.org", "example.org:443", false},
		{"*.example.org", "notexample.org:443", false},
		{"*", "anything.example:1", true},
		{"*", "8.8.8.8:53", true},
		{"*", "127.0.0.1:80", false},
		{"*", "[::1]:80", false},
		{"*", "169.254.169.254:80", false},
		{"*", "[::ffff:10.0.0.1]:80", false},
		{"*:80", "anything.example:443", false},
		{"127.0.0.1", "127.0.0.1:80", true},
		{"127.0.0.1", "[::ffff:7f00:1]:80", true},
		{"127.0.0.1", "127.0.0.2:80", false},
		{"[::1]:80", "[::1]:80", true},
		{"localhost", "127.0.0.1:80", false},
		{"localhost", "localhost:80", true},
		{"*", "localhost:80", false},
		{"*.localhost", "a.localhost:80", false},
		{"*.a.localhost", "b.a.localhost:80", false},
		{"a.localhost", "a.localhost:80", true},
		{"*", "notlocalhost:80", true},
	} {
		t.Run(tt.rule+" "+tt.hostport, func(t *testing.T) {
			t.Parallel()
			rule, err := ParseNetRule(tt.rule)
			require.NoError(t, err)
			e, err := parseEndpoint(tt.hostport)
			require.NoError(t, err)
			_, ok := NetRules{{}, rule}.find(e)
			require.Equal(t, tt.want, ok)
		})
	}
}

func TestNameComesBeforeWildcard(t *testing.T) {
	t.Parallel()
	rules := NetRules{mustRule(t, "*"), mustRule(t, "*.example.org"), mustRule(t, "a.example.org")}
	rule, ok := rules.find(newEndpoint("a.example.org", 443))
	require.True(t, ok)
	require.Equal(t, "a.example.org", rule.String())
	rule, ok = rules.find(newEndpoint("b.example.org", 443))
	require.True(t, ok)
	require.Equal(t, "*", rule.String())
}

func TestIsPublic(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]bool{
		"8.8.8.8":              true,
		"140.82.121.5":         true,
		"2606:50c0:8000::153":  true,
		"64:ff9b::808:808":     true,
		"0.0.0.0":              false,
		"10.1.2.3":             false,
		"100.100.100.200":      false,
		"127.0.0.1":            false,
		"127.255.255.255":      false,
		"168.63.129.16":        false,
		"169.254.169.254":      false,
		"172.31.0.1":           false,
		"172.32.0.1":           true,
		"192.168.1.1":          false,
		"198.18.0.1":           false,
		"224.0.0.1":            false,
		"255.255.255.255":      false,
		"::":                   false,
		"::1":                  false,
		"::ffff:192.168.0.1":   false,
		"::ffff:8.8.8.8":       true,
		"::127.0.0.1":          false,
		"fe80::1":              false,
		"fe80::1%eth0":         false,
		"fc00::1":              false,
		"fd00:ec2::254":        false,
		"ff02::1":              false,
		"2001::1":              false,
		"2001:db8::1":          false,
		"2002:7f00:1::":        false,
		"64:ff9b::7f00:1":      false,
		"64:ff9b::a9fe:a9fe":   false,
		"64:ff9b:1::1":         false,
		"2001:4860:4860::8888": true,
	} {
		require.Equal(t, want, isPublic(netip.MustParseAddr(addr)), addr)
	}
}

func FuzzParseNetRule(f *testing.F) {
	for _, s := range []string{"api.github.com", "*.example.org:8443", "[::1]:80", "https://*", "bücher.example", "127.1", "::ffff:1.2.3.4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rule, err := ParseNetRule(s)
		if err != nil {
			return
		}
		again, err := ParseNetRule(rule.String())
		require.NoError(t, err, rule.String())
		require.Equal(t, rule, again)
	})
}

func mustRule(t *testing.T, s string) NetRule {
	t.Helper()
	rule, err := ParseNetRule(s)
	require.NoError(t, err)
	return rule
}
