package exttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/host/wire"
)

// fileRun is one run of a test file.
type fileRun struct {
	run    *run
	runner *Runner
	opts   Options
	file   File
	place  place
	load   wire.LoadRequest
	broker *broker
	shots  *snapshots

	mu      sync.Mutex
	sandbox wire.Sandbox
	life    int         // of the sandbox: how many there were
	before  map[int]int // suites whose beforeAll has run, and in which life
	worlds  []*world    // that no test uses
	all     []*world    // to be closed
	tapes   map[string]*tape
	tests   []TestReport // by index
	logs    []Log
}

// file runs one file. The error is a fault of the runner, or the end of ctx.
func (r *run) file(ctx context.Context, file File) (*FileReport, error) {
	begin := time.Now()
	rep := &FileReport{File: file.Name, Extension: file.Extension, Tests: []TestReport{}}
	f := &fileRun{run: r, runner: r.runner, opts: r.opts, file: file, before: map[int]int{}, tapes: map[string]*tape{}}
	defer f.close()
	root, failure, err := f.begin(ctx)
	if err != nil {
		return nil, err
	}
	if rep.Failure = failure; failure != nil {
		r.failed.Add(1)
	} else {
		top, count := planFor(root, r.opts, file.Name)
		f.tests = make([]TestReport, count)
		f.suite(ctx, top)
		f.fillIn(top)
		rep.Tests = f.tests
		if f.opts.NoOnly && hasOnly(root) {
			rep.Problem = "a test or suite is marked with .only, which hides the others; take it away before the tests run where CI is set"
		}
		if err := f.writeDown(top); err != nil && ctx.Err() == nil {
			rep.Problem = err.Error()
		}
		rep.Snapshots = f.shots.count
	}
	rep.Logs = f.logs
	rep.DurationMS = milliseconds(time.Since(begin))
	return rep, nil
}

// fillIn says of tests that never ran why.
func (f *fileRun) fillIn(p *plan) {
	for _, c := range p.children {
		f.fillIn(c)
	}
	if p.node.Suite || f.tests[p.index].State != "" {
		return
	}
	f.tests[p.index] = TestReport{Path: p.path, State: StateSkip, Note: "the run was stopped", Line: p.node.Location.Line, Column: p.node.Location.Column}
}

// begin bundles and loads the file.
func (f *fileRun) begin(ctx context.Context) (*wire.TestNode, *host.Failure, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.opts.LoadTimeout, wire.ErrDeadline)
	defer cancel()
	made, err := f.runner.engine.Build(ctx, f.runner.bundling(f.file))
	var fails *bundle.Failures
	if errors.As(err, &fails) {
		if err := outer(ctx); err != nil {
			return nil, nil, err
		}
		f.place = place{root: f.opts.Root, sources: fails}
		return nil, f.place.failure(f.file, fails.List[0]), nil
	}
	f.place = place{root: f.opts.Root, sources: made}
	if f.shots, err = readSnapshots(f.file.Folder, f.file.Path); err != nil {
		return nil, &host.Failure{Extension: f.file.Extension, Stage: wire.StageDiscover, File: shown(f.opts.Root, f.shots.path), Message: err.Error(),
			Hint: "mend the file, or remove it and run with --update"}, nil
	}
	update := "new"
	if f.opts.Update {
		update = "all"
	} else if f.opts.Frozen {
		update = "none"
	}
	f.broker = &broker{file: f, calls: map[string]*testRun{}, refused: map[int]*wire.TestResult{}}
	f.load = wire.LoadRequest{
		Extension: f.file.Extension, Script: made.Script, SourceMap: made.SourceMap, Hash: made.Hash,
		ProjectRoot: filepath.ToSlash(f.opts.Root), ExtensionDir: filepath.ToSlash(filepath.Dir(f.file.Path)),
		Test: &wire.TestOptions{
			File: f.file.Name, Snapshots: f.shots.have, Update: update,
			TimeoutMS: milliseconds(f.opts.Timeout), HookTimeoutMS: milliseconds(f.opts.HookTimeout),
		},
	}
	if f.load.Extension == "" {
		f.load.Extension = strings.TrimSuffix(filepath.Base(f.file.Path), filepath.Ext(f.file.Path))
	}
	root, failure, err := f.fresh(ctx)
	if outer(ctx) != nil {
		return nil, nil, outer(ctx)
	}
	if err != nil {
		failure = &wire.Failure{Stage: wire.StageEvaluate, Message: err.Error()}
	}
	if failure == nil && !holdsTests(root) {
		failure = &wire.Failure{Stage: wire.StageManifest, Message: "the file holds no tests",
			Hint: `write one: import { expect, test } from "rho-ext/test"; test("adds", () => expect(1 + 1).toBe(2))`}
	}
	if failure != nil {
		return nil, f.place.failure(f.file, *failure), nil
	}
	return root, nil, nil
}

