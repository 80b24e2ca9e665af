package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

func TestCallResults(t *testing.T) {
	t.Parallel()
	large := json.RawMessage(`{"x":"` + strings.Repeat("y", registry.DefaultStructuredLimit) + `"}`)
	for name, tt := range map[string]struct {
		tool fakeTool
		want string // the result without what differs between runs
	}{
		"text": {fakeTool{run: returns(registry.Text("hi"), nil)},
			`{"content":[{"type":"text","text":"hi"}],"status":"success"}`},
		"nothing": {fakeTool{run: returns(nil, nil)},
			`{"content":[{"type":"text","text":"(no output)"}],"status":"success"}`},
		"blocks": {fakeTool{run: returns(&registry.Result{Content: []registry.Block{
			{Type: registry.BlockText, Text: "a"},
			{Type: registry.BlockJSON, JSON: json.RawMessage(`{"b":1}`)},
			{Type: registry.BlockImage, Data: []byte{1, 2}, MIMEType: "image/png"},
			{Type: registry.BlockImage, URL: "https://example.org/pic.png?size=1", MIMEType: "image/png"},
		}}, nil)},
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"{\"b\":1}"},
				{"type":"image","mimeType":"image/png","data":"AQI="},
				{"type":"resource_link","uri":"https://example.org/pic.png?size=1","name":"pic.png","mimeType":"image/png"}],"status":"success"}`},
		"structured": {fakeTool{run: returns(&registry.Result{Structured: json.RawMessage(` {"n":1}`)}, nil)},
			`{"content":[{"type":"text","text":"(no output)"}],"structuredContent":{"n":1},"status":"success"}`},
		"structured array": {fakeTool{run: returns(&registry.Result{Structured: json.RawMessage(`[1]`)}, nil)},
			`{"content":[{"type":"text","text":"(no output)"}],"status":"success"}`},
		"structured and large": {fakeTool{run: returns(&registry.Result{Structured: large}, nil)},
			`{"content":[{"type":"text","text":"(no output)"}],"status":"success"}`},
		"structured, large and promised": {
			fakeTool{info: registry.Info{OutputSchema: json.RawMessage(`{"type":"object"}`)}, run: returns(&registry.Result{Structured: large}, nil)},
			`{"content":[{"type":"text","text":"(no output)"}],"structuredContent":` + string(large) + `,"status":"success"}`},
		"error result": {fakeTool{run: returns(registry.ErrorText("no such city"), nil)},
			`{"content":[{"type":"text","text":"no such city"}],"isError":true,"status":"error","failure":{"kind":"other","retryable":null}}`},
		"error": {fakeTool{run: returns(nil, errors.New("broken"))},
			`{"content":[{"type":"text","text":"broken"}],"isError":true,"status":"error","failure":{"kind":"other","retryable":null}}`},
		"denied": {fakeTool{run: returns(nil, &registry.Failure{Kind: registry.KindPermissionDenied, Code: "net", Message: "no", Hint: "grant it", Retryable: registry.RetryNo})},
			`{"content":[{"type":"text","text":"no"}],"isError":true,"status":"denied","failure":{"kind":"permission_denied","code":"net","retryable":false,"hint":"grant it"}}`},
		"cut": {fakeTool{run: returns(registry.Text(strings.Repeat("z", 2*registry.DefaultTextLimit)), nil)},
			`{"status":"success","truncated":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := tt.tool
			tool.name = "tool"
			res, err := inMemory(t, newRegistry(t, &tool), nil).CallTool(t.Context(), &sdk.CallToolParams{Name: "tool"})
			require.NoError(t, err)
			var got map[string]any
			require.NoError(t, json.Unmarshal([]byte(asJSON(t, res)), &got))
			meta := got["_meta"].(map[string]any)
			require.NotEmpty(t, meta["rho-ext/callId"])
			require.Contains(t, meta, "rho-ext/durationMs")
			for _, key := range []string{"status", "failure", "truncated"} {
				if v, ok := meta["rho-ext/"+key]; ok {
					got[key] = v
				}
			}
			delete(got, "_meta")
			delete(got, "resultType") // the SDK's own
			if name == "cut" {
				delete(got, "content")
			}
			require.JSONEq(t, tt.want, asJSON(t, got))
		})
	}
}

