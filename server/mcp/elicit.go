package mcp

import (
	"context"
	"errors"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rho-ext/rho-ext/registry"
)

type sessionKey struct{}

// Elicit is a gate that asks the user of the client that made the call, through
// the protocol's elicitation. A client without that ability refuses: nobody
// could be asked.
var Elicit registry.Gate = registry.GateFunc(elicit)

// approvalForm is what a client shows: how long the answer holds.
var approvalForm = map[string]any{
	"type": "object",
	"properties": map[string]any{
		"scope": map[string]any{
			"type": "string", "title": "Allow", "enum": []string{"once", "session"}, "default": "once",
		},
	},
}

func elicit(ctx context.Context, q registry.Question) (registry.Answer, error) {
	session, _ := ctx.Value(sessionKey{}).(*sdk.ServerSession)
	if session == nil {
		return registry.Answer{}, errors.New("the call came from no MCP client")
	}
	if p := session.InitializeParams(); p == nil || p.Capabilities == nil || p.Capabilities.Elicitation == nil {
		return registry.Answer{}, errors.New("the client cannot ask its user (it has no elicitation)")
	}
	res, err := session.Elicit(ctx, &sdk.ElicitParams{
		Message:         fmt.Sprintf("Allow %s (%s) with %s? %s", q.Title, q.Risk, q.Arguments, q.Reason),
		RequestedSchema: approvalForm,
	})
	if err != nil {
		return registry.Answer{}, err
	}
	if res.Action != "accept" {
		return registry.Answer{ID: q.ID, Reason: "the user said no"}, nil
	}
	text, _ := res.Content["scope"].(string)
	scope, err := registry.ParseScope(text)
	if err != nil || scope == registry.Always {
		scope = registry.Once
	}
	return registry.Answer{ID: q.ID, Allow: true, Scope: scope}, nil
}
