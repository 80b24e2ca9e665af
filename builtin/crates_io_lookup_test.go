package builtin

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/registrytest"
)

// cratesServer answers like crates.io, and takes note of what was asked.
type cratesServer struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newCratesServer(t testing.TB) *cratesServer {
	s := &cratesServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.RequestURI())
		s.mu.Unlock()
		assert.Contains(t, r.UserAgent(), "rho-ext/")
		switch r.URL.Path {
		case "/api/v1/crates":
			switch q := r.URL.Query().Get("q"); q {
			case "nothing":
				fmt.Fprint(w, `{"crates":[],"meta":{"total":0}}`)
			case "slow":
				select {
				case <-r.Context().Done():
				case <-time.After(10 * time.Second):
				}
			case "busy":
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(http.StatusTooManyRequests)
				fmt.Fprint(w, `{"errors":[{"detail":"slow down"}]}`)
			case "broken":
				fmt.Fprint(w, `<html>`)
			case "down":
				w.WriteHeader(http.StatusBadGateway)
			case "away":
				http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
			case "huge":
				fmt.Fprint(w, `"`+strings.Repeat("x", cratesBody+10)+`"`)
			default:
				fmt.Fprintf(w, `{"crates":[{"name":"serde","max_version":"2.0.0-rc","max_stable_version":"1.0.1","downloads":42,"description":"A \"<crate>\" for %s","documentation":null}],"meta":{"total":9}}`, "x")
			}
		case "/api/v1/crates/serde":
			fmt.Fprint(w, `{"crate":{"name":"serde","max_version":"2.0.0-rc","max_stable_version":"1.0.1","downloads":42,"description":"d","repository":"https://example.org/serde","keywords":["a","b"]},
				"versions":[{"num":"2.0.0-rc","yanked":true,"created_at":"2026-01-02T00:00:00Z"},{"num":"1.0.1","yanked":false,"created_at":"2025-01-02T00:00:00Z","license":"MIT"}]}`)
		case "/api/v1/crates/serde/1.0.1/dependencies":
			fmt.Fprint(w, `{"dependencies":[{"crate_id":"zz","req":"^1","kind":"dev","optional":false,"features":[]},{"crate_id":"serde_derive","req":"=1.0.1","kind":"normal","optional":true,"features":["x","y"],"target":"cfg(any())"}]}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"errors":[{"detail":"crate does not exist"}]}`)
		}
	}))
	t.Cleanup(s.Close)
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	return s
}

// cratesDoor makes the tool for a server.
func cratesDoor(t testing.TB, base string) *workshop {
	t.Helper()
	r := registry.New()
	require.NoError(t, r.Register("", newCratesLookup(CommandOptions{CratesURL: base})))
	return &workshop{Door: registry.NewDoor(r, nil)}
}

