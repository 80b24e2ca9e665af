package host

import (
	"context"
	"fmt"
	"strings"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// env gives a variable that was granted. Any other looks unset, for libraries
// look for many; of one that the manifest asks for, that is told. c is nil
// outside a call.
func (b *broker) env(ctx context.Context, req wire.Request, c *liveCall) (wire.Response, error) {
	e, err := decode[wire.EnvRequest](req)
	if err != nil {
		return wire.Response{}, err
	}
	need := permission.NeedName(permission.KindEnv, e.Name)
	access := b.access.Load()
	if access == nil {
		b.noteEarly(e.Name)
		return answer(wire.EnvResponse{})
	}
	var once *permission.Set
	if c != nil {
		once = c.answers.once()
	}
	by, denied := access.Check(&need, once)
	if denied != nil {
		if denied.Undeclared || !access.Ceiling().Declared() {
			return answer(wire.EnvResponse{})
		}
		if c == nil {
			b.tellOnce(denied, "so it looks unset")
			return answer(wire.EnvResponse{})
		}
		if by, err = b.appeal(ctx, c, &need, denied); err != nil {
			if ctx.Err() != nil {
				return wire.Response{}, err
			}
			b.tellOnce(denied, "so it looks unset")
			return answer(wire.EnvResponse{})
		}
	}
	if c != nil {
		c.call.RecordUse(registry.Use{Kind: "env", Target: e.Name, Grant: by})
	}
	v, ok := b.variable(e.Name)
	return answer(wire.EnvResponse{Value: v, Set: ok})
}

// noteEarly notes that the module's own code asked for a variable before its
// manifest was known.
func (b *broker) noteEarly(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.early) < 1000 {
		b.early = append(b.early, name)
	}
}

// missedEarly reports whether one of those would be given now, so that the
// module has to be loaded again to see it.
func (b *broker) missedEarly() bool {
	b.mu.Lock()
	early := b.early
	b.mu.Unlock()
	missed := false
	for _, name := range early {
		need := permission.NeedName(permission.KindEnv, name)
		access := b.access.Load()
		switch _, denied := access.Check(&need, nil); {
		case denied == nil:
			missed = true
		case !denied.Undeclared && access.Ceiling().Declared():
			b.tellOnce(denied, "so it looks unset")
		}
	}
	return missed
}

// earlyNow is what the module's own code would get now of the variables that it
// asked for.
func (b *broker) earlyNow() string {
	b.mu.Lock()
	early := b.early
	b.mu.Unlock()
	var out strings.Builder
	for _, name := range early {
		need := permission.NeedName(permission.KindEnv, name)
		if _, denied := b.access.Load().Check(&need, nil); denied == nil {
			v, ok := b.variable(name)
			fmt.Fprintf(&out, "%q %q %v\n", name, v, ok)
		}
	}
	return out.String()
}

// tellOnce logs a denial that the code does not see.
func (b *broker) tellOnce(d *permission.Denial, effect string) {
	b.mu.Lock()
	told := b.told[d.Grant.String()]
	if b.told == nil {
		b.told = map[string]bool{}
	}
	b.told[d.Grant.String()] = true
	b.mu.Unlock()
	if !told {
		b.log.Warn(d.Error()+", "+effect, "extension", b.extension, "allow", strings.TrimPrefix(d.Hint(), "to allow it: "))
	}
}
