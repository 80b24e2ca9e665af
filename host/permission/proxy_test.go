package permission

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseProxy(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                  "none",
		"  ":                                "none",
		"http://proxy.test":                 "http://proxy.test:80",
		"HTTP://proxy.test:3128/":           "http://proxy.test:3128",
		"https://proxy.test":                "https://proxy.test:443",
		"socks5://127.0.0.1":                "socks5://127.0.0.1:1080",
		"socks5h://[::1]:9050":              "socks5://[::1]:9050",
		"http://me:s3cret@proxy.test:3128":  "http://proxy.test:3128",
		"socks5://me:s3c%40ret@proxy.test":  "socks5://proxy.test:1080",
		"https://s3cret@proxy.test:8443":    "https://proxy.test:8443",
		" http://10.0.0.1:3128 ":            "http://10.0.0.1:3128",
		"http://me:s3cret@proxy.test:3128/": "http://proxy.test:3128",
	} {
		p, err := ParseProxy(in)
		require.NoError(t, err, in)
		require.Equal(t, want, p.String(), in)
		for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
			require.NotContains(t, fmt.Sprintf(format, p), "s3c", in)
		}
	}
}

func TestParseProxyErrors(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"proxy.test:3128":              "has no host",
		"proxy.test":                   "has no host",
		"//proxy.test":                 "its scheme is none of http, https and socks5",
		"ftp://me:s3cret@proxy.test":   "its scheme is none of http, https and socks5",
		"socks4://proxy.test":          "its scheme is none of http, https and socks5",
		"http://":                      "has no host",
		"http://:3128":                 "has no host",
		"http://me:s3cret@proxy:x":     "cannot be parsed",
		"http://me:s3cret@a b":         "cannot be parsed",
		"http://me:s3cret%@proxy":      "cannot be parsed",
		"http://proxy.test/s3cret":     "it has a path",
		"http://proxy.test?s3cret":     "it has a path",
		"http://me:s3c/ret@proxy.test": "cannot be parsed",
		"Environment":                  "has no host",
		"http://proxy.test\x00":        "cannot be parsed",
	} {
		p, err := ParseProxy(in)
		require.ErrorContains(t, err, want, in)
		require.ErrorContains(t, err, "expected one such as http://proxy.example:3128", in)
		require.NotContains(t, err.Error(), "s3c")
		require.Nil(t, p)
	}
}

func TestProxyLeavesHostsOut(t *testing.T) {
	t.Parallel()
	p, err := ParseProxy("http://proxy.test", "direct.test", "10.0.0.0/8, .sub.test", "port.test:8080")
	require.NoError(t, err)
	for hostPort, want := range map[string]bool{
		"elsewhere.test:443": true,
		"direct.test:443":    false,
		"a.direct.test:80":   false,
		"xdirect.test:80":    true,
		"10.1.2.3:80":        false,
		"11.1.2.3:80":        true,
		"a.sub.test:80":      false,
		"sub.test:80":        true,
		"port.test:8080":     false,
		"port.test:80":       true,
		"localhost:80":       false,
		"127.0.0.1:8080":     false,
		"127.9.9.9:443":      false,
		"[::1]:80":           false,
		"169.254.169.254:80": true,
	} {
		e, err := parseEndpoint(hostPort)
		require.NoError(t, err)
		for _, scheme := range []string{"http", "https"} {
			require.Equal(t, want, p.through(scheme, e) != nil, hostPort)
		}
	}
	p, err = ParseProxy("http://proxy.test", "*")
	require.NoError(t, err)
	require.Nil(t, p.through("http", newEndpoint("a.test", 80)))
	require.Nil(t, (*Proxy)(nil).through("http", newEndpoint("a.test", 80)))
}

func TestProxyFromTheEnvironment(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"} {
		t.Setenv(name, "")
	}
	a, b := newEndpoint("a.test", 443), newEndpoint("b.test", 443)
	p, err := ParseProxy("environment")
	require.NoError(t, err)
	require.Nil(t, p.through("https", a))

	t.Setenv("HTTP_PROXY", "me:s3cret@one.test:3128") // without scheme
	t.Setenv("https_proxy", "socks5://two.test")
	t.Setenv("NO_PROXY", "b.test")
	require.Nil(t, p.through("https", a), "it was read once")
	p, err = ParseProxy("environment", "c.test")
	require.NoError(t, err)
	require.Equal(t, "environment", p.String())
	require.Equal(t, "http://one.test:3128", p.through("http", a).String())
	require.Equal(t, "Basic bWU6czNjcmV0", p.through("http", a).basicAuth())
	require.Equal(t, "socks5://two.test:1080", p.through("https", a).String())
	require.Nil(t, p.through("https", b))
	require.Nil(t, p.through("https", newEndpoint("c.test", 443)))
	explicit, err := ParseProxy("http://three.test")
	require.NoError(t, err)
	require.Equal(t, "http://three.test:80", explicit.through("https", b).String(), "NO_PROXY is for the environment's")

	t.Setenv("HTTP_PROXY", "gopher://me:s3cret@one.test")
	_, err = ParseProxy("environment")
	require.EqualError(t, err, "the variable HTTP_PROXY is no URL of a proxy: its scheme is none of http, https and socks5")
	t.Setenv("HTTP_PROXY", "")
	t.Setenv("https_proxy", "http://me:s3cret@one.test:x")
	_, err = ParseProxy("environment")
	require.EqualError(t, err, "the variable HTTPS_PROXY is no URL of a proxy: it cannot be parsed")
	t.Setenv("HTTP_PROXY", "http://one.test")
	t.Setenv("REQUEST_METHOD", "GET")
	_, err = ParseProxy("environment")
	require.ErrorContains(t, err, "REQUEST_METHOD")
}
