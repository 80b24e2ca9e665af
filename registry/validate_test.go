package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const searchSchema = `{"type":"object","properties":{
	"path":{"type":"string"},"query":{"type":"string"},
	"limit":{"type":"integer","minimum":1,"maximum":50},"sort":{"type":"string","enum":["new","top"]}},
	"required":["path"],"additionalProperties":false}`

func TestEveryProblemIsNamedAtOnceAndTheToolDoesNotRun(t *testing.T) {
	ran := false
	d := doorTo(t, searchSchema, func(_ context.Context, _ json.RawMessage) (*Result, error) {
		ran = true
		return nil, nil
	}, nil)
	o := call(d, `{"limit":999,"sort":"hot","qurey":"x"}`)
	assert.Equal(t, `invalid arguments: path: required, but missing; limit: expected an integer of at most 50, got 999; `+
		`sort: expected one of "new", "top", got "hot"; unknown argument "qurey" (did you mean "query"?)`, o.Text)
	assert.False(t, ran)
	assert.Equal(t, StatusError, o.Status)
	assert.True(t, o.IsError)
	assert.Equal(t, KindInvalidArgs, o.Failure.Kind)
	assert.JSONEq(t, `{"limit":999,"sort":"hot","qurey":"x"}`, string(o.Arguments))

	var args *ArgumentError
	require.True(t, errors.As(o.Failure, &args))
	assert.Equal(t, []Problem{
		{Path: "path", Keyword: "required", Expected: "required"},
		{Path: "limit", Keyword: "maximum", Expected: "an integer of at most 50", Received: "999"},
		{Path: "sort", Keyword: "enum", Expected: `one of "new", "top"`, Received: `"hot"`, Allowed: []string{`"new"`, `"top"`}},
		{Path: "qurey", Keyword: "additionalProperties", Allowed: []string{`"limit"`, `"path"`, `"query"`, `"sort"`}, Suggestion: "query"},
	}, args.Problems)
}

