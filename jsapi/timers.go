package jsapi

import (
	"time"

	"github.com/dop251/goja"
)

// maxDelay keeps a time in milliseconds within a time.Duration: 100 years.
const maxDelay = 100 * 365 * 24 * 3600 * 1000

// setTimer starts a timer: (fn, milliseconds, repeat, ...args) → id.
func setTimer(g *Globals, c goja.FunctionCall) goja.Value {
	fn, ok := goja.AssertFunction(c.Argument(0))
	if !ok {
		panic(g.vm.NewTypeError("a timer needs a function"))
	}
	delay := time.Duration(min(c.Argument(1).ToFloat(), maxDelay) * float64(time.Millisecond))
	var args []goja.Value
	if len(c.Arguments) > 3 {
		args = append(args, c.Arguments[3:]...) // the engine reuses the slice
	}
	return g.vm.ToValue(g.env.SetTimer(fn, args, delay, c.Argument(2).ToBoolean()))
}

// clearTimer stops a timer: (id).
func clearTimer(g *Globals, c goja.FunctionCall) goja.Value {
	g.env.ClearTimer(c.Argument(0).ToInteger())
	return goja.Undefined()
}

// processStart is the zero of performance.now and of event time stamps.
var processStart = time.Now()

// elapsed gives the milliseconds since processStart, by a clock that never goes back.
func elapsed(g *Globals, _ goja.FunctionCall) goja.Value {
	return g.vm.ToValue(float64(time.Since(processStart).Microseconds()) / 1000)
}
