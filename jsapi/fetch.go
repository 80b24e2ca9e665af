package jsapi

import (
	"slices"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
)

// startFetch asks the broker: (JSON of a wire.FetchRequest, Uint8Array or
// undefined) → {promise of [JSON of a wire.FetchResponse, stream], cancel}.
func startFetch(g *Globals, c goja.FunctionCall) goja.Value {
	req := wire.Request{Op: wire.OpFetch, As: "fetch", Data: []byte(c.Argument(0).String())}
	if body := c.Argument(1); !goja.IsUndefined(body) {
		req.Payload = slices.Clone(bytesArg(c, 1))
		if req.Payload == nil {
			req.Payload = []byte{} // an empty body is not the same as none
		}
	}
	promise, cancel := g.env.Request(req, func(res wire.Response) (goja.Value, error) {
		return g.vm.NewArray(string(res.Data), int64(res.Stream)), nil
	})
	o := g.vm.NewObject()
	for name, v := range map[string]any{
		"promise": promise,
		"cancel": func(goja.FunctionCall) goja.Value {
			cancel()
			return goja.Undefined()
		},
	} {
		if err := o.Set(name, v); err != nil {
			panic(err)
		}
	}
	return o
}

// readStream takes the next bytes: (stream, max) → promise of Uint8Array or null.
func readStream(g *Globals, c goja.FunctionCall) goja.Value {
	return g.env.Read(wire.Stream(c.Argument(0).ToInteger()), int(c.Argument(1).ToInteger()))
}

// closeStream gives a stream up: (stream).
func closeStream(g *Globals, c goja.FunctionCall) goja.Value {
	g.env.CloseStream(wire.Stream(c.Argument(0).ToInteger()))
	return goja.Undefined()
}
