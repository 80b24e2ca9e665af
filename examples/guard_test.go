package examples_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

func TestTheGuardBlocksCountsAndTells(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Setenv("RHO_HOME", t.TempDir())
	p := openRoot(t, root, "", "write .", "hook tool_call", "hook tool_result")
	tally := func(text string) string {
		t.Helper()
		out, err := p.host.RunCommand(context.Background(), p.door, "tally", text)
		require.NoError(t, err)
		require.Equal(t, registry.StatusSuccess, out.Status, out.Text)
		return out.Text
	}
	require.Equal(t, "no tool was called yet", tally(""))
	tally("reset") // the command before was a call as well

	p.succeed("note_add", args{"name": "todo", "line": "buy milk"})
	out := p.call("note_add", args{"name": "todo", "line": "see migrations/0001.sql"})
	require.Equal(t, registry.StatusSkipped, out.Status)
	require.Equal(t, "note_add may not touch migrations/: its files are made by hand. Ask the user.", out.Text)
	p.succeed("note_read", args{})
	require.Contains(t, tally(""), "note_add: 2 calls, 1 failed\nnote_read: 1 calls, 0 failed")

	again := openRoot(t, root, "") // without the grants it hears of nothing, and still knows
	again.succeed("note_read", args{})
	out, err = again.host.RunCommand(context.Background(), again.door, "tally", "")
	require.NoError(t, err)
	require.Contains(t, out.Text, "note_read: 1 calls")
	list, err := p.host.CompleteCommand(context.Background(), "tally", "re")
	require.NoError(t, err)
	require.Equal(t, []string{"reset"}, list)
}
