package worker

import (
	"context"
	"fmt"
)

// bundleLaunch is a bundler that is being started, or was.
type bundleLaunch struct {
	may  string
	done chan struct{}
	link *bundleLink
	err  error
}

// launchShared gives the process for all that may be read now. The one before
// finishes what it has begun. b.mu is held.
func (b *Bundler) launchShared() *bundleLaunch {
	key := b.may.key()
	if have := b.current; have != nil {
		if have.may == key && !have.over() {
			return have
		}
		have.drop()
	}
	b.current = b.launch(b.may, false)
	return b.current
}

// launch starts a process. b.mu is held.
func (b *Bundler) launch(may grants, alone bool) *bundleLaunch {
	la := &bundleLaunch{may: may.key(), done: make(chan struct{})}
	b.started++
	b.processes.Add(1)
	go func() {
		defer b.processes.Done()
		if la.link, la.err = b.connect(may.reads(), alone); la.err != nil {
			la.err = fmt.Errorf("start a bundler: %w", la.err)
		}
		close(la.done)
		if la.err == nil {
			<-la.link.gone
			la.link.meters.Wait()
		}
	}()
	return la
}

// forget takes a launch that is of no use any more out of the way.
func (b *Bundler) forget(la *bundleLaunch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.current == la && (la.over() || la.err != nil) {
		b.current = nil
	}
}

// over reports whether the process takes no more builds.
func (la *bundleLaunch) over() bool {
	select {
	case <-la.done:
		return la.err != nil || !la.link.fit()
	default:
		return false
	}
}

// drop lets the process end when it has nothing to do.
func (la *bundleLaunch) drop() {
	go func() {
		if <-la.done; la.err == nil {
			la.link.retire(false)
		}
	}()
}

func (la *bundleLaunch) wait(ctx context.Context) (*bundleLink, error) {
	select {
	case <-la.done:
		return la.link, la.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
