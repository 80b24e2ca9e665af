package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// generation is one loaded version of an extension: its bundle, its manifest
// and the sandbox that its calls share. Calls hold on to the generation they
// began on, so that a reload never pulls it away under them.
type generation struct {
	source   Source
	bundle   *bundle.Bundle
	manifest wire.Manifest
	place    place
	broker   *broker
	factory  wire.Factory
	load     wire.LoadRequest
	timeout  time.Duration

	mu      sync.Mutex
	shared  wire.Sandbox
	making  chan struct{}             // closed when a new shared sandbox is there; nil when none is made
	alone   map[string]bool           // tools that run on a runtime of their own
	lone    map[wire.Sandbox]struct{} // those runtimes, while they are used
	users   int
	retired bool
	closed  bool
}

// errRetired says that the generation is closed: a newer version serves, or
// none.
var errRetired = errors.New("this version of the extension was closed")

// acquire keeps the generation open until release.
func (g *generation) acquire() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return errRetired
	}
	g.users++
	return nil
}

func (g *generation) release() {
	g.mu.Lock()
	g.users--
	last := g.retired && g.users == 0
	g.mu.Unlock()
	if last {
		g.close()
	}
}

// retire closes the generation once its calls have ended, or after the drain
// limit.
func (g *generation) retire(drain time.Duration) {
	g.mu.Lock()
	g.retired = true
	idle := g.users == 0
	g.mu.Unlock()
	if idle {
		g.close()
		return
	}
	time.AfterFunc(drain, g.close)
}

func (g *generation) close() {
	g.mu.Lock()
	g.closed = true
	open := g.lone
	g.lone = nil
	if g.shared != nil {
		if open == nil {
			open = map[wire.Sandbox]struct{}{}
		}
		open[g.shared] = struct{}{}
		g.shared = nil
	}
	g.mu.Unlock()
	for sb := range open {
		_ = sb.Close()
	}
}

// fresh makes a sandbox with the generation's bundle loaded.
func (g *generation) fresh(ctx context.Context) (wire.Sandbox, error) {
	sb, err := g.factory.NewSandbox(g.broker)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, g.timeout, wire.ErrDeadline)
	defer cancel()
	res, err := sb.Load(ctx, g.load)
	if err == nil && res.Failure != nil {
		err = errors.New("the extension no longer loads: " + res.Failure.Message)
	}
	if err != nil {
		_ = sb.Close()
		return nil, err
	}
	return sb, nil
}

