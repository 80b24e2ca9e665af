package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/host/sandbox"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/jsapi"
	"github.com/rho-ext/rho-ext/registry"
)

// broker answers requests from a table and keeps what it was told.
type broker struct {
	mu     sync.Mutex
	logs   []wire.LogRecord
	asked  []wire.Request // but for logs
	closed []wire.Stream
	do     func(context.Context, wire.Request) (wire.Response, error)
	read   func(context.Context, wire.Stream, int) ([]byte, error)
}

func (b *broker) Do(ctx context.Context, r wire.Request) (wire.Response, error) {
	if r.Op == wire.OpLog {
		var rec wire.LogRecord
		_ = json.Unmarshal(r.Data, &rec)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.logs = append(b.logs, rec)
		return wire.Response{}, nil
	}
	b.mu.Lock()
	b.asked = append(b.asked, r)
	b.mu.Unlock()
	if b.do == nil {
		return wire.Response{}, &wire.Error{Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Message: "no " + string(r.Op) + " here"}
	}
	return b.do(ctx, r)
}

func (b *broker) Read(ctx context.Context, s wire.Stream, max int) ([]byte, error) {
	if b.read == nil {
		return nil, io.EOF
	}
	return b.read(ctx, s, max)
}

func (b *broker) CloseStream(s wire.Stream) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = append(b.closed, s)
}

func (b *broker) requests() []wire.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.asked)
}

func (b *broker) closedStreams() []wire.Stream {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.closed)
}

// source writes files and bundles the one called ext.ts.
func source(t testing.TB, files map[string]string) wire.LoadRequest {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	b, err := bundle.Build(bundle.Options{ID: "ext", Entry: filepath.Join(dir, "ext.ts"), Root: dir, Limit: dir, Modules: jsapi.Modules()})
	require.NoError(t, err)
	return wire.LoadRequest{Extension: "ext", Script: b.Script, SourceMap: b.SourceMap, Hash: b.Hash, ProjectRoot: "/project", ExtensionDir: "/ext"}
}

// tools wraps tool members into a manifest.
func tools(body string) map[string]string {
	return map[string]string{"ext.ts": `const tool = (name: string, execute: any, parameters: any = {}) => ({ name, description: "d", risk: "read", parameters, execute });
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
export default { name: "ext", tools: [` + body + `] };`}
}

type rig struct {
	t   testing.TB
	sb  wire.Sandbox
	b   *broker
	man wire.Manifest
	n   int
	mu  sync.Mutex
}

func load(t testing.TB, files map[string]string) (*rig, *wire.Failure) {
	t.Helper()
	return loadWith(t, &broker{}, source(t, files))
}

func loadWith(t testing.TB, b *broker, req wire.LoadRequest) (*rig, *wire.Failure) {
	t.Helper()
	r := &rig{t: t, b: b}
	f := &sandbox.Factory{}
	var err error
	r.sb, err = f.NewSandbox(r.b)
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.sb.Close() })
	ctx, cancel := context.WithTimeoutCause(context.Background(), 2*time.Second, wire.ErrDeadline)
	defer cancel()
	res, err := r.sb.Load(ctx, req)
	require.NoError(t, err)
	r.man = res.Manifest
	return r, res.Failure
}

func mustLoad(t testing.TB, files map[string]string) *rig {
	t.Helper()
	r, f := load(t, files)
	if f != nil {
		t.Fatalf("did not load: %+v", *f)
	}
	return r
}

func (r *rig) call(tool, args string) wire.CallResult { return r.within(10*time.Second, tool, args) }

func (r *rig) within(d time.Duration, tool, args string) wire.CallResult {
	ctx, cancel := context.WithTimeoutCause(context.Background(), d, wire.ErrDeadline)
	defer cancel()
	r.mu.Lock()
	r.n++
	id := fmt.Sprint("c", r.n)
	r.mu.Unlock()
	return r.sb.Call(ctx, wire.CallRequest{ID: id, Tool: tool, Args: json.RawMessage(args)})
}

func (r *rig) text(tool, args string) string {
	r.t.Helper()
	res := r.call(tool, args)
	require.Nil(r.t, res.Thrown, "%+v", res.Thrown)
	require.NotNil(r.t, res.Value)
	require.Len(r.t, res.Value.Content, 1)
	return res.Value.Content[0].Text
}

func TestCallAwaitsTimersAndPromiseAll(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, tools(`
		tool("one", async () => { await sleep(5); return "one" }),
		tool("all", async () => (await Promise.all([sleep(5).then(() => "a"), sleep(1).then(() => "b")])).join()),
		tool("order", async () => { const got: string[] = []; setTimeout(() => got.push("a"), 2); setTimeout(() => got.push("b"), 2); setTimeout(() => got.push("c"), 1); await sleep(10); return got.join("") }),
	`))
	require.Equal(t, "one", r.text("one", "{}"))
	require.Equal(t, "a,b", r.text("all", "{}"))
	require.Equal(t, "cab", r.text("order", "{}"))
}
