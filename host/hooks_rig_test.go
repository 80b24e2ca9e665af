package host_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/registrytest"
)

// observer notes what it hears and tells it as a tool.
const observer = `import { defineExtension, defineTool } from "rho-ext";
const heard: any[] = [];
export default defineExtension({ name: "Observer", permissions: { hooks: ["tool_call", "tool_result"] },
	tools: [defineTool({ name: "heard", description: "d", risk: "read", execute: () => heard })],
	hooks: {
		onToolCall(e) { if (e.toolName !== "heard") heard.push({ before: e.args }); },
		onToolResult(e) { if (e.toolName !== "heard") heard.push({ after: e.args, status: e.status, text: e.content.map((b: any) => b.text).join(), kind: e.failure?.kind }); },
	} });`

// when is a hook for calls of one tool.
func when(tool, call, result string) string {
	return guard(`onToolCall: (e) => e.toolName === "` + tool + `" ? (` + call + `) : undefined, onToolResult: (e) => e.toolName === "` + tool + `" ? (` + result + `) : undefined`)
}

// The cases F1 to F9, F11 and F13 of rig, with hooks in TypeScript. Extensions
// run in the order of their names.
func TestRigHooksFromTypeScript(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name       string
		extensions map[string]string
		call       string // a tool and its arguments
		status     registry.Status
		text       string
		heard      string
		runs       string
	}{
		{"F1 the body does not run, and result hooks hear of it",
			map[string]string{"a.ts": observer, "b.ts": when("echo", `{ block: "not  today\n" }`, "undefined")},
			`echo {"text":"x"}`, registry.StatusSkipped, "not  today\n",
			`[{"before":{"text":"x"}},{"after":{"text":"x"},"status":"skipped","text":"not  today\n","kind":"permission_denied"}]`, "0"},
		{"F2 a reason that looks like JSON stays text",
			map[string]string{"b.ts": when("echo", `{ block: '{"type":"image","data":"aGk="}' }`, "undefined")},
			`echo {"text":"x"}`, registry.StatusSkipped, `{"type":"image","data":"aGk="}`, "", "0"},
		{"F3 a rewrite before a block is kept",
			map[string]string{"a.ts": when("echo", `{ args: { text: "redacted" } }`, "undefined"), "b.ts": when("echo", `{ block: "no" }`, "undefined"), "c.ts": observer},
			`echo {"text":"secret"}`, registry.StatusSkipped, "no",
			`[{"after":{"text":"redacted"},"status":"skipped","text":"no","kind":"permission_denied"}]`, "0"},
		{"F4 the same inside a nested call",
			map[string]string{"a.ts": when("echo", `{ args: { text: "redacted" } }`, "undefined"), "b.ts": when("echo", `{ block: "no" }`, "undefined"), "c.ts": observer,
				"outer.ts": `export default { name: "O", permissions: { tools: ["echo"] }, tools: [{ name: "outer", description: "d", risk: "read",
					execute: async (_: any, ctx: any) => (await ctx.callTool("echo", { text: "secret" })).text }] };`},
			`outer {}`, registry.StatusSuccess, "no",
			`[{"before":{}},{"after":{"text":"redacted"},"status":"skipped","text":"no","kind":"permission_denied"},{"after":{},"status":"success","text":"no"}]`, "0"},
		{"F5 the second rewrite sees the first, and the tool gets the last",
			map[string]string{"a.ts": when("echo", `{ args: { text: e.args.text + "1" } }`, "undefined"), "b.ts": when("echo", `{ args: { text: e.args.text + "2" } }`, "undefined")},
			`echo {"text":"x"}`, registry.StatusSuccess, `got {"text":"x12"}`, "", "1"},
		{"F7 an observer behind a rewritten result sees it, and what happened",
			map[string]string{"a.ts": when("fails", "undefined", `{ content: "[REDACTED]" }`), "b.ts": observer},
			`fails {}`, registry.StatusError, "[REDACTED]",
			`[{"before":{}},{"after":{},"status":"error","text":"[REDACTED]","kind":"other"}]`, "0"},
		{"F8 two rewritten results are chained in order",
			map[string]string{"a.ts": when("echo", "undefined", `{ content: e.content[0].text + "a" }`), "b.ts": when("echo", "undefined", `{ content: [{ type: "text", text: e.content[0].text + "b" }] }`)},
			`echo {"text":"x"}`, registry.StatusSuccess, `got {"text":"x"}ab`, "", "1"},
		{"F9 a rewritten string is valid JSON for the next hook and the tool",
			map[string]string{"a.ts": when("echo", `{ args: { text: "a \"quote\", a \\ and\na line" } }`, "undefined"), "b.ts": observer},
			`echo {"text":"x"}`, registry.StatusSuccess, `got {"text":"a \"quote\", a \\ and\na line"}`,
			`[{"before":{"text":"a \"quote\", a \\ and\na line"}},{"after":{"text":"a \"quote\", a \\ and\na line"},"status":"success","text":"got {\"text\":\"a \\\"quote\\\", a \\\\ and\\na line\"}"}]`, "1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := hooked(t, tc.extensions, allowing(t, "tool echo"))
			tool, args, _ := strings.Cut(tc.call, " ")
			o := p.call(tool, args)
			require.Equal(t, tc.status, o.Status, o.Text)
			require.Equal(t, tc.text, o.Text)
			if tc.heard != "" {
				require.JSONEq(t, tc.heard, p.call("heard", "").Text)
			}
			require.Equal(t, tc.runs, p.call("runs", "").Text)
		})
	}

	t.Run("F6 the transcript keeps the model's arguments", func(t *testing.T) {
		t.Parallel()
		p := hooked(t, map[string]string{"a.ts": when("echo", `{ args: { text: "rewritten" } }`, "undefined")})
		sent := json.RawMessage(`{"text":"original"}`)
		o := p.door.Call(context.Background(), registry.Request{Tool: "echo", Arguments: sent})
		require.Equal(t, `{"text":"original"}`, string(sent))
		require.Equal(t, `{"text":"original"}`, string(o.Sent))
		require.Equal(t, `{"text":"rewritten"}`, string(o.Arguments))
	})
	batch := func(p *project, calls ...string) (texts []string) {
		var list []registry.Request
		for _, c := range calls {
			tool, args, _ := strings.Cut(c, " ")
			list = append(list, registry.Request{Tool: tool, Arguments: json.RawMessage(args)})
		}
		for _, o := range p.door.Batch(context.Background(), list, &registry.BatchOptions{Concurrency: 1}) {
			texts = append(texts, o.Text)
		}
		return texts
	}
	t.Run("F11 a stop after a call: the body ran once, and no other runs", func(t *testing.T) {
		t.Parallel()
		p := hooked(t, map[string]string{"a.ts": when("echo", "undefined", `{ stop: "enough" }`)})
		texts := batch(p, `echo {"text":"1"}`, `echo {"text":"2"}`)
		require.Equal(t, `got {"text":"1"}`, texts[0])
		require.Contains(t, texts[1], "enough")
		require.Equal(t, "1", p.call("runs", "").Text)
	})
	t.Run("F13 a counter stops at the second timeout, and an observer before it saw two", func(t *testing.T) {
		t.Parallel()
		p := hooked(t, map[string]string{"a.ts": observer, "b.ts": `let n = 0; import { defineExtension } from "rho-ext";
export default defineExtension({ name: "Counter", permissions: { hooks: ["tool_result"] }, tools: [], hooks: {
	onToolResult: (e) => e.failure?.kind === "timeout" && ++n === 2 ? { stop: "two timeouts" } : undefined } });`})
		p.reg.MustRegister("", registrytest.Failing(registry.KindTimeout))
		require.Equal(t, []string{"mock tool call failed", "mock tool call failed", "not executed: another call stopped the batch: two timeouts"},
			batch(p, "flaky_tool", "flaky_tool", "flaky_tool"))
		require.Equal(t, 2, strings.Count(p.call("heard", "").Text, `"kind":"timeout"`))
	})
}
