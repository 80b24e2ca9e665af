package jsapi

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
)

// newEnviron makes process.env: () → object.
func newEnviron(g *Globals, _ goja.FunctionCall) goja.Value {
	return g.vm.NewDynamicObject(&environ{g: g})
}

// environ is process.env. Each look asks the host, which gives what was granted;
// what code assigns stays in this runtime.
type environ struct {
	g    *Globals
	own  map[string]goja.Value // assigned
	gone map[string]bool       // deleted
}

var _ goja.DynamicObject = (*environ)(nil)

// notVariables are names that the language itself looks up on any object.
var notVariables = map[string]bool{
	"constructor": true, "hasOwnProperty": true, "isPrototypeOf": true, "propertyIsEnumerable": true,
	"toLocaleString": true, "toString": true, "valueOf": true, "toJSON": true, "then": true, "__proto__": true,
	"__defineGetter__": true, "__defineSetter__": true, "__lookupGetter__": true, "__lookupSetter__": true,
}

// plausible keeps what can be no variable, or is not meant as one, from the host.
func plausible(name string) bool {
	for i := range len(name) {
		b := name[i]
		letter := b == '_' || b|0x20 >= 'a' && b|0x20 <= 'z'
		if !letter && (i == 0 || b < '0' || b > '9') {
			return false
		}
	}
	return name != "" && !notVariables[name]
}

// Get implements [goja.DynamicObject].
func (e *environ) Get(name string) goja.Value {
	if v, ok := e.own[name]; ok {
		return v
	}
	if e.gone[name] || !plausible(name) {
		return nil
	}
	res := e.g.do(wire.Request{Op: wire.OpEnv, As: "process.env"}, wire.EnvRequest{Name: name})
	var v wire.EnvResponse
	if err := json.Unmarshal(res.Data, &v); err != nil {
		panic(e.g.vm.NewTypeError("process.env: " + err.Error()))
	}
	if !v.Set {
		return nil
	}
	return e.g.vm.ToValue(v.Value)
}

// Has implements [goja.DynamicObject].
func (e *environ) Has(name string) bool { return e.Get(name) != nil }

// Set implements [goja.DynamicObject]. Values become strings, as in Node.
func (e *environ) Set(name string, v goja.Value) bool {
	if _, ok := v.(*goja.Symbol); ok {
		panic(e.g.vm.NewTypeError("Cannot convert a Symbol value to a string"))
	}
	text := e.g.vm.ToValue(v.String())
	if e.own == nil {
		e.own = map[string]goja.Value{}
	}
	e.own[name] = text
	delete(e.gone, name)
	return true
}

// Delete implements [goja.DynamicObject].
func (e *environ) Delete(name string) bool {
	delete(e.own, name)
	if e.gone == nil {
		e.gone = map[string]bool{}
	}
	e.gone[name] = true
	return true
}

// Keys lists what code assigned: which variables were granted is not told.
func (e *environ) Keys() []string { return slices.Sorted(maps.Keys(e.own)) }