// sandbox gives the one that calls share, and replaces it when it has died.
func (g *generation) sandbox(ctx context.Context) (wire.Sandbox, error) {
	for {
		g.mu.Lock()
		if g.closed {
			g.mu.Unlock()
			return nil, errRetired
		}
		if sb := g.shared; sb != nil {
			select {
			case <-sb.Done():
			default:
				g.mu.Unlock()
				return sb, nil
			}
		}
		if making := g.making; making != nil {
			g.mu.Unlock()
			select {
			case <-making:
				continue
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		making := make(chan struct{})
		g.making, g.shared = making, nil
		g.mu.Unlock()

		// Others wait for it too, so the first caller's deadline does not count.
		sb, err := g.fresh(context.WithoutCancel(ctx))
		g.mu.Lock()
		g.making = nil
		close(making)
		if err == nil && g.closed {
			err = errRetired
			defer sb.Close()
		}
		if err == nil {
			g.shared = sb
		}
		g.mu.Unlock()
		return sb, err
	}
}

func (g *generation) isAlone(tool string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.alone[tool]
}

// setAlone makes a tool run on a runtime of its own from now on.
func (g *generation) setAlone(tool string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.alone == nil {
		g.alone = map[string]bool{}
	}
	g.alone[tool] = true
}

// call runs a tool. A call whose runtime was taken down by another one runs
// again from its start, alone, unless it had already acted; a tool that took a
// runtime down runs alone from then on, so it can harm others once at most.
func (g *generation) call(ctx context.Context, t *JSTool, args json.RawMessage) (*registry.Result, error) {
	if err := g.acquire(); err != nil {
		return nil, g.hostFailure(ctx, err)
	}
	defer g.release()
	call := registry.CallFrom(ctx)
	req := wire.CallRequest{ID: call.ID, Tool: t.tool.Name, Args: args, Values: call.Values}
	if req.ID == "" {
		req.ID = newCallID()
	}
	if err := g.broker.begin(req.ID, &liveCall{call: call, tool: t.tool.Name, effects: t.tool.Effects}); err != nil {
		return nil, registry.Failuref(registry.KindOther, "%w", err)
	}
	defer g.broker.end(req.ID)

	alone := g.isAlone(t.tool.Name)
	for attempt := 1; ; attempt++ {
		res, err := g.attempt(ctx, req, alone)
		if err != nil {
			return nil, g.hostFailure(ctx, err)
		}
		if attempt > 1 {
			call.SetAttempts(attempt)
		}
		if res.Guilty {
			g.setAlone(t.tool.Name)
		} else if res.Culprit != "" {
			g.setAlone(res.Culprit)
		}
		switch {
		case !res.Lost:
			return g.result(res)
		case res.Acted:
			return nil, &registry.Failure{
				Kind: registry.KindOther, Code: "runtime_lost",
				Message: "another call of this extension was stopped; this one had already acted, so whether it finished is unknown",
			}
		case ctx.Err() != nil:
			return nil, g.hostFailure(ctx, context.Cause(ctx))
		case attempt >= maxAttempts:
			return nil, &registry.Failure{Kind: registry.KindOther, Code: "runtime_lost", Retryable: registry.RetryYes,
				Message: "the extension's runtime was lost again and again"}
		}
		alone = true
	}
}

// maxAttempts bounds the runs of one call. A second one is alone, and only a
// host that closes takes its runtime away.
const maxAttempts = 3

func (g *generation) attempt(ctx context.Context, req wire.CallRequest, alone bool) (wire.CallResult, error) {
	if !alone {
		sb, err := g.sandbox(ctx)
		if err != nil {
			return wire.CallResult{}, err
		}
		return sb.Call(ctx, req), nil
	}
	sb, err := g.fresh(ctx)
	if err != nil {
		return wire.CallResult{}, err
	}
	defer sb.Close()
	if !g.keep(sb) {
		return wire.CallResult{}, errRetired
	}
	defer g.forget(sb)
	return sb.Call(ctx, req), nil
}

// keep makes close end a lone sandbox too. It reports false when that has
// happened already.
func (g *generation) keep(sb wire.Sandbox) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	if g.lone == nil {
		g.lone = map[wire.Sandbox]struct{}{}
	}
	g.lone[sb] = struct{}{}
	return true
}

func (g *generation) forget(sb wire.Sandbox) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.lone, sb)
}

// hostFailure is a failure that no code of the extension caused.
func (g *generation) hostFailure(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case cause == nil && errors.Is(err, errRetired):
		return &registry.Failure{Kind: registry.KindCancelled, Code: "replaced", Retryable: registry.RetryYes, Cause: err,
			Message: fmt.Sprintf("extension %s was closed or replaced while the call ran", g.source.ID)}
	case cause == nil:
		return &registry.Failure{Kind: registry.KindOther, Code: "host", Cause: err,
			Message: fmt.Sprintf("extension %s: %v", g.source.ID, err), ModelText: "the extension could not be run"}
	case errors.Is(cause, wire.ErrDeadline), errors.Is(cause, context.DeadlineExceeded):
		return &registry.Failure{Kind: registry.KindTimeout, Message: "timed out", Cause: cause}
	default:
		return &registry.Failure{Kind: registry.KindCancelled, Message: "cancelled", Cause: cause}
	}
}

// result makes a registry result or failure of how a run ended.
func (g *generation) result(res wire.CallResult) (*registry.Result, error) {
	if v := res.Value; v != nil {
		out := &registry.Result{Content: v.Content, IsError: v.IsError, Structured: v.Structured}
		if len(v.Details) > 0 {
			out.Details = v.Details
		}
		return out, nil
	}
	t := res.Thrown
	f := &registry.Failure{Kind: t.Kind, Code: t.Code, Retryable: t.Retryable, Message: t.Message, Hint: t.Hint, Location: g.place.location(t.Stack)}
	f.ModelText = cmp.Or(t.ForModel, t.Message)
	if t.Name != "" && t.Name != "Error" && t.Name != "ToolError" {
		f.Message = t.Name + ": " + t.Message
	}
	if f.Message == "" {
		f.Message, f.ModelText = "an error without a message", "the tool failed"
	}
	if t.Internal {
		f.ModelText = "the tool failed inside the sandbox"
	}
	return nil, f
}
