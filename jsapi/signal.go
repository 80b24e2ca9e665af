package jsapi

import "github.com/dop251/goja"

// NewSignal makes an AbortSignal that only abort can fire, with a DOMException
// of the given name (AbortError or TimeoutError) as its reason. Firing it
// again does nothing. abort's error is an interrupt or a stack overflow; what
// listeners throw goes to [Env.ReportError].
func (g *Globals) NewSignal() (signal *goja.Object, abort func(name, message string) error) {
	v, err := g.call(abortScript, "newSignal")
	if err != nil {
		panic(err) // our own script, on a runtime that works
	}
	signal = v.(*goja.Object)
	return signal, func(name, message string) error {
		_, err := g.call(abortScript, "fire", signal, g.vm.ToValue(name), g.vm.ToValue(message))
		return err
	}
}

// HasListeners reports whether firing the signal would run code of the author:
// it, or a signal that depends on it, has an abort listener. A call that waits
// only for its own cancellation is not stuck. The error is an interrupt or a
// stack overflow.
func (g *Globals) HasListeners(signal *goja.Object) (bool, error) {
	v, err := g.call(abortScript, "hasListeners", signal)
	if err != nil {
		if _, ok := err.(*goja.Exception); ok {
			err = nil
		}
		return false, err
	}
	return v.ToBoolean(), nil
}
