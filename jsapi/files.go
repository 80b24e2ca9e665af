package jsapi

import (
	"encoding/json"
	"fmt"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// fileOp is an operation on one path: (port, path) → promise.
func fileOp(op wire.Op, name string, as answer) native {
	return func(g *Globals, c goja.FunctionCall) goja.Value {
		p, _ := g.ask(portOf(c), wire.Request{Op: op, As: name}, wire.FilePath{Path: c.Argument(1).String()}, as)
		return p
	}
}

// writeOp: (port, path, text or Uint8Array, append) → promise.
func writeOp(g *Globals, c goja.FunctionCall) goja.Value {
	w := wire.WriteRequest{Path: c.Argument(1).String(), Append: c.Argument(3).ToBoolean()}
	req := wire.Request{Op: wire.OpWriteFile, As: "ctx.fs.write", Payload: payload(c.Argument(2))}
	if w.Append {
		req.As = "ctx.fs.append"
	}
	p, _ := g.ask(portOf(c), req, w, nil)
	return p
}

// renameOp: (port, from, to) → promise.
func renameOp(g *Globals, c goja.FunctionCall) goja.Value {
	p, _ := g.ask(portOf(c), wire.Request{Op: wire.OpRename, As: "ctx.fs.rename"},
		wire.RenameRequest{From: c.Argument(1).String(), To: c.Argument(2).String()}, nil)
	return p
}

// globOp: (port, pattern) → promise of an array of strings.
func globOp(g *Globals, c goja.FunctionCall) goja.Value {
	pattern := c.Argument(1).String()
	p, _ := g.ask(portOf(c), wire.Request{Op: wire.OpGlob, As: "ctx.fs.glob"}, wire.GlobRequest{Pattern: pattern},
		func(g *Globals, res wire.Response) (goja.Value, error) {
			var found wire.GlobResponse
			if err := json.Unmarshal(res.Data, &found); err != nil {
				return nil, err
			}
			if found.More { // half a list looks like a whole one
				return nil, &wire.Error{
					Kind: registry.KindOther, Name: "RangeError", Code: "too_many",
					Message: fmt.Sprintf("ctx.fs.glob: %q matches more than %d paths", pattern, len(found.Paths)),
					Hint:    "narrow the pattern, as in src/**/*.ts",
				}
			}
			list := make([]any, len(found.Paths))
			for i, path := range found.Paths {
				list[i] = path
			}
			return g.vm.NewArray(list...), nil
		})
	return p
}

func asText(g *Globals, res wire.Response) (goja.Value, error) {
	return g.vm.ToValue(replaceIllFormed(res.Payload)), nil
}

func asBuffer(g *Globals, res wire.Response) (goja.Value, error) {
	return g.vm.ToValue(g.vm.NewArrayBuffer(res.Payload)), nil
}

// asEntries gives a flat array, three elements for each entry.
func asEntries(g *Globals, res wire.Response) (goja.Value, error) {
	var list []wire.DirEntry
	if err := json.Unmarshal(res.Data, &list); err != nil {
		return nil, err
	}
	flat := make([]any, 0, 3*len(list))
	for _, e := range list {
		flat = append(flat, e.Name, e.Directory, e.Link)
	}
	return g.vm.NewArray(flat...), nil
}

func asInfo(g *Globals, res wire.Response) (goja.Value, error) {
	var i wire.FileInfo
	if err := json.Unmarshal(res.Data, &i); err != nil {
		return nil, err
	}
	return g.vm.NewArray(i.Size, i.ModTimeMS, i.Directory), nil
}
