package registry

import "context"

// Handler runs one call from its request to its one outcome.
type Handler func(ctx context.Context, req Request) *Outcome

// Middleware wraps the door's whole way of a call: it sees the request as the
// caller made it and the outcome as the caller will get it, redacted and
// bounded. It may answer itself, change the request, or only watch. The first
// one of a door is the outermost.
//
// It may call next again, to try once more: that is another run of the same
// call, which the hooks see and the policy judges anew, and which does not start
// any more when its batch was stopped. It may keep an outcome and give it again;
// each call gets its own copy, with its own id and duration.
type Middleware func(next Handler) Handler

// chain wraps h in the middleware.
func chain(h Handler, list []Middleware) Handler {
	for i := len(list) - 1; i >= 0; i-- {
		h = list[i](h)
	}
	return h
}
