package sandbox

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/reading"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// hook is one hook as the module gave it.
type hook struct {
	name   string
	self   goja.Value
	run    goja.Callable
	form   wire.ArgumentForm
	strict bool // what it returns must mean something
	warned bool // that it does not
}

// eventMembers are those that hooks read from their event; all else that they do
// with it treats it as a text.
var eventMembers = []string{"callId", "toolName", "args", "risk", "content", "details", "isError", "status", "failure",
	"durationMs", "messages", "arguments", "output"}

func (l *loading) hook(o *goja.Object) (wire.Hook, error) {
	name, source := o.Get("name").String(), o.Get("source").String()
	uses := l.prog.script.HookUses(name)
	h := wire.Hook{Name: name, Effects: uses.Effects, CallsTools: uses.CallsTools, Arguments: wire.ArgsBoth}
	strict := o.Get("strict").ToBoolean()
	switch {
	case strict:
		h.Arguments = wire.ArgsObject
	case reading.TextUse(source, eventMembers):
		h.Arguments = wire.ArgsText
	}
	if name == wire.HookLoad { // it holds state, settings and the log alone
		h.Effects, h.CallsTools = 0, false
	}
	run, ok := goja.AssertFunction(o.Get("run"))
	if !ok {
		return h, fmt.Errorf("hook %s lost its function", name)
	}
	l.s.hooks[name] = &hook{name: name, self: o.Get("self"), run: run, form: h.Arguments, strict: strict}
	return h, nil
}

// beginHook starts a hook's function.
func (s *Sandbox) beginHook(c *call) {
	h := s.hooks[c.req.Tool]
	if h == nil {
		s.end(c, wire.CallResult{Thrown: &wire.Thrown{Kind: registry.KindNotFound, Message: "the extension has no hook " + c.req.Tool}})
		return
	}
	s.as(c, func() error {
		args, err := s.hookArguments(h, c)
		if err != nil {
			return err
		}
		v, err := h.run(h.self, args...)
		if err != nil {
			return err
		}
		return s.settle(c, v, func(c *call, v goja.Value) error { return s.decided(c, h, v) })
	})
}

// decided ends the call of a hook with what it returned.
func (s *Sandbox) decided(c *call, h *hook, v goja.Value) error {
	if c.ended.Load() {
		return nil
	}
	warn := s.vm.ToValue(func(f goja.FunctionCall) goja.Value {
		if !h.warned {
			h.warned = true
			s.logAs(c, "warn", f.Argument(0).String())
		}
		return goja.Undefined()
	})
	text, err := s.glue.decide(goja.Undefined(), s.vm.ToValue(h.name), v, s.vm.ToValue(h.strict), warn)
	if err != nil {
		return err
	}
	out := &wire.Value{}
	if !goja.IsUndefined(text) {
		out.Structured = json.RawMessage(text.String())
	}
	if n := len(out.Structured); n > s.limits.ResultBytes {
		return fmt.Errorf("what %s returned is too large: %d bytes, at most %d", h.name, n, s.limits.ResultBytes)
	}
	s.end(c, wire.CallResult{Value: out})
	return nil
}

// hookArguments makes what a hook's function receives, in the form that was
// decided when the extension was loaded.
func (s *Sandbox) hookArguments(h *hook, c *call) ([]goja.Value, error) {
	ctx := s.contextOf(c)
	if h.name == wire.HookLoad {
		if h.form == wire.ArgsText {
			return []goja.Value{s.vm.ToValue("")}, nil
		}
		return []goja.Value{ctx}, nil
	}
	old, err := oldEvent(h.name, c.req.Args)
	if err != nil {
		return nil, err
	}
	if h.form == wire.ArgsText {
		return []goja.Value{s.vm.ToValue(old.text), ctx}, nil
	}
	v, err := fromJSON(s.vm, c.req.Args)
	if err != nil {
		return nil, fmt.Errorf("the event: %w", err)
	}
	obj, ok := v.(*goja.Object)
	if !ok || h.form == wire.ArgsObject {
		return []goja.Value{v, ctx}, nil
	}
	hidden := map[string]goja.Value{"toString": s.vm.ToValue(func(goja.FunctionCall) goja.Value { return s.vm.ToValue(old.text) })}
	if old.arguments != nil {
		hidden["arguments"] = s.vm.ToValue(*old.arguments)
	}
	if old.output != nil {
		hidden["output"] = s.vm.ToValue(*old.output)
	}
	for name, value := range hidden {
		if err := obj.DefineDataProperty(name, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
			return nil, err
		}
	}
	return []goja.Value{obj, ctx}, nil
}

// oldStyle is an event as old-style hooks get it: one JSON text, in which the
// arguments of a tool are a JSON text again and its result is a text.
type oldStyle struct {
	text              string
	arguments, output *string
}

func oldEvent(name string, event json.RawMessage) (old oldStyle, err error) {
	var v any
	switch name {
	case wire.HookToolCall:
		e := struct {
			wire.ToolCallEvent
			Arguments string `json:"arguments"`
		}{}
		if err := json.Unmarshal(event, &e.ToolCallEvent); err != nil {
			return old, fmt.Errorf("the event: %w", err)
		}
		e.Arguments = string(e.Args)
		old.arguments, v = &e.Arguments, e
	case wire.HookToolResult:
		var full map[string]json.RawMessage
		var e struct {
			Args    json.RawMessage `json:"args"`
			Content []struct {
				Type  string          `json:"type"`
				Text  string          `json:"text"`
				Value json.RawMessage `json:"value"`
			} `json:"content"`
		}
		if err := json.Unmarshal(event, &full); err != nil {
			return old, fmt.Errorf("the event: %w", err)
		}
		if err := json.Unmarshal(event, &e); err != nil {
			return old, fmt.Errorf("the event: %w", err)
		}
		var parts []string
		for _, b := range e.Content {
			switch b.Type {
			case registry.BlockText:
				parts = append(parts, b.Text)
			case registry.BlockJSON:
				parts = append(parts, string(b.Value))
			}
		}
		arguments, output := string(e.Args), strings.Join(parts, "\n")
		old.arguments, old.output = &arguments, &output
		full["arguments"], _ = json.Marshal(arguments) // texts alone
		full["output"], _ = json.Marshal(output)
		v = full
	default:
		var e struct {
			Messages json.RawMessage `json:"messages"`
		}
		if err := json.Unmarshal(event, &e); err != nil {
			return old, fmt.Errorf("the event: %w", err)
		}
		v = e.Messages
	}
	text, err := json.Marshal(v)
	old.text = string(text)
	return old, err
}
