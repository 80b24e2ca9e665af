package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

func TestDocumentsOfTheSmallVerbsAreWhatTheirSchemasSay(t *testing.T) {
	root := project(t, map[string]string{"living.ts": livingExtension, "same.ts": `export default { name: "same", tools: [{ name: "same", description: "d", risk: "read", timeoutMs: 1000, execute: () => 1 }] };`})
	for _, tt := range []struct{ args, schema string }{
		{"version --json", "version"},
		{"info read_file --json", "info"},
		{"info greet --json", "info"},
		{"info living --json", "info"},
		{"info same --json", "info"},
		{"bundle living --json", "bundle"},
		{"bundle living --analyze --json", "bundle"},
	} {
		got := rhoExt(t, root, "", strings.Fields(tt.args)...)
		require.Equal(t, exitOK, got.code, "%s: %s", tt.args, got.err)
		validate(t, tt.schema, got.out)
	}
	broken := project(t, map[string]string{"bad.ts": brokenExt})
	got := rhoExt(t, broken, "", "bundle", "bad", "--json")
	require.Equal(t, exitLoad, got.code)
	validate(t, "failures", got.out)
}

func TestAHookBesideABrokenExtensionIsShownAndExitsWith3(t *testing.T) {
	root := project(t, map[string]string{"living.ts": livingExtension, "bad.ts": brokenExt})
	got := rhoExt(t, root, `{"toolName":"hello"}`, "hook", "tool_call", "--allow-hook=tool_call", "--event", "-")
	require.Equal(t, exitLoad, got.code)
	require.Contains(t, got.out, `living onToolCall: {"block":"no hello"}`)
	require.Contains(t, got.err, "extension bad failed")
}

func TestACommandsWholeTextIsPrintedWithFull(t *testing.T) {
	root := project(t, map[string]string{"wordy.ts": `export default { name: "wordy", commands: [{ name: "wordy", run: () => "x".repeat(50000) + "end" }] };`})
	cut := rhoExt(t, root, "", "command", "wordy")
	require.Equal(t, exitOK, cut.code, cut.err)
	require.Less(t, len(cut.out), 31_000)
	whole := rhoExt(t, root, "", "command", "wordy", "--full")
	require.Equal(t, strings.Repeat("x", 50000)+"end\n", whole.out)
}

func TestServeSaysWhoApproves(t *testing.T) {
	root := project(t, nil)
	for _, args := range []string{"serve --mcp --approve nobody", "serve --rpc --approve client"} {
		got := rhoExt(t, root, "", strings.Fields(args)...)
		require.Equal(t, exitUsage, got.code)
		require.Contains(t, got.err, "--approve")
	}
	for approve, want := range map[string]string{"client": "is not granted", "policy": "nobody can be asked"} {
		cmd := exec.Command(program(t))
		cmd.Args = []string{"rho-ext", "serve", "--mcp", "--approve", approve, "--root", root}
		cmd.Env = append(cmd.Environ(), "RHO_HOME="+trusting(t, root))
		session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
		require.NoError(t, err)
		res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "calls_out"})
		require.NoError(t, err)
		require.True(t, res.IsError)
		require.Contains(t, res.Content[0].(*sdk.TextContent).Text, want, approve)
		require.NoError(t, session.Close())
	}
}

func TestTheTestsOfAnExtensionRecordWhatTheyAsk(t *testing.T) {
	to := newTarget(t)
	s := newSetting(t, map[string]string{
		ext + "asker.ts": to.asking("ask", to.ceiling()),
		ext + "asker.test.ts": `import { test, expect, callTool, mockFetch } from "rho-ext/test";
test("asks", async () => { mockFetch({ cassette: "asks" }); expect((await callTool("ask", {})).text).toBe("answered"); });`,
	})
	require.Equal(t, exitOK, s.run("test", "--record", "--allow-net="+to.addr).code)
	require.Equal(t, int64(1), int64(to.hits.Load()))
	require.FileExists(t, filepath.Join(s.root, ext, "__fixtures__", "asks.http.json"))
	require.Equal(t, exitOK, s.run("test").code)
	require.Equal(t, int64(1), int64(to.hits.Load()), "it is played again, and nothing leaves")
}
