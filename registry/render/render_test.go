package render

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fixedTool is a tool that is only shown.
type fixedTool struct {
	name, params string
	risk         registry.Risk
	info         registry.Info
}

func (f fixedTool) Name() string                { return f.name }
func (f fixedTool) Description() string         { return "Does " + f.name + ", <quickly>." }
func (f fixedTool) Parameters() json.RawMessage { return json.RawMessage(f.params) }
func (f fixedTool) Risk() registry.Risk         { return f.risk }
func (f fixedTool) Info() registry.Info         { return f.info }

func (f fixedTool) Execute(context.Context, json.RawMessage) (*registry.Result, error) {
	return registry.Text("ok"), nil
}

type listArgs struct {
	Path  string   `json:"path" description:"where" min:"1"`
	Depth int      `json:"depth" min:"1" max:"9" default:"1"`
	Kinds []string `json:"kinds,omitempty" enum:"file,dir"`
}

type listed struct {
	Names []string `json:"names"`
}

// tools has every kind of tool, and every keyword.
func tools(t testing.TB) *registry.Snapshot {
	t.Helper()
	r := registry.New()
	yes := true
	register := func(tool registry.Tool) { require.NoError(t, r.Register("", tool)) }
	register(registry.MustTool(registry.TypedOptions{Name: "list", Description: "Lists files.", Risk: registry.Read,
		Info: registry.Info{Title: "List files", Kind: registry.KindGlob}},
		func(context.Context, listArgs) (listed, error) { return listed{}, nil }))
	register(fixedTool{name: "now", params: `{"type":"object"}`, risk: registry.Read})
	register(registry.MustTool(registry.TypedOptions{Name: "patch", Description: "Applies a patch.", Risk: registry.Write,
		Info: registry.Info{InputFormat: &registry.InputFormat{Syntax: registry.SyntaxLark, Definition: "start: \"<\" /.+/ \">\"\n"}}},
		func(_ context.Context, text string) (string, error) { return text, nil }))
	register(fixedTool{name: "fetch", risk: registry.Network, info: registry.Info{Annotations: &registry.Annotations{ReadOnly: &yes}},
		params: `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
			"url":{"type":"string","format":"uri","maxLength":2000},
			"retries":{"type":["integer","null"],"exclusiveMinimum":0,"maximum":5,"default":1},
			"ratio":{"type":"number","exclusiveMaximum":1,"multipleOf":0.5},
			"level":{"enum":[1,2,3],"description":"How deep."},
			"method":{"enum":["GET","HEAD",null]},
			"kind":{"const":"web"},
			"headers":{"type":"object","additionalProperties":{"type":"string"}},
			"body":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/form"},{"type":"null"}],"description":"What to send."},
			"pair":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false},
			"anything":true,
			"many":{"type":"array"},
			"x-y":{"type":"boolean","deprecated":true},
			"when":{"oneOf":[{"type":"string","format":"date-time"},{"type":"integer","minimum":0}]}
		},"required":["url"],"additionalProperties":false,
		"$defs":{"form":{"type":"object","properties":{"field":{"type":"string"},"parts":{"type":"array","items":{"$ref":"#/$defs/form"}}},"required":["field"]}}}`})
	register(fixedTool{name: "move", risk: registry.Destructive,
		params: `{"type":"object","properties":{"from":{"type":"string"}},"required":["from"],
			"allOf":[{"properties":{"to":{"type":"string"}},"required":["to"]}],
			"anyOf":[{"properties":{"mode":{"type":"string"}},"required":["mode"]},{"properties":{"force":{"type":"boolean"}},"required":["force"]}],
			"not":{"required":["never"]},"if":{"required":["mode"]},"then":{"required":["to"]}}`})
	return r.Snapshot()
}

var formats = []struct {
	name string
	fn   func(*registry.Snapshot, Options) ([]json.RawMessage, []Note, error)
	o    Options
}{
	{"openai", OpenAI, Options{}},
	{"openai_chat", OpenAI, Options{ChatCompletions: true}},
	{"openai_degraded", OpenAI, Options{DegradeFreeform: true}},
	{"anthropic", Anthropic, Options{}},
	{"gemini", Gemini, Options{}},
	{"mcp", MCP, Options{}},
}

func TestEachFormatIsAsItsGoldenFileSays(t *testing.T) {
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			var first []byte
			for range 3 { // two snapshots of two registries give equal bytes
				got, notes, err := f.fn(tools(t), f.o)
				require.NoError(t, err)
				var b bytes.Buffer
				for _, tool := range got {
					require.NoError(t, json.Indent(&b, tool, "", "  "))
					b.WriteByte('\n')
				}
				for _, n := range notes {
					fmt.Fprintln(&b, n)
				}
				if first == nil {
					first = b.Bytes()
				}
				require.Equal(t, string(first), b.String())
			}
			golden := filepath.Join("testdata", f.name+".golden")
			if *update {
				require.NoError(t, os.WriteFile(golden, first, 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), string(first))
		})
	}
}

