package host

import (
	"context"
	"os"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/internal/proc"
)

// config gives the extension's settings. Variables that settings name are read
// where they were granted; nobody is asked, for a setting may do without.
func (b *broker) config(ctx context.Context, c *liveCall) (wire.Response, error) {
	r := b.settings(ctx, func(name string) (value, grant string, ok bool) {
		need := permission.NeedName(permission.KindEnv, name)
		by, denied := b.access.Load().Check(&need, c.answers.once())
		if denied != nil {
			if !denied.Undeclared && b.access.Load().Ceiling().Declared() {
				b.tellOnce(denied, "so it looks unset")
			}
			return "", "", false
		}
		value, ok = b.variable(name)
		return value, by, ok
	})
	for _, u := range r.Uses {
		c.call.RecordUse(u)
	}
	for _, p := range r.Problems {
		b.log.Warn(p, "extension", b.extension)
	}
	return wire.Response{Data: r.Object}, nil
}

// variable reads a variable of the environment. One that usually holds a secret
// is kept out of what is shown.
func (b *broker) variable(name string) (string, bool) {
	lookup := b.environ
	if lookup == nil {
		lookup = os.LookupEnv
	}
	v, ok := lookup(name)
	if ok && b.onSecret != nil && proc.LooksSecret(name) {
		b.onSecret(v)
	}
	return v, ok
}
