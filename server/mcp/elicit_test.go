package mcp

import (
	"context"
	"encoding/json"
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

// TestAnAnswerCountsForTheSecretThatWasHidden has two calls that look alike to
// the user, since only what is hidden from them differs.
func TestAnAnswerCountsForTheSecretThatWasHidden(t *testing.T) {
	t.Parallel()
	const secret = "ghp_R8x2mQ4vT7nB1kL9sW3yE6uH0jD5fG2cZ8aP"
	var asked []string
	session := inMemory(t, newRegistry(t, &fakeTool{name: "write", description: "d", risk: registry.Write}), &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			asked = append(asked, req.Params.Message)
			return &sdk.ElicitResult{Action: "accept"}, nil
		},
	})
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "write", Arguments: map[string]any{"token": secret}})
	require.NoError(t, err)
	require.False(t, res.IsError, asJSON(t, res))
	require.Len(t, asked, 1)
	require.NotContains(t, asked[0], secret)

	q := func(nonce string) registry.Question {
		return registry.Question{Tool: "write", Arguments: json.RawMessage(`{"token":"⟦secret:1:` + nonce + `⟧"}`)}
	}
	require.Equal(t, fingerprintOf(q("0a"), []byte("a")), fingerprintOf(q("1b"), []byte("a")))
	require.NotEqual(t, fingerprintOf(q("0a"), []byte("a")), fingerprintOf(q("0a"), []byte("b")))
}

func TestAClientThatCannotAskRefuses(t *testing.T) {
	t.Parallel()
	session := inMemory(t, newRegistry(t, &fakeTool{name: "write", description: "d", risk: registry.Write}), nil)
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "write"})
	require.NoError(t, err)
	require.True(t, res.IsError)
	require.Contains(t, res.Content[0].(*sdk.TextContent).Text, "no elicitation")
}
