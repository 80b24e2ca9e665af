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
	encoded, err := s.glue.encode(goja.Undefined(), v)
	if err != nil {
		return nil, err
	}
	part := func(i int) string { return stringOr(encoded.ToObject(s.vm).Get(fmt.Sprint(i))) }
	out := &wire.Value{IsError: encoded.ToObject(s.vm).Get("4").ToBoolean()}
	size := 0
	for i := range 4 {
		size += len(part(i))
	}
	if size > s.limits.ResultBytes {
		return nil, fmt.Errorf("the result is too large: %d bytes, at most %d", size, s.limits.ResultBytes)
	}
	if content := part(2); content != "" {
		if err := json.Unmarshal([]byte(content), &out.Content); err != nil {
			return nil, fmt.Errorf("content: %w", err)
		}
	} else {
		out.Content = []registry.Block{{Type: registry.BlockText, Text: part(0)}}
	}
	if structured := part(1); structured != "" {
		out.Structured = json.RawMessage(structured)
	}
	if details := part(3); details != "" {
		out.Details = json.RawMessage(details)
	}
	return out, nil
}
