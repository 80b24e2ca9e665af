package jsapi

import (
	"encoding/json"
	"strings"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
)

// logLine writes one line to the extension's log: (level, message).
func logLine(g *Globals, c goja.FunctionCall) goja.Value {
	g.env.Log(wire.LogRecord{Level: c.Argument(0).String(), Message: c.Argument(1).String()})
	return goja.Undefined()
}

func projectRoot(g *Globals, _ goja.FunctionCall) goja.Value {
	return g.vm.ToValue(g.env.ProjectRoot())
}

func modelName(g *Globals, _ goja.FunctionCall) goja.Value {
	return g.vm.ToValue(g.env.Model())
}

// readFile gives a file's bytes as text: (path).
func readFile(g *Globals, c goja.FunctionCall) goja.Value {
	res := g.do(wire.Request{Op: wire.OpReadFile, As: "rho.readFile"}, wire.FilePath{Path: c.Argument(0).String()})
	return g.vm.ToValue(replaceIllFormed(res.Payload))
}

// writeFile replaces a file: (path, text).
func writeFile(g *Globals, c goja.FunctionCall) goja.Value {
	g.do(wire.Request{Op: wire.OpWriteFile, As: "rho.writeFile", Payload: payload(c.Argument(1))},
		wire.WriteRequest{Path: c.Argument(0).String()})
	return goja.Undefined()
}

// runCommand runs a program to its end: (command, args) → see execEnd.
func runCommand(g *Globals, c goja.FunctionCall) goja.Value {
	res := g.do(wire.Request{Op: wire.OpExec, As: "rho.runCommand"},
		wire.ExecRequest{Command: c.Argument(0).String(), Args: stringsOf(c.Argument(1))})
	end, err := g.execEnd(res.Data, nil)
	if err != nil {
		panic(g.vm.NewTypeError("rho.runCommand: " + err.Error()))
	}
	return end
}

// fetchURL fetches a whole body: (url, method, [name, value, …], text or
// undefined, maximum or 0) → [status, text, name, value, …].
func fetchURL(g *Globals, c goja.FunctionCall) goja.Value {
	f := wire.FetchRequest{URL: c.Argument(0).String(), Method: c.Argument(1).String(), Whole: true, MaxBytes: c.Argument(4).ToInteger()}
	headers := stringsOf(c.Argument(2))
	for i := 0; i+1 < len(headers); i += 2 {
		f.Headers = append(f.Headers, [2]string{headers[i], headers[i+1]})
	}
	res := g.do(wire.Request{Op: wire.OpFetch, As: "rho.fetchUrl", Payload: payload(c.Argument(3))}, f)
	var head wire.FetchResponse
	if err := json.Unmarshal(res.Data, &head); err != nil {
		panic(g.vm.NewTypeError("rho.fetchUrl: " + err.Error()))
	}
	out := []any{head.Status, decodeUTF8(res.Payload)}
	at := map[string]int{} // of the value in out
	for _, h := range head.Headers {
		name := strings.ToLower(h[0])
		if i, ok := at[name]; ok {
			out[i] = out[i].(string) + ", " + h[1]
			continue
		}
		at[name] = len(out) + 1
		out = append(out, name, h[1])
	}
	return g.vm.NewArray(out...)
}
