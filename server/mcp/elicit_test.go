package mcp

import (
	"context"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

func TestTheClientsUserIsAskedByElicitation(t *testing.T) {
	t.Parallel()
	tool := &fakeTool{name: "write", description: "d", risk: registry.Write}
	var answer sdk.ElicitResult
	var asked []string
	session := inMemory(t, newRegistry(t, tool), &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			asked = append(asked, req.Params.Message)
			return &answer, nil
		},
	})
	call := func() *sdk.CallToolResult {
		res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "write"})
		require.NoError(t, err)
		return res
	}
	answer = sdk.ElicitResult{Action: "decline"}
	require.True(t, call().IsError)
	answer = sdk.ElicitResult{Action: "accept", Content: map[string]any{"scope": "once"}}
	r := call()
	require.False(t, r.IsError, asJSON(t, r))
	answer = sdk.ElicitResult{Action: "cancel"}
	require.True(t, call().IsError)
	answer = sdk.ElicitResult{Action: "accept", Content: map[string]any{"scope": "session"}}
	require.False(t, call().IsError)
	require.False(t, call().IsError, "it was allowed for the session")
	require.Len(t, asked, 4)
	require.Contains(t, asked[0], "write")
}

func TestAClientThatCannotAskRefuses(t *testing.T) {
	t.Parallel()
	session := inMemory(t, newRegistry(t, &fakeTool{name: "write", description: "d", risk: registry.Write}), nil)
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "write"})
	require.NoError(t, err)
	require.True(t, res.IsError)
	require.Contains(t, res.Content[0].(*sdk.TextContent).Text, "no elicitation")
}
