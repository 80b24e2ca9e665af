package jsapi

import (
	"math/big"
	"reflect"

	"github.com/dop251/goja"
)

// The engine's types of values whose ClassName is only Object. Exporting a
// value can run the author's getters, so its type is asked first.
var (
	proxyType   = reflect.TypeFor[goja.Proxy]()
	promiseType = reflect.TypeFor[*goja.Promise]()
	classes     = map[reflect.Type]string{
		promiseType:                         "Promise",
		reflect.TypeFor[goja.ArrayBuffer](): "ArrayBuffer",
		reflect.TypeFor[[][2]any]():         "Map",
		reflect.TypeFor[[]any]():            "Set",
		reflect.TypeFor[*big.Int]():         "BigInt",
		reflect.TypeFor[string]():           "Symbol",
	}
)

// classOf is the engine's own class of a value, which scripts cannot fake; it
// is empty for what is no object. Weak collections, generators and iterators
// are Object.
func classOf(g *Globals, c goja.FunctionCall) goja.Value {
	o, ok := c.Argument(0).(*goja.Object)
	if !ok {
		return g.vm.ToValue("")
	}
	name := o.ClassName()
	if name == "Object" {
		if special := classes[o.ExportType()]; special != "" {
			name = special
		}
	}
	return g.vm.ToValue(name)
}

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
