package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const livingExtension = `import { defineExtension, defineTool } from "rho-ext";
export default defineExtension({ name: "Living", permissions: { hooks: ["tool_call", "tool_result"], write: ["out"] },
	tools: [defineTool({ name: "hello", description: "d", risk: "read", execute: () => "hello" })],
	hooks: { onToolCall: (e) => e.toolName === "hello" ? { block: "no hello" } : undefined, onToolResult() { throw new Error("broken"); } },
	commands: [
		{ name: "count", description: "Counts.", complete: (p) => ["one", "two"].filter((w) => w.startsWith(p)),
		  async run(args, ctx) { const n = ((await ctx.state.get<number>("n")) ?? 0) + 1; await ctx.state.set("n", n); return args + n; } },
		{ name: "save", run: (args, ctx) => ctx.fs.write("out/x", args) },
		{ name: "fail", run() { throw new Error("as always"); } },
	] });`

func TestCommandsAreRunByName(t *testing.T) {
	root := project(t, map[string]string{"living.ts": livingExtension})
	got := rhoExt(t, root, "", "command")
	require.Equal(t, 0, got.code, got.err)
	require.Equal(t, "COMMAND  EXTENSION  RISK   DESCRIPTION\ncount    living     read   Counts.\nsave     living     write  \nfail     living     read   \n", got.out)
	got = rhoExt(t, root, "", "command", "--json")
	validate(t, "commands", got.out)

	home := trusting(t, root)
	again := func(args ...string) ran {
		t.Setenv("RHO_HOME", home)
		var out, errs bytes.Buffer
		code := run(t.Context(), append(args, "--root", root), streams{in: strings.NewReader(""), out: &out, err: &errs})
		return ran{code: code, out: out.String(), err: errs.String()}
	}
	require.Equal(t, "1\n", again("command", "count").out)
	got = again("command", "living:count", "a", "b ", "--json")
	require.Equal(t, 0, got.code, got.err)
	validate(t, "outcome", got.out)
	var o struct {
		Tool, Text string
		Uses       []struct{ Kind, Target string }
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &o))
	require.Equal(t, "a b 2", o.Text, "state survives the process")
	require.Equal(t, "command-count", o.Tool)
	require.Equal(t, "state", o.Uses[0].Kind)
	require.Equal(t, "two\n", rhoExt(t, root, "", "command", "count", "--complete", "t").out)

	got = rhoExt(t, root, "", "command", "save", "x")
	require.Equal(t, 4, got.code)
	require.Contains(t, got.err, "--yes")
	got = rhoExt(t, root, "", "command", "save", "x", "--yes")
	require.Equal(t, 4, got.code, "a yes is no grant")
	require.Contains(t, got.err, "--allow-write=out/x")
	require.Equal(t, 0, rhoExt(t, root, "", "command", "save", "x", "--yes", "--allow-write=out").code)
	require.Equal(t, 1, rhoExt(t, root, "", "command", "fail").code)
	got = rhoExt(t, root, "", "command", "coun")
	require.Equal(t, 1, got.code)
	require.Contains(t, got.err, `there is no command "coun" (did you mean count?)`)

	broken := project(t, map[string]string{"broken.ts": "export default {"})
	require.Equal(t, 3, rhoExt(t, broken, "", "command", "count").code)
}

func TestHooksShowWhatTheyDecide(t *testing.T) {
	root := project(t, map[string]string{"living.ts": livingExtension})
	got := rhoExt(t, root, "", "run", "hello")
	require.Equal(t, "hello\n", got.out, "what is not granted does not run")
	require.Contains(t, got.err+rhoExt(t, root, "", "hook", "tool_call").out, "--allow-hook=tool_call")

	got = rhoExt(t, root, "", "run", "hello", "--allow-hook=tool_call")
	require.Equal(t, 4, got.code)
	require.Contains(t, got.err, "no hello")

	got = rhoExt(t, root, "", "hook", "tool_call")
	require.Equal(t, 4, got.code)
	require.Contains(t, got.out, "living onToolCall: not granted, so it does not run")
	got = rhoExt(t, root, `{"toolName":"hello"}`, "hook", "tool_call", "--allow-hook=tool_call", "--event", "-")
	require.Equal(t, 0, got.code, got.err)
	require.Contains(t, got.out, `living onToolCall: {"block":"no hello"}`)
	got = rhoExt(t, root, "", "hook", "onToolCall", "--allow-hook=tool_call", "--json")
	require.Equal(t, 0, got.code, got.err)
	validate(t, "hook", got.out)
	got = rhoExt(t, root, "", "hook", "tool_result", "--allow-hook=tool_result")
	require.Equal(t, 1, got.code)
	require.Contains(t, got.out, "failed, which changes nothing")
	require.Contains(t, got.out, "living.ts:")
	require.Contains(t, rhoExt(t, root, "", "hook", "before_model").out, "no extension has a hook")
	require.Equal(t, 2, rhoExt(t, root, "", "hook", "tool").code)
	require.Equal(t, 2, rhoExt(t, root, "", "hook", "tool_call", "--event", "{").code)
	require.Equal(t, 2, rhoExt(t, root, "", "hook", "tool_call", "--event", `{"tool":"x"}`).code)

	got = rhoExt(t, root, "", "info", "living", "--allow-hook=tool_call")
	require.Contains(t, got.out, "has hook   onToolCall (runs; effects none)\nhas hook   onToolResult (not granted, so it does not run; effects none)\ncommand    count (read; effects none)\ncommand    save (write; effects write)\n")
	validate(t, "list", rhoExt(t, root, "", "list", "--json").out)
}

func TestCommandsAreServedOverRPC(t *testing.T) {
	root := project(t, map[string]string{"living.ts": livingExtension})
	got := rhoExt(t, root, `{"jsonrpc":"2.0","id":1,"method":"listCommands"}
{"jsonrpc":"2.0","id":2,"method":"runCommand","params":{"name":"count","input":"n="}}
{"jsonrpc":"2.0","id":3,"method":"completeCommand","params":{"name":"count","prefix":"o"}}
{"jsonrpc":"2.0","id":4,"method":"callTool","params":{"name":"hello"}}
`, "serve", "--rpc", "--allow-hook=tool_call", "--log-level", "off")
	require.Equal(t, 0, got.code, got.err)
	answers := map[float64]json.RawMessage{}
	for line := range strings.Lines(got.out) {
		var m struct {
			ID     float64         `json:"id"`
			Result json.RawMessage `json:"result"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		answers[m.ID] = m.Result
	}
	validate(t, "commands", string(answers[1]))
	validate(t, "outcome", string(answers[2]))
	require.Contains(t, string(answers[2]), `"text":"n=1"`)
	require.JSONEq(t, `{"completions":["one"]}`, string(answers[3]))
	require.Contains(t, string(answers[4]), "no hello", "hooks hear of what comes over RPC")
}
