package host_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

// notes is a log that tests read.
type notes struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (n *notes) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(b)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

func logTo(n *notes) func(*host.Options) {
	return func(o *host.Options) { o.Logger = slog.New(slog.NewTextHandler(n, nil)) }
}

func TestAVersionIsDisposedOfAfterItsLastCall(t *testing.T) {
	t.Parallel()
	var log notes
	v := func(name string) string {
		return `let open = 1; export default { name: "x", tools: [{ name: "slow", description: "d", risk: "read",
  execute: async (_, ctx) => { ctx.progress("began"); await new Promise((r) => setTimeout(r, 150)); return "` + name + ` " + open } }],
  async dispose() { open = 0; await null; console.log("disposed of ` + name + `") } }`
	}
	p := newProject(t, map[string]string{"x.ts": v("v1")}, logTo(&log))
	began, done := make(chan struct{}), make(chan *registry.Outcome)
	go func() {
		done <- p.door.Call(context.Background(), registry.Request{Tool: "slow", Progress: func(registry.Progress) { close(began) }})
	}()
	<-began
	writeFiles(t, filepath.Join(p.root, ".rho", "extensions"), map[string]string{"x.ts": v("v2")})
	_, err := p.host.Reload(context.Background())
	require.NoError(t, err)
	require.NotContains(t, log.String(), "disposed of v1", "its call still runs")
	require.Equal(t, "v1 1", (<-done).Text)
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "disposed of v1") }, 5*time.Second, time.Millisecond)
	require.Equal(t, "v2 1", p.call("slow", "{}").Text)
	require.NoError(t, p.host.Close())
	require.Contains(t, log.String(), "disposed of v2", "a host that closes disposes of all")
}

func TestADisposeThatFailsOrHangsHoldsNothingUp(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"throws":      `throw new Error("no")`,
		"never ends":  `return new Promise((r) => setTimeout(r, 60_000))`,
		"loops":       `for (;;);`,
		"asks a lot":  `return fetch("https://a.test/")`,
		"reads files": `rho.readFile("a.txt")`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log notes
			ext := `export default { name: "x", tools: [{ name: "NAME", description: "d", risk: "destructive", execute: () => "NAME" }], dispose() { ` + body + ` } }`
			p := newProject(t, map[string]string{"x.ts": strings.ReplaceAll(ext, "NAME", "one"), "y.ts": manifest("y")}, logTo(&log), func(o *host.Options) { o.Allow = allowNet(t, "a.test") })
			writeFiles(t, filepath.Join(p.root, ".rho", "extensions"), map[string]string{"x.ts": strings.ReplaceAll(ext, "NAME", "two")})
			start := time.Now()
			_, err := p.host.Reload(context.Background())
			require.NoError(t, err)
			require.Equal(t, "two", p.call("two", "{}").Text)
			require.Less(t, time.Since(start), 900*time.Millisecond)
			require.Eventually(t, func() bool { return strings.Contains(log.String(), "dispose did not end well") }, 8*time.Second, time.Millisecond)
			require.Equal(t, "two", p.call("two", "{}").Text)
			require.Equal(t, "y", p.call("y", "{}").Text)
			start = time.Now()
			require.NoError(t, p.host.Close())
			require.Less(t, time.Since(start), 4*time.Second)
		})
	}
}

func TestAClosedVersionNeverComesBack(t *testing.T) {
	t.Parallel()
	held, asked := make(chan struct{}), make(chan struct{}, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-held:
		case <-r.Context().Done():
		}
		_, _ = w.Write([]byte("late"))
	}))
	defer server.Close()
	var log notes
	ext := func(version string) string {
		return `let ticks = 0; globalThis.version = "` + version + `";
setInterval(() => { ticks++; console.log("tick of ` + version + `") }, 3);
export default { name: "x", tools: [
  { name: "leaves", description: "d", risk: "network", execute: () => {
      setInterval(() => console.log("call timer of ` + version + `"), 3);
      void fetch("` + server.URL + `").then((r) => r.text()).then((t) => console.log("answer of ` + version + `", t), (e) => console.log("refused of ` + version + `"));
      new Promise((r) => setTimeout(r, 30)).then(() => { throw new Error("late promise of ` + version + `") });
      return "left" } },
  { name: "which", description: "d", risk: "read", execute: () => globalThis.version } ] }`
	}
	p := newProject(t, map[string]string{"x.ts": ext("v1")}, logTo(&log), func(o *host.Options) { o.Allow = allowNet(t, strings.TrimPrefix(server.URL, "http://")) })
	require.Equal(t, "left", p.call("leaves", "{}").Text)
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "tick of v1") }, 5*time.Second, time.Millisecond)
	writeFiles(t, filepath.Join(p.root, ".rho", "extensions"), map[string]string{"x.ts": ext("v2")})
	_, err := p.host.Reload(context.Background())
	require.NoError(t, err)
	require.Equal(t, "v2", p.call("which", "{}").Text)
	close(held)

	// v1 is closed by now but for what was on its way. As v2 ticks on, v1 does not.
	ticks := func(v string) int { return strings.Count(log.String(), "tick of "+v) }
	seen := ticks("v2")
	require.Eventually(t, func() bool { return ticks("v2") > seen+5 }, 5*time.Second, time.Millisecond)
	was := ticks("v1")
	seen = ticks("v2")
	require.Eventually(t, func() bool { return ticks("v2") > seen+20 }, 5*time.Second, time.Millisecond)
	require.Equal(t, was, ticks("v1"))
	require.NotContains(t, log.String(), "answer of v1")
	require.Equal(t, "v2", p.call("which", "{}").Text)
	require.Len(t, p.host.Extensions(), 1)
}
