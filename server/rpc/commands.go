package rpc

import (
	"context"

	"github.com/creachadair/jrpc2"

	"github.com/rho-ext/rho-ext/registry"
)

// Commands is what the server needs to know of the commands of extensions: what
// a person starts by name, and no model sees. Its methods are safe for concurrent
// use.
type Commands interface {
	// List describes the commands.
	List(ctx context.Context) (any, error)
	// Request is the call that runs a command with a text; the server gives it
	// its id. The error says why there is none of that name.
	Request(name, input string) (registry.Request, error)
	// Complete tells what a command's text may go on with.
	Complete(ctx context.Context, name, prefix string) ([]string, error)
}

func (c *session) listCommands(ctx context.Context, req *jrpc2.Request) (any, error) {
	if err := params(req); err != nil {
		return nil, err
	}
	list, err := c.server.opts.Commands.List(ctx)
	if err != nil {
		return nil, jrpc2.Errorf(jrpc2.InternalError, "the commands could not be listed: %v", err)
	}
	return map[string]any{"commands": list}, nil
}

func (c *session) completeCommand(ctx context.Context, req *jrpc2.Request) (any, error) {
	var name, prefix string
	if err := params(req, field{name: "name", into: &name, required: true}, field{name: "prefix", into: &prefix}); err != nil {
		return nil, err
	}
	list, err := c.server.opts.Commands.Complete(ctx, name, prefix)
	if err != nil {
		return nil, badParam("name", "%v", err)
	}
	if list == nil {
		list = []string{}
	}
	return map[string]any{"completions": list}, nil
}

// commandRequest reads the params of runCommand.
func (c *session) commandRequest(req *jrpc2.Request) (r registry.Request, err error) {
	var name, input, id string
	timeoutMS := 0.0
	err = params(req,
		field{name: "name", into: &name, required: true},
		field{name: "input", into: &input},
		field{name: "id", into: &id},
		field{name: "timeoutMs", into: &timeoutMS},
	)
	if err != nil {
		return r, err
	}
	timeout, err := timeoutOf(timeoutMS)
	if err != nil {
		return r, err
	}
	if r, err = c.server.opts.Commands.Request(name, input); err != nil {
		return r, badParam("name", "%v", err)
	}
	r.ID, r.Timeout = id, timeout
	return r, nil
}
