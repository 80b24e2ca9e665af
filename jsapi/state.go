package jsapi

import (
	"encoding/json"
	"fmt"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
)

// askState reads or changes what the extension keeps: (port, what, key, JSON
// text or undefined) → promise of the JSON text or undefined by get, of an array
// by keys, of whether it was there by delete.
func askState(g *Globals, c goja.FunctionCall) goja.Value {
	what := c.Argument(1).String()
	req := wire.Request{Op: wire.OpState, As: "ctx.state." + what, Payload: payload(c.Argument(3))}
	if what == "set" || what == "delete" {
		req.Op = wire.OpSetState
	}
	p, _ := g.ask(portOf(c), req, wire.StateRequest{Do: what, Key: c.Argument(2).String()},
		func(g *Globals, res wire.Response) (goja.Value, error) {
			var r wire.StateResponse
			if err := json.Unmarshal(res.Data, &r); err != nil {
				return nil, err
			}
			switch {
			case what == "keys":
				keys := make([]any, len(r.Keys))
				for i, k := range r.Keys {
					keys[i] = k
				}
				return g.vm.NewArray(keys...), nil
			case what == "delete":
				return g.vm.ToValue(r.Found), nil
			case !r.Found:
				return goja.Undefined(), nil
			case !json.Valid(res.Payload):
				return nil, fmt.Errorf("ctx.state.get: the value is no JSON")
			}
			return g.vm.ToValue(string(res.Payload)), nil
		})
	return p
}
