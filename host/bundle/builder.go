package bundle

import (
	"sync"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/rho-ext/rho-ext/host/wire"
)

// Builder builds the same extensions again and again, and keeps what it has
// parsed: after a change only that is parsed anew. The zero value is ready; it
// is safe for concurrent use.
type Builder struct {
	mu    sync.Mutex
	kept  map[string]*keptBuild
	clock uint64
}

// maxKept bounds for how many extensions parsed code is kept, which for one that
// imports large packages takes tens of megabytes.
const maxKept = 16

// keptBuild is what is kept of one extension.
type keptBuild struct {
	key  string
	used uint64

	mu     sync.Mutex // one build at a time
	ctx    api.BuildContext
	loader *loader // of the build that runs
	dead   bool
}

// Build is [Build]. The first one of an extension is no faster than that.
func (b *Builder) Build(o Options) (*Bundle, error) {
	if f := oddSettings(o); f != nil {
		return nil, &Failures{List: []wire.Failure{*f}, root: o.Root}
	}
	k := b.keep(o)
	if !k.mu.TryLock() {
		return Build(o) // the same extension is being built already
	}
	l := newLoader(o)
	late := false
	var result api.BuildResult
	done := make(chan api.BuildResult, 1)
	go func() {
		// Whoever gave up waiting does not hold the lock: the build does.
		defer k.mu.Unlock()
		done <- k.build(o, l)
	}()
	select {
	case result = <-done:
	case <-after(o.Timeout):
		late = true
	}
	if late {
		b.forget(k)
		f := Late(o)
		f.Unfinished, f.Graph = true, l.graph()
		return nil, f
	}
	return finish(o, l, result)
}

// build builds with what is kept. k.mu is held.
func (k *keptBuild) build(o Options, l *loader) api.BuildResult {
	k.loader = l
	defer func() { k.loader = nil }()
	if k.dead {
		return api.Build(buildOptions(o, func() *loader { return l }))
	}
	if k.ctx == nil {
		ctx, err := api.Context(buildOptions(o, func() *loader { return k.loader }))
		if err != nil {
			return api.BuildResult{Errors: err.Errors}
		}
		k.ctx = ctx
	}
	return k.ctx.Rebuild()
}

// keep gives what is kept of an extension, and makes room for it.
func (b *Builder) keep(o Options) *keptBuild {
	key := o.ID + "\x00" + o.Entry + "\x00" + o.Root + "\x00" + o.Limit
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clock++
	k := b.kept[key]
	if k == nil {
		if b.kept == nil {
			b.kept = map[string]*keptBuild{}
		}
		if len(b.kept) >= maxKept {
			b.dropOldest()
		}
		k = &keptBuild{key: key}
		b.kept[key] = k
	}
	k.used = b.clock
	return k
}

func (b *Builder) dropOldest() {
	var oldest *keptBuild
	for _, k := range b.kept {
		if oldest == nil || k.used < oldest.used {
			oldest = k
		}
	}
	delete(b.kept, oldest.key)
	go oldest.close()
}

// forget lets go of one whose build does not end.
func (b *Builder) forget(k *keptBuild) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept[k.key] == k {
		delete(b.kept, k.key)
		go k.close()
	}
}

// Trim lets go of everything, and reports whether there was anything. The next
// builds take the time of [Build].
func (b *Builder) Trim() bool {
	b.mu.Lock()
	kept := b.kept
	b.kept = nil
	b.mu.Unlock()
	for _, k := range kept {
		go k.close()
	}
	return len(kept) > 0
}

// close waits for a build that runs: the bundler cannot be told to stop.
func (k *keptBuild) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dead = true
	if k.ctx != nil {
		k.ctx.Dispose()
		k.ctx = nil
	}
}

// after is a timer's channel, or nil where there is no limit.
func after(d time.Duration) <-chan time.Time {
	if d <= 0 {
		return nil
	}
	return time.After(d)
}
