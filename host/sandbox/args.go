package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
)

// maxArgDepth is far above what the door lets through.
const maxArgDepth = 256

// arguments makes what a tool's function receives, in the form that was decided
// when the extension was loaded.
func (s *Sandbox) arguments(t *tool, raw json.RawMessage) (goja.Value, error) {
	if t.form == wire.ArgsText {
		return s.vm.ToValue(string(raw)), nil
	}
	v, err := s.fromJSON(raw)
	if err != nil {
		return nil, err
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

// fromJSON builds native values, with the keys in their order. The engine's own
// conversion of Go maps would shuffle them and lose changes to nested arrays.
func (s *Sandbox) fromJSON(raw json.RawMessage) (goja.Value, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v, err := s.decodeValue(dec, 0)
	if err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("arguments: more than one JSON value")
	}
	return v, nil
}

func (s *Sandbox) decodeValue(dec *json.Decoder, depth int) (goja.Value, error) {
	if depth > maxArgDepth {
		return nil, errors.New("nested too deeply")
	}
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch tok := tok.(type) {
	case json.Delim:
		if tok == '{' {
			return s.decodeObject(dec, depth)
		}
		return s.decodeArray(dec, depth)
	case json.Number:
		return s.number(tok), nil
	case string:
		return s.vm.ToValue(tok), nil
	case bool:
		return s.vm.ToValue(tok), nil
	default:
		return goja.Null(), nil
	}
}

func (s *Sandbox) decodeObject(dec *json.Decoder, depth int) (goja.Value, error) {
	obj := s.vm.NewObject()
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		v, err := s.decodeValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		// Defining, not setting: a key __proto__ is data like any other.
		if err := obj.DefineDataProperty(key.(string), v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return obj, err
}

func (s *Sandbox) decodeArray(dec *json.Decoder, depth int) (goja.Value, error) {
	var items []any
	for dec.More() {
		v, err := s.decodeValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		items = append(items, v)
	}
	_, err := dec.Token()
	return s.vm.NewArray(items...), err
}

func (s *Sandbox) number(n json.Number) goja.Value {
	const safe = 1 << 53
	if i, err := strconv.ParseInt(n.String(), 10, 64); err == nil && i < safe && i > -safe && n != "-0" {
		return s.vm.ToValue(i)
	}
	f, _ := strconv.ParseFloat(n.String(), 64)
	return s.vm.ToValue(f)
}
