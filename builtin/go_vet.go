package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/rho-ext/rho-ext/registry"
)

//go:embed go_vet.md
var goVetDescription string

// newGoVet makes the tool go_vet.
func newGoVet(p *programs) registry.Tool {
	return registry.MustTool(registry.TypedOptions{
		Name: "go_vet", Description: strings.TrimSpace(goVetDescription), Risk: registry.Read,
		Info: buildInfo("Go vet", schemaOf[buildAnswer](), registry.Example{Args: json.RawMessage(`{"package":"./..."}`)}),
	}, func(ctx context.Context, a goArgs) (*registry.Result, error) {
		return p.goBuild(ctx, "go vet", "error", a, "vet")
	})
}
