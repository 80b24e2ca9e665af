package registry

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRegistrationRefusesSchemas(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.json")
	require.NoError(t, os.WriteFile(secret, []byte(`{"type":"string"}`), 0o600))
	file := "file://" + filepath.ToSlash(secret)
	nested := strings.Repeat(`{"type":"object","properties":{"a":`, 150) + `{}` + strings.Repeat(`}}`, 150)

	for _, c := range []struct{ about, schema, want string }{
		{"nothing", ``, `has {"type":"object","properties":{}}`},
		{"not JSON", `{"type":"object"`, "not valid JSON: expected \",\" or \"}\" in the object, got end of text at byte 16"},
		{"two values", `{"type":"object"} {}`, "after the value"},
		{"a boolean", `true`, "is true: expected a JSON Schema object"},
		{"an array", `[]`, "an array of 0 items"},
		{"no type but properties", `{"properties":{"a":{}}}`, `has properties but no type: add "type": "object"`},
		{"no type", `{}`, `has no type`},
		{"another type", `{"type":"string"}`, `has type "string"`},
		{"a list of types", `{"type":["object","null"]}`, `has type an array of 2 items`},
		{"an unknown type inside", `{"type":"object","properties":{"a":{"type":"strng"}}}`, `properties.a.type: expected one of`},
		{"properties that are none", `{"type":"object","properties":[]}`, "properties: expected an object"},
		{"draft-04", `{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`, "expected JSON Schema 2020-12, 2019-09 or draft-07"},
		{"draft-06", `{"$schema":"http://json-schema.org/draft-06/schema#","type":"object"}`, "draft-06"},
		{"a dialect of one's own", `{"$schema":"https://example.com/s","type":"object"}`, "https://example.com/s"},
		{"a $schema that is a file", `{"$schema":"` + file + `","type":"object"}`, "has $schema"},
		{"a $schema that is no string", `{"$schema":7,"type":"object"}`, "has $schema 7"},
		{"draft-04 exclusiveMinimum", `{"type":"object","properties":{"n":{"minimum":1,"exclusiveMinimum":true}}}`, "exclusiveMinimum: expected a number"},
		{"draft-06 inside", `{"type":"object","properties":{"a":{"$id":"x","$schema":"http://json-schema.org/draft-06/schema#"}}}`, "draft 6"},
		{"a file", `{"type":"object","properties":{"a":{"$ref":"` + file + `"}}}`, "must stand on its own"},
		{"a relative reference", `{"type":"object","properties":{"a":{"$ref":"other.json"}}}`, "must stand on its own"},
		{"a web page", `{"type":"object","properties":{"a":{"$ref":"https://example.com/a.json"}}}`, "https://example.com/a.json"},
		{"the schema of schemas", `{"type":"object","properties":{"a":{"$ref":"https://json-schema.org/draft/2020-12/schema"}}}`, "must stand on its own"},
		{"a reference to nothing", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}}`, "$defs/x"},
		{"a bad pattern", `{"type":"object","properties":{"a":{"pattern":"(a"}}}`, `properties.a.pattern: expected a regular expression (error parsing regexp: missing closing ) in ` + "`(a`" + `), got "(a"`},
		{"too deep", nested, "deeper than 200"},
		{"too large", `{"type":"object","description":"` + strings.Repeat("x", 1<<20) + `"}`, "at most 1 MiB"},
		{"too many values", `{"type":"object","enum":[` + strings.Repeat("1,", 20_000) + `1]}`, "values: expected at most 20000"},
		{"a default that breaks its schema", `{"type":"object","properties":{"n":{"type":"integer","default":"many"}}}`,
			`/properties/n: the default "many" breaks its own schema`},
		{"a default that contains itself", `{"type":"object","$ref":"#/$defs/n","$defs":{"n":{"properties":{"next":{"$ref":"#/$defs/n","default":{}}}}}}`,
			"a default contains itself"},
		{"defaults that contain each other", `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{
			"a":{"default":{},"properties":{"b":{"$ref":"#/$defs/b"}}},"b":{"default":{},"properties":{"a":{"$ref":"#/$defs/a"}}}}}`,
			"a default contains itself"},
	} {
		t.Run(c.about, func(t *testing.T) {
			_, err := compileArgs(json.RawMessage(c.schema))
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
			assert.NotContains(t, err.Error(), "schema.invalid")
		})
	}
}

func TestRegistrationTakesSchemas(t *testing.T) {
	for about, schema := range map[string]string{
		"the smallest":             `{"type":"object"}`,
		"2020-12":                  `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`,
		"2019-09":                  `{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"object"}`,
		"draft-07":                 `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`,
		"draft-07 without #":       `{"$schema":"http://json-schema.org/draft-07/schema","type":"object"}`,
		"a pattern of JavaScript":  `{"type":"object","properties":{"a":{"pattern":"^(?=.*\\d)(?!x)[\\w-.]+$"}}}`,
		"a pattern with \\p":       `{"type":"object","properties":{"a":{"pattern":"^\\p{L}+$"}}}`,
		"recursion":                `{"type":"object","properties":{"child":{"$ref":"#"}}}`,
		"an $id of its own":        `{"$id":"https://example.com/me","type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{}}}`,
		"an unknown keyword":       `{"type":"object","x-order":["a"]}`,
		"an unknown format":        `{"type":"object","properties":{"a":{"format":"int32"}}}`,
		"null as default of a ?":   `{"type":"object","properties":{"a":{"type":["string","null"],"default":null}}}`,
		"boolean schemas":          `{"type":"object","properties":{"a":true,"b":false}}`,
		"keys that need escaping":  `{"type":"object","properties":{"a/b~c%d":{"default":1}}}`,
		"a default in a reference": `{"type":"object","properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"default":1,"type":"integer"}}}`,
	} {
		t.Run(about, func(t *testing.T) {
			_, err := compileArgs(json.RawMessage(schema))
			assert.NoError(t, err)
		})
	}
}

