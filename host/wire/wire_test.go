package wire_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// What crosses the seam must come out of a pipe as it went in.
func TestEverythingOnTheSeamSurvivesJSON(t *testing.T) {
	t.Parallel()
	raw := json.RawMessage(`{"a":1}`)
	for _, v := range []any{
		wire.LoadRequest{}, wire.LoadResult{}, wire.CallRequest{}, wire.CallResult{}, wire.Request{}, wire.Response{},
		wire.CallResult{Value: &wire.Value{}}, wire.CallResult{Thrown: &wire.Thrown{}}, wire.CallResult{Lost: true, Acted: true, Culprit: "x", Guilty: true},
		wire.LoadRequest{Extension: "x", Script: []byte("\x00\xff"), SourceMap: []byte("{}"), Limits: wire.Limits{Grace: 20}},
		wire.CallRequest{ID: "c", Tool: "t", Args: raw, Values: map[string]json.RawMessage{"k": raw, "n": json.RawMessage("null")}},
		wire.Request{Op: wire.OpFetch, Data: raw, Payload: []byte{}}, wire.Request{Payload: []byte{0, 255}},
		wire.Response{Data: raw, Payload: []byte{1}, Stream: 1 << 60},
		wire.Value{IsError: true, Structured: raw, Details: json.RawMessage("null"), Content: []registry.Block{
			{Type: registry.BlockText, Text: "text"}, {Type: registry.BlockText}, {Type: registry.BlockJSON, JSON: raw},
			{Type: registry.BlockImage, Data: []byte{0, 255}, MIMEType: "image/png"}, {Type: registry.BlockImage, URL: "https://example.org/"}}},
		wire.Thrown{Kind: registry.KindTimeout, Retryable: registry.RetryYes, Stack: []wire.Position{{File: "x.ts", Line: 1, Column: 2, Function: "f"}}, Internal: true},
		wire.Thrown{Retryable: registry.RetryNo}, wire.Thrown{Retryable: registry.RetryUnknown},
		wire.LoadResult{Failure: &wire.Failure{Stage: wire.StageBundle, Position: wire.Position{File: "x"}}},
		wire.LoadResult{Manifest: wire.Manifest{Name: "n", Keys: map[string]wire.Position{"name": {Line: 1}}, Hooks: []wire.Hook{{Name: "h", Effects: registry.EffectNet}}, Commands: []wire.Command{{Name: "c", CallsTools: true}}, Tools: []wire.Tool{
			{Name: "t", Risk: registry.Network, Effects: registry.EffectRead | registry.EffectNet, Parameters: raw, Output: raw, Arguments: wire.ArgsText, Examples: []registry.Example{{Args: raw, Note: "n"}}},
			{Name: "none", Risk: registry.Read, Parameters: raw}}}},
		wire.LoadResult{Manifest: wire.Manifest{Permissions: &wire.Permissions{Read: []string{}}, Settings: map[string]wire.Setting{"k": {Type: "string", Secret: true, Default: raw}}}},
		wire.LoadResult{Manifest: wire.Manifest{Permissions: &wire.Permissions{Net: []string{"h"}, Read: nil, Run: []string{"git"}}}},
		wire.WriteRequest{Append: true}, wire.ExecRequest{Command: "git", Args: []string{"log"}, Stream: true}, wire.ExecResponse{ExitCode: -1, Signal: "killed"},
		wire.CallRequest{ID: "c", Run: wire.RunHook, Tool: "onToolCall"}, wire.StateRequest{Do: "get", Key: "k"}, wire.StateResponse{Found: true, Keys: []string{"k"}},
		wire.ToolCallEvent{Args: raw, Risk: registry.Read}, wire.HookDecision{Args: raw, Details: json.RawMessage("null")},
		wire.ToolResponse{Structured: raw, IsError: true}, wire.EnvResponse{Set: true}, wire.GlobResponse{Paths: []string{}, More: true},
		wire.Error{Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Message: "m", Code: "c", Hint: "h"},
	} {
		text, err := json.Marshal(v)
		require.NoError(t, err, "%T", v)
		back := reflect.New(reflect.TypeOf(v))
		require.NoError(t, json.Unmarshal(text, back.Interface()), "%s", text)
		require.Equal(t, v, back.Elem().Interface(), "%s", text)
	}
}