func TestCallBreaksTheSchema(t *testing.T) {
	t.Parallel()
	reg := newRegistry(t, &fakeTool{name: "add", parameters: `{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}`,
		run: func(context.Context, json.RawMessage) (*registry.Result, error) { panic("must not run") }})
	res, err := inMemory(t, reg, nil).CallTool(t.Context(), &sdk.CallToolParams{Name: "add", Arguments: map[string]any{"a": "x"}})
	require.NoError(t, err)
	require.True(t, res.IsError)
	require.Contains(t, asJSON(t, res.Meta), `"kind":"invalid_args"`)
}

func TestCallPassesArguments(t *testing.T) {
	t.Parallel()
	reg := newRegistry(t, &fakeTool{name: "echo", run: func(_ context.Context, args json.RawMessage) (*registry.Result, error) {
		return registry.Text(string(args)), nil
	}})
	res, err := inMemory(t, reg, nil).CallTool(t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: json.RawMessage(`{"big":12345678901234567890}`)})
	require.NoError(t, err)
	require.Equal(t, `{"big":12345678901234567890}`, res.Content[0].(*sdk.TextContent).Text)
}

func TestProgress(t *testing.T) {
	t.Parallel()
	reg := newRegistry(t, &fakeTool{name: "work", run: func(ctx context.Context, _ json.RawMessage) (*registry.Result, error) {
		call := registry.CallFrom(ctx)
		call.Report(registry.Progress{Message: "starting"})
		call.Report(registry.Progress{Message: "still starting"})
		call.Report(registry.Progress{Done: 5, Total: 10})
		call.Report(registry.Progress{Message: "waiting", Done: 5, Total: 10})
		return registry.Text("done"), nil
	}})
	heard := make(chan *sdk.ProgressNotificationParams, 10)
	session := inMemory(t, reg, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { heard <- r.Params },
	})
	_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "work"})
	require.NoError(t, err)
	require.Empty(t, heard, "nobody asked")

	params := &sdk.CallToolParams{Name: "work"}
	params.SetProgressToken("token")
	_, err = session.CallTool(t.Context(), params)
	require.NoError(t, err)
	last := -1.0
	for _, want := range []registry.Progress{{Message: "starting"}, {Message: "still starting"}, {Total: 10}, {Message: "waiting", Total: 10}} {
		got := <-heard
		require.Equal(t, "token", got.ProgressToken)
		require.Equal(t, want.Message, got.Message)
		require.Equal(t, want.Total, got.Total)
		require.Greater(t, got.Progress, last)
		last = got.Progress
	}
	require.InDelta(t, 5, last, 1e-9)
}

func TestCancelAndConcurrency(t *testing.T) {
	t.Parallel()
	started, stopped := make(chan struct{}), make(chan error, 1)
	reg := newRegistry(t,
		&fakeTool{name: "wait", run: func(ctx context.Context, _ json.RawMessage) (*registry.Result, error) {
			close(started)
			<-ctx.Done()
			stopped <- ctx.Err()
			return nil, ctx.Err()
		}},
		&fakeTool{name: "quick"},
	)
	session := inMemory(t, reg, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "wait"})
		ended <- err
	}()
	<-started
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "quick"})
	require.NoError(t, err)
	require.False(t, res.IsError)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.ErrorIs(t, <-stopped, context.Canceled)
}

func TestClientThatLeavesEndsItsCalls(t *testing.T) {
	t.Parallel()
	started, stopped := make(chan struct{}), make(chan struct{})
	reg := newRegistry(t, &fakeTool{name: "wait", run: func(ctx context.Context, _ json.RawMessage) (*registry.Result, error) {
		close(started)
		<-ctx.Done()
		close(stopped)
		return nil, ctx.Err()
	}})
	clientEnd, serverEnd := sdk.NewInMemoryTransports()
	server := NewServer(registry.NewDoor(reg, nil), reg, nil)
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { ended <- server.Run(ctx, serverEnd) }()
	conn, err := clientEnd.Connect(ctx)
	require.NoError(t, err)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, nil).Connect(ctx, fixed{conn}, nil)
	require.NoError(t, err)
	go func() { _, _ = session.CallTool(ctx, &sdk.CallToolParams{Name: "wait"}) }()
	<-started
	require.NoError(t, conn.Close())
	<-stopped
	require.NoError(t, <-ended)
}

// fixed is a transport with a connection that a test holds as well.
type fixed struct{ conn sdk.Connection }

func (f fixed) Connect(context.Context) (sdk.Connection, error) { return f.conn, nil }
