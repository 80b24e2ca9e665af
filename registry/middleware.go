package registry

import "context"

// Handler runs one call from its request to its one outcome.
type Handler func(ctx context.Context, req Request) *Outcome

// Middleware wraps the door's whole way of a call: it sees the request as the
// caller made it and the outcome as the caller will get it, redacted and
// bounded. It may answer itself, change the request, or only watch. The first
// one of a door is the outermost.
type Middleware func(next Handler) Handler

// chain wraps h in the middleware.
func chain(h Handler, list []Middleware) Handler {
	for i := len(list) - 1; i >= 0; i-- {
		h = list[i](h)
	}
	return h
}
