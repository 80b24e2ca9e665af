package sandbox

import (
	"encoding/json"
	"fmt"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/host/reading"
	"github.com/rho-ext/rho-ext/host/wire"
)

// loading is the run of a module's top level and the reading of its manifest.
type loading struct {
	s      *Sandbox
	prog   *program
	ns     *goja.Object
	result *wire.LoadResult
	survey *wire.Survey // or nil
}

// begin evaluates the module. The bundle is an async function, so that the
// module's own top-level await is just a pending promise.
func (l *loading) begin(c *call) {
	s := l.s
	s.as(c, func() error {
		global := s.vm.GlobalObject()
		if err := global.Set(bundle.EntryCall, func(f goja.FunctionCall) goja.Value {
			l.ns, _ = f.Argument(0).(*goja.Object)
			return goja.Undefined()
		}); err != nil {
			return err
		}
		v, err := s.vm.RunProgram(l.prog.code)
		if err != nil {
			return err
		}
		return s.settle(c, v, l.evaluated)
	})
}

// evaluated reads the manifest from the module's namespace.
func (l *loading) evaluated(c *call, _ goja.Value) error {
	s := l.s
	if err := s.vm.GlobalObject().Delete(bundle.EntryCall); err != nil {
		return err
	}
	if l.ns == nil {
		return fmt.Errorf("the bundle did not hand over its module")
	}
	if s.req.Test != nil {
		return l.collected(c)
	}
	v, err := s.glue.collect(goja.Undefined(), l.ns, s.vm.ToValue(s.req.Extension))
	if err != nil {
		return err
	}
	result, err := l.read(v.ToObject(s.vm))
	if err != nil {
		return err
	}
	l.result = result
	s.end(c, wire.CallResult{Value: &wire.Value{}})
	return nil
}

// read takes over what glue.js collected. Its objects are our own: no author's
// code runs when they are read, but for the tool functions' text.
func (l *loading) read(collected *goja.Object) (*wire.LoadResult, error) {
	s := l.s
	if bad := collected.Get("bad"); bad != nil && !goja.IsUndefined(bad) {
		o := bad.ToObject(s.vm)
		return &wire.LoadResult{Failure: &wire.Failure{
			Stage:    wire.StageManifest,
			Message:  o.Get("message").String(),
			Hint:     stringOr(o.Get("hint")),
			Position: l.place(stringOr(o.Get("tool")), int(o.Get("index").ToInteger()), stringOr(o.Get("key"))),
		}}, nil
	}
	ok := collected.Get("ok").ToObject(s.vm)
	var m wire.Manifest
	if err := l.decode(ok.Get("manifest"), &m); err != nil {
		return nil, err
	}
	if eng := ok.Get("manifest").ToObject(s.vm).Get("engine"); eng != nil && !goja.IsUndefined(eng) {
		m.Engine = eng.String()
	}
	m.Keys = l.prog.script.Manifest.Keys
	m.Effects = l.prog.script.Uses.Effects
	list := l.list(ok, "tools")
	s.tools = make(map[string]*tool, len(list))
	m.Tools = make([]wire.Tool, 0, len(list))
	for i, o := range list {
		t, err := l.tool(o, i)
		if err != nil {
			return nil, err
		}
		m.Tools = append(m.Tools, t)
	}
	if dispose, has := goja.AssertFunction(ok.Get("dispose")); has {
		s.tools[wire.DisposeTool] = &tool{name: wire.DisposeTool, exec: dispose, self: ok.Get("self"), form: wire.ArgsObject}
	}
	s.hooks, s.commands = map[string]*hook{}, map[string]*command{}
	for _, o := range l.list(ok, "hooks") {
		h, err := l.hook(o)
		if err != nil {
			return nil, err
		}
		m.Hooks = append(m.Hooks, h)
	}
	for _, o := range l.list(ok, "commands") {
		c, err := l.command(o)
		if err != nil {
			return nil, err
		}
		m.Commands = append(m.Commands, c)
	}
	if l.survey != nil {
		noteUnused(l.survey, l.prog.survey, m)
	}
	return &wire.LoadResult{Manifest: m}, nil
}

