package worker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
)

// Factory makes sandboxes in worker processes. It is safe for concurrent use.
type Factory struct {
	opts     Options
	zone     string // the host's time zone: its name or its data
	zoneData []byte

	mu      sync.Mutex
	closed  bool
	groups  map[string]*launch // workers that take new sandboxes, by what shares them
	spare   *launch
	all     map[*link]struct{} // those that have not been reaped
	suspect map[string]suspicion
}

var _ wire.Factory = (*Factory)(nil)

// suspicion is that an extension takes workers down.
type suspicion struct {
	hash  string // of the code that did; empty: it was near when one died
	until time.Time
	alone int // workers that it has for single sandboxes
}

const (
	// doubtFor is how long an extension is kept apart that was near a death.
	doubtFor = time.Minute
	// blameFor is how long one is that was seen to cause it, unless its code
	// changes.
	blameFor = time.Hour
	// maxAlone bounds the workers for single sandboxes of one extension. More
	// sandboxes share one.
	maxAlone = 8
)

// launch is a worker that is being started, or was.
type launch struct {
	done chan struct{}
	link *link
	err  error
}

// NewFactory makes a factory. No process is started yet. It fails with
// [ErrNoMain] where [Main] has not run.
func NewFactory(o Options) (*Factory, error) {
	if !mainRan.Load() {
		return nil, ErrNoMain
	}
	f := &Factory{
		opts:    o.withDefaults(),
		groups:  map[string]*launch{},
		all:     map[*link]struct{}{},
		suspect: map[string]suspicion{},
	}
	f.zone, f.zoneData = localZone()
	return f, nil
}

// Prepare starts the worker that the first sandbox will take, while its
// extension is still being bundled.
func (f *Factory) Prepare() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed && f.spare == nil && len(f.groups) == 0 {
		f.spare = f.launch()
	}
}

// NewSandbox implements [wire.Factory]. The sandbox gets its worker when it is
// loaded.
func (f *Factory) NewSandbox(b wire.Broker) (wire.Sandbox, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, ErrClosed
	}
	s := &remote{
		factory: f, broker: b, done: make(chan struct{}),
		live: map[string]*call{}, requests: map[uint64]*request{}, streams: map[wire.Stream]*opened{},
	}
	s.life, s.endLife = context.WithCancel(context.Background())
	return s, nil
}

// Lockdown tells what workers have given up of the system. It starts one if
// there is none.
func (f *Factory) Lockdown(ctx context.Context) (Lockdown, error) {
	l, err := f.shared(ctx, "")
	if err != nil {
		return Lockdown{}, err
	}
	return l.lockdown, nil
}

// Close implements [wire.Factory]: it ends all workers, and calls that run are
// lost. It waits until the processes are gone, for two seconds at most.
func (f *Factory) Close() error {
	f.mu.Lock()
	f.closed = true
	pending := []*launch{f.spare}
	for _, l := range f.groups {
		pending = append(pending, l)
	}
	f.groups, f.spare = map[string]*launch{}, nil
	f.mu.Unlock()

	late := time.After(2 * time.Second)
	f.endAll()
	for _, l := range pending {
		if l != nil {
			select {
			case <-l.done:
			case <-late:
				return fmt.Errorf("a worker did not start or end in time")
			}
		}
	}
	for _, l := range f.endAll() {
		select {
		case <-l.gone:
		case <-late:
			return fmt.Errorf("worker %d did not end in time", l.proc.os.Pid)
		}
	}
	return nil
}

func (f *Factory) endAll() []*link {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []*link
	for l := range f.all {
		list = append(list, l)
		l.end(ending{})
	}
	return list
}

