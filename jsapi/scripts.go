package jsapi

import "github.com/dop251/goja"

// The scripts, each with what it needs of Go and the globals it gives.
var (
	_ = define("self", nil, "self")
	_ = define("dom_exception", nil, "DOMException")
	_ = define("event", map[string]native{"report": report, "now": elapsed}, "Event", "CustomEvent", "EventTarget")
	_ = define("timers", map[string]native{"set": setTimer, "clear": clearTimer, "report": report},
		"setTimeout", "setInterval", "clearTimeout", "clearInterval", "queueMicrotask")
	_ = define("performance", map[string]native{"now": elapsed}, "performance")
	_ = define("base64", map[string]native{"atob": atob, "btoa": btoa}, "atob", "btoa")
	_ = define("encoding", map[string]native{"encode": encodeText, "encodeInto": encodeInto, "decoder": newDecoder, "decode": runDecoder},
		"TextEncoder", "TextDecoder")
	_ = define("clone", map[string]native{"classOf": classOf, "proxyTarget": proxyTarget, "detach": detach}, "structuredClone")
	_ = define("search_params", map[string]native{"parseQuery": parseQuery, "formatQuery": formatQuery}, "URLSearchParams")
	_ = define("url", map[string]native{"parse": parseURL, "set": setURL}, "URL")
	_ = define("headers", nil, "Headers")
	_ = define("body", map[string]native{"encode": encodeText, "text": decodeText, "shallow": shallow, "read": readStream, "close": closeStream})
	_ = define("request", nil, "Request")
	_ = define("response", nil, "Response")
	_ = define("fetch", map[string]native{"fetch": startFetch}, "fetch")
	_ = define("console", map[string]native{"log": logLine, "now": elapsed}, "console")
	_ = define("check", nil)
	_ = define("json", nil)
	_ = define("rho", map[string]native{"log": logLine, "root": projectRoot, "model": modelName, "readFile": readFile,
		"writeFile": writeFile, "runCommand": runCommand, "fetchUrl": fetchURL}, "rho")
	_ = define("process", map[string]native{"env": newEnviron}, "process")

	webidlScript  = define("webidl", map[string]native{"usv": usv, "classOf": classOf})
	abortScript   = define("abort", map[string]native{"setTimer": setTimer}, "AbortController", "AbortSignal")
	errorsScript  = define("errors", nil)
	inspectScript = define("inspect", map[string]native{"classOf": classOf, "proxyTarget": proxyTarget, "promise": promiseState})
)

// usv converts to a string without lone surrogates.
func usv(g *Globals, c goja.FunctionCall) goja.Value {
	return g.vm.ToValue(c.Argument(0).String())
}

// report hands an exception that nobody caught to the sandbox.
func report(g *Globals, c goja.FunctionCall) goja.Value {
	g.env.ReportError(c.Argument(0))
	return goja.Undefined()
}

// detach empties an ArrayBuffer that was transferred.
func detach(_ *Globals, c goja.FunctionCall) goja.Value {
	if b, ok := c.Argument(0).Export().(goja.ArrayBuffer); ok {
		b.Detach()
	}
	return goja.Undefined()
}
