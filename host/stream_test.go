package host_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

// endless serves a body that never ends, and tells when its client has gone.
func endless(t *testing.T) (url string, gone <-chan struct{}) {
	t.Helper()
	left := make(chan struct{}, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("first"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		left <- struct{}{}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, left
}

func fetching(t *testing.T, url string) *project {
	t.Helper()
	p := newProject(t, map[string]string{"x.ts": `
let kept: Response;
const tool = (name: string, execute: any) => ({ name, description: "d", risk: "network", execute });
export default { name: "x", tools: [
  tool("keep", async () => { kept = await fetch("` + url + `"); return "kept" }),
  tool("read", () => kept.text()),
  tool("busy", async () => { kept = await fetch("` + url + `"); for (;;) {} }),
] }`}, func(o *host.Options) {
		o.Allow = allowNet(t, strings.TrimPrefix(url, "http://"))
	})
	require.Empty(t, p.host.Failures())
	return p
}

func TestABodyEndsWithTheCallThatFetchedItAndNeverLooksWhole(t *testing.T) {
	t.Parallel()
	url, gone := endless(t)
	p := fetching(t, url)
	require.Equal(t, "kept", p.call("keep", "{}").Text)
	select {
	case <-gone:
	case <-time.After(5 * time.Second):
		t.Fatal("the connection outlives the call")
	}
	o := p.call("read", "{}")
	require.Equal(t, registry.StatusError, o.Status, o.Text)
	require.Contains(t, o.Text, "the body is gone")
}

func TestABodyEndsWithACallWhoseRuntimeIsThrownAway(t *testing.T) {
	t.Parallel()
	url, gone := endless(t)
	p := fetching(t, url)
	require.Equal(t, registry.KindTimeout, p.within(500*time.Millisecond, "busy", "{}").Failure.Kind)
	select {
	case <-gone:
	case <-time.After(5 * time.Second):
		t.Fatal("the connection outlives the runtime")
	}
}
