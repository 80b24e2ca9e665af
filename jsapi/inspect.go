package jsapi

import (
	"reflect"

	"github.com/dop251/goja"
)

// Exporting a value can run the author's getters, so its type is asked first.
var (
	proxyType   = reflect.TypeFor[goja.Proxy]()
	promiseType = reflect.TypeFor[*goja.Promise]()
)

// Inspect renders any value as console.log shows it, in at most about 10 KB.
// It never throws and runs no code of the author but a Proxy's.
func (g *Globals) Inspect(v goja.Value) string {
	s, err := g.call(inspectScript, "inspect", v)
	if err != nil {
		return "[value that cannot be shown]"
	}
	return s.String()
}

// proxyTarget gives what a Proxy stands for, null for a revoked one, and
// undefined for any other value. The inspector uses it to run no trap.
func proxyTarget(g *Globals, c goja.FunctionCall) goja.Value {
	o, ok := c.Argument(0).(*goja.Object)
	if !ok || o.ExportType() != proxyType {
		return goja.Undefined()
	}
	if t := o.Export().(goja.Proxy).Target(); t != nil {
		return t
	}
	return goja.Null()
}

// promiseState gives [state, result] of a promise.
func promiseState(g *Globals, c goja.FunctionCall) goja.Value {
	o, ok := c.Argument(0).(*goja.Object)
	if !ok || o.ExportType() != promiseType {
		return goja.Undefined()
	}
	switch p := o.Export().(*goja.Promise); p.State() {
	case goja.PromiseStateFulfilled:
		return g.vm.NewArray("fulfilled", p.Result())
	case goja.PromiseStateRejected:
		return g.vm.NewArray("rejected", p.Result())
	default:
		return g.vm.NewArray("pending")
	}
}
