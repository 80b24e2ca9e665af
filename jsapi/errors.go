package jsapi

import (
	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// Error makes the JavaScript exception for a refusal or failure of the host: an
// error of the class that e.Name says, with e's code and hint. Its stack is
// "Name: message", a newline and then stack, so that it points at the code that
// asked and not at the loop.
func (g *Globals) Error(e *wire.Error, stack string) *goja.Object {
	str := func(s string) goja.Value {
		if s == "" {
			return goja.Undefined()
		}
		return g.vm.ToValue(s)
	}
	v, err := g.call(errorsScript, "make", g.vm.ToValue(e.Name), g.vm.ToValue(e.Message), str(e.Code), str(e.Hint), g.vm.ToValue(stack), g.vm.ToValue(string(e.Kind)))
	if err != nil {
		return g.vm.NewGoError(e) // interrupted meanwhile: the runtime is lost anyway
	}
	return v.(*goja.Object)
}

// Kind gives the kind of an error that [Globals.Error] made, or "" for any other
// value: a look-alike that an author builds has none.
func (g *Globals) Kind(v goja.Value) registry.Kind {
	if _, ok := v.(*goja.Object); !ok {
		return ""
	}
	kind, err := g.call(errorsScript, "kind", v)
	if err != nil {
		return ""
	}
	return registry.Kind(kind.String())
}
