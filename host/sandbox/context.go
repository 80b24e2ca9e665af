package sandbox

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
)

// callContext is the ctx argument of one call. Its parts are made when they are
// asked for; most calls ask for few. Authors may put members of their own on it.
type callContext struct {
	sandbox *Sandbox
	call    *call
	keys    []string
	parts   map[string]goja.Value
	gone    map[string]bool
}

var _ goja.DynamicObject = (*callContext)(nil)

// The members of ctx, in the order in which they are listed.
var (
	contextKeys = []string{"callId", "toolName", "projectRoot", "extensionDir", "signal", "values", "config", "progress", "log", "state", "fs", "exec", "callTool"}
	// hookKeys are those of a hook, whose event says the rest.
	hookKeys = []string{"projectRoot", "extensionDir", "signal", "config", "log", "state", "fs", "exec", "callTool"}
	// quietKeys are those of what may touch nothing: onLoad, dispose and complete.
	quietKeys = []string{"projectRoot", "extensionDir", "signal", "config", "log", "state"}
	// commandKeys are those of a command.
	commandKeys = []string{"callId", "projectRoot", "extensionDir", "signal", "config", "progress", "log", "state", "fs", "exec", "callTool"}
)

func (s *Sandbox) contextOf(c *call) goja.Value {
	keys := contextKeys
	switch {
	case c.req.Run == wire.RunComplete, c.req.Tool == wire.DisposeTool, c.req.Run == wire.RunHook && c.req.Tool == wire.HookLoad:
		keys = quietKeys
	case c.req.Run == wire.RunHook:
		keys = hookKeys
	case c.req.Run == wire.RunCommand:
		keys = commandKeys
	}
	return s.vm.NewDynamicObject(&callContext{sandbox: s, call: c, keys: keys})
}

// Get implements [goja.DynamicObject].
func (x *callContext) Get(key string) goja.Value {
	if v, ok := x.parts[key]; ok {
		return v
	}
	if x.gone[key] || !slices.Contains(x.keys, key) {
		return nil
	}
	s := x.sandbox
	var v goja.Value
	switch key {
	case "callId":
		v = s.vm.ToValue(x.call.req.ID)
	case "toolName":
		v = s.vm.ToValue(x.call.req.Tool)
	case "projectRoot":
		v = s.vm.ToValue(s.req.ProjectRoot)
	case "extensionDir":
		v = s.vm.ToValue(s.req.ExtensionDir)
	case "signal":
		v = s.signalOf(x.call)
	case "values":
		v = s.valuesOf(x.call)
	case "config":
		v = s.configOf(x.call)
	case "fs", "exec", "callTool", "state":
		var err error
		v, err = s.globals.Member(key, caller{s, x.call})
		s.native(err)
	case "progress":
		v = s.vm.ToValue(func(f goja.FunctionCall) goja.Value {
			s.progress(x.call, f.Argument(0))
			return goja.Undefined()
		})
	case "log":
		v = s.logObject(x.call)
	default:
		return nil
	}
	x.Set(key, v)
	return v
}

// Set implements [goja.DynamicObject].
func (x *callContext) Set(key string, v goja.Value) bool {
	if x.parts == nil {
		x.parts = map[string]goja.Value{}
	}
	x.parts[key] = v
	return true
}

// Has implements [goja.DynamicObject].
func (x *callContext) Has(key string) bool {
	_, own := x.parts[key]
	return own || slices.Contains(x.keys, key) && !x.gone[key]
}

// Delete implements [goja.DynamicObject].
func (x *callContext) Delete(key string) bool {
	delete(x.parts, key)
	if x.gone == nil {
		x.gone = map[string]bool{}
	}
	x.gone[key] = true
	return true
}

// Keys implements [goja.DynamicObject].
func (x *callContext) Keys() []string {
	keys := make([]string, 0, len(x.keys)+len(x.parts))
	for _, k := range x.keys {
		if x.Has(k) {
			keys = append(keys, k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(x.parts)) {
		if !slices.Contains(x.keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}

func (s *Sandbox) signalOf(c *call) goja.Value {
	if c.signal == nil {
		c.signal, c.abort = s.globals.NewSignal()
		if c.ctx.Err() != nil {
			late := c.late()
			s.native(c.abort(abortName(late.Kind), late.Message))
		}
	}
	return c.signal
}

func (s *Sandbox) valuesOf(c *call) goja.Value {
	obj := s.vm.NewObject()
	for _, k := range slices.Sorted(maps.Keys(c.req.Values)) {
		v, err := fromJSON(s.vm, c.req.Values[k])
		if err != nil {
			continue
		}
		s.native(obj.DefineDataProperty(k, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
	}
	v, err := s.glue.freezeDeep(goja.Undefined(), obj)
	s.native(err)
	return v
}

// configOf asks for the extension's settings, and waits.
func (s *Sandbox) configOf(c *call) goja.Value {
	res, thrown := caller{s, c}.Do(wire.Request{Op: wire.OpConfig, As: "ctx.config"})
	if thrown != nil {
		panic(thrown)
	}
	v, err := fromJSON(s.vm, res.Data)
	if err != nil {
		panic(s.vm.NewTypeError("ctx.config: " + err.Error()))
	}
	v, err = s.glue.freezeDeep(goja.Undefined(), v)
	s.native(err)
	return v
}

// progress passes a report on while the call runs.
func (s *Sandbox) progress(c *call, update goja.Value) {
	v, err := s.glue.progressOf(goja.Undefined(), update)
	s.native(err)
	if c.ended.Load() {
		return
	}
	_, _ = s.broker.Do(c.ctx, wire.Request{Call: c.req.ID, Tool: c.req.Tool, Op: wire.OpProgress, As: "ctx.progress", Data: json.RawMessage(v.String())})
}

var logLevels = []string{"debug", "info", "warn", "error"}

func (s *Sandbox) logObject(c *call) goja.Value {
	obj := s.vm.NewObject()
	for _, level := range logLevels {
		s.native(obj.Set(level, func(f goja.FunctionCall) goja.Value {
			rec := wire.LogRecord{Level: level}
			if msg := f.Argument(0); !goja.IsUndefined(msg) {
				if text, ok := msg.(goja.String); ok {
					rec.Message = text.String()
				} else {
					rec.Message = s.globals.Inspect(msg)
				}
			}
			data, err := s.glue.data(goja.Undefined(), f.Argument(1))
			s.native(err)
			if text := stringOr(data); text != "" {
				rec.Data = json.RawMessage(text)
			}
			s.log(c, rec)
			return goja.Undefined()
		}))
	}
	return obj
}
