package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/rho-ext/rho-ext/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeTool is a tool whose every part a test can set.
type fakeTool struct {
	name       string
	parameters string
	risk       registry.Risk
	info       registry.Info
	run        func(ctx context.Context, args json.RawMessage) (*registry.Result, error)
}

func (f *fakeTool) Name() string        { return f.name }
func (f *fakeTool) Description() string { return "Does " + f.name + "." }
func (f *fakeTool) Risk() registry.Risk { return max(f.risk, registry.Read) }
func (f *fakeTool) Info() registry.Info { return f.info }

func (f *fakeTool) Parameters() json.RawMessage {
	if f.parameters == "" {
		return json.RawMessage(`{"type":"object"}`)
	}
	return json.RawMessage(f.parameters)
}

func (f *fakeTool) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	if f.run == nil {
		return registry.Text(string(args)), nil
	}
	return f.run(ctx, args)
}

// waiter is a tool that runs until its call ends.
type waiter struct {
	fakeTool
	started chan string // ids of calls
}

func newWaiter() *waiter {
	w := &waiter{started: make(chan string, 10)}
	w.fakeTool = fakeTool{name: "wait", run: func(ctx context.Context, _ json.RawMessage) (*registry.Result, error) {
		w.started <- registry.CallFrom(ctx).ID
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}}
	return w
}

// client is the other end of a server, as raw lines.
type client struct {
	t     *testing.T
	in    io.WriteCloser
	lines *bufio.Reader
	ended chan error
}

// start serves tools to a client over pipes and reads the ready notification.
func start(t *testing.T, reg *registry.Registry, o *Options) *client {
	t.Helper()
	return startContext(t, context.Background(), reg, o)
}

func startContext(t *testing.T, ctx context.Context, reg *registry.Registry, o *Options) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, in: inW, lines: bufio.NewReader(outR), ended: make(chan error, 1)}
	var door *registry.DoorOptions
	if o != nil && o.Approvals != nil {
		door = &registry.DoorOptions{Policy: &registry.Policy{}, Gate: o.Approvals}
	}
	server := NewServer(registry.NewDoor(reg, door), reg, o)
	go func() {
		c.ended <- server.Serve(ctx, inR, outW)
		_ = outW.Close()
	}()
	t.Cleanup(func() {
		_ = inW.Close()
		_, _ = io.Copy(io.Discard, c.lines)
	})
	ready := c.next()
	require.Equal(t, "ready", ready["method"])
	return c
}

func (c *client) send(format string, args ...any) {
	c.t.Helper()
	_, err := fmt.Fprintf(c.in, format+"\n", args...)
	require.NoError(c.t, err)
}

// next reads one message.
func (c *client) next() map[string]any {
	c.t.Helper()
	line, err := c.lines.ReadBytes('\n')
	require.NoError(c.t, err)
	var m map[string]any
	require.NoError(c.t, json.Unmarshal(line, &m), string(line))
	require.Equal(c.t, "2.0", m["jsonrpc"])
	return m
}

// call makes a request and reads its result.
func (c *client) call(method, params string) map[string]any {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"c","method":%q,"params":%s}`, method, params)
	m := c.next()
	require.Equal(c.t, "c", m["id"])
	require.Contains(c.t, m, "result")
	return m["result"].(map[string]any)
}

// fail makes a request and reads its error.
func (c *client) fail(method, params string) (code int, message string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"f","method":%q,"params":%s}`, method, params)
	m := c.next()
	require.Equal(c.t, "f", m["id"])
	return errorOf(c.t, m)
}

func errorOf(t *testing.T, m map[string]any) (code int, message string) {
	t.Helper()
	e, ok := m["error"].(map[string]any)
	require.True(t, ok, "%v", m)
	return int(e["code"].(float64)), e["message"].(string)
}

func newRegistry(t *testing.T, tools ...registry.Tool) *registry.Registry {
	t.Helper()
	reg := registry.New()
	require.NoError(t, reg.Register("", tools...))
	return reg
}

// returnsAfter is a tool's function that says that it ran.
func returnsAfter(ran chan<- struct{}) func(context.Context, json.RawMessage) (*registry.Result, error) {
	return func(context.Context, json.RawMessage) (*registry.Result, error) {
		ran <- struct{}{}
		return registry.Text("ran"), nil
	}
}
