package examples_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

type httpStatus struct {
	Status     int               `json:"status"`
	StatusText string            `json:"statusText"`
	URL        string            `json:"url"`
	Redirected bool              `json:"redirected"`
	TimeMS     float64           `json:"timeMs"`
	Headers    map[string]string `json:"headers"`
}

// serve starts a server on loopback and counts its requests.
func serve(t *testing.T, h http.HandlerFunc) (url string, requests *atomic.Int32) {
	t.Helper()
	requests = new(atomic.Int32)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		h(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, requests
}

func (p *project) status(a args) httpStatus {
	p.t.Helper()
	var got httpStatus
	require.NoError(p.t, json.Unmarshal(p.succeed("http_status", a).Structured, &got))
	return got
}

func TestHTTPStatusReportsWhatTheServerAnswers(t *testing.T) {
	t.Parallel()
	var methods atomic.Value
	methods.Store("")
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		methods.Store(r.Method)
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("ETag", `"1"`)
			w.Header().Set("X-Secret", "not shown")
			_, _ = io.WriteString(w, strings.Repeat("x", 1<<16))
		case "/moved":
			http.Redirect(w, r, "/?to=here#part", http.StatusFound)
		case "/busy":
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			http.NotFound(w, r)
		}
	})
	p := open(t, "http_status", nil, "127.0.0.1")

	got := p.status(args{"url": url})
	require.Equal(t, http.MethodHead, methods.Load())
	require.Equal(t, 200, got.Status)
	require.Equal(t, "OK", got.StatusText)
	require.Equal(t, url+"/", got.URL)
	require.False(t, got.Redirected)
	require.Positive(t, got.TimeMS)
	require.Equal(t, "text/plain", got.Headers["content-type"])
	require.Equal(t, `"1"`, got.Headers["etag"])
	require.NotContains(t, got.Headers, "x-secret")

	got = p.status(args{"url": url + "/", "method": "GET"})
	require.Equal(t, http.MethodGet, methods.Load())
	require.Equal(t, 200, got.Status)

	got = p.status(args{"url": url + "/moved"})
	require.Equal(t, 200, got.Status)
	require.True(t, got.Redirected)
	require.Equal(t, url+"/?to=here", strings.Split(got.URL, "#")[0])

	got = p.status(args{"url": url + "/busy"})
	require.Equal(t, 503, got.Status)
	require.Equal(t, "7", got.Headers["retry-after"])
	require.Equal(t, 404, p.status(args{"url": url + "/nowhere"}).Status)
}

func TestHTTPStatusRecordsTheHostAndTheGrant(t *testing.T) {
	t.Parallel()
	url, _ := serve(t, func(http.ResponseWriter, *http.Request) {})
	out := open(t, "http_status", nil, "127.0.0.1").succeed("http_status", args{"url": url + "/a?token=1"})
	require.Equal(t, []registry.Use{{Kind: "net", Target: "HEAD " + url + "/a", Effect: "net", Grant: "--allow-net=127.0.0.1"}}, out.Uses)
}

func TestHTTPStatusWithoutAGrantLeavesNothingOut(t *testing.T) {
	t.Parallel()
	url, requests := serve(t, func(http.ResponseWriter, *http.Request) {})
	for _, allow := range [][]string{nil, {"example.org"}, {"*"}} {
		out := open(t, "http_status", nil, allow...).fail(registry.KindPermissionDenied, "http_status", args{"url": url})
		require.Equal(t, registry.StatusDenied, out.Status)
		require.Equal(t, fetchLine(t), out.Failure.Location.Line)
		require.True(t, strings.HasSuffix(out.Failure.Location.File, "extensions/http_status.ts"), out.Failure.Location.File)
		require.Contains(t, out.Failure.Location.Frame, "await fetch(")
		require.Contains(t, out.Failure.Hint, "--allow-net=127.0.0.1")
		require.Len(t, out.Uses, 1)
		require.True(t, out.Uses[0].Denied)
	}
	require.Zero(t, requests.Load())
}

// fetchLine is the line of http_status.ts that calls fetch.
func fetchLine(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("extensions", "http_status.ts"))
	require.NoError(t, err)
	before, _, found := strings.Cut(string(data), "await fetch(")
	require.True(t, found)
	return strings.Count(before, "\n") + 1
}

func TestHTTPStatusGivesUpOnASlowServer(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	url, _ := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(release) }) // before the server's own
	start := time.Now()
	out := open(t, "http_status", nil, "127.0.0.1").fail(registry.KindTimeout, "http_status", args{"url": url, "timeout": 0.2})
	require.Less(t, time.Since(start), 5*time.Second)
	require.Contains(t, out.Text, "within 0.2 s")
	require.Contains(t, out.Failure.Hint, "longer timeout")
	require.Equal(t, registry.RetryYes, out.Failure.Retryable)
}

func TestHTTPStatusTellsWhenNobodyListens(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	url := "http://" + l.Addr().String()
	require.NoError(t, l.Close())
	out := open(t, "http_status", nil, "127.0.0.1").call("http_status", args{"url": url})
	require.Equal(t, registry.StatusError, out.Status)
	require.Contains(t, out.Text, "fetch failed")
	require.Equal(t, fetchLine(t), out.Failure.Location.Line)
}
