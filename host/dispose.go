package host

import (
	"context"
	"errors"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// disposeTimeout is how long a version may take to clean up after itself.
const disposeTimeout = time.Second

// giveUp closes the runtimes of a retired version whose calls have ended, once
// its module has cleaned up. It does not wait.
func (g *generation) giveUp(idle []wire.Sandbox) {
	if len(idle) == 0 || !g.manifest.Dispose {
		closeAll(idle)
		return
	}
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		closeAll(idle)
		return
	}
	if g.lone == nil {
		g.lone = map[wire.Sandbox]struct{}{}
	}
	for _, sb := range idle {
		g.lone[sb] = struct{}{} // so that close ends it
	}
	g.disposing.Add(len(idle))
	g.mu.Unlock()
	for _, sb := range idle {
		go func() {
			defer g.disposing.Done()
			g.dispose(sb)
			g.forget(sb)
			_ = sb.Close()
		}()
	}
}

// dispose calls the module's own function dispose, where it has one. It may use
// state, settings and the log, as onLoad may.
func (g *generation) dispose(sb wire.Sandbox) {
	if !g.manifest.Dispose {
		return
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), disposeTimeout, wire.ErrDeadline)
	defer cancel()
	req := wire.CallRequest{ID: newCallID(), Tool: wire.DisposeTool, Args: []byte("{}"), Model: g.model()}
	if err := g.broker.begin(req.ID, &liveCall{call: registry.CallFrom(ctx), run: wire.RunHook, tool: "dispose", answers: answers{questions: noQuestions()}}); err != nil {
		return
	}
	defer g.broker.end(req.ID)
	var err error
	switch res := sb.Call(ctx, req); {
	case res.Thrown != nil:
		_, err = g.result(res)
	case res.Lost:
		err = errors.New("its runtime was lost")
	}
	if err != nil {
		g.broker.log.Warn("dispose did not end well", "extension", g.source.ID, "error", err)
	}
}
