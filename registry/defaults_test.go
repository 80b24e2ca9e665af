package registry

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDefaults(t *testing.T) {
	for _, c := range []struct{ about, schema, in, want string }{
		{"missing ones go to the end, in the schema's order",
			`{"z":{"default":1},"a":{"default":"x"},"m":{"default":null}}`, `{"q":0,"a":"y"}`, `{"q":0,"a":"y","z":1,"m":null}`},
		{"into nothing", `{"a":{"default":[1,{"b":2}]}}`, ``, `{"a":[1,{"b":2}]}`},
		{"the caller's text stays as it is", `{"a":{"default":1}}`, `{ "big": 12345678901234567890, "f": 1.50 }`,
			`{ "big": 12345678901234567890, "f": 1.50,"a":1}`},
		{"null is a value", `{"a":{"default":1}}`, `{"a":null}`, `{"a":null}`},
		{"in objects, at any depth", `{"o":{"properties":{"p":{"properties":{"a":{"default":1}}}}}}`,
			`{"o":{"p":{"x":1}},"n":2}`, `{"o":{"p":{"x":1,"a":1}},"n":2}`},
		{"not for an object that is not there", `{"o":{"properties":{"a":{"default":1}}}}`, `{}`, `{}`},
		{"in a default", `{"o":{"default":{},"properties":{"a":{"default":1},"b":{"default":{"c":2},"properties":{"d":{"default":3}}}}}}`,
			`{}`, `{"o":{"a":1,"b":{"c":2,"d":3}}}`},
		{"in the items of an array", `{"l":{"items":{"properties":{"a":{"default":1}}}}}`,
			`{"l":[{}, {"a":2}, 5, {"b":[]}]}`, `{"l":[{"a":1},{"a":2},5,{"b":[],"a":1}]}`},
		{"through a reference", `{"o":{"$ref":"#/$defs/o"}}`, `{"o":{}}`, `{"o":{"d":"def"}}`},
		{"through allOf", `{"o":{"allOf":[{"properties":{"a":{"default":1}}},{"properties":{"b":{"default":2}}}]}}`,
			`{"o":{}}`, `{"o":{"a":1,"b":2}}`},
		{"not from an alternative", `{"o":{"anyOf":[{"properties":{"a":{"default":1}}},true]}}`, `{"o":{}}`, `{"o":{}}`},
		{"recursively", `{"t":{"$ref":"#/$defs/tree"}}`, `{"t":{"kids":[{"kids":[{}]}]}}`,
			`{"t":{"kids":[{"kids":[{"n":0}],"n":0}],"n":0}}`},
		{"a name that needs escaping", `{"a\"/~%é":{"default":1}}`, `{}`, `{"a\"/~%é":1}`},
		{"a value of another type is left to validation", `{"o":{"properties":{"a":{"default":1}}}}`, `{"o":[{}]}`, `{"o":[{}]}`},
		{"a default of a name that came twice", `{"o":{"properties":{"a":{"default":1}}}}`, `{"o":{"a":2},"o":{}}`, `{"o":{"a":1}}`},
	} {
		t.Run(c.about, func(t *testing.T) {
			schema := `{"type":"object","properties":` + c.schema + `,"$defs":{
				"o":{"properties":{"d":{"default":"def"}}},
				"tree":{"properties":{"n":{"default":0},"kids":{"items":{"$ref":"#/$defs/tree"}}}}}}`
			o := call(doorTo(t, schema, nil, nil), c.in)
			require.Equal(t, StatusSuccess, o.Status, o.Text)
			assert.Equal(t, c.want, o.Text)
			assert.Equal(t, c.want, string(o.Arguments))
		})
	}
}

func TestDefaultsCountForValidation(t *testing.T) {
	d := doorTo(t, `{"type":"object","properties":{"a":{"type":"integer","default":1}},"required":["a"],"minProperties":1}`, nil, nil)
	assert.Equal(t, `{"a":1}`, call(d, ``).Text)
}

func TestDefaultsAreNotSharedBetweenCalls(t *testing.T) {
	s, err := compileArgs(json.RawMessage(`{"type":"object","properties":{"o":{"default":{"l":[{}]},"properties":{"l":{"items":{"properties":{"a":{"default":1}}}}}}}}`))
	require.NoError(t, err)
	for range 3 {
		doc := emptyObject()
		require.NoError(t, s.check(&doc))
		assert.Equal(t, `{"o":{"l":[{"a":1}]}}`, doc.text)
	}
}
