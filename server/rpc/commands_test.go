package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

// fakeCommands has one command, which is a tool that no registry lists.
type fakeCommands struct{ tool registry.Tool }

func (c fakeCommands) List(context.Context) (any, error) {
	return []map[string]any{{"name": "deploy", "extension": "x", "risk": "write", "effects": []string{"write"}}}, nil
}

func (c fakeCommands) Request(name, input string) (registry.Request, error) {
	if name != "deploy" {
		return registry.Request{}, errors.New(`there is no command "` + name + `"`)
	}
	own := registry.New()
	own.MustRegister("x", c.tool)
	args, err := json.Marshal(map[string]string{"input": input})
	return registry.Request{Tool: c.tool.Name(), Snapshot: own.Snapshot(), Arguments: args}, err
}

func (c fakeCommands) Complete(_ context.Context, name, prefix string) ([]string, error) {
	if name != "deploy" {
		return nil, errors.New("there is no such command")
	}
	return []string{prefix + "!"}, nil
}

func TestCommandsAreListedRunAndCompleted(t *testing.T) {
	t.Parallel()
	ran := make(chan struct{}, 1)
	tool := &fakeTool{name: "command-deploy", risk: registry.Write, parameters: string(registry.FreeformParameters(""))}
	tool.run = returnsAfter(ran)
	c := start(t, newRegistry(t), &Options{Commands: fakeCommands{tool}, Approvals: &registry.Approvals{}})
	c.send(`{"jsonrpc":"2.0","id":"1","method":"listCommands"}`)
	require.Equal(t, "deploy", c.next()["result"].(map[string]any)["commands"].([]any)[0].(map[string]any)["name"])
	c.send(`{"jsonrpc":"2.0","id":"2","method":"completeCommand","params":{"name":"deploy","prefix":"a"}}`)
	require.Equal(t, map[string]any{"completions": []any{"a!"}}, c.next()["result"])

	// It waits for an approval as a tool does, and can be cancelled.
	c.send(`{"jsonrpc":"2.0","id":"3","method":"runCommand","params":{"name":"deploy","input":"now","id":"mine"}}`)
	q := c.next()
	require.Equal(t, "approval/request", q["method"])
	require.Equal(t, "mine", q["params"].(map[string]any)["callId"])
	require.Equal(t, map[string]any{"input": "now"}, q["params"].(map[string]any)["arguments"])
	c.send(`{"jsonrpc":"2.0","id":"4","method":"cancelCall","params":{"id":"mine"}}`)
	first, second := c.next(), c.next()
	if first["id"] != "3" {
		first, second = second, first
	}
	require.Equal(t, "cancelled", first["result"].(map[string]any)["failure"].(map[string]any)["kind"])
	require.Equal(t, map[string]any{"cancelled": true}, second["result"])
	require.Empty(t, ran)

	for _, bad := range []struct{ method, params string }{
		{"runCommand", `{"name":"nope"}`}, {"runCommand", `{}`}, {"runCommand", `{"name":"deploy","text":"x"}`},
		{"runCommand", `{"name":"deploy","timeoutMs":-1}`}, {"completeCommand", `{"name":"nope"}`}, {"listCommands", `{"x":1}`},
	} {
		code, _ := c.fail(bad.method, bad.params)
		require.Equal(t, -32602, code, "%s %s", bad.method, bad.params)
	}
}

func TestAServerWithoutCommandsHasNoMethodsForThem(t *testing.T) {
	t.Parallel()
	c := start(t, newRegistry(t), nil)
	code, text := c.fail("runCommand", `{"name":"deploy"}`)
	require.Equal(t, -32601, code)
	require.NotContains(t, text, "listCommands")
}
