package registry

import (
	"encoding/json"
	"reflect"
	"strconv"
	"testing"
)

// FuzzSchemaFor derives schemas from structs with arbitrary tags: a clear error
// or a schema that the registry accepts, never a panic.
func FuzzSchemaFor(f *testing.F) {
	for _, s := range []struct{ name, description, enum, least, most, pattern, value string }{
		{"path", "a path", "", "1", "50", "^[a-z]+$", "abc"},
		{"mode,omitempty", "", "a,b,c", "", "", "", "b"},
		{"-", "x", "1,2", "-1", "1e9", "(", "2"},
		{"n", "\x00", ",", "NaN", "Inf", "(?=x)", "[1"},
		{"a b", "ü", "a,a", "2", "1", "", "null"},
	} {
		for kind := range fuzzTypes {
			f.Add(uint8(kind), s.name, s.description, s.enum, s.least, s.most, s.pattern, s.value, false)
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, name, description, enum, least, most, pattern, value string, hidden bool) {
		tag := ""
		for key, text := range map[string]string{
			"json": name, "description": description, "enum": enum, "min": least, "max": most, "pattern": pattern, "default": value,
		} {
			if text != "" {
				tag += key + ":" + strconv.Quote(text) + " "
			}
		}
		if hidden {
			tag += `hidden:"true"`
		}
		typ := reflect.StructOf([]reflect.StructField{{
			Name: "Field", Type: fuzzTypes[int(kind)%len(fuzzTypes)], Tag: reflect.StructTag(tag),
		}})
		shown, accepts, err := argsSchema(typ, false)
		if err != nil {
			return
		}
		for _, schema := range []json.RawMessage{shown, accepts} {
			if schema == nil {
				continue
			}
			if !json.Valid(schema) {
				t.Fatalf("no JSON: %s", schema)
			}
		}
		_, _ = compileArgs(shown) // an error is fine: a default that breaks its own bounds
	})
}

var fuzzTypes = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[float64](), reflect.TypeFor[bool](), reflect.TypeFor[*string](),
	reflect.TypeFor[[]string](), reflect.TypeFor[map[string]int](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[any](),
	reflect.TypeFor[struct {
		A string `json:"a" enum:"x,y"`
		B []int  `json:"b,omitempty" max:"3"`
	}](),
}
