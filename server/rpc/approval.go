package rpc

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/creachadair/jrpc2"

	"github.com/rho-ext/rho-ext/registry"
)

// question is the notification approval/request: a call waits until
// approvalResponse answers it by its id.
type question struct {
	ID        string           `json:"id"`
	CallID    string           `json:"callId"`
	ParentID  string           `json:"parentId,omitempty"` // of the call whose tool makes this one
	Tool      string           `json:"tool"`
	Title     string           `json:"title"`
	Owner     string           `json:"owner"`
	Risk      registry.Risk    `json:"risk"`
	Effects   registry.Effects `json:"effects"`
	Arguments json.RawMessage  `json:"arguments"` // redacted
	Reason    string           `json:"reason"`
}

// askOver passes questions on to the client.
func askOver(ctx context.Context, server *jrpc2.Server) func(registry.Question) {
	return func(q registry.Question) {
		_ = server.Notify(ctx, "approval/request", question{
			ID: q.ID, CallID: q.CallID, ParentID: q.ParentID, Tool: q.Tool, Title: q.Title, Owner: q.Owner,
			Risk: q.Risk, Effects: q.Effects, Arguments: q.Arguments, Reason: q.Reason,
		})
	}
}

// approvalResponse answers one question.
func (c *session) approvalResponse(_ context.Context, req *jrpc2.Request) (any, error) {
	var a registry.Answer
	var scope string
	if err := params(req,
		field{name: "id", into: &a.ID, required: true},
		field{name: "approved", into: &a.Allow, required: true},
		field{name: "scope", into: &scope},
		field{name: "message", into: &a.Reason},
		field{name: "arguments", into: &a.Arguments},
		field{name: "stop", into: &a.Stop},
	); err != nil {
		return nil, err
	}
	var err error
	if a.Scope, err = registry.ParseScope(scope); err != nil {
		return nil, badParam("scope", "%v", err)
	}
	if c.server.opts.Approvals == nil {
		return nil, jrpc2.Errorf(jrpc2.MethodNotFound, "this server asks for no approvals")
	}
	if err := c.server.opts.Approvals.Answer(a); err != nil {
		if errors.Is(err, registry.ErrNoQuestion) {
			return nil, badParam("id", "%v; it was answered already, or its call has ended", err)
		}
		return nil, err
	}
	return struct{}{}, nil
}
