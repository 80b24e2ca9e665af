package host_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// One host is granted, and another one on this machine is what the code wants.
func TestAGrantedHostIsNoWayToAnother(t *testing.T) {
	t.Parallel()
	for about, body := range map[string]string{
		"a redirect":                  `return tried(() => fetch(GOOD + "/to?" + EVIL))`,
		"a redirect of a post":        `return tried(() => fetch(GOOD + "/to?" + EVIL, { method: "POST", body: "x" }))`,
		"two redirects":               `return tried(() => fetch(GOOD + "/to?" + GOOD + "/to?" + EVIL))`,
		"a redirect, synchronously":   `return tried(() => rho.fetchUrl(GOOD + "/to?" + EVIL))`,
		"another port":                `return tried(() => fetch(EVIL))`,
		"a name in the URL":           `return tried(() => fetch(EVIL.replace("//", "//" + GOOD.slice(7) + "@")))`,
		"a name after a backslash":    `return tried(() => fetch(EVIL + "\\@" + GOOD.slice(7)))`,
		"a name in the query":         `return tried(() => fetch(EVIL + "?" + GOOD))`,
		"the header Host":             `return tried(() => fetch(EVIL, { headers: { Host: GOOD.slice(7) } }))`,
		"a URL that changes":          `let n = 0; return tried(() => fetch({ toString: () => n++ ? EVIL : GOOD, get url() { return EVIL }, get href() { return n++ ? EVIL : GOOD } }))`,
		"a Request that changes":      `const r = new Request(GOOD); Object.defineProperty(r, "url", { get: () => EVIL }); return tried(async () => (await fetch(r)).url.includes(EVIL) ? "SECRET" : "good")`,
		"another fetch":               `const f = fetch; globalThis.fetch = () => f(GOOD); return tried(() => f(EVIL))`,
		"a URL that is patched":       `URL.prototype.toString = () => GOOD; Object.defineProperty(URL.prototype, "host", { get: () => GOOD.slice(7) }); return tried(() => fetch(new URL(EVIL)))`,
		"another name of this":        `return tried(() => fetch(EVIL.replace("127.0.0.1", "localhost")))`,
		"a short form":                `return tried(() => fetch(EVIL.replace("127.0.0.1", "127.1")))`,
		"a number":                    `return tried(() => fetch(EVIL.replace("127.0.0.1", "2130706433")))`,
		"a mapped address":            `return tried(() => fetch(EVIL.replace("127.0.0.1", "[::ffff:7f00:1]")))`,
		"a tab in the address":        `return tried(() => fetch(EVIL.replace("127.0", "127\t.0")))`,
		"wide digits":                 `return tried(() => fetch(EVIL.replace("127", "１２７")))`,
		"an upgrade":                  `return tried(() => fetch(GOOD, { method: "CONNECT", headers: { Host: EVIL.slice(7) } }))`,
		"a header with a line":        `return tried(() => fetch(GOOD, { headers: { a: "x\r\nHost: " + EVIL.slice(7) } }))`,
		"a method with a line":        `return tried(() => fetch(GOOD, { method: "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET" }))`,
		"another scheme":              `return all(() => fetch("file:///etc/passwd"), () => fetch("data:text/plain,x"), () => fetch("ws://127.0.0.1/"), () => fetch("unix:/run/x"), () => fetch("javascript:1"))`,
		"a redirect to another one":   `return tried(() => fetch(GOOD + "/to?file:///etc/passwd"))`,
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			var hits atomic.Int32
			evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { hits.Add(1); _, _ = w.Write([]byte("SECRET")) }))
			t.Cleanup(evil.Close)
			good := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/to" {
					http.Redirect(w, r, r.URL.RawQuery, http.StatusTemporaryRedirect)
				}
			}))
			t.Cleanup(good.Close)
			a := attack{permissions: `net: ["*", "127.0.0.1"]`, allow: []string{"net " + strings.TrimPrefix(good.URL, "http://"), "net *"},
				top: `const GOOD = "` + good.URL + `", EVIL = "` + evil.URL + `";`, body: body, want: "~"}
			if about != "a Request that changes" && about != "a URL that changes" { // these may reach the good one
				a.safe = nothingGot
			}
			a.run(t)
			assert.Zero(t, hits.Load(), "a packet left")
		})
	}
}