func TestPatternsAreThoseOfJavaScript(t *testing.T) {
	d := doorTo(t, `{"type":"object","properties":{"a":{"type":"string","pattern":"^(?=.*\\d)[a-z\\d]{4,}$"}}}`, nil, nil)
	assert.Equal(t, StatusSuccess, call(d, `{"a":"abc1"}`).Status)
	assert.Equal(t, `invalid arguments: a: expected a string that matches ^(?=.*\d)[a-z\d]{4,}$, got "abcd"`,
		call(d, `{"a":"abcd"}`).Text)
}

// bounded fails the test when f takes long; it is not about speed.
func bounded(t *testing.T, limit time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	assert.Less(t, time.Since(start), limit)
}

func TestNoPatternAndNoSchemaHoldsTheDoor(t *testing.T) {
	t.Run("a pattern that backtracks without end", func(t *testing.T) {
		d := doorTo(t, `{"type":"object","properties":{"a":{"items":{"pattern":"^(a+)+$"}}}}`, nil, nil)
		slow := `"` + strings.Repeat("a", 40) + `!"`
		bounded(t, 5*time.Second, func() {
			o := call(d, `{"a":[`+strings.Repeat(slow+",", 1000)+slow+`]}`)
			assert.Equal(t, KindInvalidArgs, o.Failure.Kind)
			assert.Contains(t, o.Text, `the pattern "^(a+)+$" can be matched with in 100ms`)
		})
	})
	t.Run("alternatives that multiply with depth", func(t *testing.T) {
		d := doorTo(t, `{"type":"object","$ref":"#/$defs/n","$defs":{"n":{"anyOf":[
			{"required":["x"],"properties":{"c":{"$ref":"#/$defs/n"}}},
			{"required":["y"],"properties":{"c":{"$ref":"#/$defs/n"}}}]}}}`, nil, nil)
		bounded(t, 10*time.Second, func() {
			o := call(d, strings.Repeat(`{"c":`, 150)+"{}"+strings.Repeat("}", 150))
			assert.Equal(t, KindInvalidArgs, o.Failure.Kind)
			assert.Contains(t, o.Text, "can be checked in 200000 steps and 1s")
		})
		assert.Equal(t, StatusSuccess, call(d, `{"x":1,"c":{"y":1,"c":{"x":1}}}`).Status)
	})
	t.Run("references that multiply without recursion", func(t *testing.T) {
		var defs []string
		for i := range 40 {
			defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
		}
		schema := `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(defs, ",") + `,"d40":{"type":"string"}}}`
		d := doorTo(t, schema, nil, nil)
		bounded(t, 10*time.Second, func() {
			assert.Equal(t, KindInvalidArgs, call(d, `{"a":"x"}`).Failure.Kind)
		})
	})
	t.Run("a schema that refers to itself", func(t *testing.T) {
		d := doorTo(t, `{"type":"object","$ref":"#"}`, nil, nil)
		assert.Contains(t, call(d, `{}`).Text, "does not refer to itself")
	})
}
