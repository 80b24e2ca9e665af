package sandbox

import (
	"encoding/json"
	"fmt"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// succeed ends a call with what its function returned.
func (s *Sandbox) succeed(c *call, v goja.Value) error {
	if c.ended.Load() {
		return nil
	}
	value, err := s.value(v)
	if err != nil {
		return err
	}
	s.end(c, wire.CallResult{Value: value})
	return nil
}

// value makes a returned value plain.
func (s *Sandbox) value(v goja.Value) (*wire.Value, error) {
	if text, ok := v.(goja.String); ok && text.Length() <= s.limits.ResultBytes/4 {
		return &wire.Value{Content: []registry.Block{{Type: registry.BlockText, Text: text.String()}}}, nil
	}
	var parts [4]string
	out := &wire.Value{}
	size := 0
	_, err := s.glue.encode(goja.Undefined(), v, s.vm.ToValue(func(f goja.FunctionCall) goja.Value {
		for i := range parts {
			parts[i] = stringOr(f.Argument(i))
			size += len(parts[i])
		}
		out.IsError = f.Argument(len(parts)).ToBoolean()
		return goja.Undefined()
	}))
	if err != nil {
		return nil, err
	}
	if size > s.limits.ResultBytes {
		return nil, fmt.Errorf("the result is too large: %d bytes, at most %d", size, s.limits.ResultBytes)
	}
	text, structured, content, details := parts[0], parts[1], parts[2], parts[3]
	if content != "" {
		if err := json.Unmarshal([]byte(content), &out.Content); err != nil {
			return nil, fmt.Errorf("content: %w", err)
		}
	} else {
		out.Content = []registry.Block{{Type: registry.BlockText, Text: text}}
	}
	if structured != "" {
		out.Structured = json.RawMessage(structured)
	}
	if details != "" {
		out.Details = json.RawMessage(details)
	}
	return out, nil
}