func TestCratesLookup(t *testing.T) {
	t.Parallel()
	s := newCratesServer(t)
	w := cratesDoor(t, s.URL)
	for _, c := range []struct {
		about, text string
		args        map[string]any
	}{
		{"search", "<crate name=\"serde\" version=\"1.0.1\" downloads=\"42\">\ndescription: A &quot;&lt;crate&gt;&quot; for x\ndocs: none\n</crate>\n\n1 of 9 crates", map[string]any{"operation": "search", "query": "a&b=c ü/../?"}},
		{"a search without a find", "no crate was found", map[string]any{"operation": "search", "query": "nothing"}},
		{"info", "<crate name=\"serde\" version=\"1.0.1\" downloads=\"42\">\ndescription: d\nlicense: MIT\nrepository: https://example.org/serde\nhomepage: none\ndocs: none\nkeywords: a, b\n</crate>", map[string]any{"operation": "info", "crate_name": "serde"}},
		{"versions", "<version num=\"2.0.0-rc\" status=\"yanked\" released=\"2026-01-02\" />\n1 of 2 versions", map[string]any{"operation": "versions", "crate_name": "serde", "limit": 1}},
		{"deps of the latest", "dependencies of serde 1.0.1:\n<dependency name=\"serde_derive\" req=\"=1.0.1\" kind=\"normal\" optional=\"true\" features=\"x,y\" target=\"cfg(any())\" />\n<dependency name=\"zz\" req=\"^1\" kind=\"dev\" />", map[string]any{"operation": "deps", "crate_name": "serde"}},
	} {
		t.Run(c.about, func(t *testing.T) {
			o := w.call(t, "crates_io_lookup", c.args, nil)
			assert.Equal(t, registry.StatusSuccess, o.Status)
			assert.Equal(t, c.text, o.Text)
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	assert.Equal(t, []string{"/api/v1/crates?per_page=20&q=a%26b%3Dc+%C3%BC%2F..%2F%3F", "/api/v1/crates?per_page=20&q=nothing", "/api/v1/crates/serde", "/api/v1/crates/serde/1.0.1/dependencies"}, s.asked,
		"what was asked is escaped, and asked once")
}

func TestCratesLookupFailures(t *testing.T) {
	t.Parallel()
	w := cratesDoor(t, newCratesServer(t).URL)
	for _, c := range []struct {
		args map[string]any
		kind registry.Kind
		text string
	}{
		{map[string]any{"operation": "info", "crate_name": "nope"}, registry.KindNotFound, "there is no such crate or version: crate does not exist"},
		{map[string]any{"operation": "search", "query": "busy"}, registry.KindRateLimited, "slow down; it asks to wait 7s"},
		{map[string]any{"operation": "search", "query": "broken"}, registry.KindProvider, "did not answer in JSON"},
		{map[string]any{"operation": "search", "query": "down"}, registry.KindProvider, "answered with status 502"},
		{map[string]any{"operation": "search", "query": "away"}, registry.KindNetwork, "leads to another place"},
		{map[string]any{"operation": "search", "query": "huge"}, registry.KindProvider, "answered with more than"},
		{map[string]any{"operation": "search"}, registry.KindInvalidArgs, "query: required for search"},
		{map[string]any{"operation": "deps"}, registry.KindInvalidArgs, "crate_name: required for deps"},
		{map[string]any{"operation": "info", "crate_name": "../../x"}, registry.KindInvalidArgs, "crate_name"},
	} {
		o := w.call(t, "crates_io_lookup", c.args, nil)
		assert.Equal(t, c.kind, o.Failure.Kind, "%v: %s", c.args, o.Text)
		assert.Contains(t, o.Text, c.text)
		if c.kind == registry.KindRateLimited {
			assert.Equal(t, 7*time.Second, o.Failure.RetryAfter)
			assert.Equal(t, registry.RetryYes, o.Failure.Retryable)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	start := time.Now()
	o := w.callIn(t, ctx, "crates_io_lookup", map[string]any{"operation": "search", "query": "slow"}, nil)
	assert.Equal(t, registry.KindCancelled, o.Failure.Kind)
	assert.Less(t, time.Since(start), 5*time.Second)
	o = cratesDoor(t, "http://127.0.0.1:1").call(t, "crates_io_lookup", map[string]any{"operation": "info", "crate_name": "serde"}, nil)
	assert.Equal(t, registry.KindNetwork, o.Failure.Kind)
}

func TestCratesLookupAsksOncePerPause(t *testing.T) {
	t.Parallel()
	s := newCratesServer(t)
	c := newCratesClient(s.URL, nil)
	c.pause = 100 * time.Millisecond
	start := time.Now()
	for i := range 3 {
		_, err := c.search(t.Context(), fmt.Sprint(i), 5)
		require.NoError(t, err)
	}
	assert.GreaterOrEqual(t, time.Since(start), 200*time.Millisecond)
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "5": 5 * time.Second, "-1": 0, "x": 0, "99999999999999": 24 * time.Hour, "9999999": 24 * time.Hour, "Thu, 01 Jan 2026 00:01:00 GMT": time.Minute, "Thu, 01 Jan 2020 00:01:00 GMT": 0,
	} {
		assert.Equal(t, want, retryAfter(value, now), value)
	}
}

func TestCratesLookupConforms(t *testing.T) {
	s := newCratesServer(t)
	registrytest.Run(t, newCratesLookup(CommandOptions{CratesURL: s.URL}), registrytest.Options{Args: []byte(`{"operation":"info","crate_name":"serde"}`)})
}
