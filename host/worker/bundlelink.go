package worker

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/host/bundle"
)

// bundleLink is the host's side of one bundler process.
type bundleLink struct {
	bundler  *Bundler
	alone    bool // for one build
	proc     *process
	conn     *conn
	lockdown Lockdown
	gone     chan struct{} // closed when everything about its death is done
	read     chan struct{} // closed when no frame will come any more
	busy     chan struct{} // wakes the meter
	meters   sync.WaitGroup

	mu      sync.Mutex
	ending  *ending // why the host ends it; nil while it does not
	dead    bool
	retired bool
	spoiled bool // something that was given up goes on in it
	builds  map[uint64]*build
	last    uint64
	blamed  uint64 // the build that is late, or was answered with nonsense
	peak    int64  // of its memory
	idle    *time.Timer
}

// build is one that the process has been asked for.
type build struct {
	opts bundle.Options
	late *time.Timer

	done   chan struct{}
	bundle *bundle.Bundle
	failed *bundle.Failures
	lost   bool // the process ended under it, and not through it
}

// connect starts a process and shakes hands with it.
func (b *Bundler) connect(reads bundle.Reads, alone bool) (*bundleLink, error) {
	proc, err := start(processors(), b.opts.HardMemory+b.opts.HardMemory/2)
	if err != nil {
		return nil, err
	}
	l := &bundleLink{
		bundler: b, alone: alone, proc: proc, conn: newConn(proc.in, proc.out),
		gone: make(chan struct{}), read: make(chan struct{}), busy: make(chan struct{}, 1), builds: map[uint64]*build{},
	}
	l.idle = time.AfterFunc(time.Hour, l.rest)
	l.idle.Stop()
	b.mu.Lock()
	b.all[l] = struct{}{}
	closed := b.closed
	b.mu.Unlock()
	go l.reap()
	if closed {
		l.end(ending{})
	}
	late := time.AfterFunc(b.opts.StartTimeout, func() {
		l.end(ending{cause: CauseStart, detail: fmt.Sprintf("it was not ready within %v", b.opts.StartTimeout)})
	})
	err = l.shake(reads)
	late.Stop()
	if err == nil {
		err = proc.limitData(b.opts.HardMemory * memoryFactor)
	}
	if err != nil {
		l.end(ending{cause: CauseStart, detail: err.Error()})
		close(l.read)
		<-l.gone
		words, _ := proc.words.get()
		if closed {
			err = ErrClosed
		}
		return nil, fmt.Errorf("%w %s", err, firstLine(words))
	}
	go l.receive()
	l.meters.Go(l.meter)
	l.idle.Reset(b.restAfter())
	return l, nil
}

func (l *bundleLink) shake(reads bundle.Reads) error {
	hi, err := grantFrame(hello{SoftMemory: l.bundler.opts.SoftMemory}, reads)
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
		return fmt.Errorf("the bundler speaks version %d and the host %d", r.Protocol, protocol)
	}
	l.lockdown = r.Lockdown
	return nil
}

// receive reads what the process says. It waits for nothing else.
func (l *bundleLink) receive() {
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

// handle takes the result of a build. An error is one that no bundler of ours
// makes.
func (l *bundleLink) handle(f *frame) error {
	if f.Kind != kindBuilt {
		return fmt.Errorf("%w: of kind %q", errFrame, f.Kind)
	}
	l.mu.Lock()
	run := l.builds[f.ID]
	l.mu.Unlock()
	if run == nil {
		return fmt.Errorf("%w: a build that nobody asked for", errFrame)
	}
	out, err := f.outcome()
	var made *bundle.Bundle
	var fails *bundle.Failures
	if err == nil {
		if made, err = out.Result(run.opts); errors.As(err, &fails) {
			err = nil
		}
	}
	if err != nil {
		l.mu.Lock()
		l.blamed = f.ID
		l.mu.Unlock()
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	if out.Unfinished {
		l.retire(true)
	}
	l.mu.Lock()
	if delete(l.builds, f.ID); len(l.builds) == 0 {
		if l.retired || l.alone {
			defer l.end(ending{})
		} else {
			l.idle.Reset(l.bundler.restAfter())
		}
	}
	l.mu.Unlock()
	run.end(made, fails, false)
	return nil
}

// begin asks for a build, or gives nil where the process takes no more.
func (l *bundleLink) begin(o bundle.Options) *build {
	run := &build{opts: o, done: make(chan struct{})}
	l.mu.Lock()
	if !l.fits() {
		l.mu.Unlock()
		return nil
	}
	l.idle.Stop()
	l.last++
	id := l.last
	l.builds[id] = run
	if o.Timeout > 0 {
		run.late = time.AfterFunc(o.Timeout+l.bundler.grace, func() { l.late(id) })
	}
	l.mu.Unlock()
	select {
	case l.busy <- struct{}{}:
	default:
	}
	f, err := buildFrame(id, o)
	if err == nil {
		err = l.conn.send(f)
	}
	if errors.Is(err, errTooLarge) {
		l.mu.Lock()
		l.blamed = id
		l.mu.Unlock()
		l.end(ending{cause: CauseProtocol, detail: err.Error()})
	}
	return run // if it could not be sent, the process is dying, and the build ends with it
}

// end ends a build. It is called once.
func (r *build) end(made *bundle.Bundle, failed *bundle.Failures, lost bool) {
	if r.late != nil {
		r.late.Stop()
	}
	r.bundle, r.failed, r.lost = made, failed, lost
	close(r.done)
}

// late ends a process that does not even answer that a build took too long.
func (l *bundleLink) late(id uint64) {
	l.mu.Lock()
	if l.builds[id] == nil || l.blamed != 0 {
		l.mu.Unlock()
		return
	}
	l.blamed = id
	l.mu.Unlock()
	l.end(ending{cause: CauseTimeout, detail: "a build did not end"})
}
