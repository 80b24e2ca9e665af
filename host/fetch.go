package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// newClient makes the extension's network guard: each hop of each request is
// decided with the call that it finds in the context.
func (b *broker) newClient(o permission.ClientOptions) *permission.Client {
	o.Admit = func(ctx context.Context, t permission.Target) (permission.NetRule, string, error) {
		c, _ := ctx.Value(liveCallKey{}).(*liveCall)
		if c == nil {
			return permission.NetRule{}, "", permission.ErrNobody
		}
		scheme, _, _ := strings.Cut(t.URL, ":")
		need := permission.NeedNet(scheme, t.Host, t.Port)
		by, err := b.permit(ctx, c, &need)
		return need.Rule, by, err
	}
	o.OnUse = func(ctx context.Context, u registry.Use) { registry.CallFrom(ctx).RecordUse(u) }
	return permission.NewClient(o)
}

type liveCallKey struct{}

func (b *broker) fetch(ctx context.Context, req wire.Request, c *liveCall) (wire.Response, error) {
	f, err := decode[wire.FetchRequest](req)
	if err != nil {
		return wire.Response{}, err
	}
	if err := b.allow(c, registry.EffectNet, permission.KindNet, f.Method+" "+withoutQuery(f.URL), "use the network"); err != nil {
		return wire.Response{}, err
	}
	ctx = context.WithValue(registry.WithCall(ctx, c.call), liveCallKey{}, c)
	res, err := b.net.Fetch(ctx, f, req.Payload)
	if err != nil {
		var we *wire.Error
		if errors.As(err, &we) && we.Kind == registry.KindPermissionDenied && !strings.HasPrefix(we.Message, "extension ") {
			named := *we
			named.Message = fmt.Sprintf("extension %q: %s", b.extension, we.Message)
			if flag, ok := strings.CutPrefix(we.Hint, "run with "); ok {
				named.Hint = "to allow it: " + b.access.Load().Suggest(flag)
			}
			return wire.Response{}, &named
		}
		return wire.Response{}, err
	}
	data, err := json.Marshal(res.FetchResponse)
	if err != nil {
		res.Body.Close()
		return wire.Response{}, err
	}
	if f.Whole {
		defer res.Body.Close()
		body, err := readWhole(res.Body, f.MaxBytes)
		return wire.Response{Data: data, Payload: body}, err
	}
	stream, err := b.open(req, c, res.Body)
	if err != nil {
		return wire.Response{}, err
	}
	return wire.Response{Data: data, Stream: stream}, nil
}

// readWhole reads a body of at most limit bytes; zero is the client's own limit.
func readWhole(body io.Reader, limit int64) ([]byte, error) {
	if limit <= 0 {
		return io.ReadAll(body)
	}
	data, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = &wire.Error{Kind: registry.KindNetwork, Name: "TypeError", Code: "too_large",
			Message: fmt.Sprintf("fetch failed: the body is larger than %d bytes", limit)}
	}
	return data, err
}

// withoutQuery drops what may hold secrets from a URL that is recorded.
func withoutQuery(url string) string {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	return url
}
