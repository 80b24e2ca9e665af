package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

func TestCallTool(t *testing.T) {
	t.Parallel()
	c := start(t, newRegistry(t,
		&fakeTool{name: "echo", parameters: `{"type":"object","properties":{"n":{}}}`},
		&fakeTool{name: "values", run: func(ctx context.Context, _ json.RawMessage) (*registry.Result, error) {
			return registry.Text(string(registry.CallFrom(ctx).Values["token"])), nil
		}},
	), nil)

	out := c.call("callTool", `{"name":"echo","arguments":{"n":12345678901234567890},"id":"mine","timeoutMs":1000}`)
	require.Equal(t, "mine", out["callId"])
	require.Equal(t, "success", out["status"])
	require.Equal(t, `{"n":12345678901234567890}`, out["text"])
	require.Equal(t, []any{}, out["uses"])
	require.Contains(t, out, "durationMs")

	out = c.call("callTool", `{"name":"values","values":{"token":{"a":1}}}`)
	require.Equal(t, `{"a":1}`, out["text"])
	require.NotEmpty(t, out["callId"])

	out = c.call("callTool", `{"name":"ecko"}`)
	require.Equal(t, "not_found", out["failure"].(map[string]any)["kind"])
	require.Contains(t, out["text"], "echo")

	out = c.call("callTool", `{"name":"echo","arguments":[1]}`)
	require.Equal(t, "invalid_args", out["failure"].(map[string]any)["kind"])
}

func TestCallsRunSideBySide(t *testing.T) {
	t.Parallel()
	wait := newWaiter()
	c := start(t, newRegistry(t, wait, &fakeTool{name: "echo"}), nil)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"callTool","params":{"name":"wait","id":"slow"}}`)
	require.Equal(t, "slow", <-wait.started)
	require.Equal(t, "success", c.call("callTool", `{"name":"echo"}`)["status"])

	code, message := c.fail("callTool", `{"name":"echo","id":"slow"}`)
	require.Equal(t, -32602, code)
	require.Equal(t, `id: a call with the id "slow" is still running`, message)

	c.send(`{"jsonrpc":"2.0","id":2,"method":"cancelCall","params":{"id":"slow"}}`)
	answers := map[float64]any{}
	for range 2 {
		m := c.next()
		answers[m["id"].(float64)] = m["result"]
	}
	require.Equal(t, map[string]any{"cancelled": true}, answers[2])
	require.Equal(t, "cancelled", answers[1].(map[string]any)["failure"].(map[string]any)["kind"])
	require.Equal(t, map[string]any{"cancelled": false}, c.call("cancelCall", `{"id":"slow"}`), "it has ended: no fault")
	require.Equal(t, "success", c.call("callTool", `{"name":"echo","id":"slow"}`)["status"])
}

// A client need not wait for a sign that its call has begun before it cancels.
func TestCancelRightAfterTheCall(t *testing.T) {
	t.Parallel()
	c := start(t, newRegistry(t, &fakeTool{name: "wait", run: func(ctx context.Context, _ json.RawMessage) (*registry.Result, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}}), nil)
	for range 100 {
		c.send(`{"jsonrpc":"2.0","id":1,"method":"callTool","params":{"name":"wait","id":"a"}}` + "\n" +
			`{"jsonrpc":"2.0","id":2,"method":"cancelCall","params":{"id":"a"}}`)
		for range 2 {
			m := c.next()["result"].(map[string]any)
			if failure, ok := m["failure"].(map[string]any); ok {
				require.Equal(t, "cancelled", failure["kind"])
			} else {
				require.Equal(t, map[string]any{"cancelled": true}, m)
			}
		}
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	c := start(t, newRegistry(t, newWaiter()), nil)
	out := c.call("callTool", `{"name":"wait","timeoutMs":5}`)
	require.Equal(t, "timeout", out["failure"].(map[string]any)["kind"])
}

func TestProgress(t *testing.T) {
	t.Parallel()
	c := start(t, newRegistry(t, &fakeTool{name: "work", run: func(ctx context.Context, _ json.RawMessage) (*registry.Result, error) {
		for i := range 3 {
			registry.CallFrom(ctx).Report(registry.Progress{Message: fmt.Sprint("step ", i), Done: float64(i + 1), Total: 3})
		}
		return registry.Text("done"), nil
	}}), nil)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"callTool","params":{"name":"work"}}`)
	var ids []any
	for i := range 3 {
		m := c.next()
		require.Equal(t, "tool/progress", m["method"])
		p := m["params"].(map[string]any)
		ids = append(ids, p["callId"])
		require.Equal(t, fmt.Sprint("step ", i), p["message"])
		require.EqualValues(t, i+1, p["done"])
		require.EqualValues(t, 3, p["total"])
	}
	out := c.next()["result"].(map[string]any)
	require.Equal(t, "success", out["status"])
	require.Equal(t, []any{out["callId"], out["callId"], out["callId"]}, ids)
}

func TestTooManyCalls(t *testing.T) {
	t.Parallel()
	c := newCalls()
	for range maxCalls {
		_, err := c.enter("", nil)
		require.NoError(t, err)
	}
	_, err := c.enter("", nil)
	require.ErrorContains(t, err, "1000 calls are running")
}

// A call that nobody waits for would hold up the requests after it.
func TestCallToolAsNotification(t *testing.T) {
	t.Parallel()
	wait := newWaiter()
	c := start(t, newRegistry(t, wait), nil)
	c.send(`{"jsonrpc":"2.0","method":"callTool","params":{"name":"wait"}}`)
	c.call("version", "{}")
	require.Empty(t, wait.started)
}
