package permission

import (
	"context"
	"errors"
	"strings"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// Target is one hop of a request: where it would go. All of it can be shown to
// a person as it is; it has no control characters and hosts are in ASCII.
type Target struct {
	Host   string // a name without trailing dot, or an address without brackets
	Port   uint16
	Method string
	URL    string // without query and fragment, which may hold secrets
	From   string // host that redirected here; empty for the first hop
}

// Rule is the rule that a person would grant so that t may be reached: of this
// one host, on its port unless that is the default one of the URL's scheme. A
// target without host or port gives the zero rule, which grants nothing.
func (t Target) Rule() NetRule {
	e := newEndpoint(t.Host, t.Port)
	if !e.valid() || e.port == 0 {
		return NetRule{}
	}
	scheme, _, _ := strings.Cut(t.URL, ":")
	if scheme == "http" && e.port == 80 || scheme == "https" && e.port == 443 {
		e.port = 0
	}
	return NetRule{host: e.host, port: e.port}
}

// hostPort is the host and port as messages name them.
func (t Target) hostPort() string { return newEndpoint(t.Host, t.Port).String() }

// admission is what one hop was let through with. The hop's context takes it
// to the dialer, which opens no connection without one.
type admission struct {
	// ctx is that of the request. The transport dials under a context of its
	// own, which outlives the request.
	ctx      context.Context
	target   Target
	endpoint endpoint
	plain    bool // http, not https
	rule     NetRule
	grant    string
	via      *proxyServer // nil is directly
}

// forwards reports whether the proxy gets the request itself and not one to
// open a tunnel, which many refuse to other ports than 443. What a wildcard
// covers has a tunnel in any case, as only that leads to a given address.
func (a *admission) forwards() bool {
	return a.via != nil && a.via.scheme != "socks5" && a.plain && !a.rule.Wildcard()
}

type admissionKey struct{}

func (a *admission) context() context.Context {
	return context.WithValue(a.ctx, admissionKey{}, a)
}

// admit decides about one hop. Whatever the callback says, the rule that it
// names must grant the target.
func (c *Client) admit(ctx context.Context, h *hop) (*admission, *wire.Error) {
	if ctx.Err() != nil { // nobody is asked for a call that has ended
		return nil, aborted(ctx)
	}
	a := &admission{ctx: ctx, target: h.target(), endpoint: h.endpoint}
	rule, grant, err := c.ask(ctx, a.target)
	switch {
	case ctx.Err() != nil:
		return nil, aborted(ctx)
	case err != nil:
		return nil, refusal(a.target, err)
	case !rule.covers(a.endpoint):
		return nil, denied(a.target)
	case rule.blocks(a.endpoint):
		return nil, deniedPort(a.target)
	}
	if grant == "" {
		grant = rule.Grant()
	}
	a.rule, a.grant = rule, grant
	a.plain = h.url.Scheme() == "http"
	a.via = c.proxy.through(h.url.Scheme(), a.endpoint)
	return a, nil
}

// refusal is the error of the callback, as the extension sees it. Of one that
// is not made for extensions it sees nothing.
func refusal(t Target, err error) *wire.Error {
	var we *wire.Error
	if errors.As(err, &we) && we.Kind == registry.KindPermissionDenied {
		return we
	}
	return denied(t)
}

// admitBy is the callback for rules that are known beforehand.
func admitBy(rules NetRules) func(context.Context, Target) (NetRule, string, error) {
	return func(_ context.Context, t Target) (NetRule, string, error) {
		rule, ok := rules.find(newEndpoint(t.Host, t.Port))
		if !ok {
			return NetRule{}, "", denied(t)
		}
		return rule, rule.Grant(), nil
	}
}
