package rpc

import (
	"context"
	"time"

	"github.com/creachadair/jrpc2"

	"github.com/rho-ext/rho-ext/internal/relay"
	"github.com/rho-ext/rho-ext/registry"
)

// progressQueue is how many reports of a call can wait for a slow client.
const progressQueue = 64

type progressParams struct {
	CallID string `json:"callId"`
	registry.Progress
}

// receiveCall enters a call, so that a cancelCall that comes right after it finds
// it, and returns the handler that runs it. What goes wrong in the call is part
// of the outcome; an error is for a request that does not make one.
func (c *session) receiveCall(ctx context.Context, req *jrpc2.Request, read func(*jrpc2.Request) (registry.Request, error)) jrpc2.Handler {
	if req.IsNotification() {
		// Nobody would hear of the outcome, and what comes next would wait.
		return refusal(jrpc2.Errorf(jrpc2.InvalidRequest, "%s needs a request id", req.Method()))
	}
	r, err := read(req)
	if err != nil {
		return refusal(err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	if r.ID, err = c.enter(r.ID, cancel); err != nil {
		cancel(nil)
		return refusal(err)
	}
	return func(handling context.Context, _ *jrpc2.Request) (any, error) {
		defer cancel(nil)
		defer c.leave(r.ID)
		server := jrpc2.ServerFromContext(handling)
		reports := relay.New(progressQueue, func(p registry.Progress) {
			// A client that is gone misses nothing.
			_ = server.Notify(ctx, "tool/progress", progressParams{CallID: r.ID, Progress: p})
		})
		defer reports.Close() // every report comes before the outcome
		r.Progress = reports.Send
		return c.server.door.Call(ctx, r), nil
	}
}

func refusal(err error) jrpc2.Handler {
	return func(context.Context, *jrpc2.Request) (any, error) { return nil, err }
}

// callRequest reads the params of callTool.
func callRequest(req *jrpc2.Request) (r registry.Request, err error) {
	timeoutMS := 0.0
	err = params(req,
		field{name: "name", into: &r.Tool, required: true},
		field{name: "arguments", into: &r.Arguments},
		field{name: "id", into: &r.ID},
		field{name: "timeoutMs", into: &timeoutMS},
		field{name: "values", into: &r.Values},
	)
	if err != nil {
		return r, err
	}
	r.Timeout, err = timeoutOf(timeoutMS)
	return r, err
}

func timeoutOf(ms float64) (time.Duration, error) {
	if ms < 0 || ms > maxTimeout.Seconds()*1000 {
		return 0, badParam("timeoutMs", "expected milliseconds up to %v, got %v", maxTimeout, ms)
	}
	return time.Duration(ms * float64(time.Millisecond)), nil
}

// maxTimeout is the longest deadline that a client can ask for.
const maxTimeout = 24 * time.Hour

// cancelCall ends the call with that id; its own request is answered with the
// outcome.
func (c *session) cancelCall(_ context.Context, req *jrpc2.Request) (any, error) {
	var id string
	if err := params(req, field{name: "id", into: &id, required: true}); err != nil {
		return nil, err
	}
	return map[string]bool{"cancelled": c.cancel(id)}, nil
}
