package permission

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

// With wildcards granted, no name leads to an address that is not public.
func TestAttemptsOnNames(t *testing.T) {
	t.Parallel()
	a := newArena(t, map[string][]string{
		"one.test":                 {"127.0.0.1"},
		"sub.localhost":            {publicAddr},
		"127.0.0.1.nip.test":       {"127.0.0.1"},
		"a.granted.test":           {"127.0.0.1"},
		"zero.test":                {"0.0.0.0"},
		"inner.test":               {"10.0.0.1"},
		"six.test":                 {"::1"},
		"unique.test":              {"fd00::1"},
		"link.test":                {"fe80::1"},
		"mapped.test":              {"::ffff:127.0.0.1"},
		"nat64.test":               {"64:ff9b::7f00:1"},
		"meta.test":                {"169.254.169.254"},
		"metadata.google.internal": {"169.254.169.254"},
		"first.test":               {"127.0.0.1 " + publicAddr},
		"last.test":                {publicAddr + " 8.8.8.8 10.1.1.1"},
		"both.test":                {publicAddr + " ::1"},
		"alias.test":               {"cname:inner.corp 10.0.0.1"},
		"chain.test":               {"cname:a.test cname:b.test 127.0.0.1"},
		"mail.test":                {publicAddr},
	})
	private := func(name, addr string) attempt {
		return attempt{url: "http://" + name + ":TRAP/", want: "it leads to " + addr + ", and a wildcard covers public addresses only", lookup: true}
	}
	subdomain := private("a.granted.test", "127.0.0.1")
	subdomain.rules = "*.granted.test"
	var attempts []attempt
	for _, form := range []string{
		"localhost", "LOCALHOST", "localhost.", "localhost%2e", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "loc\u00adalhost", "%6cocalhost", "localhost。", "ｌｏｃａｌｈｏｓｔ",
		"sub.localhost", "a.b.localhost.",
	} {
		attempts = append(attempts, attempt{url: "http://" + form + ":TRAP/", want: "localhost:TRAP is not granted"})
	}
	a.refuseAll(t, append(attempts, []attempt{
		private("one.test", "127.0.0.1"), private("ONE.TEST.", "127.0.0.1"), private("zero.test", "0.0.0.0"),
		private("inner.test", "10.0.0.1"), private("six.test", "::1"), private("unique.test", "fd00::1"), private("link.test", "fe80::1"),
		private("nat64.test", "64:ff9b::7f00:1"), private("meta.test", "169.254.169.254"), private("metadata.google.internal", "169.254.169.254"),
		private("first.test", "127.0.0.1"), private("last.test", "10.1.1.1"), private("both.test", "::1"),
		private("alias.test", "10.0.0.1"), private("chain.test", "127.0.0.1"), private("mapped.test", "127.0.0.1"), private("127.0.0.1.nip.test", "127.0.0.1"),
		subdomain,
		// What no rule covers is not even looked up.
		{url: "http://one.test:TRAP/", rules: "-", want: "one.test:TRAP is not granted"},
		{url: "http://one.test:TRAP/", rules: "*.granted.test", want: "one.test:TRAP is not granted"},
		{url: "http://granted.test:TRAP/", rules: "*.granted.test", want: "granted.test:TRAP is not granted"},
		{url: "http://xgranted.test:TRAP/", rules: "*.granted.test", want: "is not granted"},
		{url: "http://granted.test.one.test:TRAP/", rules: "granted.test *.granted.test", want: "is not granted"},
		{url: "http://one.test:TRAP/", rules: "one.test:GRANTED", want: "one.test:TRAP is not granted"},
		{url: "http://localhost:GRANTED/", rules: "-", want: "localhost:GRANTED is not granted"},
		{url: "http://[::1]:GRANTED/", rules: "-", want: "[::1]:GRANTED is not granted"},
		// Ports of other protocols.
		{url: "http://mail.test:25/", want: "port 25 is blocked"},
		{url: "https://mail.test:465/", rules: "mail.test", want: "port 465 is blocked"},
		{url: "http://127.0.0.1:6000/", rules: "127.0.0.1", want: "port 6000 is blocked"},
		{url: "http://mail.test:10080/", rules: "*:10080", want: "port 10080 is blocked"},
		// Hosts that are none, and would say something else in a rule or a shell.
		{url: "http://*/", kind: registry.KindInvalidArgs, want: "is neither a name nor an address"},
		{url: "http://*.test:TRAP/", kind: registry.KindInvalidArgs, want: "is neither a name nor an address"},
		{url: "http://$(id):TRAP/", kind: registry.KindInvalidArgs, want: "is neither a name nor an address"},
		{url: "http://a;id:TRAP/", kind: registry.KindInvalidArgs, want: "is neither a name nor an address"},
		{url: "http://a,one.test:TRAP/", kind: registry.KindInvalidArgs, want: "is neither a name nor an address"},
		{url: "http://a..test:TRAP/", kind: registry.KindInvalidArgs, want: "is neither a name nor an address"},
		{url: "http://.test:TRAP/", kind: registry.KindInvalidArgs, want: "is neither a name nor an address"},
		{url: "http://one.test..:TRAP/", kind: registry.KindInvalidArgs, want: "is neither a name nor an address"},
	}...))
}

// A name that answers with a public address when it is checked and with a
// private one when it is dialled is dialled where it was checked.
func TestAttemptsAtRebinding(t *testing.T) {
	t.Parallel()
	a := newArena(t, map[string][]string{"rebind.test": {publicAddr, "127.0.0.1"}})
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		fmt.Fprint(w, "the public one")
	})
	c := newTestClient(t, ClientOptions{Resolver: a.dns.resolver()}, "*")
	dials := countDials(c, map[string]string{publicAddr + ":" + a.trap: "127.0.0.1:" + portOf(url)})

	res, err := get(t, c, "http://rebind.test:"+a.trap)
	require.Equal(t, "the public one", text(t, res, err))
	require.Equal(t, []string{"rebind.test"}, a.dns.asked(), "one question")

	_, err = get(t, c, "http://rebind.test:"+a.trap)
	require.Contains(t, wireError(t, err).Message, "it leads to 127.0.0.1")
	require.Equal(t, []string{publicAddr + ":" + a.trap}, dials.list())
}

// The dialer's own check holds without the one before it.
func TestSocketIsCheckedLast(t *testing.T) {
	t.Parallel()
	a := newArena(t, nil)
	d := newDialer(ClientOptions{})
	for _, addr := range []string{"127.0.0.1", "[::1]", "0.0.0.0", "localhost"} {
		_, err := d.connect(t.Context(), &admission{rule: mustRule(t, "*"), target: Target{Host: "one.test", Port: 80}}, addr+":"+a.trap)
		require.Equal(t, registry.KindPermissionDenied, wireError(t, err).Kind, addr)
	}
}
