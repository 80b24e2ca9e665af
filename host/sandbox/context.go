package sandbox

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
)

// contextOf makes the ctx argument of one call. Its parts are made when they are
// asked for; most calls ask for none.
func (s *Sandbox) contextOf(c *call) goja.Value {
	var values, log goja.Value
	v, err := s.glue.makeContext(goja.Undefined(),
		s.vm.ToValue(c.req.ID), s.vm.ToValue(c.req.Tool),
		s.vm.ToValue(s.req.ProjectRoot), s.vm.ToValue(s.req.ExtensionDir),
		s.vm.ToValue(func(f goja.FunctionCall) goja.Value {
			s.progress(c, f.Argument(0))
			return goja.Undefined()
		}),
		s.vm.ToValue(func(f goja.FunctionCall) goja.Value {
			switch f.Argument(0).String() {
			case "signal":
				return s.signalOf(c)
			case "values":
				if values == nil {
					values = s.valuesOf(c)
				}
				return values
			default:
				if log == nil {
					log = s.logObject(c)
				}
				return log
			}
		}))
	s.native(err)
	return v
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

// progress passes a report on while the call runs.
func (s *Sandbox) progress(c *call, update goja.Value) {
	v, err := s.glue.progressOf(goja.Undefined(), update)
	s.native(err)
	if c.ended.Load() {
		return
	}
	_, _ = s.broker.Do(c.ctx, wire.Request{Call: c.req.ID, Tool: c.req.Tool, Op: wire.OpProgress, Data: json.RawMessage(v.String())})
}

var logLevels = []string{"debug", "info", "warn", "error"}

func (s *Sandbox) logObject(c *call) goja.Value {
	obj := s.vm.NewObject()
	for _, level := range logLevels {
		s.native(obj.Set(level, func(f goja.FunctionCall) goja.Value {
			rec := wire.LogRecord{Level: level}
			if msg := f.Argument(0); !goja.IsUndefined(msg) {
				rec.Message = s.globals.Inspect(msg)
				if text, ok := msg.Export().(string); ok {
					rec.Message = text
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
