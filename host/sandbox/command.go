package sandbox

import (
	"encoding/json"
	"fmt"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// command is one command as the module gave it.
type command struct {
	self          goja.Value
	run, complete goja.Callable // complete may be nil
}

func (l *loading) command(o *goja.Object) (wire.Command, error) {
	var m wire.Command
	if err := l.decode(o.Get("data"), &m); err != nil {
		return m, err
	}
	uses := l.prog.script.CommandUses(m.Name)
	m.Effects, m.CallsTools = uses.Effects, uses.CallsTools
	c := &command{self: o.Get("self")}
	var ok bool
	if c.run, ok = goja.AssertFunction(o.Get("run")); !ok {
		return m, fmt.Errorf("command %s lost its function", m.Name)
	}
	if m.Completes {
		if c.complete, ok = goja.AssertFunction(o.Get("complete")); !ok {
			return m, fmt.Errorf("command %s lost its function", m.Name)
		}
	}
	l.s.commands[m.Name] = c
	return m, nil
}

// beginCommand starts a command's function, or its completion.
func (s *Sandbox) beginCommand(c *call) {
	m := s.commands[c.req.Tool]
	if m == nil || c.req.Run == wire.RunComplete && m.complete == nil {
		s.end(c, wire.CallResult{Thrown: &wire.Thrown{Kind: registry.KindNotFound, Message: "the extension has no such command: " + c.req.Tool}})
		return
	}
	run, done := m.run, s.succeed
	if c.req.Run == wire.RunComplete {
		run, done = m.complete, s.completed
	}
	s.as(c, func() error {
		var text string
		if err := json.Unmarshal(c.req.Args, &text); err != nil {
			return fmt.Errorf("the text of the command: %w", err)
		}
		v, err := run(m.self, s.vm.ToValue(text), s.contextOf(c))
		if err != nil {
			return err
		}
		return s.settle(c, v, done)
	})
}

// completed ends a completion with the texts that it returned.
func (s *Sandbox) completed(c *call, v goja.Value) error {
	if c.ended.Load() {
		return nil
	}
	list, err := s.glue.completions(goja.Undefined(), v)
	if err != nil {
		return err
	}
	s.end(c, wire.CallResult{Value: &wire.Value{Structured: json.RawMessage(list.String())}})
	return nil
}
