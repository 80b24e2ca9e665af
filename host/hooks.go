package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// eventOf are the events, as permissions name them, by the names of hooks.
var eventOf = map[string]string{wire.HookToolCall: "tool_call", wire.HookToolResult: "tool_result", wire.HookBeforeModel: "before_model"}

// hooks are those of the extensions that are loaded now, in the order of their
// folders, as far as they are granted. Every door of the registry asks for them.
func (h *Host) hooks() []registry.Hook {
	var out []registry.Hook
	for _, id := range h.absentNow() {
		out = append(out, absentHook(id))
	}
	for _, g := range h.inOrder() {
		if len(g.manifest.Hooks) == 0 {
			continue
		}
		hook := registry.Hook{Name: g.source.ID}
		id := g.source.ID
		if g.hears(wire.HookToolCall) {
			hook.Before = func(ctx context.Context, e registry.BeforeEvent) (registry.Decision, error) {
				return h.beforeTool(ctx, id, e)
			}
		}
		if g.hears(wire.HookToolResult) {
			hook.After = func(ctx context.Context, e registry.AfterEvent) (registry.Revision, error) {
				return h.afterTool(ctx, id, e)
			}
		}
		if hook.Before != nil || hook.After != nil {
			out = append(out, hook)
		}
	}
	return out
}

// has reports whether the extension has a hook.
func (g *generation) has(name string) bool { return g.hookNamed(name) != nil }

func (g *generation) hookNamed(name string) *wire.Hook {
	for i := range g.manifest.Hooks {
		if g.manifest.Hooks[i].Name == name {
			return &g.manifest.Hooks[i]
		}
	}
	return nil
}

// hears reports whether the extension has a hook and may hear its event.
func (g *generation) hears(name string) bool {
	if !g.has(name) {
		return false
	}
	denied := g.deniedHook(name)
	if denied != nil {
		g.broker.tellOnce(denied, "so its "+name+" does not run")
	}
	return denied == nil
}

// HookInfo describes one hook of an extension.
type HookInfo struct {
	Name    string           `json:"name"`    // such as onToolCall
	Effects registry.Effects `json:"effects"` // what it may do, where that is granted
	Granted bool             `json:"granted"` // whether it runs
}

func (g *generation) hookInfos() (out []HookInfo) {
	for _, hook := range g.manifest.Hooks {
		out = append(out, HookInfo{Name: hook.Name, Granted: hook.Name == wire.HookLoad || g.deniedHook(hook.Name) == nil,
			Effects: joined(hook.Effects, hook.CallsTools, g.manifest.Permissions, g.broker.registry.Snapshot())})
	}
	return out
}

func (g *generation) deniedHook(name string) *permission.Denial {
	need := permission.NeedName(permission.KindHook, eventOf[name])
	_, denied := g.broker.access.Load().Check(&need, nil)
	return denied
}

// beforeTool runs one onToolCall: that of the version which serves now.
func (h *Host) beforeTool(ctx context.Context, id string, e registry.BeforeEvent) (d registry.Decision, err error) {
	g := h.listening(ctx, id, wire.HookToolCall)
	if g == nil {
		return registry.Continue(), nil
	}
	dec, err := g.hook(ctx, wire.HookToolCall, wire.ToolCallEvent{CallID: e.CallID, ToolName: e.Tool, Args: validJSON(e.Arguments), Risk: e.Risk})
	if err != nil {
		return d, err
	}
	return decisionOf(dec)
}

// afterTool runs one onToolResult.
func (h *Host) afterTool(ctx context.Context, id string, e registry.AfterEvent) (r registry.Revision, err error) {
	g := h.listening(ctx, id, wire.HookToolResult)
	if g == nil {
		return registry.Keep(), nil
	}
	ev := wire.ToolResultEvent{
		CallID: e.CallID, ToolName: e.Tool, Args: validJSON(e.Arguments), Content: wire.ContentOf(e.Content), Details: detailsJSON(e.Details),
		IsError: e.IsError, Status: e.Status, DurationMS: float64(e.Duration.Microseconds()) / 1000,
	}
	if f := e.Failure; f != nil {
		ev.Failure = &wire.EventFailure{Kind: f.Kind, Code: f.Code, Message: f.TextForModel()}
	}
	dec, err := g.hook(ctx, wire.HookToolResult, ev)
	if err != nil {
		return r, err
	}
	return revisionOf(dec), nil
}

