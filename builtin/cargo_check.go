package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/rho-ext/rho-ext/registry"
)

//go:embed cargo_check.md
var cargoCheckDescription string

// newCargoCheck makes the tool cargo_check.
func newCargoCheck(p *programs) registry.Tool {
	return registry.MustTool(registry.TypedOptions{
		Name: "cargo_check", Description: strings.TrimSpace(cargoCheckDescription), Risk: registry.Read,
		Info: buildInfo("Cargo check", schemaOf[buildAnswer](),
			registry.Example{Args: json.RawMessage(`{}`)},
			registry.Example{Args: json.RawMessage(`{"package":"core","features":["serde"]}`)}),
	}, func(ctx context.Context, a cargoArgs) (*registry.Result, error) {
		return p.cargoBuild(ctx, "cargo check", a, "check")
	})
}
