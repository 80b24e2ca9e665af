package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

// schemas compiles the documents in docs/schemas. They leave room for what
// later versions add; here they are closed, so that a property that is not
// described fails the test.
func schemas(t *testing.T) (compile func(name string) *jsonschema.Schema, files map[string]map[string]any) {
	t.Helper()
	paths, err := filepath.Glob("../../docs/schemas/*.schema.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	c := jsonschema.NewCompiler()
	c.AssertContent()
	files = map[string]map[string]any{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		doc := decode(t, text).(map[string]any)
		files[filepath.Base(path)] = doc
		closeObjects(doc)
		require.NoError(t, c.AddResource(doc["$id"].(string), doc))
	}
	return func(name string) *jsonschema.Schema {
		s, err := c.Compile(files[name]["$id"].(string))
		require.NoError(t, err)
		return s
	}, files
}

func closeObjects(v any) {
	switch v := v.(type) {
	case map[string]any:
		if v["type"] == "object" && v["properties"] != nil {
			v["additionalProperties"] = false
		}
		for _, child := range v {
			closeObjects(child)
		}
	case []any:
		for _, child := range v {
			closeObjects(child)
		}
	}
}

func decode(t *testing.T, text []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	return v
}

func TestSchemasHoldForTheirExamples(t *testing.T) {
	t.Parallel()
	compile, files := schemas(t)
	require.GreaterOrEqual(t, len(files), 3)
	for name, doc := range files {
		s := compile(name)
		require.NotEmpty(t, doc["examples"], name)
		for _, example := range doc["examples"].([]any) {
			require.NoError(t, s.Validate(example), name)
		}
		require.Error(t, s.Validate(map[string]any{}), name)
	}
}

func TestOutcomesMatchTheirSchema(t *testing.T) {
	t.Parallel()
	compile, _ := schemas(t)
	schema := compile("outcome.schema.json")
	result := func(r *registry.Result, err error) func(context.Context, json.RawMessage) (*registry.Result, error) {
		return func(ctx context.Context, _ json.RawMessage) (*registry.Result, error) {
			call := registry.CallFrom(ctx)
			call.RecordUse(registry.Use{Kind: "net", Target: "https://example.org/", Effect: "net", Grant: "--allow-net=*"})
			call.RecordUse(registry.Use{Kind: "file", Target: ".env", Effect: "read", Denied: true})
			call.SetAttempts(2)
			return r, err
		}
	}
	tools := map[string]func(context.Context, json.RawMessage) (*registry.Result, error){
		"text": result(registry.Text("hi"), nil),
		"none": result(nil, nil),
		"all": result(&registry.Result{
			Content: []registry.Block{
				{Type: registry.BlockText}, {Type: registry.BlockJSON, JSON: json.RawMessage(`[1]`)},
				{Type: registry.BlockImage, Data: []byte{1, 2, 3}, MIMEType: "image/png"},
				{Type: registry.BlockImage, URL: "https://example.org/a.png"},
			},
			Structured: json.RawMessage(`{"a":1}`), Details: map[string]any{"b": 2},
		}, nil),
		"large": result(&registry.Result{
			Content:    []registry.Block{{Type: registry.BlockText, Text: strings.Repeat("x", 2*registry.DefaultTextLimit)}},
			Structured: json.RawMessage(`"` + strings.Repeat("x", 2*registry.DefaultStructuredLimit) + `"`),
			Details:    []int{1},
		}, nil),
		"failed": result(registry.ErrorText("no"), nil),
		"broken": result(nil, errors.New("broken")),
		"denied": result(nil, &registry.Failure{
			Kind: registry.KindPermissionDenied, Message: "no", Code: "net", HTTPStatus: 403, Retryable: registry.RetryNo, Hint: "do",
			Location: &registry.Location{File: "a.ts", Line: 1, Column: 2, Frame: "> 1 | x", Stack: []string{"f (a.ts:3:4)"}},
		}),
		"panics": func(context.Context, json.RawMessage) (*registry.Result, error) { panic("no") },
		"slow": func(ctx context.Context, _ json.RawMessage) (*registry.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	}
	reg := registry.New()
	for name, run := range tools {
		require.NoError(t, reg.Register("", &fakeTool{name: name, run: run}))
	}
	door := registry.NewDoor(reg, nil)
	check := func(r registry.Request) {
		out := door.Call(t.Context(), r)
		text, err := json.Marshal(out)
		require.NoError(t, err)
		require.NoError(t, schema.Validate(decode(t, text)), "%s: %.2000s", r.Tool, text)
	}
	for name := range tools {
		check(registry.Request{Tool: name, Timeout: 50 * time.Millisecond})
	}
	check(registry.Request{Tool: "unknown"})
	check(registry.Request{Tool: "text", Arguments: json.RawMessage(`[1]`)})
	check(registry.Request{Tool: "text", Arguments: json.RawMessage(`{not json`)})
}
