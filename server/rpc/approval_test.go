package rpc

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

// asked starts a call that waits for an approval, and gives the question.
func (c *client) asked(id string) map[string]any {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":%q,"method":"callTool","params":{"name":"write","arguments":{"path":"a.txt"},"id":%q}}`, id, id)
	m := c.next()
	require.Equal(c.t, "approval/request", m["method"])
	return m["params"].(map[string]any)
}

func TestAnApprovalAnswersOneRequestAndNoOther(t *testing.T) {
	t.Parallel()
	reg := newRegistry(t, &fakeTool{name: "write", risk: registry.Write, parameters: `{"type":"object","properties":{"path":{"type":"string"}}}`})
	c := start(t, reg, &Options{Approvals: &registry.Approvals{}})
	q := c.asked("one")
	require.Equal(t, "write", q["tool"])
	require.Equal(t, "write", q["risk"])
	require.Equal(t, "one", q["callId"])
	require.Equal(t, map[string]any{"path": "a.txt"}, q["arguments"])
	id := q["id"].(string)

	code, text := c.fail("approvalResponse", `{"id":"other","approved":true}`)
	require.Equal(t, -32602, code)
	require.Contains(t, text, "no request with this id")

	c.send(`{"jsonrpc":"2.0","id":"a","method":"approvalResponse","params":{"id":%q,"approved":true}}`, id)
	first, second := c.next(), c.next()
	if first["id"] != "one" {
		first, second = second, first
	}
	require.Equal(t, "one", first["id"])
	require.Equal(t, "a", second["id"])
	out := first["result"].(map[string]any)
	require.Equal(t, "success", out["status"])
	require.Equal(t, true, out["consent"].(map[string]any)["asked"])

	// The answer is used up: it approves nothing that comes later.
	code, _ = c.fail("approvalResponse", `{"id":"`+id+`","approved":true}`)
	require.Equal(t, -32602, code)
	q = c.asked("two")
	require.NotEqual(t, id, q["id"])
	c.send(`{"jsonrpc":"2.0","id":"b","method":"approvalResponse","params":{"id":%q,"approved":false,"message":"not today"}}`, q["id"])
	first, second = c.next(), c.next()
	if first["id"] != "two" {
		first = second
	}
	out = first["result"].(map[string]any)
	require.Equal(t, "skipped", out["status"])
	require.Equal(t, "tool call denied: not today", out["text"])
}

func TestACallThatIsCancelledWhileItWaitsNeverRuns(t *testing.T) {
	t.Parallel()
	ran := make(chan struct{}, 1)
	tool := &fakeTool{name: "write", risk: registry.Write, parameters: `{"type":"object","properties":{"path":{"type":"string"}}}`}
	tool.run = returnsAfter(ran)
	c := start(t, newRegistry(t, tool), &Options{Approvals: &registry.Approvals{}})
	q := c.asked("one")
	c.send(`{"jsonrpc":"2.0","id":"x","method":"cancelCall","params":{"id":"one"}}`)
	first, second := c.next(), c.next()
	if first["id"] != "one" {
		first = second
	}
	require.Equal(t, "cancelled", first["result"].(map[string]any)["failure"].(map[string]any)["kind"])
	code, _ := c.fail("approvalResponse", `{"id":"`+q["id"].(string)+`","approved":true}`)
	require.Equal(t, -32602, code)
	require.Empty(t, ran)
}

func TestAClientThatLeavesAnswersNoMore(t *testing.T) {
	t.Parallel()
	tool := &fakeTool{name: "write", risk: registry.Write, parameters: `{"type":"object","properties":{"path":{"type":"string"}}}`}
	c := start(t, newRegistry(t, tool), &Options{Approvals: &registry.Approvals{}, Drain: time.Hour})
	c.asked("one")
	require.NoError(t, c.in.Close())
	out := c.next()["result"].(map[string]any)
	require.Equal(t, "skipped", out["status"])
	require.Contains(t, out["text"], "nobody is connected")
}
