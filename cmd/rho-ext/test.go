package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/exttest"
	"github.com/rho-ext/rho-ext/internal/suggest"
)

// testFlags are those of test.
type testFlags struct {
	name     string
	watch    bool
	reporter string
	seed     uint64
	shuffle  bool
	update   bool
	record   bool
	bail     int
}

func (a *app) testCommand() *cobra.Command {
	var o testFlags
	cmd := &cobra.Command{
		Use:   "test [PATTERN]...",
		Short: "Run the tests of extensions",
		Long: `Run the tests of extensions: *.test.ts files beside them, written as for vitest,
with "rho-ext/test" in place of "vitest" (which works too).

They run in the sandbox that serves agents, and call tools through the same door.
Each test has fresh runtimes of the extension and an empty project. Requests
are answered by mockFetch; nothing reaches the network, and no program is started
but those of --allow-run. Without PATTERN all tests run; else those of files whose
name holds one, and of extensions that are called so.

A test that is too late is stopped, whatever it does; --timeout sets what a test
may take (default 5s). New snapshots are written, but not where CI is set.`,
		Example: "  rho-ext test\n  rho-ext test weather -t 'bad city'\n  rho-ext test --watch\n  rho-ext test --reporter junit > report.xml",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.shuffle = cmd.Flags().Changed("seed")
			return a.test(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.name, "testNamePattern", "t", "", "only tests whose full name matches the regular expression `NAME`")
	f.BoolVarP(&o.watch, "watch", "w", false, "run tests again when files are saved, until interrupted")
	f.StringVar(&o.reporter, "reporter", "default", "print as `FORMAT`: "+strings.Join(reporterNames, ", "))
	f.Uint64Var(&o.seed, "seed", 0, "run the tests of each suite in an order that the `NUMBER` decides; 0 takes one by chance")
	f.BoolVarP(&o.update, "update", "u", false, "write snapshots that differ, and remove those that no test uses")
	f.BoolVar(&o.record, "record", false, "record the requests of cassettes anew, from the hosts of --allow-net")
	f.IntVar(&o.bail, "bail", 0, "stop after `N` failed tests; 0 never does")
	return cmd
}

func (a *app) test(ctx context.Context, patterns []string, o testFlags) error {
	report, err := a.reporter(o)
	if err != nil {
		return err
	}
	if o.watch && o.record {
		return usage("--record records once; leave --watch out")
	}
	opts, err := a.testOptions(o)
	if err != nil {
		return err
	}
	runner, err := exttest.New(opts)
	if err != nil {
		return fail(exitFailed, "%v", err)
	}
	defer runner.Close()
	if o.watch {
		return a.watchTests(ctx, runner, patterns, report)
	}
	files, err := a.findTests(opts, patterns)
	if err != nil {
		return err
	}
	rep, err := runTests(ctx, runner, files, report)
	switch {
	case ctx.Err() != nil:
		return fail(exitInterrupted, "interrupted") // what has run was told
	case err != nil:
		return fail(exitFailed, "%v", err)
	case !rep.OK():
		return fail(exitFailed, "")
	case opts.Name != nil && rep.Passed == 0:
		return fail(exitFailed, "no test's name matches -t %q; --reporter tap lists them all", o.name)
	}
	return nil
}

func runTests(ctx context.Context, runner *exttest.Runner, files []exttest.File, report reporter) (*exttest.Report, error) {
	report.begin(files)
	rep, err := runner.Run(ctx, files, exttest.Watcher{Ended: report.file})
	if err == nil || rep.Stopped {
		if werr := report.end(rep); werr != nil && err == nil {
			err = werr
		}
	}
	return rep, err
}

// testOptions are what the flags and the configuration say of tests.
func (a *app) testOptions(o testFlags) (exttest.Options, error) {
	var none exttest.Options
	if err := a.checkFlags(); err != nil {
		return none, err
	}
	root, c, err := a.configured()
	if err != nil {
		return none, err
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	allow, err := a.allow.grants(root)
	if err != nil {
		return none, err
	}
	proxy, cas, err := networkOf(c)
	if err != nil {
		return none, usage("%v", err)
	}
	ci := os.Getenv("CI") != "" && os.Getenv("CI") != "false"
	out := exttest.Options{
		Root: root, Dirs: c.Extensions.Dirs, Enabled: c.Extensions.Enabled, Disabled: c.Extensions.Disabled,
		Seed: o.seed, Update: o.update, Record: o.record, Bail: o.bail, Timeout: a.timeout, Allow: allow, Proxy: proxy, CAs: cas,
		Frozen: ci && !o.update, NoOnly: ci,
		Workers: host.WorkerOptions{NoStandby: !o.watch},
	}
	if o.shuffle && o.seed == 0 {
		out.Seed = chance()
	}
	if out.Isolation, err = a.isolationOf(c); err != nil {
		return none, err
	}
	if o.name != "" {
		if out.Name, err = regexp.Compile(o.name); err != nil {
			return none, usage("-t: %v; put a backslash before ( ) [ ] + * ? . that stand for themselves", err)
		}
	}
	if o.bail < 0 {
		return none, usage("--bail: %d is negative", o.bail)
	}
	return out, nil
}

// findTests gives the files that patterns mean.
func (a *app) findTests(o exttest.Options, patterns []string) ([]exttest.File, error) {
	all, failures, err := exttest.Find(o)
	if err != nil {
		return nil, fail(exitFailed, "%v", err)
	}
	for i := range failures {
		fmt.Fprintln(a.err, a.paint(yellow, "warning:"), clean(failures[i].Error()))
	}
	files := exttest.Matching(all, patterns)
	if len(files) > 0 {
		return files, nil
	}
	if len(all) == 0 {
		return nil, fail(exitFailed, "there are no tests: write NAME.test.ts beside an extension NAME.ts, or index.test.ts into its folder; rho-ext init shows how")
	}
	var names []string
	for _, f := range all {
		names = append(names, f.Name)
		if f.Extension != "" && !slices.Contains(names, f.Extension) {
			names = append(names, f.Extension)
		}
	}
	quoted := make([]string, len(patterns))
	for i, p := range patterns {
		quoted[i] = fmt.Sprintf("%q", p)
	}
	are := "there are " + counted(len(all), "test file", "test files")
	if len(all) == 1 {
		are = "there is " + all[0].Name
	}
	return nil, fail(exitFailed, "no test file's name holds %s%s; %s", strings.Join(quoted, " or "),
		suggest.Hint(suggest.Names(patterns[0], names, 1)...), are)
}

// watchTests runs tests now, and what a change touches after it.
func (a *app) watchTests(ctx context.Context, runner *exttest.Runner, patterns []string, report reporter) error {
	opts := runner.Options()
	changes := make(chan []string, 1)
	go exttest.Watch(ctx, opts, func(paths []string) {
		for {
			select {
			case changes <- paths:
				return
			case earlier := <-changes: // one that was not looked at yet
				if earlier == nil || paths == nil {
					paths = nil
				} else {
					paths = append(earlier, paths...)
				}
			}
		}
	})
	var paths []string
	for {
		all, _, err := exttest.Find(opts)
		if err != nil {
			return fail(exitFailed, "%v", err)
		}
		files := exttest.Affected(exttest.Matching(all, patterns), paths)
		if len(paths) > 0 && len(files) > 0 {
			fmt.Fprintf(a.err, "\n%s %s\n", a.paint(dim, "changed"), clean(strings.Join(namesOf(opts.Root, paths), ", ")))
		}
		switch {
		case len(files) > 0:
			if _, err := runTests(ctx, runner, files, report); err != nil && ctx.Err() == nil {
				return fail(exitFailed, "%v", err)
			}
		case len(paths) == 0:
			fmt.Fprintln(a.err, "there are no such tests yet")
		}
		if ctx.Err() == nil && (len(files) > 0 || len(paths) == 0) {
			fmt.Fprintln(a.err, a.paint(dim, "waiting for changes; ctrl-C ends it"))
		}
		select {
		case <-ctx.Done():
			return fail(exitInterrupted, "")
		case paths = <-changes:
		}
	}
}

func namesOf(root string, paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, p := range paths {
		if rel, err := filepath.Rel(root, p); err == nil && filepath.IsLocal(rel) {
			p = filepath.ToSlash(rel)
		}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	if len(out) > 3 {
		out = append(out[:3], fmt.Sprintf("and %d more", len(out)-3))
	}
	return out
}

func (a *app) reporter(o testFlags) (reporter, error) {
	name := o.reporter
	if a.json {
		name = "json"
	}
	r := a.newReporter(name)
	if r == nil {
		return nil, usage("--reporter: unknown format %q: expected %s", name, strings.Join(reporterNames, ", "))
	}
	return r, nil
}
