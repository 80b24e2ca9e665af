package rpc

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/creachadair/jrpc2"

	"github.com/rho-ext/rho-ext/internal/suggest"
	"github.com/rho-ext/rho-ext/registry"
)

// session is what the server knows of one client. It assigns handlers to
// methods.
type session struct {
	server  *Server
	methods map[string]jrpc2.Handler // all but those that make calls
	calling map[string]func(*jrpc2.Request) (registry.Request, error)
	calls
}

func newSession(s *Server) *session {
	c := &session{server: s, calls: newCalls()}
	c.calling = map[string]func(*jrpc2.Request) (registry.Request, error){"callTool": callRequest}
	c.methods = map[string]jrpc2.Handler{
		"listTools":        c.listTools,
		"cancelCall":       c.cancelCall,
		"approvalResponse": c.approvalResponse,
		"listExtensions":   c.listExtensions,
		"reloadExtensions": c.reloadExtensions,
		"enableExtension":  c.control(ActionEnable),
		"disableExtension": c.control(ActionDisable),
		"unloadExtension":  c.control(ActionUnload),
		"setModel":         c.setModel,
		"version":          func(_ context.Context, req *jrpc2.Request) (any, error) { return c.version(), params(req) },
	}
	if s.opts.Commands != nil {
		c.methods["listCommands"], c.methods["completeCommand"] = c.listCommands, c.completeCommand
		c.calling["runCommand"] = c.commandRequest
	}
	return c
}

// Assign implements [jrpc2.Assigner]. It is called in the order of the
// messages, unlike the handlers, which run side by side. An unknown method gets
// a handler too, for its error to say which there are.
func (c *session) Assign(ctx context.Context, method string) jrpc2.Handler {
	if read, ok := c.calling[method]; ok {
		return c.receiveCall(ctx, jrpc2.InboundRequest(ctx), read)
	}
	if h, ok := c.methods[method]; ok {
		return h
	}
	return func(context.Context, *jrpc2.Request) (any, error) {
		names := append(slices.Sorted(maps.Keys(c.calling)), slices.Sorted(maps.Keys(c.methods))...)
		err := jrpc2.Errorf(jrpc2.MethodNotFound, "unknown method %.100q%s", method, suggest.Hint(suggest.Names(method, names, 1)...))
		return nil, err.WithData(map[string]any{"methods": names})
	}
}

type versionResult struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Protocol int    `json:"protocol"`
}

func (c *session) version() versionResult {
	return versionResult{Name: c.server.opts.Name, Version: c.server.opts.Version, Protocol: Protocol}
}

type toolResult struct {
	Name        string           `json:"name"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Risk        registry.Risk    `json:"risk"`
	Effects     registry.Effects `json:"effects"`
	Owner       string           `json:"owner"`
	Parameters  json.RawMessage  `json:"parameters"`
	Output      json.RawMessage  `json:"output,omitempty"`
}

func (c *session) listTools(_ context.Context, req *jrpc2.Request) (any, error) {
	if err := params(req); err != nil {
		return nil, err
	}
	return toolsOf(c.server.registry.Snapshot()), nil
}

type toolsResult struct {
	Tools []toolResult `json:"tools"`
}

// toolsOf is what listTools answers for a snapshot.
func toolsOf(s *registry.Snapshot) toolsResult {
	tools := []toolResult{}
	for _, e := range s.Tools() {
		tools = append(tools, toolResult{
			Name:        e.Tool.Name(),
			Title:       e.Info.Title,
			Description: e.Tool.Description(),
			Risk:        e.Tool.Risk(),
			Effects:     e.Info.Effects,
			Owner:       e.Owner,
			Parameters:  e.Tool.Parameters(),
			Output:      e.Info.OutputSchema,
		})
	}
	return toolsResult{tools}
}

var errNoExtensions = jrpc2.Errorf(jrpc2.MethodNotFound, "this server has no extensions")

func (c *session) listExtensions(ctx context.Context, req *jrpc2.Request) (any, error) {
	if err := params(req); err != nil {
		return nil, err
	}
	if c.server.opts.Extensions == nil {
		return nil, errNoExtensions
	}
	list, err := c.server.opts.Extensions.List(ctx)
	if err != nil {
		return nil, jrpc2.Errorf(jrpc2.InternalError, "the extensions could not be listed: %v", err)
	}
	return list, nil
}

func (c *session) setModel(_ context.Context, req *jrpc2.Request) (any, error) {
	var model string
	if err := params(req, field{name: "model", into: &model, required: true}); err != nil {
		return nil, err
	}
	if c.server.opts.Extensions == nil {
		return nil, errNoExtensions
	}
	c.server.opts.Extensions.SetModel(model)
	return struct{}{}, nil
}
