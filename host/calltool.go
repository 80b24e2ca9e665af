package host

import (
	"context"
	"fmt"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// callTool lets a call run another tool. It goes through the door as any other,
// asks for itself, and may have no effect that the call's own tool has not.
func (b *broker) callTool(ctx context.Context, req wire.Request, c *liveCall) (wire.Response, error) {
	t, err := decode[wire.ToolRequest](req)
	if err != nil {
		return wire.Response{}, err
	}
	need := permission.NeedName(permission.KindTool, t.Name)
	by, err := b.permit(ctx, c, &need)
	if err != nil {
		return wire.Response{}, err
	}
	use := registry.Use{Kind: "tool", Target: t.Name, Effect: "read", Grant: by}
	if e, ok := b.registry.Snapshot().Lookup(t.Name); ok {
		if use.Effect = e.Info.Effects.String(); use.Effect == "" {
			use.Effect = "read"
		}
		if more := e.Info.Effects &^ c.effects; more != 0 {
			use.Grant, use.Denied = "", true
			c.call.RecordUse(use)
			return wire.Response{}, &wire.Error{Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Code: "tool",
				Message: fmt.Sprintf("extension %q: %s is not known to have the effects of %s (%s), so it may not call it", b.extension, c.name(), t.Name, more),
				Hint:    toolHint(c, t.Name, more)}
		}
	}
	c.call.RecordUse(use)
	ctx = withInside(withQuestions(ctx, c.answers.questions), c.within(b.extension))
	out := c.call.Invoke(ctx, registry.Request{Tool: t.Name, Arguments: t.Args})
	if ctx.Err() != nil {
		return wire.Response{}, context.Cause(ctx)
	}
	return answer(wire.ToolResponse{Text: out.Text, IsError: out.IsError, Structured: out.Structured})
}

// toolHint says how a function comes to have a tool's effects.
func toolHint(c *liveCall, tool string, more registry.Effects) string {
	hint := fmt.Sprintf("name it in the manifest: permissions: { tools: [%q] }, and call ctx.callTool by its name", tool)
	if c.run == wire.RunTool {
		hint += fmt.Sprintf(", or declare risk: %q", (c.effects | more).Risk())
	}
	return hint
}

// everything is what a tool of which nothing is known may do.
const everything = registry.EffectRead | registry.EffectWrite | registry.EffectNet | registry.EffectRun

// joined are a function's effects with those of the tools that it may call. One
// that is not there yet may have any.
func joined(own registry.Effects, callsTools bool, p *wire.Permissions, snap *registry.Snapshot) registry.Effects {
	if !callsTools || p == nil {
		return own
	}
	for _, name := range p.Tools {
		e, ok := snap.Lookup(name)
		if !ok { // also a pattern
			return everything
		}
		own |= e.Info.Effects
	}
	return own
}
