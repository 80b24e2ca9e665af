package jsapi

import (
	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
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
	v, err := g.call(errorsScript, "make", g.vm.ToValue(e.Name), g.vm.ToValue(e.Message), str(e.Code), str(e.Hint), g.vm.ToValue(stack))
	if err != nil {
		return g.vm.NewGoError(e) // interrupted meanwhile: the runtime is lost anyway
	}
	return v.(*goja.Object)
}

// IsDenied reports whether v is a PermissionDenied error that [Globals.Error]
// made. A look-alike that an author builds is not one.
func (g *Globals) IsDenied(v goja.Value) bool {
	if _, ok := v.(*goja.Object); !ok {
		return false
	}
	denied, err := g.call(errorsScript, "isDenied", v)
	return err == nil && denied.ToBoolean()
}
