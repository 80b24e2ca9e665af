package exttest

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/jsapi"
)

// Runner runs test files, again and again where they change. Its methods are
// safe for concurrent use, but runs follow each other.
type Runner struct {
	opts   Options
	engine *host.Engine
	tmp    string // for temporary projects
	net    *permission.Client

	running sync.Mutex
}

// New makes a runner. Close it. It fails with [host.ErrNoWorkerMain] where
// process isolation cannot be had.
func New(o Options) (*Runner, error) {
	o = o.withDefaults()
	engine, err := host.NewEngine(o.Isolation, o.Workers, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "rho-ext-test-")
	if err == nil {
		tmp, err = filepath.EvalSymlinks(tmp)
	}
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	r := &Runner{opts: o, engine: engine, tmp: tmp}
	var rules []permission.NetRule
	for _, g := range o.Allow {
		if rule, err := permission.ParseNetRule(g.Target); g.Kind == permission.KindNet && err == nil {
			rules = append(rules, rule)
		}
	}
	r.net = permission.NewClient(permission.ClientOptions{Rules: rules, Proxy: o.Proxy, CAs: o.CAs})
	return r, nil
}

// Close ends the processes and takes temporary files away.
func (r *Runner) Close() error {
	r.running.Lock()
	defer r.running.Unlock()
	r.net.Close()
	return errors.Join(r.engine.Close(), os.RemoveAll(r.tmp))
}

// Options are those of the runner, with their defaults.
func (r *Runner) Options() Options { return r.opts }

// Watcher hears of a run while it goes on. The methods are called one after the
// other, for the files in their order.
type Watcher struct {
	// Ended, where set, hears of each file that has run.
	Ended func(f FileReport)
}

// Run runs files. The error is for faults of the runner; what is wrong with tests
// is in the report, which is there in any case. It ends early with ctx.
func (r *Runner) Run(ctx context.Context, files []File, w Watcher) (*Report, error) {
	return r.RunNamed(ctx, files, r.opts, w)
}

// RunNamed runs files as other options say: their Name, Seed, Update, Frozen,
// Record, Bail and NoOnly count.
func (r *Runner) RunNamed(ctx context.Context, files []File, o Options, w Watcher) (*Report, error) {
	r.running.Lock()
	defer r.running.Unlock()
	begin := time.Now()
	run := &run{runner: r, opts: r.opts, tell: w}
	run.opts.Name, run.opts.Seed, run.opts.Update, run.opts.Frozen = o.Name, o.Seed, o.Update, o.Frozen
	run.opts.Record, run.opts.Bail, run.opts.NoOnly = o.Record, o.Bail, o.NoOnly
	rep := &Report{Files: []FileReport{}, Seed: run.opts.Seed}
	if len(files) == 0 {
		return rep, nil
	}
	ctx, run.stop = context.WithCancelCause(ctx)
	defer run.stop(nil)
	r.expect(files)
	done := make([]*FileReport, len(files))
	next := 0 // the first that was not told of
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(r.opts.Parallel)
	for i, f := range files {
		g.Go(func() error {
			if ctx.Err() != nil || run.bailed() {
				return nil
			}
			one, err := run.file(ctx, f)
			if err != nil {
				run.stop(err)
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done[i] = one
			for ; next < len(done) && done[next] != nil; next++ {
				if w.Ended != nil {
					w.Ended(*done[next])
				}
			}
			return nil
		})
	}
	err := g.Wait()
	for i, f := range done {
		if f == nil {
			rep.Stopped = true
			continue
		}
		if i >= next && w.Ended != nil { // behind one that never ended
			w.Ended(*f)
		}
		rep.Files = append(rep.Files, *f)
		rep.add(f)
	}
	rep.Stopped = rep.Stopped || ctx.Err() != nil || run.cut.Load()
	rep.DurationMS = milliseconds(time.Since(begin))
	return rep, err
}

// expect tells the engine what will be bundled.
func (r *Runner) expect(files []File) {
	var list []bundle.Options
	folders := map[string]bool{}
	for _, f := range files {
		list = append(list, r.bundling(f))
		if !folders[f.Folder] {
			folders[f.Folder] = true
			sources, _, err := host.Sources(host.Options{UserDir: "-", Dirs: []string{f.Folder}, CodeRoot: r.opts.Root})
			if err != nil {
				continue
			}
			for _, s := range sources {
				list = append(list, bundle.Options{ID: s.ID, Entry: s.Entry, Root: s.Dir, Limit: s.Limit, Modules: jsapi.Modules()})
			}
		}
	}
	r.engine.Expect(list...)
}

func (r *Runner) bundling(f File) bundle.Options {
	return bundle.Options{
		ID: f.Extension, Entry: f.Path, Root: f.root, Limit: f.limit, Modules: jsapi.Modules(), Timeout: r.opts.LoadTimeout,
	}
}

// run is one run of files.
type run struct {
	runner *Runner
	opts   Options
	tell   Watcher
	stop   context.CancelCauseFunc

	cut    atomic.Bool  // tests were left out because others had failed
	failed atomic.Int64 // tests, and files that do not load
}

// bailed reports whether so many tests have failed that no other begins.
func (r *run) bailed() bool { return r.opts.Bail > 0 && r.failed.Load() >= int64(r.opts.Bail) }
