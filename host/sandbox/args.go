package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
)

// arguments makes what a tool's function receives, in the form that was decided
// when the extension was loaded.
func (s *Sandbox) arguments(t *tool, raw json.RawMessage) (goja.Value, error) {
	if t.form == wire.ArgsText {
		return s.vm.ToValue(string(raw)), nil
	}
	v, err := fromJSON(s.vm, raw)
	if err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	if t.form == wire.ArgsObject {
		return v, nil
	}
	obj, ok := v.(*goja.Object)
	if !ok {
		return nil, errors.New("the arguments are no object")
	}
	// An argument called toString wins over the hidden one.
	for _, k := range obj.Keys() {
		if k == "toString" {
			return obj, nil
		}
	}
	text := string(raw)
	return obj, obj.DefineDataProperty("toString", s.vm.ToValue(func(goja.FunctionCall) goja.Value {
		return s.vm.ToValue(text)
	}), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}
