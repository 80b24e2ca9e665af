package jsapi

import (
	"encoding/json"

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

// readFile gives a file's bytes as text and blocks until it has them: (path).
func readFile(g *Globals, c goja.FunctionCall) goja.Value {
	data, err := json.Marshal(wire.FilePath{Path: c.Argument(0).String()})
	if err != nil {
		panic(g.vm.NewTypeError(err.Error()))
	}
	res, thrown := g.env.Do(wire.Request{Op: wire.OpReadFile, As: "rho.readFile", Data: data})
	if thrown != nil {
		panic(thrown)
	}
	return g.vm.ToValue(replaceIllFormed(res.Payload))
}
