package worker

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// request is one that the broker works on.
type request struct {
	call    *call // nil: the module's own
	cancel  context.CancelFunc
	dropped bool
}

// opened is a stream that the worker knows of.
type opened struct {
	call    *call
	request uint64 // that opened it
	ctx     context.Context
	cancel  context.CancelFunc
}

// What one sandbox may have asked for at once; package sandbox bounds each call.
// Together those of a worker send no more than maxAskedInAll, of which none takes
// more than it leaves to the others.
const (
	maxAsked      = 4096
	maxAskedSize  = 2 * maxPayload
	maxAskedInAll = 4 * maxAskedSize
	maxCredit     = 1 << 20
)

// handle acts on a frame about the sandbox.
func (s *remote) handle(l *link, f *frame) error {
	switch f.Kind {
	case kindDo:
		req, err := f.request()
		if err != nil {
			return fmt.Errorf("%w: %w", errFrame, err)
		}
		s.do(l, f.ID, req)
	case kindRead:
		s.read(l, f.ID, wire.Stream(f.Stream), f.Max)
	case kindShut:
		s.mu.Lock()
		o := s.streams[wire.Stream(f.Stream)]
		delete(s.streams, wire.Stream(f.Stream))
		s.mu.Unlock()
		if o != nil {
			o.cancel()
			go s.broker.CloseStream(wire.Stream(f.Stream))
		}
	case kindDrop:
		s.drop(f.ID)
	case kindDone:
		s.finish()
	case kindSuspect:
		s.factory.accuse(s.req.Extension, "")
	case kindSound:
		closed := s.isClosed()
		l.mu.Lock()
		delete(l.doubted, f.Sandbox)
		if closed && l.closing[f.Sandbox] == nil {
			delete(l.sandboxes, f.Sandbox)
		}
		l.mu.Unlock()
	case kindSpent:
		s.factory.accuse(s.req.Extension, s.req.Hash)
		l.retire(ending{cause: CauseTimeout, detail: "code goes on in native code that nothing interrupts", by: s})
	}
	return nil
}

// do passes a request to the broker, if the call that it names runs. Which call
// that is, the host says, not the worker.
func (s *remote) do(l *link, id uint64, req wire.Request) {
	ctx, r, refusal := s.enter(id, &req)
	if refusal != nil {
		l.refuse(id, refusal)
		return
	}
	size := len(req.Data) + len(req.Payload)
	most := maxAsked
	if req.Op.Effect() == 0 {
		most *= 2 // a log line is not for the requests to crowd out
	}
	if !l.ask(s, size, most) {
		s.leaveOpen(id, r, ctx, 0)
		r.cancel()
		l.refuse(id, errTooMany)
		return
	}
	go func() {
		resp, err := s.broker.Do(ctx, req)
		ended := err != nil && ctx.Err() != nil
		if kept := s.leaveOpen(id, r, ctx, resp.Stream); !kept {
			r.cancel()
		}
		f := answerFrame(id, resp, err)
		if ended {
			f.Flag = flagEnded
		}
		l.answer(s, f, size)
	}()
}

// enter decides whether a request may be made and notes what it does.
func (s *remote) enter(id uint64, req *wire.Request) (context.Context, *request, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.live[req.Call]
	anybody := req.Op == wire.OpLog || req.Op == wire.OpEnv
	if s.closed || (c == nil || c.load) && !anybody || s.requests[id] != nil {
		return nil, nil, errNoCall
	}
	ctx := s.life
	if c != nil {
		ctx = c.ctx
		req.Call, req.Tool = c.req.ID, c.req.Tool
		if req.Op.Acts() {
			c.acted = true
		}
	}
	r := &request{call: c}
	ctx, r.cancel = context.WithCancel(ctx)
	s.requests[id] = r
	return ctx, r, nil
}

// leaveOpen ends a request and keeps the stream that it opened, if there is one
// and anybody to read it.
func (s *remote) leaveOpen(id uint64, r *request, ctx context.Context, stream wire.Stream) (kept bool) {
	s.mu.Lock()
	if s.requests[id] == r {
		delete(s.requests, id)
	}
	orphan := r.dropped || s.closed || r.call != nil && r.call.ended
	if stream != 0 && !orphan {
		s.streams[stream] = &opened{call: r.call, request: id, ctx: ctx, cancel: r.cancel}
		kept = true
	}
	s.mu.Unlock()
	if stream != 0 && orphan {
		s.broker.CloseStream(stream)
	}
	return kept
}

// drop gives up a request, or the stream that it has opened meanwhile.
func (s *remote) drop(id uint64) {
	var stream wire.Stream
	s.mu.Lock()
	if r := s.requests[id]; r != nil {
		r.dropped = true
		if c := r.call; c != nil && c.caller.Err() != nil {
			c.cancel(context.Cause(c.caller)) // the worker was told first
		}
		r.cancel()
	}
	for n, o := range s.streams {
		if o.request == id {
			stream = n
			o.cancel()
			delete(s.streams, n)
		}
	}
	s.mu.Unlock()
	if stream != 0 {
		go s.broker.CloseStream(stream)
	}
}

// read reads from a stream.
func (s *remote) read(l *link, id uint64, stream wire.Stream, limit int) {
	s.mu.Lock()
	ctx, r := s.life, &request{}
	if o := s.streams[stream]; o != nil {
		ctx, r.call = o.ctx, o.call
	}
	ctx, r.cancel = context.WithCancel(ctx)
	taken := s.requests[id] != nil
	if !taken {
		s.requests[id] = r
	}
	s.mu.Unlock()
	if taken || !l.ask(s, maxCredit, maxAsked) {
		r.cancel()
		l.refuse(id, errTooMany)
		return
	}
	go func() {
		b, err := s.broker.Read(ctx, stream, min(max(limit, 1), maxCredit))
		ended := err != nil && ctx.Err() != nil
		r.cancel()
		s.mu.Lock()
		delete(s.requests, id)
		if o := s.streams[stream]; o != nil && errors.Is(err, io.EOF) {
			o.cancel()
			delete(s.streams, stream)
		}
		s.mu.Unlock()
		f := answerFrame(id, wire.Response{Payload: b}, err)
		if ended {
			f.Flag = flagEnded
		}
		l.answer(s, f, maxCredit)
	}()
}

// errTooMany refuses what would be more than a sandbox may have under way.
var errTooMany = &wire.Error{Kind: registry.KindOther, Name: "RangeError", Code: "too_many",
	Message: fmt.Sprintf("more than %d requests of the extension, or %d MB, wait for their answer", maxAsked, maxAskedSize>>20),
	Hint:    "await some before you make more"}

// ask takes a place for a request of a sandbox, if it has less than most.
func (l *link) ask(s *remote, size, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.asked >= most || s.askedSize+size > min(maxAskedSize, maxAskedInAll-l.askedSize) {
		return false
	}
	s.asked++
	s.askedSize += size
	l.askedSize += size
	return true
}

// answer sends the answer to a request and gives its place back.
func (l *link) answer(s *remote, f *frame, size int) {
	if err := l.conn.send(f); errors.Is(err, errTooLarge) {
		l.reply(answerFrame(f.ID, wire.Response{}, &wire.Error{Kind: registry.KindOther, Name: "RangeError", Code: "too_large", Message: "the answer is too large"}))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	s.asked--
	s.askedSize -= size
	l.askedSize -= size
}