func TestProblemTexts(t *testing.T) {
	for _, c := range []struct{ about, schema, in, want string }{
		{"a type", `"type":"string"`, `5`, `a: expected a string, got 5`},
		{"no coercion of a number", `"type":"integer"`, `"5"`, `a: expected an integer, got "5"`},
		{"no coercion of a fraction", `"type":"integer"`, `1.5`, `a: expected an integer, got 1.5`},
		{"several types", `"type":["string","null"]`, `[1]`, `a: expected null or a string, got an array of 1 item`},
		{"a boolean", `"type":"boolean"`, `"true"`, `a: expected true or false, got "true"`},
		{"an enum of another type", `"type":"string","enum":["x","y"]`, `1`, `a: expected one of "x", "y", got 1`},
		{"an enum that was nearly hit", `"enum":["newest","top"]`, `"newst"`, `a: expected one of "newest", "top", got "newst" (did you mean "newest"?)`},
		{"a constant", `"const":"x"`, `"y"`, `a: expected "x", got "y"`},
		{"a minimum", `"minimum":1`, `0`, `a: expected a number of at least 1, got 0`},
		{"an exclusive minimum", `"exclusiveMinimum":0.5`, `0.5`, `a: expected a number above 0.5, got 0.5`},
		{"an exclusive maximum", `"type":"integer","exclusiveMaximum":3`, `3`, `a: expected an integer below 3, got 3`},
		{"integers beyond 2^53", `"maximum":9007199254740992`, `9007199254740993`, `a: expected a number of at most 9007199254740992, got 9007199254740993`},
		{"a multiple", `"multipleOf":5`, `7`, `a: expected a multiple of 5, got 7`},
		{"a short string", `"minLength":1`, `""`, `a: expected a string of at least 1 character, got ""`},
		{"a long string", `"maxLength":2`, `"äöü"`, `a: expected a string of at most 2 characters, got "äöü" with 3`},
		{"a pattern", `"pattern":"^x"`, `"y"`, `a: expected a string that matches ^x, got "y"`},
		{"a format", `"format":"date-time"`, `"today"`, `a: expected a string in the format "date-time", got "today"`},
		{"few items", `"minItems":2`, `[1]`, `a: expected an array of at least 2 items, got an array of 1 item`},
		{"many items", `"maxItems":1`, `[1,2]`, `a: expected an array of at most 1 item, got an array of 2 items`},
		{"equal items", `"uniqueItems":true`, `[1,2,1]`, `a: expected items that all differ, got equal ones at 0 and 2`},
		{"an item", `"items":{"type":"string"}`, `["x",5]`, `a[1]: expected a string, got 5`},
		{"items sorted by number", `"items":{"type":"string"}`, `["","","","","","","","","",9,10,11]`,
			`a[9]: expected a string, got 9; a[10]: expected a string, got 10; a[11]: expected a string, got 11`},
		{"few members", `"minProperties":1`, `{}`, `a: expected an object of at least 1 member, got 0`},
		{"a nested name", `"required":["bc"],"properties":{"bc":{}},"additionalProperties":false`, `{"d e":1}`,
			`a.bc: required, but missing; unknown argument "a[\"d e\"]" (known: "bc")`},
		{"a dependency", `"dependentRequired":{"x":["y"]}`, `{"x":1}`, `a.y: required beside "x", but missing`},
		{"a name that must not be there", `"properties":{"b":false}`, `{"b":1}`, `a.b: expected nothing here, got 1`},
		{"an unevaluated name", `"properties":{"query":{}},"unevaluatedProperties":false`, `{"qurey":1}`, `unknown argument "a.qurey" (did you mean "query"?)`},
		{"a bad name", `"propertyNames":{"pattern":"^x"}`, `{"y":1}`, `a: expected other names in the object, got "y"`},
		{"not", `"not":{"const":1}`, `1`, `a: expected a value that the schema does not exclude, got 1`},
		{"contains", `"contains":{"const":1}`, `[2]`, `a: expected an array that contains what the schema asks for, got an array of 1 item`},
		{"alternatives of types", `"anyOf":[{"type":"string"},{"type":"array"}]`, `5`, `a: expected a string or an array, got 5`},
		{"the alternative whose type fits", `"anyOf":[{"type":"string","minLength":3},{"type":"null"}]`, `"x"`, `a: expected a string of at least 3 characters, got "x"`},
		{"the alternative whose tag fits", `"oneOf":[{"properties":{"t":{"const":"x"},"n":{"type":"integer"}}},{"properties":{"t":{"const":"y"},"s":{"type":"string"}},"required":["s"]}]`,
			`{"t":"y"}`, `a.s: required, but missing`},
		{"a tag that none has", `"oneOf":[{"properties":{"t":{"const":"x"}}},{"properties":{"t":{"const":"y"}}}]`, `{"t":"z"}`, `a.t: expected one of "x", "y", got "z"`},
		{"alternatives of which none is likelier", `"anyOf":[{"required":["x"]},{"required":["y"]}]`, `{}`,
			`a: expected one of 2 alternatives to fit (a.x: required, but missing | a.y: required, but missing), got an object`},
		{"two alternatives at once", `"oneOf":[{"type":"integer"},{"minimum":1}]`, `2`, `a: expected a value that fits exactly one alternative, not both number 1 and 2, got 2`},
		{"through references", `"$ref":"#/$defs/s"`, `5`, `a: expected a string, got 5`},
		{"the same problem twice is one", `"allOf":[{"type":"string"},{"type":"string"}]`, `5`, `a: expected a string, got 5`},
		{"if and then", `"if":{"type":"integer"},"then":{"minimum":10}`, `5`, `a: expected a number of at least 10, got 5`},
	} {
		t.Run(c.about, func(t *testing.T) {
			schema := `{"type":"object","properties":{"a":{` + c.schema + `}},"$defs":{"s":{"type":"string"}}}`
			for range 5 { // the validator works with maps
				assert.Equal(t, "invalid arguments: "+c.want, call(doorTo(t, schema, nil, nil), `{"a":`+c.in+`}`).Text)
			}
		})
	}
}

func TestAtMostFiveProblems(t *testing.T) {
	d := doorTo(t, `{"type":"object","additionalProperties":false}`, nil, nil)
	assert.Equal(t, `invalid arguments: unknown argument "a"; unknown argument "b"; unknown argument "c"; `+
		`unknown argument "d"; unknown argument "e" (and 2 more)`, call(d, `{"g":1,"f":1,"e":1,"d":1,"c":1,"b":1,"a":1}`).Text)
}

func TestMissingNameIsExplainedByTheUnknownOneBesideIt(t *testing.T) {
	schema := `{"type":"object","properties":{"file_path":{"type":"string"},"mode":{}},"required":["file_path"]}`
	d := doorTo(t, schema, nil, nil)
	assert.Equal(t, `invalid arguments: file_path: required, but missing (the unknown argument "filePath" looks like it)`,
		call(d, `{"filePath":"x","mode":1}`).Text)
	assert.Equal(t, `invalid arguments: file_path: required, but missing`, call(d, `{"mode":1}`).Text)
}