// shown renders one tool with these parameters.
func shown(t testing.TB, fn func(*registry.Snapshot, Options) ([]json.RawMessage, []Note, error), params string) (string, []Note) {
	t.Helper()
	r := registry.New()
	require.NoError(t, r.Register("", fixedTool{name: "tool", params: params, risk: registry.Read}))
	out, notes, err := fn(r.Snapshot(), Options{})
	require.NoError(t, err)
	require.Len(t, out, 1)
	var tool struct {
		Parameters  json.RawMessage `json:"parameters"`
		InputSchema json.RawMessage `json:"input_schema"`
	}
	require.NoError(t, json.Unmarshal(out[0], &tool))
	if tool.InputSchema != nil {
		return string(tool.InputSchema), notes
	}
	return string(tool.Parameters), notes
}

func TestReferencesAreReplacedByWhatTheyMean(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"definition": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/s","description":"mine"}},"$defs":{"s":{"type":"string","description":"theirs"}}}`,
			`{"type":"object","properties":{"a":{"description":"mine","type":"string"}}}`},
		"pointer":  {`{"type":"object","properties":{"a/b":{"type":"string"},"c":{"$ref":"#/properties/a~1b"}}}`, `{"type":"object","properties":{"a/b":{"type":"string"},"c":{"type":"string"}}}`},
		"anchor":   {`{"type":"object","properties":{"a":{"$ref":"#s"}},"$defs":{"s":{"$anchor":"s","type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
		"id":       {`{"type":"object","properties":{"a":{"$ref":"https://e.invalid/s"}},"$defs":{"s":{"$id":"https://e.invalid/s","type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
		"a name":   {`{"type":"object","properties":{"$ref":{"type":"string"},"$defs":{"type":"integer"}}}`, `{"type":"object","properties":{"$ref":{"type":"string"},"$defs":{"type":"integer"}}}`},
		"data":     {`{"type":"object","properties":{"a":{"enum":[{"$ref":"#/x"}]}}}`, `{"type":"object","properties":{"a":{"enum":[{"$ref":"#/x"}]}}}`},
		"siblings": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/s","maxLength":3}},"$defs":{"s":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"maxLength":3,"type":"string"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, notes := shown(t, Anthropic, c.in)
			assert.Equal(t, c.want, got)
			for _, n := range notes {
				assert.Equal(t, Kept, n.Action, n) // the name $ref, which Anthropic does not take
			}
		})
	}
}

func TestASchemaThatContainsItselfIsCutOff(t *testing.T) {
	got, notes := shown(t, Anthropic, `{"type":"object","properties":{"tree":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/n"}}}}}}`)
	assert.Equal(t, `{"type":"object","properties":{"tree":{"type":"object","properties":{"kids":{"type":"array","items":{}}}}}}`, got)
	assert.Equal(t, []Note{{"tool", "/properties/tree/properties/kids/items", "$ref", Dropped, "the schema contains itself: cut off at #/$defs/n"}}, notes)
}

func TestReferencesThatMultiplyAreCutOff(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range 30 {
		fmt.Fprintf(&b, `"d%d":{"type":"object","properties":{"x":{"$ref":"#/$defs/d%d"},"y":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
	}
	b.WriteString(`"d30":{"type":"string"}}}`)
	for _, f := range formats[:5] {
		got, notes := shown(t, f.fn, b.String())
		assert.Less(t, len(got), 2<<20, f.name)
		assert.NotEmpty(t, notes, f.name)
		assert.LessOrEqual(t, len(notes), maxNotes)
	}
}

func TestGeminiGetsItsOwnSubset(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"nullable":      {`{"type":["string","null"]}`, `{"type":"STRING","nullable":true}`},
		"types":         {`{"type":["string","integer"],"minLength":1,"minimum":2}`, `{"anyOf":[{"type":"STRING","minLength":1},{"type":"INTEGER","minimum":2}]}`},
		"null branch":   {`{"anyOf":[{"type":"string"},{"type":"null"}],"description":"d"}`, `{"type":"STRING","description":"d","nullable":true}`},
		"branches":      {`{"description":"d","anyOf":[{"const":"a"},{"type":"boolean"}]}`, `{"anyOf":[{"type":"STRING","description":"d","format":"enum","enum":["a"]},{"type":"BOOLEAN","description":"d"}]}`},
		"numbers":       {`{"type":"integer","enum":[1,2],"description":"d."}`, `{"type":"INTEGER","description":"d. One of: 1, 2"}`},
		"above":         {`{"type":"integer","exclusiveMinimum":0}`, `{"type":"INTEGER","minimum":1}`},
		"format":        {`{"type":"string","format":"email"}`, `{"type":"STRING"}`},
		"date":          {`{"type":"string","format":"date-time"}`, `{"type":"STRING","format":"date-time"}`},
		"any":           {`{}`, `{"anyOf":[{"type":"STRING"},{"type":"NUMBER"},{"type":"BOOLEAN"}]}`},
		"null":          {`{"type":"null"}`, `{"type":"NULL"}`},
		"list":          {`{"type":"array","items":{"type":"string"},"minItems":1,"uniqueItems":true}`, `{"type":"ARRAY","minItems":1,"items":{"type":"STRING"}}`},
		"all":           {`{"allOf":[{"type":"string"},{"maxLength":3}]}`, `{"type":"STRING","maxLength":3}`},
		"free object":   {`{"type":"object","additionalProperties":{"type":"string"}}`, `{"type":"OBJECT"}`},
		"empty in enum": {`{"enum":["","a"]}`, `{"type":"STRING"}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := shown(t, Gemini, `{"type":"object","properties":{"v":`+c.in+`}}`)
			assert.Equal(t, `{"type":"OBJECT","properties":{"v":`+c.want+`}}`, got)
		})
	}
}

