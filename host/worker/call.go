package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// call is a load or call that the worker has not answered.
type call struct {
	sandbox *remote
	link    *link
	id      uint64
	load    bool
	req     wire.CallRequest
	caller  context.Context

	// ctx goes with the requests of the call. It ends with the call, and
	// already when the call is late.
	ctx    context.Context
	cancel context.CancelCauseFunc
	sent   chan struct{} // closed when the worker was told of the call

	once    sync.Once
	done    chan struct{}
	answer  *frame // holds the result, if the worker gave one
	result  wire.CallResult
	loaded  wire.LoadResult
	loadErr error

	// Guarded by the sandbox's mutex.
	acted bool
	ended bool
}

func (s *remote) newCall(caller context.Context, req wire.CallRequest, l *link) *call {
	c := &call{sandbox: s, link: l, req: req, caller: caller, sent: make(chan struct{}), done: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	return c
}

// run sends the call and waits for its end, which comes soon after ctx ends
// whatever the worker does.
func (c *call) run(ctx context.Context, f *frame, err error) {
	stop := context.AfterFunc(ctx, c.late)
	defer stop()
	if err == nil {
		if err = c.link.conn.send(f); !errors.Is(err, errTooLarge) {
			err = nil // the worker is dying then, and the call ends with it
		}
	}
	close(c.sent)
	if err != nil && c.link.take(c.id, c.load) != nil {
		c.finishLoad(wire.LoadResult{}, err)
		c.finish(wire.CallResult{Thrown: &wire.Thrown{Kind: registry.KindOther, Code: "internal", Message: "the call could not be sent: " + err.Error()}})
	}
	<-c.done
}

// patience is how long a worker has to answer after a call's context has ended:
// what the sandbox in it takes at most, and a margin.
func (c *call) patience() time.Duration {
	grace := c.sandbox.req.Limits.Grace
	if grace == 0 {
		grace = 20 * time.Millisecond
	}
	return 12*grace + 250*time.Millisecond
}

// late tells the worker that the call's context has ended, and ends the worker
// if the call does not end.
func (c *call) late() {
	cause := context.Cause(c.caller)
	timer := time.AfterFunc(c.patience(), func() {
		c.link.end(ending{cause: CauseTimeout, detail: "a call did not end after its deadline", late: c})
	})
	defer timer.Stop()
	select {
	case <-c.sent:
	case <-c.done:
		return
	}
	c.link.reply(&frame{header: header{Kind: kindCancel, ID: c.id, Flag: causeFlag(cause)}})
	// Only now: the worker must not see a request fail before it knows why.
	c.cancel(cause)
	<-c.done
}

// finish ends a call. Only the first end counts.
func (c *call) finish(r wire.CallResult) {
	c.once.Do(func() {
		r.Acted = c.conclude()
		c.result = r
		close(c.done)
	})
}

// deliver ends a call with what the worker says, which the caller's goroutine
// reads: the one that calls this has others to serve.
func (c *call) deliver(f *frame) {
	c.once.Do(func() {
		c.answer = f
		c.result.Acted = c.conclude()
		close(c.done)
	})
}

// read gives the result of a call that has ended.
func (c *call) read() wire.CallResult {
	if c.answer == nil {
		return c.result
	}
	res, err := c.answer.callResult()
	if err != nil {
		e := ending{cause: CauseProtocol, detail: err.Error(), by: c.sandbox}
		c.link.end(e)
		v := verdict{cause: e.cause, detail: e.detail}
		res = wire.CallResult{Thrown: v.thrown(c), Guilty: true}
	}
	res.Acted = c.result.Acted
	if res.Guilty || res.Lost {
		c.sandbox.finish() // before the caller comes with another call
	}
	if res.Guilty && res.Thrown != nil && res.Thrown.Code == codeStuck {
		c.link.doubt(c.sandbox.id)
	}
	return res
}

// finishLoad ends a load.
func (c *call) finishLoad(r wire.LoadResult, err error) {
	if !c.load {
		return
	}
	c.once.Do(func() {
		c.conclude()
		c.loaded, c.loadErr = r, err
		close(c.done)
	})
}

// lose ends a load or call whose worker or sandbox went away under it.
func (c *call) lose(culprit string, died bool) {
	if c.load {
		err := errWorkerLost
		if s := c.sandbox; s.isClosed() {
			err = errSandboxClosed
		}
		c.finishLoad(wire.LoadResult{}, err)
		return
	}
	c.finish(wire.CallResult{Lost: true, Died: died, Culprit: culprit})
}

// conclude takes the call's rights away, ends what it has open and reports
// whether it had acted.
func (c *call) conclude() (acted bool) {
	s := c.sandbox
	var left []wire.Stream
	s.mu.Lock()
	c.ended = true
	acted = c.acted
	if s.live[c.req.ID] == c {
		delete(s.live, c.req.ID)
	}
	for id, o := range s.streams {
		if o.call == c {
			delete(s.streams, id)
			left = append(left, id)
		}
	}
	s.mu.Unlock()
	c.cancel(context.Canceled)
	for _, id := range left {
		s.broker.CloseStream(id)
	}
	return acted
}

func (s *remote) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}
