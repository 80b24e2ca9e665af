package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// request is one that the broker has not answered.
type request struct {
	cancel  context.CancelFunc
	dropped bool        // or answered
	stream  wire.Stream // that it reads from, or zero
	// refuse rejects the promise when the call ends. It is set where code of
	// another call waits, which goes on.
	refuse func()
}

// drop gives a request up; its answer will go nowhere.
func (s *Sandbox) drop(c *call, r *request) {
	if r.dropped {
		return
	}
	r.dropped = true
	r.cancel()
	delete(c.requests, r)
	s.reserved--
}

// Request implements [jsapi.Caller].
func (a caller) Request(req wire.Request, done func(wire.Response) (goja.Value, error)) (*goja.Object, func()) {
	s := a.s
	var resp wire.Response
	return a.start(task{
		op: req.Op, as: req.As, size: len(req.Payload),
		work: func(ctx context.Context, c *call) error {
			req.Call, req.Tool = c.req.ID, c.req.Tool
			var err error
			resp, err = s.broker.Do(ctx, req)
			return err
		},
		done: func(c *call, cancel context.CancelFunc) (goja.Value, error) {
			if resp.Stream == 0 {
				cancel()
				return done(resp)
			}
			// The body lives as long as the request's context.
			if c.streams == nil {
				c.streams = map[wire.Stream]context.CancelFunc{}
			}
			c.streams[resp.Stream] = cancel
			return done(resp)
		},
		discard: func() {
			if resp.Stream != 0 {
				s.broker.CloseStream(resp.Stream)
			}
		},
	})
}

// Read implements [jsapi.Caller].
func (a caller) Read(stream wire.Stream, max int) *goja.Object {
	s := a.s
	var chunk []byte
	eof := false
	obj, _ := a.start(task{
		as: "reading on", stream: stream,
		work: func(ctx context.Context, _ *call) error {
			var err error
			chunk, err = s.broker.Read(ctx, stream, max)
			if errors.Is(err, io.EOF) {
				eof, err = true, nil
			}
			return err
		},
		done: func(c *call, cancel context.CancelFunc) (goja.Value, error) {
			cancel()
			if eof && len(chunk) == 0 {
				s.closeStream(c, stream)
				return goja.Null(), nil
			}
			return s.globals.Bytes(chunk)
		},
		discard: func() {},
	})
	return obj
}

// task is what a call waits for.
type task struct {
	op     wire.Op
	as     string
	stream wire.Stream
	size   int                                // bytes that it sends
	work   func(context.Context, *call) error // on its own goroutine
	done   func(*call, context.CancelFunc) (goja.Value, error)
	// discard is called instead of done when nobody waits any more.
	discard func()
}

// maxRequests bounds what one call can have under way; each is a goroutine. What
// the requests of a sandbox send counts together, for each has a copy.
const (
	maxRequests = 2000
	maxSent     = 128 << 20
)

// newSlots has those of which each answer may be ten megabytes wait for one
// another, until the loop has taken it.
func newSlots() map[wire.Op]chan struct{} {
	return map[wire.Op]chan struct{}{wire.OpReadFile: make(chan struct{}, 16), wire.OpFetch: make(chan struct{}, 64)}
}

// start runs a task on its own goroutine and settles a promise with what it
// brings.
func (a caller) start(t task) (*goja.Object, func()) {
	s := a.s
	promise, resolve, reject := s.vm.NewPromise()
	obj := s.vm.ToValue(promise).(*goja.Object)
	stack := s.vm.CaptureCallStack(maxFrames, nil)
	c := a.call()
	if c == nil || !a.act(c, t.op) {
		s.native(reject(s.globals.Error(a.refusal(t.op, t.as), s.stackText(stack))))
		return obj, func() {}
	}
	many := ""
	switch {
	case len(c.requests) >= maxRequests:
		many = fmt.Sprintf("%s: more than %d requests of one call wait for their answer", t.as, maxRequests)
	case t.size > 0 && s.sent+t.size > maxSent:
		many = fmt.Sprintf("%s: more than %d bytes are on their way", t.as, maxSent)
	}
	if many != "" {
		s.native(reject(s.globals.Error(&wire.Error{Kind: registry.KindOther, Name: "RangeError", Code: "too_many",
			Message: many, Hint: "await some before you make more"}, s.stackText(stack))))
		return obj, func() {}
	}
	ctx, cancel := context.WithCancel(c.ctx)
	r := &request{cancel: cancel, stream: t.stream}
	if waits := s.turn.current.Load(); waits != nil && waits != c {
		r.refuse = func() {
			s.as(waits, func() error { return reject(s.globals.Error(a.refusal(t.op, t.as), s.stackText(stack))) })
		}
	}
	if c.requests == nil {
		c.requests = map[*request]struct{}{}
	}
	c.requests[r] = struct{}{}
	s.reserved++
	s.sent += t.size
	slot := s.slots[t.op]
	go func() {
		var err error
		if slot != nil {
			select {
			case slot <- struct{}{}:
			case <-ctx.Done():
				slot, err = nil, ctx.Err()
			}
		}
		if err == nil {
			err = t.work(ctx, c)
		}
		posted := s.loop.post(func() {
			s.sent -= t.size
			if slot != nil {
				<-slot
			}
			if r.dropped {
				cancel()
				t.discard()
				return
			}
			r.dropped = true // too late to cancel
			delete(c.requests, r)
			s.reserved--
			s.as(c, func() error {
				if err != nil {
					cancel()
					return reject(s.globals.Error(jsError(err), s.stackText(stack)))
				}
				v, err := t.done(c, cancel)
				if err != nil {
					if thrown, ok := err.(*goja.Exception); ok {
						return reject(thrown.Value())
					}
					return reject(s.globals.Error(jsError(err), s.stackText(stack)))
				}
				return resolve(v)
			})
		})
		if !posted {
			cancel()
			t.discard()
		}
	}()
	return obj, func() { s.drop(c, r) }
}

// CloseStream implements [jsapi.Caller].
func (a caller) CloseStream(stream wire.Stream) {
	c := a.bound
	if c == nil {
		c = a.s.turn.current.Load()
	}
	if c != nil {
		a.s.closeStream(c, stream)
	}
}

// closeStream gives up a stream of c's, and whatever reads from it; another
// call's is none of its business.
func (s *Sandbox) closeStream(c *call, stream wire.Stream) {
	cancel, ok := c.streams[stream]
	if !ok {
		return
	}
	delete(c.streams, stream)
	for r := range c.requests {
		if r.stream == stream {
			s.drop(c, r)
		}
	}
	cancel()
	s.broker.CloseStream(stream)
}
