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
		Name:        e.Name(),
		Description: e.Description(),
		InputSchema: e.Parameters(),
		Annotations: annotations(registry.AnnotationsOf(e)),
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

// annotations writes a tool's hints in the SDK's terms, where false is what MCP
// assumes of two of them.
func annotations(a registry.Annotations) *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{
		ReadOnlyHint:    a.ReadOnly != nil && *a.ReadOnly,
		DestructiveHint: a.Destructive,
		IdempotentHint:  a.Idempotent != nil && *a.Idempotent,
		OpenWorldHint:   a.OpenWorld,
	}
}

// isObjectSchema reports whether a schema describes objects; MCP knows no
// other output.
func isObjectSchema(schema json.RawMessage) bool {
	var s struct {
		Type any `json:"type"`
	}
	return json.Unmarshal(schema, &s) == nil && s.Type == "object"
}
