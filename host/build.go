package host

import (
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/host/worker"
	"github.com/rho-ext/rho-ext/jsapi"
)

// build bundles an extension: in a worker, or in this process. An
// error is a [*bundle.Failures].
func (h *Host) build(ctx context.Context, src Source) (*bundle.Bundle, error) {
	o := h.bundling(src)
	o.Again = h.record(src.ID) != nil
	if h.bundler == nil && o.Again {
		return h.builder.Build(o)
	}
	if h.bundler == nil {
		return bundle.Build(o)
	}
	return h.bundler.Build(ctx, o)
}

func (h *Host) bundling(src Source) bundle.Options {
	return bundle.Options{
		ID: src.ID, Entry: src.Entry, Root: src.Dir, Limit: src.Limit,
		Modules: jsapi.Modules(), Timeout: h.opts.LoadTimeout,
	}
}

// expect tells the bundler which folders it will have to read, and has a worker
// started meanwhile.
func (h *Host) expect(sources []Source) {
	if h.bundler == nil || h.opts.Engine != nil {
		return // the engine was told by whoever has it
	}
	var list []bundle.Options
	for _, src := range sources {
		if src.runs() {
			list = append(list, h.bundling(src))
		}
	}
	h.bundler.Expect(list...)
	if f, ok := h.factory.(*worker.Factory); ok && len(list) > 0 {
		f.Prepare()
	}
}

// runs reports whether an extension is to be loaded at all.
func (s Source) runs() bool { return s.ShadowedBy == "" && !s.Disabled && !s.Untrusted }

// buildAll bundles what is neither shadowed nor disabled, side by side. What has
// not changed is not.
func (h *Host) buildAll(ctx context.Context, sources []Source, l *look) []*candidate {
	var list []*candidate
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, src := range sources {
		if !src.runs() || !l.wants(src.ID) {
			continue
		}
		c := &candidate{host: h, source: src, force: l.named(src.ID)}
		list = append(list, c)
		g.Go(func() error { c.same = h.unchanged(src, l); return nil })
	}
	_ = g.Wait()
	// A process that is there already may read more than it needs for a while.
	if slices.ContainsFunc(list, func(c *candidate) bool { return c.same == nil && (l.patience == 0 || h.record(c.source.ID) == nil) }) {
		h.expect(sources)
	}
	for _, c := range list {
		if c.same == nil {
			g.Go(func() error { c.build(ctx); return nil })
		}
	}
	_ = g.Wait() // build keeps its own failures
	return list
}
