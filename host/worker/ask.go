package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// asker is the broker of a sandbox here: it asks the host.
type asker struct {
	server  *server
	sandbox uint64
}

var _ wire.Broker = (*asker)(nil)

// Do implements [wire.Broker].
func (a *asker) Do(ctx context.Context, req wire.Request) (wire.Response, error) {
	id := a.server.lastAsk.Add(1)
	f, err := doFrame(id, a.sandbox, req)
	if err != nil {
		return wire.Response{}, err
	}
	if req.Op == wire.OpLog || req.Op == wire.OpProgress {
		// What a call says in its last moments counts, as it does in the host's
		// own process.
		ctx = context.WithoutCancel(ctx)
	}
	resp, err := a.ask(ctx, f)
	if errors.Is(err, errTooLarge) {
		return resp, &wire.Error{Kind: registry.KindOther, Name: "RangeError", Code: "too_large",
			Message: fmt.Sprintf("%s: %d bytes at once are too many", req.Op, len(req.Data)+len(req.Payload))}
	}
	return resp, err
}

// Read implements [wire.Broker].
func (a *asker) Read(ctx context.Context, stream wire.Stream, max int) ([]byte, error) {
	id := a.server.lastAsk.Add(1)
	resp, err := a.ask(ctx, &frame{header: header{Kind: kindRead, ID: id, Sandbox: a.sandbox, Stream: uint64(stream), Max: max}})
	return resp.Payload, err
}

// CloseStream implements [wire.Broker].
func (a *asker) CloseStream(stream wire.Stream) {
	_ = a.server.conn.send(&frame{header: header{Kind: kindShut, Sandbox: a.sandbox, Stream: uint64(stream)}})
}

// ask sends a request and waits for the answer, or until ctx ends.
func (a *asker) ask(ctx context.Context, f *frame) (wire.Response, error) {
	if err := ctx.Err(); err != nil {
		return wire.Response{}, err
	}
	s := a.server
	answer := make(chan *frame, 1)
	s.mu.Lock()
	s.waiting[f.ID] = answer
	s.mu.Unlock()
	if err := s.conn.send(f); err != nil {
		s.mu.Lock()
		delete(s.waiting, f.ID)
		s.mu.Unlock()
		return wire.Response{}, err
	}
	select {
	case got := <-answer:
		return got.told(ctx)
	case <-ctx.Done():
	}
	s.mu.Lock()
	_, unanswered := s.waiting[f.ID]
	delete(s.waiting, f.ID)
	s.mu.Unlock()
	if !unanswered {
		return (<-answer).told(ctx) // it came at the same moment
	}
	_ = s.conn.send(&frame{header: header{Kind: kindDrop, ID: f.ID, Sandbox: a.sandbox}})
	return wire.Response{}, ctx.Err()
}

// told is what an answer says. That the host gave the request up means that the
// call has ended; code must not hear of it before the sandbox does, or it would
// look like an error of its own.
func (f *frame) told(ctx context.Context) (wire.Response, error) {
	if f.Flag == flagEnded && ctx.Done() != nil {
		<-ctx.Done()
		return wire.Response{}, ctx.Err()
	}
	return f.answer()
}

// answered passes an answer on. A stream that came too late is the host's to
// close: it was told that nobody waits.
func (s *server) answered(f *frame) {
	s.mu.Lock()
	answer := s.waiting[f.ID]
	delete(s.waiting, f.ID)
	s.mu.Unlock()
	if answer != nil {
		answer <- f
	}
}