func holdsTests(n *wire.TestNode) bool {
	return !n.Suite || slices.ContainsFunc(n.Children, func(c wire.TestNode) bool { return holdsTests(&c) })
}

// outer is why a context ended, unless that was its own deadline.
func outer(ctx context.Context) error {
	if ctx.Err() == nil || errors.Is(context.Cause(ctx), wire.ErrDeadline) {
		return nil
	}
	return context.Cause(ctx)
}

// fresh loads the file into a new sandbox.
func (f *fileRun) fresh(ctx context.Context) (*wire.TestNode, *wire.Failure, error) {
	sb, err := f.runner.engine.NewSandbox(f.broker)
	if err != nil {
		return nil, nil, err
	}
	res, err := sb.Load(ctx, f.load)
	if err != nil || res.Failure != nil || res.Tests == nil {
		_ = sb.Close()
		if err == nil && res.Failure == nil {
			err = errors.New("the sandbox found no tests")
		}
		return nil, res.Failure, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sandbox = sb
	f.life++
	return res.Tests, nil, nil
}

// live gives the sandbox, and a new one where it was thrown away. Tests that run
// side by side get the same.
func (f *fileRun) live(ctx context.Context) (wire.Sandbox, int, error) {
	f.mu.Lock()
	sb, life := f.sandbox, f.life
	f.mu.Unlock()
	select {
	case <-sb.Done():
	default:
		return sb, life, nil
	}
	f.broker.renewing.Lock()
	defer f.broker.renewing.Unlock()
	f.mu.Lock()
	sb, now := f.sandbox, f.life
	f.mu.Unlock()
	if now != life {
		return sb, now, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 3*f.opts.LoadTimeout, wire.ErrDeadline)
	defer cancel()
	_, failure, err := f.fresh(ctx)
	if failure != nil {
		err = errors.New("the test file does not load again: " + failure.Message)
	}
	if err != nil {
		return nil, 0, err
	}
	return f.live(ctx)
}

func (f *fileRun) close() {
	f.mu.Lock()
	sb, all := f.sandbox, f.all
	f.mu.Unlock()
	if sb != nil {
		_ = sb.Close()
	}
	for _, w := range all {
		w.close()
	}
}

// writeDown puts snapshots and recordings into their files.
func (f *fileRun) writeDown(top *plan) error {
	var errs []error
	whole := top.runs == len(f.tests) // what no test used is not needed
	for _, t := range f.tests {
		whole = whole && t.State == StatePass
	}
	if err := f.shots.write(f.opts.Update, whole); err != nil {
		errs = append(errs, err)
	}
	if err := f.shots.writeInline(f.place); err != nil {
		errs = append(errs, err)
	}
	names := make([]string, 0, len(f.tapes))
	for name := range f.tapes {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if !whole {
			errs = append(errs, fmt.Errorf("the recording %s was not written: every test of the file has to run and pass for it", name))
			continue
		}
		if err := f.tapes[name].write(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// scratch makes a folder for a temporary project.
func (r *Runner) scratch() (string, error) { return os.MkdirTemp(r.tmp, "t") }
