package mcp

import (
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rho-ext/rho-ext/registry"
)

// metaPrefix marks what the protocol has no field for.
const metaPrefix = "rho-ext/"

// toolOf shows a registered tool as MCP does.
func toolOf(e registry.Entry) *sdk.Tool {
	tool := &sdk.Tool{
		Name:        e.Tool.Name(),
		Description: e.Tool.Description(),
		InputSchema: e.Tool.Parameters(),
		Annotations: annotations(e),
		Meta: sdk.Meta{
			metaPrefix + "risk":    e.Tool.Risk(),
			metaPrefix + "effects": e.Info.Effects,
		},
	}
	if e.Info.Title != tool.Name {
		tool.Title = e.Info.Title
	}
	if isObjectSchema(e.Info.OutputSchema) {
		tool.OutputSchema = e.Info.OutputSchema
	}
	return tool
}

// annotations turns the risk and effects of a tool into the protocol's hints.
// A hint that MCP would assume anyway, or that nothing is known of, is left
// out.
func annotations(e registry.Entry) *sdk.ToolAnnotations {
	effects := e.Info.Effects
	openWorld := effects.Has(registry.EffectNet) || effects.Has(registry.EffectRun)
	a := &sdk.ToolAnnotations{OpenWorldHint: &openWorld}
	switch e.Tool.Risk() {
	case registry.Read:
		a.ReadOnlyHint = true
	case registry.Write:
		a.DestructiveHint = new(bool)
	case registry.Destructive:
		yes := true
		a.DestructiveHint = &yes
	}
	return a
}

// isObjectSchema reports whether a schema describes objects; MCP knows no
// other output.
func isObjectSchema(schema json.RawMessage) bool {
	var s struct {
		Type any `json:"type"`
	}
	return json.Unmarshal(schema, &s) == nil && s.Type == "object"
}
