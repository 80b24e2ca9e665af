package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// TestAnMCPClientUsesTheProgram starts the program as an MCP client does, and
// calls a tool of either kind.
func TestAnMCPClientUsesTheProgram(t *testing.T) {
	t.Parallel()
	self := program(t)
	root := project(t, nil)
	require.NoError(t, os.WriteFile(filepath.Join(root, "a.txt"), []byte("one\ntwo\n"), 0o644))
	cmd := exec.Command(self)
	cmd.Args = []string{"rho-ext", "serve", "--mcp", "--root", root, "--timeout", "1s"}
	cmd.Env = append(os.Environ(), "RHO_HOME="+trusting(t, root))
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	defer session.Close()

	list, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	names := map[string]*sdk.Tool{}
	for _, tool := range list.Tools {
		names[tool.Name] = tool
	}
	require.Contains(t, names, "read_file")
	require.Contains(t, names, "greet")
	require.True(t, names["read_file"].Annotations.ReadOnlyHint)

	call := func(name string, args map[string]any) (string, bool) {
		res, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: args})
		require.NoError(t, err)
		var text strings.Builder
		for _, c := range res.Content {
			text.WriteString(c.(*sdk.TextContent).Text)
		}
		return text.String(), res.IsError
	}
	text, failed := call("greet", map[string]any{"name": "Ada"})
	require.False(t, failed, text)
	require.Contains(t, text, "Ada")
	text, failed = call("read_file", map[string]any{"path": "a.txt"})
	require.False(t, failed, text)
	require.Contains(t, text, "two")
	text, failed = call("greet", map[string]any{"nam": 1})
	require.True(t, failed)
	require.Contains(t, text, `did you mean "name"?`)
	text, failed = call("spins", nil)
	require.True(t, failed)
	require.Contains(t, text, "timed out after 1s")
	_, failed = call("greet", map[string]any{"name": "Bob"})
	require.False(t, failed, "the server lives on")
}
