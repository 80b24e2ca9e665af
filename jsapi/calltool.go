package jsapi

import (
	"encoding/json"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
)

// callTool runs another tool: (port, name, JSON text) → promise of [text,
// isError, JSON text or ""].
func callTool(g *Globals, c goja.FunctionCall) goja.Value {
	p, _ := g.ask(portOf(c), wire.Request{Op: wire.OpCallTool, As: "ctx.callTool"},
		wire.ToolRequest{Name: c.Argument(1).String(), Args: json.RawMessage(c.Argument(2).String())},
		func(g *Globals, res wire.Response) (goja.Value, error) {
			var r wire.ToolResponse
			if err := json.Unmarshal(res.Data, &r); err != nil {
				return nil, err
			}
			return g.vm.NewArray(r.Text, r.IsError, string(r.Structured)), nil
		})
	return p
}