func TestMessagesNeverShowWholeValues(t *testing.T) {
	long := strings.Repeat("secret ü ", 100_000)
	d := doorTo(t, `{"type":"object","properties":{"a":{"type":"integer"},"b":{"enum":["`+long+`"]}},"additionalProperties":false}`, nil, nil)
	for _, in := range []string{
		fmt.Sprintf(`{"a":%q}`, long),
		fmt.Sprintf(`{"a":[%q]}`, long),
		fmt.Sprintf(`{%q:1}`, long),
		`{"b":1}`,
	} {
		o := call(d, in)
		assert.Equal(t, KindInvalidArgs, o.Failure.Kind)
		assert.Less(t, len(o.Text), 400, o.Text)
	}
}

func TestMessagesStayShortHoweverDeepTheSchemaIs(t *testing.T) {
	d := doorTo(t, `{"type":"object","$ref":"#/$defs/n","$defs":{"n":{"type":"object","anyOf":[
		{"required":["x"],"properties":{"c":{"$ref":"#/$defs/n"}}},
		{"required":["y"],"properties":{"c":{"$ref":"#/$defs/n"}}}]}}}`, nil, nil)
	o := call(d, strings.Repeat(`{"c":`, 10)+"{}"+strings.Repeat("}", 10))
	assert.Equal(t, KindInvalidArgs, o.Failure.Kind)
	assert.Less(t, len(o.Text), 1000, o.Text)

	d = doorTo(t, `{"type":"object","additionalProperties":{"$ref":"#"},"maxProperties":1}`, nil, nil)
	key := strings.Repeat("k", 60)
	o = call(d, strings.Repeat(`{"`+key+`":`, 150)+`{"a":1,"b":{}}`+strings.Repeat("}", 150))
	assert.Equal(t, KindInvalidArgs, o.Failure.Kind)
	assert.Less(t, len(o.Text), 1000, o.Text)
}

func TestValidatorFaultIsNoFaultOfTheCaller(t *testing.T) {
	s, err := compileArgs(json.RawMessage(`{"type":"object"}`))
	require.NoError(t, err)
	s.root = nil // as a bug of the validator would
	err = s.check(&jsonDoc{text: "{}", value: map[string]any{}})
	var args *ArgumentError
	assert.Error(t, err)
	assert.False(t, errors.As(err, &args))
}

func FuzzValidate(f *testing.F) {
	schemas := []string{
		searchSchema,
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"$ref":"#"}]}},"minProperties":1}`,
		`{"type":"object","properties":{"a":{"oneOf":[{"properties":{"t":{"const":1}}},{"properties":{"t":{"const":2}}}]},"l":{"items":{"default":1,"type":"integer"},"default":[]}},"unevaluatedProperties":false}`,
		`{"type":"object","properties":{"n":{"multipleOf":0.01},"s":{"pattern":"^(?=a)","format":"uri"}},"patternProperties":{"^x":{"not":{}}},"dependentRequired":{"n":["s"]}}`,
		`{"type":"object","$ref":"#/$defs/n","$defs":{"n":{"anyOf":[{"required":["x"],"properties":{"a":{"$ref":"#/$defs/n"}}},{"required":["y"],"properties":{"a":{"$ref":"#/$defs/n"}}}]}}}`,
	}
	var compiled []*argSchema
	for _, s := range schemas {
		c, err := compileArgs(json.RawMessage(s))
		if err != nil {
			f.Fatal(err)
		}
		compiled = append(compiled, c)
	}
	for _, in := range []string{`{}`, `{"limit":999,"sort":"hot","qurey":1}`, `{"a":{"a":{"a":5}}}`, `{"a":{"t":3}}`, `{"l":["x",{}],"z":1}`, `{"n":0.001,"s":"b","x":1}`} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for i, c := range compiled {
			doc, err := normalise(raw)
			if err != nil {
				return
			}
			err = c.check(&doc)
			if !json.Valid([]byte(doc.text)) {
				t.Fatalf("schema %d: %q became %q", i, raw, doc.text)
			}
			if err == nil {
				continue
			}
			var args *ArgumentError
			if !errors.As(err, &args) || len(args.Problems) == 0 {
				t.Fatalf("schema %d: %q: %v", i, raw, err)
			}
			if n := len(err.Error()); n > 4000 {
				t.Fatalf("schema %d: a message of %d bytes: %s", i, n, err)
			}
			again, _ := normalise(raw)
			if second := c.check(&again); second == nil || second.Error() != err.Error() {
				t.Fatalf("schema %d: %q is told in two ways:\n%v\n%v", i, raw, err, second)
			}
		}
	})
}
