package jsapi

import "github.com/dop251/goja"

// The scripts, each with what it needs of Go and the globals it gives.
var (
	_ = define("webidl", map[string]native{"usv": usv, "classOf": classOf})
	_ = define("self", nil, "self")
	_ = define("dom_exception", nil, "DOMException")
	_ = define("event", map[string]native{"report": report, "now": elapsed}, "Event", "CustomEvent", "EventTarget")
	_ = define("timers", map[string]native{"set": setTimer, "clear": clearTimer, "report": report},
		"setTimeout", "setInterval", "clearTimeout", "clearInterval", "queueMicrotask")
	_ = define("console", map[string]native{"log": logLine, "now": elapsed}, "console")
	_ = define("rho", map[string]native{"log": logLine, "root": projectRoot, "readFile": readFile}, "rho")

	abortScript   = define("abort", map[string]native{"setTimer": setTimer}, "AbortController", "AbortSignal")
	errorsScript  = define("errors", nil)
	inspectScript = define("inspect", map[string]native{"classOf": classOf, "proxyTarget": proxyTarget, "promise": promiseState})
)

// usv converts to a string without lone surrogates.
func usv(g *Globals, c goja.FunctionCall) goja.Value {
	return g.vm.ToValue(c.Argument(0).String())
}

// classOf is the engine's own class of a value, which scripts cannot fake; it
// is empty for what is no object.
func classOf(g *Globals, c goja.FunctionCall) goja.Value {
	o, ok := c.Argument(0).(*goja.Object)
	if !ok {
		return g.vm.ToValue("")
	}
	return g.vm.ToValue(o.ClassName())
}

// report hands an exception that nobody caught to the sandbox.
func report(g *Globals, c goja.FunctionCall) goja.Value {
	g.env.ReportError(c.Argument(0))
	return goja.Undefined()
}
