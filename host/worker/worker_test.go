package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/jsapi"
	"github.com/rho-ext/rho-ext/registry"
)

// broker answers requests from functions and keeps what it was told.
type broker struct {
	mu     sync.Mutex
	logs   []wire.LogRecord
	closed []wire.Stream
	heard  chan struct{} // closed when the word go is logged
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
		if b.heard != nil && rec.Message == "go" {
			close(b.heard)
			b.heard = nil
		}
		return wire.Response{}, nil
	}
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

func (b *broker) messages() (out []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.logs {
		out = append(out, r.Level+": "+r.Message)
	}
	return out
}

// bundled bundles one file called ext.ts.
func bundled(t testing.TB, id, text string) wire.LoadRequest {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ext.ts"), []byte(text), 0o644))
	b, err := bundle.Build(bundle.Options{ID: id, Entry: filepath.Join(dir, "ext.ts"), Root: dir, Limit: dir, Modules: jsapi.Modules()})
	require.NoError(t, err)
	return wire.LoadRequest{Extension: id, Script: b.Script, SourceMap: b.SourceMap, Hash: b.Hash, ProjectRoot: "/project", ExtensionDir: "/ext"}
}

// tools wraps tool members into a module.
func tools(body string) string {
	return `const tool = (name: string, execute: any, parameters: any = {}) => ({ name, description: "d", risk: "read", parameters, execute });
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
export default { name: "ext", tools: [` + body + `] };`
}

func newFactory(t testing.TB, o Options) *Factory {
	t.Helper()
	f, err := NewFactory(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

// rig is one loaded extension.
type rig struct {
	t   testing.TB
	f   *Factory
	sb  wire.Sandbox
	b   *broker
	req wire.LoadRequest
	man wire.Manifest
	mu  sync.Mutex
	n   int
}

func (f *Factory) load(t testing.TB, req wire.LoadRequest, within time.Duration) (*rig, *wire.Failure) {
	t.Helper()
	r := &rig{t: t, f: f, b: &broker{}, req: req}
	var err error
	r.sb, err = f.NewSandbox(r.b)
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.sb.Close() })
	ctx, cancel := context.WithTimeoutCause(context.Background(), within, wire.ErrDeadline)
	defer cancel()
	res, err := r.sb.Load(ctx, req)
	require.NoError(t, err)
	r.man = res.Manifest
	return r, res.Failure
}

func mustLoad(t testing.TB, f *Factory, id, text string) *rig {
	t.Helper()
	r, fail := f.load(t, bundled(t, id, text), 20*time.Second)
	if fail != nil {
		t.Fatalf("did not load: %+v", *fail)
	}
	return r
}

func (r *rig) within(d time.Duration, tool, args string) wire.CallResult {
	ctx, cancel := context.WithTimeoutCause(context.Background(), d, wire.ErrDeadline)
	defer cancel()
	r.mu.Lock()
	r.n++
	id := fmt.Sprint("c", r.n)
	r.mu.Unlock()
	return r.sb.Call(ctx, wire.CallRequest{ID: id, Tool: tool, Args: json.RawMessage(args)})
}

// stopped calls a tool and ends its context when it has logged the word go.
func (r *rig) stopped(cause error, tool string) wire.CallResult {
	heard := make(chan struct{})
	r.b.mu.Lock()
	r.b.heard = heard
	r.b.mu.Unlock()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	go func() {
		select {
		case <-heard:
		case <-ctx.Done():
		}
		cancel(cause)
	}()
	return r.sb.Call(ctx, wire.CallRequest{ID: "stopped", Tool: tool, Args: json.RawMessage("{}")})
}

func (r *rig) text(tool, args string) string {
	r.t.Helper()
	res := r.within(30*time.Second, tool, args)
	require.NotNil(r.t, res.Value, "%+v %+v", res, res.Thrown)
	require.Len(r.t, res.Value.Content, 1)
	return res.Value.Content[0].Text
}

func (r *rig) link() *link {
	s := r.sb.(*remote)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link
}

func TestACallGoesThereAndBack(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, newFactory(t, Options{}), "ext", tools(`tool("hi", async (a: any) => { await sleep(1); return "hi " + JSON.stringify(a) })`))
	require.Equal(t, `hi {"n":1}`, r.text("hi", `{"n":1}`))
	require.Equal(t, "ext", r.man.Name)
	l, err := r.f.Lockdown(context.Background())
	require.NoError(t, err)
	t.Logf("%+v", l)
}
