package jsapi

import (
	"encoding/json"
	"fmt"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
)

// memberScripts make what acts for one call.
var memberScripts = map[string]*script{
	"fs": define("files", map[string]native{
		"read":      fileOp(wire.OpReadFile, "ctx.fs.read", asText),
		"readBytes": fileOp(wire.OpReadFile, "ctx.fs.readBytes", asBuffer),
		"list":      fileOp(wire.OpListDir, "ctx.fs.list", asEntries),
		"stat":      fileOp(wire.OpStat, "ctx.fs.stat", asInfo),
		"remove":    fileOp(wire.OpRemove, "ctx.fs.remove", nil),
		"mkdir":     fileOp(wire.OpMkdir, "ctx.fs.mkdir", nil),
		"write":     writeOp, "rename": renameOp, "glob": globOp,
	}),
	"exec": define("exec", map[string]native{"exec": startExec, "collector": newCollector, "pull": pullPiece,
		"piece": takePiece, "close": closePieces}),
	"state":    define("state", map[string]native{"ask": askState, "shallow": shallow}),
	"callTool": define("call_tool", map[string]native{"call": callTool, "shallow": shallow}),
}

// Member makes a member of a tool's ctx that acts for one call: fs, exec, state
// or callTool. It is frozen, and so are its functions.
func (g *Globals) Member(name string, c Caller) (goja.Value, error) {
	s := memberScripts[name]
	if s == nil {
		return nil, fmt.Errorf("ctx has no member %s", name)
	}
	return g.call(s, "make", g.vm.ToValue(&port{c}))
}

// port is what the functions of a member hold of its call; authors never see it.
type port struct{ caller Caller }

func portOf(c goja.FunctionCall) Caller { return c.Argument(0).Export().(*port).caller }

// answer turns a response into what a script works on; nil gives undefined.
type answer func(*Globals, wire.Response) (goja.Value, error)

// ask starts a request and gives its promise, and what gives it up.
func (g *Globals) ask(c Caller, req wire.Request, data any, as answer) (promise *goja.Object, cancel func()) {
	req.Data = g.encode(data)
	return c.Request(req, func(res wire.Response) (goja.Value, error) {
		if as == nil {
			return goja.Undefined(), nil
		}
		return as(g, res)
	})
}

// do asks and waits; a refusal is thrown.
func (g *Globals) do(req wire.Request, data any) wire.Response {
	req.Data = g.encode(data)
	res, thrown := g.env.Do(req)
	if thrown != nil {
		panic(thrown)
	}
	return res
}

func (g *Globals) encode(data any) json.RawMessage {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(g.vm.NewTypeError(err.Error()))
	}
	return raw
}

// payload copies text, as UTF-8, or the bytes of a Uint8Array; undefined is nil.
func payload(v goja.Value) []byte {
	if goja.IsUndefined(v) {
		return nil
	}
	if text, ok := v.(goja.String); ok {
		return []byte(text.String())
	}
	b, _ := v.Export().([]byte)
	return append([]byte{}, b...)
}

// stringsOf reads an array of strings that a script made.
func stringsOf(v goja.Value) []string {
	list, _ := v.Export().([]any)
	out := make([]string, len(list))
	for i, x := range list {
		out[i], _ = x.(string)
	}
	return out
}
