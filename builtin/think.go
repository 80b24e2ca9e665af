package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/rho-ext/rho-ext/registry"
)

//go:embed think.md
var thinkDescription string

const thinkParameters = `{
  "type": "object",
  "properties": {
    "thought": {"type": "string", "description": "The thought to note"}
  },
  "required": ["thought"],
  "additionalProperties": false
}`

// think is the tool think: a place where a model can reason between calls.
type think struct{}

// Name implements registry.Tool.
func (think) Name() string { return "think" }

// Description implements registry.Tool.
func (think) Description() string { return strings.TrimSpace(thinkDescription) }

// Parameters implements registry.Tool.
func (think) Parameters() json.RawMessage { return json.RawMessage(thinkParameters) }

// Risk implements registry.Tool.
func (think) Risk() registry.Risk { return registry.Read }

// Info implements registry.Informer.
func (think) Info() registry.Info {
	return registry.Info{
		Title:    "Think",
		Examples: []registry.Example{{Args: json.RawMessage(`{"thought":"The test fails only on Windows, so look at path separators first."}`)}},
	}
}

// FootprintOf implements registry.Footprinter: it touches nothing.
func (think) FootprintOf(json.RawMessage) registry.Footprint { return registry.Footprint{} }

// Execute implements registry.Tool.
func (think) Execute(_ context.Context, args json.RawMessage) (*registry.Result, error) {
	var a struct {
		Thought string `json:"thought"`
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, registry.Failuref(registry.KindInvalidArgs, "arguments: %w", err)
	}
	return registry.Text(a.Thought), nil
}
