package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/creachadair/jrpc2"

	"github.com/rho-ext/rho-ext/internal/suggest"
)

// field is one member of a method's params.
type field struct {
	name     string
	into     any // pointer to where it goes
	required bool
}

// params reads the params of a request, which must be an object with fields
// and nothing else. A field that is null counts as left out.
func params(req *jrpc2.Request, fields ...field) error {
	members := map[string]json.RawMessage{}
	if req.HasParams() {
		if err := req.UnmarshalParams(&members); err != nil {
			return jrpc2.Errorf(jrpc2.InvalidParams, "params of %s: expected an object", req.Method())
		}
	}
	known := make([]string, len(fields))
	for i, f := range fields {
		known[i] = f.name
		raw, ok := members[f.name]
		delete(members, f.name)
		if !ok || string(raw) == "null" {
			if f.required {
				return badParam(f.name, "required, but missing")
			}
			continue
		}
		if err := json.Unmarshal(raw, f.into); err != nil {
			return badParam(f.name, "%s", mismatch(err, f.into))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		return badParam(name, "unknown field%s; %s takes %s", suggest.Hint(suggest.Names(name, known, 1)...), req.Method(), fieldList(known))
	}
	return nil
}

func fieldList(names []string) string {
	if len(names) == 0 {
		return "no params"
	}
	return strings.Join(names, ", ")
}

// badParam is the error over one field.
func badParam(name, format string, args ...any) *jrpc2.Error {
	err := jrpc2.Errorf(jrpc2.InvalidParams, "%.100s: %s", name, fmt.Sprintf(format, args...))
	return err.WithData(map[string]string{"field": name})
}

// mismatch says what a field should have been.
func mismatch(err error, into any) string {
	expected := "expected an object"
	switch reflect.TypeOf(into).Elem().Kind() {
	case reflect.String:
		expected = "expected a string"
	case reflect.Float64:
		expected = "expected a number"
	case reflect.Bool:
		expected = "expected true or false"
	case reflect.Slice:
		expected = "expected a list of texts"
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return expected + ", got " + wrong.Value
	}
	return expected
}
