package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
)

// link is the host's side of one worker.
type link struct {
	factory  *Factory
	proc     *process
	conn     *conn
	lockdown Lockdown
	gone     chan struct{} // closed when everything about its death is done
	busy     chan struct{} // wakes the meter
	read     chan struct{} // closed when no frame will come any more
	pongs    chan struct{}

	mu        sync.Mutex
	ending    *ending // why the host ends it; nil while it does not
	dead      bool
	retired   bool
	abandoned bool            // no sandbox will be added
	doubted   map[uint64]bool // sandboxes whose code may still be going on
	open      int             // sandboxes
	sandboxes map[uint64]*remote
	closing   map[uint64]*time.Timer // sandboxes that were told to close
	calls     map[uint64]*call
	last      uint64 // number of a sandbox or call
	peak      int64  // of its memory
	askedSize int    // bytes of the requests that are being answered
	refusals  int    // that are being sent
}

// ending is why the host ends a worker. The zero value is that it is not needed
// any more.
type ending struct {
	cause  Cause
	detail string
	late   *call   // whose deadline passed without an answer
	by     *remote // whose code is known to be at fault
}

// connect starts a worker and shakes hands with it.
func (f *Factory) connect() (*link, error) {
	proc, err := start(processors(), f.opts.HardMemory+f.opts.HardMemory/2)
	if err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	l := &link{
		factory: f, proc: proc, conn: newConn(proc.in, proc.out),
		gone: make(chan struct{}), busy: make(chan struct{}, 1), read: make(chan struct{}), pongs: make(chan struct{}, 1),
		sandboxes: map[uint64]*remote{}, closing: map[uint64]*time.Timer{}, doubted: map[uint64]bool{}, calls: map[uint64]*call{},
	}
	f.mu.Lock()
	f.all[l] = struct{}{}
	closed := f.closed
	f.mu.Unlock()
	go l.reap()
	if closed {
		l.end(ending{})
	}
	late := time.AfterFunc(f.opts.StartTimeout, func() {
		l.end(ending{cause: CauseStart, detail: fmt.Sprintf("it was not ready within %v", f.opts.StartTimeout)})
	})
	err = l.shake()
	if !late.Stop() && err == nil {
		err = context.DeadlineExceeded
	}
	if err == nil {
		if err := proc.limitData(f.opts.HardMemory * memoryFactor); err != nil {
			l.lockdown.Why = append(l.lockdown.Why, "limit on memory: "+err.Error())
		}
	}
	if err != nil {
		l.end(ending{cause: CauseStart, detail: err.Error()})
		close(l.read)
		<-l.gone
		words, _ := proc.words.get()
		return nil, fmt.Errorf("start a worker: %w (%s) %s", err, l.ending.detail, words)
	}
	go l.receive()
	go l.meter()
	return l, nil
}

// shake sends the first frame and waits for the worker's.
func (l *link) shake() error {
	hi, err := message(header{Kind: kindHello}, hello{
		Protocol: protocol, Zone: l.factory.zone, Locale: locale(), SoftMemory: l.factory.opts.SoftMemory,
	}, l.factory.zoneData)
	if err != nil {
		return err
	}
	if err := l.conn.send(hi); err != nil {
		return err
	}
	f, err := l.conn.receive()
	if err != nil {
		return err
	}
	var r ready
	if err := f.decode(kindReady, &r); err != nil {
		return err
	}
	if r.Protocol != protocol {
		return fmt.Errorf("the worker speaks version %d and the host %d", r.Protocol, protocol)
	}
	l.lockdown = r.Lockdown
	return nil
}

// fit reports whether the worker takes new sandboxes.
func (l *link) fit() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.dead && !l.retired && l.ending == nil && len(l.doubted) == 0
}

// receive reads what the worker says. It waits for nothing else.
func (l *link) receive() {
	defer close(l.read)
	for {
		f, err := l.conn.receive()
		if err == nil {
			err = l.handle(f)
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF) || !errors.Is(err, errFrame):
			l.end(ending{cause: CauseCrash}) // if it has not ended by itself
			return
		default:
			l.end(ending{cause: CauseProtocol, detail: err.Error()})
			return
		}
	}
}

// handle acts on one frame. An error is one that no worker of ours sends.
func (l *link) handle(f *frame) error {
	switch f.Kind {
	case kindLoaded:
		c := l.take(f.ID, true)
		if c == nil {
			return nil // it was given up
		}
		res, err := f.loadResult()
		if res.Failure != nil && c.caller.Err() != nil {
			l.doubt(c.sandbox.id) // the parser may have been left behind
		}
		if errors.Is(err, errFrame) {
			c.finishLoad(wire.LoadResult{}, errWorkerLost)
			return err
		}
		c.finishLoad(res, err)
	case kindResult:
		c := l.take(f.ID, false)
		if c == nil {
			return nil
		}
		c.deliver(f)
	case kindClosed:
		l.closed(f.Sandbox)
	case kindDo, kindRead, kindShut, kindDrop, kindDone, kindSuspect, kindSound, kindSpent:
		l.mu.Lock()
		s := l.sandboxes[f.Sandbox]
		l.mu.Unlock()
		if s == nil {
			if f.Kind == kindDo || f.Kind == kindRead {
				l.refuse(f.ID, errNoCall)
			}
			return nil
		}
		return s.handle(l, f)
	case kindPong:
		select {
		case l.pongs <- struct{}{}:
		default:
		}
	default:
		return fmt.Errorf("%w: of kind %q", errFrame, f.Kind)
	}
	return nil
}

// reply sends a frame. A worker that cannot be reached is dying, which is dealt
// with elsewhere.
func (l *link) reply(f *frame) { _ = l.conn.send(f) }

// maxRefusals is how many refusals may wait for a worker to read them. Ours reads
// always.
const maxRefusals = 4096

// refuse tells the worker that a request is not answered. One that does not
// listen, and goes on asking, is ended.
func (l *link) refuse(id uint64, err error) {
	l.mu.Lock()
	l.refusals++
	many := l.refusals > maxRefusals
	l.mu.Unlock()
	if many {
		l.end(ending{cause: CauseProtocol, detail: "it goes on asking and does not read the answers"})
	}
	go func() {
		l.reply(answerFrame(id, wire.Response{}, err))
		l.mu.Lock()
		l.refusals--
		l.mu.Unlock()
	}()
}

// ping goes to the worker and back, and does nothing there.
func (l *link) ping() error {
	if err := l.conn.send(&frame{header: header{Kind: kindPing}}); err != nil {
		return err
	}
	select {
	case <-l.pongs:
		return nil
	case <-l.gone:
		return errWorkerLost
	}
}

// take takes out a load or call whose answer has come.
func (l *link) take(id uint64, load bool) *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.calls[id]
	if c == nil || c.load != load {
		return nil
	}
	delete(l.calls, id)
	return c
}
