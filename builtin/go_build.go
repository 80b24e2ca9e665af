package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/rho-ext/rho-ext/registry"
)

//go:embed go_build.md
var goBuildDescription string

// newGoBuild makes the tool go_build.
func newGoBuild(p *programs) registry.Tool {
	return registry.MustTool(registry.TypedOptions{
		Name: "go_build", Description: strings.TrimSpace(goBuildDescription), Risk: registry.Read,
		Info: buildInfo("Go build", schemaOf[buildAnswer](), registry.Example{Args: json.RawMessage(`{"package":"./..."}`)}),
	}, func(ctx context.Context, a goArgs) (*registry.Result, error) {
		return p.goBuild(ctx, "go build", "error", a, "build", "-o", devNull)
	})
}
