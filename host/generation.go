package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
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
	model    func() string
	disabled func() *registry.Failure // why no call may run now, or nil
	ctx      context.Context          // ends when the generation is closed
	stop     context.CancelFunc

	mu      sync.Mutex
	shared  wire.Sandbox
	making  *making                   // a new shared sandbox, or nil
	alone   map[string]bool           // tools that run on a runtime of their own
	lone    map[wire.Sandbox]struct{} // those runtimes, while they are used
	users   int
	retired bool   // a newer version serves; calls that have begun go on
	version int    // how many were put in place before it, and one
	early   string // what its top level got of the environment

	disposing sync.WaitGroup
	closed    bool
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
	idle := g.takeIdle()
	g.mu.Unlock()
	g.giveUp(idle)
}

// retire gives up the runtime as soon as no call uses it. The generation itself
// stays open: a call that looked its tool up just before gets a new runtime.
func (g *generation) retire() {
	g.mu.Lock()
	g.retired = true
	idle := g.takeIdle()
	g.mu.Unlock()
	g.giveUp(idle)
}

// takeIdle takes out the sandboxes that a retired generation no longer needs.
func (g *generation) takeIdle() []wire.Sandbox {
	if !g.retired || g.users > 0 || g.closed {
		return nil
	}
	return g.take()
}

// take takes out all sandboxes.
func (g *generation) take() []wire.Sandbox {
	open := slices.Collect(maps.Keys(g.lone))
	g.lone = nil
	if g.shared != nil {
		open = append(open, g.shared)
		g.shared = nil
	}
	return open
}

// close ends the generation: no call begins any more, its module may clean up,
// and then those that run end.
func (g *generation) close() {
	g.mu.Lock()
	ended := g.closed
	g.closed = true
	shared := g.shared
	g.mu.Unlock()
	if shared != nil && !ended {
		g.dispose(shared)
	}
	g.mu.Lock()
	open := g.take()
	g.mu.Unlock()
	g.stop()
	closeAll(open)
	g.disposing.Wait()
	g.broker.close()
}

func closeAll(list []wire.Sandbox) {
	for _, sb := range list {
		_ = sb.Close()
	}
}

// comeback is how many times longer than its first load a version may take to
// load again. The calls that wait for it have deadlines of their own.
const comeback = 6

// fresh makes a sandbox with the generation's bundle loaded.
func (g *generation) fresh(ctx context.Context) (wire.Sandbox, error) {
	sb, err := g.factory.NewSandbox(g.broker)
	if err != nil && g.ctx.Err() != nil {
		return nil, errRetired
	}
	if err != nil {
		return nil, err
	}
	// It has loaded before, so that slowness is the machine's: a worker that was
	// lost takes all its extensions along, which then come back at once.
	ctx, cancel := context.WithTimeoutCause(ctx, comeback*g.timeout, wire.ErrDeadline)
	defer cancel()
	defer context.AfterFunc(g.ctx, cancel)()
	res, err := sb.Load(ctx, g.load)
	if g.ctx.Err() != nil {
		err = errRetired
	} else if err == nil && res.Failure != nil {
		err = errors.New("the extension no longer loads: " + res.Failure.Message)
	} else if err == nil {
		if f := g.onLoad(ctx, sb); f != nil {
			err = errors.New("the extension no longer loads: " + f.Message)
		}
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
		if m := g.making; m != nil {
			g.mu.Unlock()
			select {
			case <-m.done:
				if m.err != nil {
					return nil, m.err
				}
				continue
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		m := &making{done: make(chan struct{})}
		g.making, g.shared = m, nil
		g.users++ // it is for a call, which may not wait to the end
		g.mu.Unlock()
		go func() {
			defer g.release()
			g.share(m)
		}()
	}
}

// making is a shared sandbox that is being made.
type making struct {
	done chan struct{}
	err  error
}

// share makes the sandbox that calls share. Several wait for it, so no single
// one's deadline counts.
func (g *generation) share(m *making) {
	sb, err := g.fresh(context.Background())
	g.mu.Lock()
	g.making = nil
	if err == nil && g.closed {
		err = errRetired
		defer sb.Close()
	}
	if err == nil {
		g.shared = sb
	}
	m.err = err
	g.mu.Unlock()
	close(m.done)
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

// call runs a tool.
func (g *generation) call(ctx context.Context, t *JSTool, args json.RawMessage) (*registry.Result, error) {
	call := registry.CallFrom(ctx)
	req := wire.CallRequest{ID: call.ID, Tool: t.tool.Name, Args: args, Values: call.Values}
	res, err := g.perform(ctx, req, &liveCall{call: call, effects: t.effects, answers: answers{questions: questionsOf(ctx)}})
	if err != nil {
		return nil, err
	}
	return g.result(res)
}

// perform runs one function. A call whose runtime was taken down by another one
// runs again from its start, alone, unless it had already acted; a function that
// took a runtime down runs alone from then on, so it can harm others once at
// most.
func (g *generation) perform(ctx context.Context, req wire.CallRequest, c *liveCall) (none wire.CallResult, _ error) {
	if f := g.disabled(); f != nil {
		return none, f
	}
	if err := g.acquire(); err != nil {
		return none, g.hostFailure(ctx, err)
	}
	defer g.release()
	req.Model = g.model()
	if req.ID == "" {
		req.ID = newCallID()
	}
	c.run, c.tool = req.Run, req.Tool
	if err := g.broker.begin(req.ID, c); err != nil {
		return none, registry.Failuref(registry.KindOther, "%w", err)
	}
	defer g.broker.end(req.ID)

	alone := g.isAlone(req.Tool)
	for attempt := 1; ; attempt++ {
		res, err := g.attempt(ctx, req, alone)
		if err != nil {
			return none, g.hostFailure(ctx, err)
		}
		if attempt > 1 && !c.silent() {
			c.call.SetAttempts(attempt)
		}
		if res.Guilty {
			g.setAlone(req.Tool)
		} else if res.Culprit != "" {
			g.setAlone(res.Culprit)
		}
		switch {
		case !res.Lost:
			return res, nil
		case res.Acted && res.Died:
			return none, &registry.Failure{
				Kind: registry.KindOther, Code: "worker_lost",
				Message: "the worker process ended under this call, which had already acted: whether it finished is unknown",
			}
		case res.Acted:
			return none, &registry.Failure{
				Kind: registry.KindOther, Code: "runtime_lost",
				Message: "another call of this extension was stopped; this one had already acted, so whether it finished is unknown",
			}
		case ctx.Err() != nil:
			return none, g.hostFailure(ctx, context.Cause(ctx))
		case attempt >= maxAttempts:
			return none, &registry.Failure{Kind: registry.KindOther, Code: "runtime_lost", Retryable: registry.RetryYes,
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