// listening is the extension whose hook is to hear of a call: nil where it is
// there no longer, may not hear of it, or has caused the call itself.
func (h *Host) listening(ctx context.Context, id, name string) *generation {
	g := h.current(id)
	if g == nil || !g.hears(name) || hooksAround(ctx) == id {
		return nil
	}
	return g
}

// hook runs a hook with an event.
func (g *generation) hook(ctx context.Context, name string, event any) (dec wire.HookDecision, err error) {
	data, err := json.Marshal(event)
	if err != nil {
		return dec, err
	}
	hook := g.hookNamed(name)
	c := &liveCall{
		call:    registry.CallFrom(ctx),
		effects: joined(hook.Effects, hook.CallsTools, g.manifest.Permissions, g.broker.registry.Snapshot()),
		answers: answers{questions: noQuestions()},
	}
	res, err := g.perform(ctx, wire.CallRequest{Run: wire.RunHook, Tool: name, Args: data}, c)
	if err != nil {
		return dec, err
	}
	return g.decision(name, res)
}

// decision reads what a hook has decided.
func (g *generation) decision(name string, res wire.CallResult) (dec wire.HookDecision, err error) {
	if res.Value == nil {
		return dec, g.hookFailure(name, res)
	}
	if len(res.Value.Structured) == 0 {
		return dec, nil
	}
	if err := json.Unmarshal(res.Value.Structured, &dec); err != nil {
		return dec, fmt.Errorf("%s of extension %s: what it decided cannot be read: %w", name, g.source.ID, err)
	}
	return dec, nil
}

// hookFailure says what went wrong in a hook, and where.
func (g *generation) hookFailure(name string, res wire.CallResult) error {
	_, err := g.result(res)
	var f *registry.Failure
	if errors.As(err, &f) && f.Location != nil {
		return fmt.Errorf("%s at %s: %w", name, f.Location, err)
	}
	return fmt.Errorf("%s of extension %s: %w", name, g.source.ID, err)
}

// decisionOf makes the door's decision. One that says several things, or is not
// what a hook can say, comes from a sandbox that was taken over.
func decisionOf(dec wire.HookDecision) (registry.Decision, error) {
	var list []registry.Decision
	if dec.Block != nil {
		list = append(list, registry.BlockCall(*dec.Block))
	}
	if dec.Stop != nil {
		list = append(list, registry.StopBatch(*dec.Stop))
	}
	if dec.Args != nil {
		if args := bytes.TrimSpace(dec.Args); len(args) == 0 || args[0] != '{' {
			return registry.Decision{}, errors.New("the arguments are no object")
		}
		list = append(list, registry.RewriteArgs(dec.Args))
	}
	if dec.Result != nil {
		list = append(list, registry.AnswerWith(&registry.Result{Content: dec.Result}))
	}
	switch len(list) {
	case 0:
		return registry.Continue(), nil
	case 1:
		return list[0], nil
	}
	return registry.Decision{}, errors.New("the hook decided several things at once")
}

func revisionOf(dec wire.HookDecision) registry.Revision {
	r := registry.Revision{Content: dec.Content, IsError: dec.IsError}
	if dec.Details != nil {
		r.Details = dec.Details
	}
	if dec.Stop != nil {
		if r.Stop = *dec.Stop; r.Stop == "" {
			r.Stop = "a hook stopped the batch"
		}
	}
	return r
}

// validJSON is raw, or what stands for it where a call never had arguments that
// could be read.
func validJSON(raw json.RawMessage) json.RawMessage {
	if json.Valid(raw) {
		return raw
	}
	return json.RawMessage("{}")
}

// detailsJSON is what a hook sees of a result's details.
func detailsJSON(details any) json.RawMessage {
	switch d := details.(type) {
	case nil, registry.FullOutput, *registry.FullOutput:
		return nil
	case registry.Details:
		return detailsJSON(d.Value)
	}
	data, err := json.Marshal(details)
	if err != nil {
		return nil
	}
	return data
}

type insideKey struct{}

// hooksAround is the extension whose hook has made the call that ctx belongs to. It
// does not hear of that: a hook that calls a tool would else wait for itself. Of
// what the tool calls in turn, and of what others' hooks call, it hears, for
// nothing else would guard against those. How deep calls nest is bounded.
func hooksAround(ctx context.Context) string {
	id, _ := ctx.Value(insideKey{}).(string)
	return id
}

func withInside(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, insideKey{}, id)
}

// within is the extension inside whose hook the tools run that c calls.
func (c *liveCall) within(extension string) string {
	if c.run == wire.RunHook {
		return extension
	}
	return ""
}