// list gives the objects of an array that glue.js made.
func (l *loading) list(of *goja.Object, name string) []*goja.Object {
	list := of.Get(name).ToObject(l.s.vm)
	out := make([]*goja.Object, list.Get("length").ToInteger())
	for i := range out {
		out[i] = list.Get(fmt.Sprint(i)).ToObject(l.s.vm)
	}
	return out
}

func (l *loading) tool(o *goja.Object, index int) (wire.Tool, error) {
	s := l.s
	var t wire.Tool
	if err := l.decode(o.Get("data"), &t); err != nil {
		return t, err
	}
	t.Parameters = json.RawMessage(o.Get("parameters").String())
	if out := stringOr(o.Get("output")); out != "" {
		t.Output = json.RawMessage(out)
	}
	if list := stringOr(o.Get("examples")); list != "" {
		if err := json.Unmarshal([]byte(list), &t.Examples); err != nil {
			return t, fmt.Errorf("examples: %w", err)
		}
	}
	uses := l.prog.script.UsesOf(t.Name)
	t.Effects = t.Risk.Effects() | uses.Effects
	t.CallsTools = uses.CallsTools
	t.Location = l.place(t.Name, index, "")
	if lit := l.literal(t.Name, index); lit != nil {
		t.Keys = lit.Keys
	}
	t.Arguments = wire.ArgsBoth
	var declared []string
	if err := l.decode(o.Get("declared"), &declared); err != nil {
		return t, err
	}
	source := o.Get("source").String()
	if o.Get("branded").ToBoolean() {
		t.Arguments = wire.ArgsObject
	} else if reading.TextUse(source, declared) {
		t.Arguments = wire.ArgsText
	}
	if l.survey != nil && t.Arguments != wire.ArgsText {
		use := l.survey.Tools[t.Name]
		if len(l.survey.Tools) == 0 {
			l.survey.Tools = map[string]wire.CodeUse{}
		}
		if _, own := l.survey.Tools[t.Name]; !own {
			use = codeUse(uses, false)
		}
		use.Text = reading.TextOnly(source, declared, t.Arguments == wire.ArgsBoth)
		l.survey.Tools[t.Name] = use
	}
	exec, ok := goja.AssertFunction(o.Get("execute"))
	if !ok {
		return t, fmt.Errorf("tool %s lost its function", t.Name)
	}
	s.tools[t.Name] = &tool{name: t.Name, self: o.Get("self"), exec: exec, form: t.Arguments}
	return t, nil
}

// decode reads a plain value of glue.js through JSON.
func (l *loading) decode(v goja.Value, into any) error {
	data, err := v.ToObject(l.s.vm).MarshalJSON()
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// place finds where a tool, or one of its keys, is written. The module's own
// manifest has index -1, the module as a whole -2.
func (l *loading) place(name string, index int, key string) wire.Position {
	script := l.prog.script
	switch {
	case index < -1:
		return wire.Position{}
	case index == -1 && key == "execute" && len(script.Tools) > 0:
		return script.Tools[0].At
	}
	lit := &script.Manifest
	if index >= 0 {
		if found := l.literal(name, index); found != nil {
			lit = found
		}
	}
	if p, ok := lit.Keys[key]; ok {
		return p
	}
	return lit.At
}

// literal finds the object that defines a tool, or gives nil.
func (l *loading) literal(name string, index int) *reading.ToolLiteral {
	script := l.prog.script
	var lit *reading.ToolLiteral
	seen := 0
	for i := range script.Tools {
		if name != "" && script.Tools[i].Name == name {
			// Of two tools with one name the second is the one at fault.
			if lit = &script.Tools[i]; seen == 1 {
				break
			}
			seen++
		}
	}
	if lit != nil {
		return lit
	}
	for i := range script.Unfinished {
		if name != "" && script.Unfinished[i].Name == name {
			return &script.Unfinished[i]
		}
	}
	if index < len(script.Tools) {
		return &script.Tools[index]
	}
	return nil
}

func stringOr(v goja.Value) string {
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		return ""
	}
	return v.String()
}
