package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/rho-ext/rho-ext/registry"
)

// onTerminal runs the program with a terminal as stdout and stderr and gives
// what that terminal receives.
func onTerminal(t *testing.T, root string, args ...string) string {
	t.Helper()
	ctl, tty := openTerminal(t)
	got := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(ctl) // ends with EIO when the other side closes
		got <- string(text)
	}()
	t.Setenv("RHO_HOME", trusting(t, root))
	run(t.Context(), append(args, "--root", root), streams{in: strings.NewReader(""), out: tty, err: tty})
	require.NoError(t, tty.Close())
	select {
	case text := <-got:
		require.NoError(t, ctl.Close())
		return text
	case <-time.After(10 * time.Second):
		t.Fatal("the terminal never closed")
		return ""
	}
}

func TestColoursAreForTerminalsThatWantThem(t *testing.T) {
	root := project(t, map[string]string{"steer.ts": `import { defineTool } from "rho-ext";
export default defineTool({ name: "steer", description: "d", risk: "read", execute: () => "\x1b[2Jcleared\n" });`})
	t.Setenv("NO_COLOR", "")
	require.Contains(t, onTerminal(t, root, "run", "fails"), "\x1b[31merror:\x1b[0m")
	require.NotContains(t, rhoExt(t, root, "", "run", "fails").err, "\x1b", "no terminal, no colours")

	require.Contains(t, onTerminal(t, root, "run", "steer"), "·[2Jcleared")
	require.Equal(t, "\x1b[2Jcleared\n", rhoExt(t, root, "", "run", "steer").out, "a program gets the text as it is")

	t.Setenv("NO_COLOR", "1")
	require.NotContains(t, onTerminal(t, root, "run", "fails"), "\x1b")
	require.NotContains(t, onTerminal(t, root, "run", "greet"), "\x1b")
}

func TestApprovalsThatAreAPipeStopNothing(t *testing.T) {
	k := kept{filepath.Join(t.TempDir(), "approvals.jsonl")}
	require.NoError(t, unix.Mkfifo(k.path, 0o600))
	require.Empty(t, k.read())
	require.ErrorContains(t, k.add(registry.Approval{Tool: "t"}), "no regular file")
}
