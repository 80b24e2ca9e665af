package host_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/internal/redact"
	"github.com/rho-ext/rho-ext/registry"
)

func TestHooksBeforeTheModelSeeAndChangeTheMessages(t *testing.T) {
	t.Parallel()
	const token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	text := func(role, s string) host.Message {
		return host.Message{Role: role, Content: []registry.Block{{Type: registry.BlockText, Text: s}}}
	}
	p := hooked(t, map[string]string{
		"a.ts": guard(`onBeforeModel: (e) => ({ messages: [{ role: "system", content: "be brief" }, ...e.messages] as any })`),
		"b.ts": guard(`onBeforeModel() { throw new Error("broken"); }`),
		"c.ts": guard(`onBeforeModel: () => ({ messages: [{ role: 1 }] }) as any`),
		"d.ts": guard(`onBeforeModel: (e) => ({ messages: e.messages.map((m: any) => m.role === "user" ? { ...m, content: m.content[0].text + (JSON.stringify(e).includes("ghp_") ? " caught" : " safe") } : m) })`),
		"e.ts": guard(`onBeforeModel() {}`),
		"f.ts": `export default { name: "F", hooks: { onBeforeModel(json) { const list = JSON.parse(json); return { messages: list.concat({ role: "assistant", content: String(list.length) }) }; } } };`,
	})
	red, err := redact.New(redact.Options{})
	require.NoError(t, err)
	got := p.host.BeforeModel(context.Background(), red, []host.Message{text("user", "use "+token)})
	require.Equal(t, []host.Message{text("system", "be brief"), text("user", "use "+token+" safe"), text("assistant", "2")}, got)

	sent := []host.Message{{Role: "tool", Content: []registry.Block{{Type: registry.BlockJSON, JSON: json.RawMessage(`{"a":1}`)}, {Type: registry.BlockImage, Data: []byte("x"), MIMEType: "image/png"}}}}
	got = p.host.BeforeModel(context.Background(), nil, sent)
	require.Equal(t, sent[0], got[1], "what is not text comes through")
}

func TestTryingAHookShowsWhatItDecides(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := hooked(t, map[string]string{
		"a.ts": guard(`onToolCall: (e) => e.toolName === "bash" ? { block: "no " + e.args.command } : undefined`),
		"b.ts": guard(`onToolCall() { throw new Error("broken"); }`),
		"c.ts": `export default { name: "C", permissions: {}, hooks: { onToolCall: () => ({ block: "x" }) } };`,
	})
	list, err := p.host.TryHook(ctx, "tool_call", json.RawMessage(`{"toolName":"bash","args":{"command":"ls"}}`))
	require.NoError(t, err)
	require.Len(t, list, 3)
	require.JSONEq(t, `{"block":"no ls"}`, string(list[0].Decision))
	require.Contains(t, list[1].Error, "broken")
	require.Contains(t, list[1].Error, "b.ts:")
	require.False(t, list[2].Granted)
	require.Nil(t, list[2].Decision)
	require.NotEmpty(t, list[2].Allow)
	list, err = p.host.TryHook(ctx, "onToolCall", nil)
	require.NoError(t, err)
	require.Nil(t, list[0].Decision)
	for event, data := range map[string]string{"tool": "", "tool_call": `[]`, "tool_result": `{"x":1}`, "before_model": `{"messages":1}`, "onToolCall": `{"toolName":1}`} {
		_, err := p.host.TryHook(ctx, event, json.RawMessage(data))
		require.Error(t, err, event)
	}
}

// A host that loads what one tool needs loads the hooks that hear of it, too.
func TestHooksAreLoadedWhereOnlyOneToolIs(t *testing.T) {
	t.Parallel()
	for tool, args := range map[string]string{"echo": `{"text":"a"}`, "read_file": `{"path":"x"}`} {
		p := newProject(t, map[string]string{"z_echo.ts": echo, "lib/hooks.ts": "export const stop = { onToolCall: () => ({ block: 'no' }) };",
			"guard/index.ts": `import { stop } from "./h"; export default { name: "G", hooks: stop };`, "guard/h.ts": `export const stop = { onToolCall: () => ({ block: "no" }) };`,
			"other.ts": `export default { name: "O", tools: [{ name: "other", description: "d", risk: "read", execute: () => "x" }] };`},
			ownHome(t), allowHooks, func(o *host.Options) { o.Tool = tool })
		require.Equal(t, "no", p.call(tool, args).Text, tool)
		_, loaded := p.reg.Snapshot().Lookup("other")
		require.False(t, loaded)
		bare := newProject(t, map[string]string{"z_echo.ts": echo, "guard.ts": guard(`onToolCall: () => ({ block: "no" })`)}, ownHome(t), func(o *host.Options) { o.Tool = tool })
		require.Nil(t, bare.host.Access("guard"), "where nothing is granted there is nothing to load")
	}
}
