package worker

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rho-ext/rho-ext/host/bundle"
)

// Bundler bundles extensions in a worker process that may only read what they
// consist of. It is safe for concurrent use.
//
// One process builds for all, side by side. It ends when there was nothing to
// build for a while, and when the places to read change: what a process has
// given up it never gets back.
type Bundler struct {
	opts  Options
	idle  time.Duration // how long a process stays without work
	stay  atomic.Int64  // the same, where it is not zero
	grace time.Duration // how long a build may be late
	slots chan struct{} // one for each build that runs

	processes sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	may     grants // what the next process may read
	current *bundleLaunch
	all     map[*bundleLink]struct{}
	started int
}

// NewBundler makes a bundler. No process is started yet. It fails with
// [ErrNoMain] where [Main] has not run. Of the options those about single
// sandboxes mean nothing to it.
func NewBundler(o Options) (*Bundler, error) {
	if !mainRan.Load() {
		return nil, ErrNoMain
	}
	return &Bundler{
		opts: o.withDefaults(), idle: 10 * time.Second, grace: time.Second,
		slots: make(chan struct{}, processors()), all: map[*bundleLink]struct{}{},
	}, nil
}

// Expect says what will be built from now on, so that one process is started for
// all of it, at once, and none goes on that may read more. Without it a process
// is started whenever a build needs another place.
func (b *Bundler) Expect(list ...bundle.Options) {
	all := grants{}
	for _, o := range list {
		all.add(grantsOf(o))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.may = all
	if len(list) > 0 && !b.closed {
		b.launchShared()
	}
}

// Build is [bundle.Build] in the worker: it gives the same, and an error is
// always a [*bundle.Failures]. It takes the virtual modules of this program,
// whatever the options say. A build that hangs, or ends its process, fails
// alone: others that were under way are tried once more, each in a process of
// its own.
func (b *Bundler) Build(ctx context.Context, o bundle.Options) (*bundle.Bundle, error) {
	select {
	case b.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, abandoned(o)
	}
	release := func() { <-b.slots }
	for _, alone := range []bool{false, true} {
		run, err := b.begin(ctx, o, alone)
		if err != nil {
			release()
			if ctx.Err() != nil {
				return nil, abandoned(o)
			}
			return nil, bundle.Broken(o, "the extension could not be bundled: "+err.Error(), "")
		}
		select {
		case <-run.done:
		case <-ctx.Done():
			// Nothing stops it before its time is over, and it counts until then.
			go func() { <-run.done; release() }()
			return nil, abandoned(o)
		}
		if !run.lost {
			release()
			if run.failed != nil {
				return nil, run.failed
			}
			return run.bundle, nil
		}
	}
	panic("unreachable: a build that is alone is not lost")
}

func abandoned(o bundle.Options) *bundle.Failures {
	return bundle.Broken(o, "bundling the extension was cancelled", "")
}

// Stay sets how long a process stays without work, from the next build on; zero
// means 10 s. One that stays builds faster what it has built before.
func (b *Bundler) Stay(d time.Duration) { b.stay.Store(int64(d)) }

func (b *Bundler) restAfter() time.Duration {
	if d := b.stay.Load(); d != 0 {
		return time.Duration(d)
	}
	return b.idle
}

// Lockdown tells what the process has given up of the system. It starts one if
// there is none.
func (b *Bundler) Lockdown(ctx context.Context) (Lockdown, error) {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return Lockdown{}, ErrClosed
	}
	have := b.launchShared()
	b.mu.Unlock()
	l, err := have.wait(ctx)
	if err != nil {
		return Lockdown{}, err
	}
	return l.lockdown, nil
}

// Close ends the processes. Builds that run fail. It waits until the processes
// are gone, for two seconds at most.
func (b *Bundler) Close() error {
	b.mu.Lock()
	b.closed, b.current = true, nil
	for l := range b.all {
		go l.end(ending{})
	}
	b.mu.Unlock()
	gone := make(chan struct{})
	go func() { b.processes.Wait(); close(gone) }()
	if !within(gone, 2*time.Second) {
		return errors.New("a bundler did not end in time")
	}
	return nil
}

// begin starts a build in the shared process, or in one of its own.
func (b *Bundler) begin(ctx context.Context, o bundle.Options, alone bool) (*build, error) {
	need := grantsOf(o)
	for range maxStarts {
		b.mu.Lock()
		if b.closed {
			b.mu.Unlock()
			return nil, ErrClosed
		}
		var have *bundleLaunch
		if alone {
			have = b.launch(need, true)
		} else {
			if !b.may.cover(need) {
				more := grants{}
				more.add(b.may)
				more.add(need)
				b.may = more
			}
			have = b.launchShared()
		}
		b.mu.Unlock()
		l, err := have.wait(ctx)
		if err != nil {
			if alone {
				have.drop()
			}
			b.forget(have)
			return nil, err
		}
		if run := l.begin(o); run != nil {
			return run, nil
		}
		b.forget(have)
	}
	return nil, errors.New("the bundler ends before it begins")
}

// maxStarts is how many processes may end before a build is given up.
const maxStarts = 5
