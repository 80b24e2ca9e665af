package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/rho-ext/rho-ext/registry"
)

//go:embed cargo_clippy.md
var cargoClippyDescription string

// newCargoClippy makes the tool cargo_clippy.
func newCargoClippy(p *programs) registry.Tool {
	return registry.MustTool(registry.TypedOptions{
		Name: "cargo_clippy", Description: strings.TrimSpace(cargoClippyDescription), Risk: registry.Read,
		Info: buildInfo("Cargo clippy", schemaOf[buildAnswer](),
			registry.Example{Args: json.RawMessage(`{}`)},
			registry.Example{Args: json.RawMessage(`{"package":"core","features":["serde"]}`)}),
	}, func(ctx context.Context, a cargoArgs) (*registry.Result, error) {
		return p.cargoBuild(ctx, "cargo clippy", a, "clippy")
	})
}
