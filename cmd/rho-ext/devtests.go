package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/exttest"
)

// devTests runs the tests that a save touches, beside dev: those of an extension
// after it was reloaded, so that its own failures are told first.
type devTests struct {
	view *devView
	opts exttest.Options

	mu     sync.Mutex
	saved  map[string]time.Time // files whose reload was told of
	due    []string             // files to run the tests of
	all    bool                 // all of them
	wake   chan struct{}
	runner *exttest.Runner // once there was a test to run
}

func newDevTests(v *devView, o exttest.Options) *devTests {
	return &devTests{view: v, opts: o, saved: map[string]time.Time{}, wake: make(chan struct{}, 1)}
}

// follow runs until ctx ends.
func (d *devTests) follow(ctx context.Context) {
	var wait sync.WaitGroup
	defer wait.Wait()
	wait.Go(func() { exttest.Watch(ctx, d.opts, d.changed) })
	defer func() {
		if d.runner != nil {
			_ = d.runner.Close()
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.wake:
			d.mu.Lock()
			paths, all := d.due, d.all
			d.due, d.all = nil, false
			d.mu.Unlock()
			if all {
				paths = nil
			}
			if all || len(paths) > 0 {
				d.run(ctx, paths)
			}
		}
	}
}

// add has the tests run that paths touch; none is all.
func (d *devTests) add(paths ...string) {
	d.mu.Lock()
	d.due = append(d.due, paths...)
	d.all = d.all || len(paths) == 0
	d.mu.Unlock()
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// reloadWait is how long a file that was saved may turn out to be a part of an
// extension.
const reloadWait = 300 * time.Millisecond

// changed hears of files that were saved. What is a part of an extension is left
// to reloaded.
func (d *devTests) changed(paths []string) {
	if len(paths) == 0 {
		d.add()
		return
	}
	var others []string
	for _, p := range paths {
		if exttest.IsTest(p) {
			d.add(p)
		} else {
			others = append(others, p)
		}
	}
	if len(others) == 0 {
		return
	}
	time.AfterFunc(reloadWait, func() {
		d.mu.Lock()
		others = slices.DeleteFunc(others, func(p string) bool { return time.Since(d.saved[p]) < 2*reloadWait })
		d.mu.Unlock()
		if len(others) > 0 {
			d.add(others...)
		}
	})
}

// reloaded hears of extensions that were loaded anew.
func (d *devTests) reloaded(r host.Report) {
	for i := range r.Changes {
		c := &r.Changes[i]
		for _, p := range c.Paths {
			if !filepath.IsAbs(p) {
				p = filepath.Join(d.opts.Root, filepath.FromSlash(p))
			}
			d.mu.Lock()
			d.saved[p] = time.Now()
			d.mu.Unlock()
			if c.Kind != host.ChangeFailed {
				d.add(p)
			}
		}
	}
}

// run runs what files that have changed touch; no paths run all.
func (d *devTests) run(ctx context.Context, paths []string) {
	v := d.view
	all, _, err := exttest.Find(d.opts)
	if err != nil {
		v.line("%s the tests cannot be found: %s", v.app.paint(yellow, "note:"), clean(err.Error()))
		return
	}
	broken := map[string]bool{}
	for _, f := range v.w.failures() {
		broken[f.Extension] = true
	}
	var files []exttest.File
	for _, f := range exttest.Affected(all, paths) {
		if v.shows(f.Extension) && !broken[f.Extension] {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return
	}
	if d.runner == nil {
		if d.runner, err = exttest.New(d.opts); err != nil {
			v.line("%s the tests cannot be run: %s", v.app.paint(yellow, "note:"), clean(err.Error()))
			return
		}
	}
	rep, err := d.runner.Run(ctx, files, exttest.Watcher{})
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		v.line("%s the tests could not be run: %s", v.app.paint(yellow, "note:"), clean(err.Error()))
		return
	}
	v.tested(rep)
}

// tested shows what tests came to.
func (v *devView) tested(rep *exttest.Report) {
	v.event(devEvent{Event: "tests", Tests: rep, DurationMS: rep.DurationMS})
	if v.app.json {
		return
	}
	var parts []string
	for _, s := range []sum{{"passed", green, rep.Passed}, {"failed", red, rep.Failed}, {"skipped", dim, rep.Skipped + rep.Todo}} {
		if s.n > 0 {
			parts = append(parts, v.app.paint(s.color, fmt.Sprintf("%d %s", s.n, s.name)))
		}
	}
	for i := range rep.Files {
		if rep.Files[i].Failure != nil {
			parts = append(parts, v.app.paint(red, cleanLine(rep.Files[i].File)+" does not load"))
		}
	}
	text := fmt.Sprintf("%s  tests %s in %s", v.app.paint(dim, now()), strings.Join(parts, ", "), shortTime(rep.DurationMS))
	if rep.OK() {
		v.line("%s", text)
		return
	}
	var b strings.Builder
	r := &plainReporter{app: &app{streams: streams{out: &b}}, color: v.app.paint}
	for i := range rep.Files {
		if rep.Files[i].Failed() {
			r.printFailures(&rep.Files[i])
		}
	}
	for line := range strings.SplitSeq(strings.Trim(b.String(), "\n"), "\n") {
		text += "\n" + strings.TrimRight("      "+line, " ")
	}
	v.line("%s", text) // in one piece, whatever else is shown meanwhile
}
