package host

import (
	"context"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// hookBudget is how long a hook may take that no door waits for.
const hookBudget = 2 * time.Second

// onLoad runs the hook of that name in a runtime that has just loaded, before
// any call: it fills the module's variables. One that throws or is slow is
// logged; one that takes its runtime down is a failure, for it would do so in
// every other.
func (g *generation) onLoad(ctx context.Context, sb wire.Sandbox) *wire.Failure {
	if !g.has(wire.HookLoad) {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, hookBudget, wire.ErrDeadline)
	defer cancel()
	id := newCallID()
	c := &liveCall{call: registry.CallFrom(ctx), run: wire.RunHook, tool: wire.HookLoad, answers: answers{questions: noQuestions()}}
	if err := g.broker.begin(id, c); err != nil {
		return &wire.Failure{Stage: wire.StageEvaluate, Message: err.Error()}
	}
	defer g.broker.end(id)
	res := sb.Call(ctx, wire.CallRequest{ID: id, Run: wire.RunHook, Tool: wire.HookLoad, Model: g.model()})
	select {
	case <-sb.Done():
		f := &wire.Failure{Stage: wire.StageEvaluate, Message: "onLoad took its runtime down", Hint: "onLoad must return soon; do slow work inside a tool"}
		if t := res.Thrown; t != nil {
			f.Message, f.Stack = "onLoad: "+t.Message, t.Stack
			if len(t.Stack) > 0 {
				f.Position = t.Stack[0]
			}
		}
		return f
	default:
	}
	if res.Value == nil {
		g.broker.log.Warn("a hook failed; the extension goes on without it", "extension", g.source.ID, "error", g.hookFailure(wire.HookLoad, res).Error())
	}
	return nil
}
