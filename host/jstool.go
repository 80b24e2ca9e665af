package host

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// JSTool is a tool that an extension defines. It belongs to one version of the
// extension and is safe for concurrent use.
type JSTool struct {
	gen     *generation
	tool    wire.Tool
	effects registry.Effects // with those of the tools that it may call
}

var (
	_ registry.Tool     = (*JSTool)(nil)
	_ registry.Informer = (*JSTool)(nil)
)

// Name implements [registry.Tool].
func (t *JSTool) Name() string { return t.tool.Name }

// Description implements [registry.Tool].
func (t *JSTool) Description() string { return t.tool.Description }

// Parameters implements [registry.Tool]: the author's schema, or the one made
// from a shorthand.
func (t *JSTool) Parameters() json.RawMessage { return t.tool.Parameters }

// Risk implements [registry.Tool]. It is the label of what the author declared
// together with what the code is seen to use.
func (t *JSTool) Risk() registry.Risk { return t.effects.Risk() }

// Info implements [registry.Informer].
func (t *JSTool) Info() registry.Info {
	return registry.Info{
		Title:        t.tool.Title,
		Effects:      t.effects,
		DeclaredRisk: t.tool.Risk,
		Owner:        t.gen.source.ID,
		Origin:       string(t.gen.source.Scope) + " " + t.gen.source.Folder,
		OutputSchema: t.tool.Output,
		Timeout:      time.Duration(t.tool.TimeoutMS * float64(time.Millisecond)),
		Examples:     t.tool.Examples,
	}
}

// Arguments is how the tool's function receives its arguments, as decided when
// the extension was loaded.
func (t *JSTool) Arguments() wire.ArgumentForm { return t.tool.Arguments }

// Execute implements [registry.Tool]. What the function throws comes back as a
// [*registry.Failure] with the place in the author's file.
func (t *JSTool) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	return t.gen.call(ctx, t, args)
}

// newCallID makes an id for a call that came with none.
func newCallID() string { return "call_" + strings.ToLower(rand.Text()[:12]) }
