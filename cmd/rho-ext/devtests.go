package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/rho-ext/rho-ext/host/exttest"
)

// devTests runs the tests that a save touches, beside dev.
type devTests struct {
	view   *devView
	opts   exttest.Options
	runner *exttest.Runner // once there was a test to run

	mu sync.Mutex
}

// follow runs until ctx ends.
func (d *devTests) follow(ctx context.Context) {
	defer func() {
		if d.runner != nil {
			_ = d.runner.Close()
		}
	}()
	exttest.Watch(ctx, d.opts, func(paths []string) { d.run(ctx, paths) })
}

// run runs what files that have changed touch; no paths run all.
func (d *devTests) run(ctx context.Context, paths []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
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
	v.line("%s  tests %s in %s", v.app.paint(dim, now()), strings.Join(parts, ", "), shortTime(rep.DurationMS))
	var b strings.Builder
	if rep.OK() {
		return
	}
	r := &plainReporter{app: &app{streams: streams{out: &b}}, color: v.app.paint}
	for i := range rep.Files {
		if rep.Files[i].Failed() {
			r.printFailures(&rep.Files[i])
		}
	}
	for line := range strings.SplitSeq(strings.Trim(b.String(), "\n"), "\n") {
		v.line("%s", strings.TrimRight("      "+line, " "))
	}
}
