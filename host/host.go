package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/host/worker"
	"github.com/rho-ext/rho-ext/registry"
)

// Host holds the extensions of one project and the user. It is safe for
// concurrent use.
type Host struct {
	opts    Options
	factory wire.Factory
	bundler *worker.Bundler // nil: bundling happens in this process
	desk    *permission.Desk
	session *permission.MemoryStore
	code    atomic.Pointer[[]string] // where extensions are

	began   Report
	stamps  bundle.Stamps
	builder bundle.Builder // for builds in this process

	ctx       context.Context // ends when the host closes
	stop      context.CancelFunc
	reloading sync.Mutex // one reload at a time

	mu       sync.RWMutex
	sources  []Source
	loaded   map[string]*generation      // by id
	draining map[*generation]*time.Timer // replaced ones, until they are closed
	failures []Failure
	model    string
	deaths   map[string]*offender // by extension id
	skipped  map[string]bool      // ids that were not needed and so not evaluated
	manual   map[string]manual    // ids that were enabled, disabled or unloaded by hand
	records  map[string]*record   // of the last look at each extension
	watchers map[*Watcher]struct{}
	order    map[string]int // of the sources, by id
	ordered  []*generation  // those of loaded
	absent   []string       // see absentGuards
	unhook   func()         // takes the hooks out of the registry
	closed   bool
}

// New finds and loads extensions. What is wrong with one of them is in
// [Host.Failures]; an error means that there is no host.
func New(ctx context.Context, o Options) (*Host, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	h := &Host{
		opts:     o,
		desk:     permission.NewDesk(o.AskPermission),
		session:  &permission.MemoryStore{},
		model:    o.Model,
		loaded:   map[string]*generation{},
		draining: map[*generation]*time.Timer{},
		deaths:   map[string]*offender{},
		manual:   map[string]manual{},
		records:  map[string]*record{},
	}
	h.ctx, h.stop = context.WithCancel(context.Background())
	if h.factory, h.bundler, err = h.newWorkers(); err != nil {
		return nil, err
	}
	if o.Root != "" {
		if h.opts.Root, err = canonical(o.Root); err != nil {
			if o.Engine == nil {
				_ = h.factory.Close()
			}
			return nil, fmt.Errorf("project root: %w", err)
		}
	}
	h.unhook = h.opts.Registry.AddHooks(h.hooks)
	if h.began, err = h.Reload(ctx); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// Began is the report of what [New] has loaded.
func (h *Host) Began() Report { return h.began }

// Registry is where the extensions' tools are.
func (h *Host) Registry() *registry.Registry { return h.opts.Registry }

// Root is the project's root, or empty.
func (h *Host) Root() string { return h.opts.Root }

// SetModel names the model that the agent uses from now on, for rho.getModel.
func (h *Host) SetModel(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.model = name
}

func (h *Host) currentModel() string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.model
}

// Failures are what is wrong with the extensions now, in a stable order.
func (h *Host) Failures() []Failure {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return slices.Clone(h.failures)
}

// Close ends all extensions at once and takes their tools out of the registry.
func (h *Host) Close() error {
	h.stop()
	h.closeWatchers()
	h.reloading.Lock()
	defer h.reloading.Unlock()
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	loaded, draining := h.loaded, h.draining
	h.loaded, h.draining, h.ordered = nil, nil, nil
	h.mu.Unlock()
	var errs []error
	var ending sync.WaitGroup
	for g, timer := range draining {
		timer.Stop()
		ending.Go(g.close)
	}
	h.unhook()
	for id, g := range loaded {
		errs = append(errs, h.opts.Registry.Swap(id, nil))
		ending.Go(g.close)
	}
	ending.Wait()
	h.builder.Trim()
	if h.opts.Engine == nil {
		errs = append(errs, h.factory.Close())
		if h.bundler != nil {
			errs = append(errs, h.bundler.Close())
		}
	}
	return errors.Join(errs...)
}

// ErrClosed is the error of a host that was closed.
var ErrClosed = wire.ErrClosed

func (h *Host) isClosed() bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.closed
}

func (h *Host) current(id string) *generation {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.loaded[id]
}

// hasTool reports whether the one tool that is asked for is there already, and
// whatever the extensions that were loaded for it may call.
func (h *Host) hasTool() bool {
	if h.opts.Tool == "" {
		return false
	}
	snap := h.opts.Registry.Snapshot()
	if _, ok := snap.Lookup(h.opts.Tool); !ok {
		return false
	}
	for _, g := range h.inOrder() {
		if p := g.manifest.Permissions; p != nil && slices.ContainsFunc(p.Tools, func(name string) bool { _, ok := snap.Lookup(name); return !ok }) {
			return false // it may call what another extension has
		}
	}
	return true
}

