package host

import (
	"context"
	"fmt"
	"sync"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// useKinds are the kinds of uses by those of grants, and effectOf the effect.
var useKinds = map[permission.Kind]struct{ kind, effect string }{
	permission.KindNet: {"net", "net"}, permission.KindRead: {"file", "read"}, permission.KindWrite: {"file", "write"},
	permission.KindRun: {"run", "run"}, permission.KindEnv: {"env", ""}, permission.KindTool: {"tool", "run"},
	permission.KindHook: {"hook", ""},
}

// permit is where every use of a resource is decided. It gives what grants it,
// or asks a person where there is one, or gives the refusal, which it records.
func (b *broker) permit(ctx context.Context, c *liveCall, n *permission.Need) (by string, err error) {
	if c.work.over() {
		return "", context.Canceled
	}
	by, denied := b.access.Load().Check(n, c.answers.once())
	if denied == nil {
		return by, nil
	}
	return b.appeal(ctx, c, n, denied)
}

// appeal asks a person about what is not granted, where that can help.
func (b *broker) appeal(ctx context.Context, c *liveCall, n *permission.Need, denied *permission.Denial) (by string, err error) {
	if denied.CanAsk() && !c.silent() && b.desk.Open() && c.answers.questions.may(b.question(n)) {
		by, err := b.ask(ctx, c, n, denied)
		if err != nil || by != "" {
			return by, err
		}
	}
	if n.Kind != permission.KindNet { // the client records each hop
		use := useKinds[n.Kind]
		c.call.RecordUse(registry.Use{Kind: use.kind, Target: n.Grant.Target, Effect: use.effect, Denied: true})
	}
	return "", denied.Wire()
}

// ask puts one question. Nothing and no error means no.
func (b *broker) ask(ctx context.Context, c *liveCall, n *permission.Need, denied *permission.Denial) (by string, err error) {
	defer b.pause()()
	settled := func() (answered, yes bool) {
		var d *permission.Denial
		by, d = b.access.Load().Check(n, c.answers.once())
		return d == nil || c.answers.questions.wasRefused(b.question(n)), d == nil
	}
	a, err := b.desk.Ask(ctx, permission.Question{
		Extension: b.extension, Scope: b.access.Load().Key().Scope, Tool: c.label(), CallID: c.call.ID,
		Grant: n.Grant, Text: denied.Subject(), CanKeep: b.access.Load().CanKeep(),
	}, settled)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		b.log.Warn("a permission could not be asked for", "extension", b.extension, "permission", n.Grant.String(), "error", err)
		c.answers.questions.refuse(b.question(n))
		return "", nil
	case !a.Allow:
		c.answers.questions.refuse(b.question(n))
		return "", nil
	case a.ID == "": // settled
		return by, nil
	}
	c.answers.grant(b.access.Load().Root(), n.Grant)
	if err := b.access.Load().Keep(n.Grant, a.Scope); err != nil {
		b.log.Warn("a grant could not be kept; it holds for this call", "extension", b.extension, "permission", n.Grant.String(), "error", err)
	}
	if n.Rule, err = ruleOf(n); err != nil {
		return "", err
	}
	return a.Scope.String(), nil
}

// ruleOf is the rule of a host that was just granted.
func ruleOf(n *permission.Need) (permission.NetRule, error) {
	if n.Kind != permission.KindNet {
		return permission.NetRule{}, nil
	}
	return permission.ParseNetRule(n.Grant.Target)
}

// pause stops the deadlines of all calls of the extension while a person is
// asked: the question may hold up the runtime that they share.
func (b *broker) pause() (resume func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asking++
	for _, c := range b.live {
		if !c.silent() {
			b.resumes = append(b.resumes, c.call.PauseDeadline())
		}
	}
	return sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.asking--; b.asking > 0 {
			return
		}
		for _, resume := range b.resumes {
			resume()
		}
		b.resumes = nil
	})
}

// allow says whether the call's tool may have an effect at all. Reading of the
// code tells what it does; what that has missed is refused here.
func (b *broker) allow(c *liveCall, effect registry.Effects, kind permission.Kind, target, what string) error {
	if c.effects.Has(effect) {
		return nil
	}
	use := useKinds[kind]
	c.call.RecordUse(registry.Use{Kind: use.kind, Target: target, Effect: use.effect, Denied: true})
	return &wire.Error{
		Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Code: string(kind),
		Message: fmt.Sprintf("extension %q: %s is not known to %s, so it may not", b.extension, c.name(), what),
		Hint:    c.effectHint(effect),
	}
}

// effectHint says how a function comes to have an effect.
func (c *liveCall) effectHint(effect registry.Effects) string {
	switch {
	case c.run == wire.RunTool:
		return fmt.Sprintf("declare risk: %q, or call the function by its own name", effect.Risk())
	case c.run == wire.RunComplete, c.tool == wire.HookLoad, c.tool == "dispose":
		return "here are no more than ctx.state, ctx.config and ctx.log; do it in a tool, a command or another hook"
	}
	return "call the function by its own name"
}