func TestNotesSayWhatWasLostWhere(t *testing.T) {
	_, notes := shown(t, Gemini, `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","format":"uri"},"uniqueItems":true}},"additionalProperties":false}`)
	var lines []string
	for _, n := range notes {
		lines = append(lines, n.String())
	}
	assert.Equal(t, []string{
		"tool: format at #/properties/a/items dropped",
		"tool: uniqueItems at #/properties/a dropped",
		"tool: additionalProperties at # dropped",
	}, lines)
}

// geminiFields are the fields of the API's Schema.
var geminiFields = set("type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties",
	"required", "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf",
	"propertyOrdering", "default", "items", "minimum", "maximum")

// checkGemini makes sure that the API can parse a schema.
func checkGemini(t *testing.T, v any) {
	o, ok := v.(object)
	require.True(t, ok, "%s", encode(v))
	if o.has("anyOf") {
		require.Len(t, o, 1, "anyOf stands alone: %s", encode(o))
		for _, b := range o.get("anyOf").([]any) {
			checkGemini(t, b)
		}
		return
	}
	typ, _ := o.get("type").(string)
	require.Contains(t, []string{"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"}, typ)
	for _, m := range o {
		require.True(t, geminiFields[m.key], m.key)
	}
	if typ == "ARRAY" {
		checkGemini(t, o.get("items"))
	}
	if o.has("enum") {
		require.Equal(t, "STRING", typ)
	}
	props, _ := o.get("properties").(object)
	for _, p := range props {
		checkGemini(t, p.value)
	}
}

// checkNoRef makes sure that no schema in v refers to another.
func checkNoRef(t *testing.T, v any) {
	o, ok := v.(object)
	if !ok {
		return
	}
	for _, key := range []string{"$ref", "$dynamicRef", "$recursiveRef", "$defs", "definitions"} {
		require.False(t, o.has(key), "%s in %s", key, encode(o))
	}
	mapParts(o, "", func(v any, _ string) any { checkNoRef(t, v); return v })
}

func FuzzRender(f *testing.F) {
	for _, e := range tools(f).Tools() {
		f.Add(string(e.Parameters()))
	}
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#"}}}`)
	f.Add(`{"type":"object","allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},true,false]}}}`)
	f.Add(`{"type":"object","$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"items":[{},true],"type":"array"}},"dependencies":{"a":["b"],"b":{"required":["c"]}}}`)
	f.Add(`{"type":"object","properties":{"a":{"$dynamicRef":"#x"}},"$defs":{"x":{"$dynamicAnchor":"x","enum":[null,[],{},1.5,true,"s"]}}}`)
	f.Fuzz(func(t *testing.T, params string) {
		r := registry.New()
		if r.Register("", fixedTool{name: "tool", params: params, risk: registry.Read}) != nil {
			return
		}
		for _, format := range formats {
			out, _, err := format.fn(r.Snapshot(), format.o)
			require.NoError(t, err)
			require.True(t, json.Valid(out[0]), "%s", out[0])
			again, _, err := format.fn(r.Snapshot(), format.o)
			require.NoError(t, err)
			require.Equal(t, string(out[0]), string(again[0]))
			tool, err := parse(out[0])
			require.NoError(t, err)
			o := tool.(object)
			if nested, ok := o.get("function").(object); ok {
				o = nested
			}
			switch format.name {
			case "mcp":
			case "anthropic":
				checkNoRef(t, o.get("input_schema"))
			case "gemini":
				if o.has("parameters") {
					checkGemini(t, o.get("parameters"))
				}
			default:
				checkNoRef(t, o.get("parameters"))
			}
		}
	})
}