// needed puts first whose entry names the tool that is asked for, so that the
// others need not even be bundled when one of those has it.
func (h *Host) needed(sources []Source) (likely, rest []Source) {
	if h.opts.Tool == "" {
		return sources, nil
	}
	for _, src := range sources {
		if mentions(src.Entry, h.opts.Tool) || h.mayHook(src) {
			likely = append(likely, src)
		} else {
			rest = append(rest, src)
		}
	}
	return likely, rest
}

// mentions reports whether a file holds a text. One that cannot be read may
// hold anything.
func mentions(path, text string) bool {
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxMention))
	return err != nil || len(data) == maxMention || bytes.Contains(data, []byte(text))
}

// maxMention is more than any module may have, see package bundle.
const maxMention = 5 << 20

// apply evaluates what changed and registers it, in the order of the sources,
// so that of two clashing extensions it is always the same one that loses. Of
// those that cannot have the tool that is asked for, only as many as needed.
func (h *Host) apply(ctx context.Context, list []*candidate, skipped map[string]bool, rep *Report) {
	first, rest := list, []*candidate(nil)
	if h.opts.Tool != "" {
		first, rest = nil, nil
		for _, c := range list {
			if c.mentions(h.opts.Tool) || (c.bundle == nil || c.mentions("hooks")) && h.mayHook(c.source) {
				first = append(first, c)
			} else {
				rest = append(rest, c)
			}
		}
	}
	h.evaluateAll(ctx, first, rep)
	if len(rest) == 0 || !h.hasTool() {
		h.evaluateAll(ctx, rest, rep)
		return
	}
	for _, c := range rest {
		skipped[c.source.ID] = true
	}
}

func (h *Host) evaluateAll(ctx context.Context, list []*candidate, rep *Report) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, c := range list {
		c.old = h.current(c.source.ID)
		if c.needed() {
			g.Go(func() error { c.evaluate(ctx); return nil })
		}
	}
	_ = g.Wait()
	if ctx.Err() != nil { // what they say now is not about them
		for _, c := range list {
			if c.made != nil {
				c.made.close()
			}
		}
		return
	}
	var refused []*candidate
	for _, c := range list {
		if len(c.failures) == 0 && c.made != nil {
			if c.refused = h.replace(c.source.ID, c.made); c.refused != nil {
				refused = append(refused, c)
			}
		}
	}
	// A tool that moves to an earlier extension is free only now.
	for _, c := range refused {
		if c.refused = h.replace(c.source.ID, c.made); c.refused != nil {
			c.failures = []Failure{c.refusal(c.refused)}
			c.made.close()
			c.made = nil
		}
	}
	for _, c := range list {
		h.settle(c, rep)
		if h.opts.Inspect != nil && c.same == nil {
			h.opts.Inspect(c.inspection())
		}
	}
}

// replace swaps an extension's tools for those of g; nil takes them out.
func (h *Host) replace(id string, g *generation) error {
	var tools []registry.Tool
	snap := h.opts.Registry.Snapshot()
	if g != nil {
		for _, t := range g.manifest.Tools {
			tools = append(tools, &JSTool{gen: g, tool: t, effects: joined(t.Effects, t.CallsTools, g.manifest.Permissions, snap)})
		}
	}
	if err := h.opts.Registry.Swap(id, tools); err != nil {
		return err
	}
	h.mu.Lock()
	if g != nil {
		g.version = h.nextVersion(id)
	}
	old := h.loaded[id]
	if g != nil {
		h.loaded[id] = g
	} else {
		delete(h.loaded, id)
	}
	h.arrange()
	h.mu.Unlock()
	if old != nil {
		h.drain(old)
	}
	return nil
}

// drain lets the calls of a replaced version go on, and closes it after a while.
func (h *Host) drain(old *generation) {
	h.mu.Lock()
	h.draining[old] = time.AfterFunc(h.opts.DrainTimeout, func() {
		h.mu.Lock()
		delete(h.draining, old)
		h.mu.Unlock()
		old.close()
	})
	h.mu.Unlock()
	old.retire()
}

func sortFailures(list []Failure) {
	sort.SliceStable(list, func(i, j int) bool { return list[i].Extension < list[j].Extension })
}