// place gives the worker for a sandbox of an extension, and what to call when
// the sandbox needs it no more. With alone it is for this sandbox only.
func (f *Factory) place(ctx context.Context, extension, hash string, alone bool) (*link, func(), error) {
	f.mu.Lock()
	s, apart := f.suspect[extension]
	if apart && (time.Now().After(s.until) || s.hash != "" && s.hash != hash) {
		apart = false
		if s.alone == 0 {
			delete(f.suspect, extension)
		}
	}
	if alone || apart && s.alone < maxAlone {
		s.alone++
		f.suspect[extension] = s
		f.mu.Unlock()
		return f.alone(ctx, extension)
	}
	f.mu.Unlock()
	key := ""
	if apart || f.opts.PerExtension {
		key = extension
	}
	l, err := f.shared(ctx, key)
	return l, func() {}, err
}

// alone gives a worker for one sandbox.
func (f *Factory) alone(ctx context.Context, extension string) (*link, func(), error) {
	l, err := f.take().wait(ctx)
	leave := func() {
		if l != nil {
			l.end(ending{})
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		s := f.suspect[extension]
		s.alone--
		f.suspect[extension] = s
		if s.alone == 0 && time.Now().After(s.until) {
			delete(f.suspect, extension)
		}
	}
	if err != nil {
		leave()
	}
	return l, leave, err
}

// shared gives the worker that all with the key share.
func (f *Factory) shared(ctx context.Context, key string) (*link, error) {
	for {
		f.mu.Lock()
		have := f.groups[key]
		f.mu.Unlock()
		if have == nil {
			taken := f.take()
			f.mu.Lock()
			if have = f.groups[key]; have == nil && !f.closed {
				f.groups[key] = taken
				have = taken
			} else {
				f.giveBack(taken)
			}
			closed := f.closed
			f.mu.Unlock()
			if closed {
				return nil, ErrClosed
			}
		}
		l, err := have.wait(ctx)
		if err == nil && l.fit() {
			return l, nil
		}
		f.mu.Lock()
		replaced := f.groups[key] == have && (err == nil || ctx.Err() == nil)
		if replaced {
			delete(f.groups, key)
		}
		f.mu.Unlock()
		if replaced && l != nil {
			l.abandon()
		}
		if err != nil {
			return nil, err
		}
	}
}

// take gives the standby, or starts a worker.
func (f *Factory) take() *launch {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.spare; l != nil {
		f.spare = nil
		select {
		case <-l.done:
			if l.err == nil && l.link.fit() {
				return l
			}
		default:
			return l
		}
	}
	return f.launch()
}

// giveBack takes a worker back that was not needed after all.
func (f *Factory) giveBack(l *launch) {
	if f.spare == nil && !f.closed && !f.opts.NoStandby {
		f.spare = l
		return
	}
	go func() {
		if <-l.done; l.err == nil {
			l.link.end(ending{})
		}
	}()
}

// stock starts a standby if there is none. It is called when a sandbox has been
// loaded, so that it takes no time from the first answer.
func (f *Factory) stock() {
	if f.opts.NoStandby {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.spare; l != nil {
		select {
		case <-l.done:
			if l.err == nil && l.link.fit() {
				return
			}
		default:
			return
		}
	}
	if !f.closed {
		f.spare = f.launch()
	}
}

// launch starts a worker. f.mu is held.
func (f *Factory) launch() *launch {
	l := &launch{done: make(chan struct{})}
	if f.closed {
		l.err = ErrClosed
		close(l.done)
		return l
	}
	go func() {
		defer close(l.done)
		l.link, l.err = f.connect()
	}()
	return l
}

// wait waits for the worker to be ready.
func (l *launch) wait(ctx context.Context) (*link, error) {
	select {
	case <-l.done:
		return l.link, l.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// accuse keeps an extension apart from now on. Without a hash it is only
// suspected.
func (f *Factory) accuse(extension, hash string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, have := f.suspect[extension]
	now := time.Now()
	if hash != "" {
		s.hash, s.until = hash, now.Add(blameFor)
	} else if !have || now.After(s.until) {
		s.hash, s.until = "", now.Add(doubtFor)
	}
	f.suspect[extension] = s
}
