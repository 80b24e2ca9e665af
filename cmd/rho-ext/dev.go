package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/internal/dirs"
	"github.com/rho-ext/rho-ext/internal/sessionlog"
	"github.com/rho-ext/rho-ext/internal/suggest"
	"github.com/rho-ext/rho-ext/registry"
)

func (a *app) devCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "dev [EXTENSION]",
		Short: "Watch extensions while you write them",
		Long: `Watch extensions while you write them: each save is loaded at once, and what is
wrong with it is shown with the lines around it. A version that does not load
leaves the last good one serving. The tests that a save touches run after it; see
rho-ext test.

Every call of a tool in this project is shown as it ends, with what it touched,
whichever program made it: an agent that is served by "rho-ext serve --watch"
reloads the same files. On a terminal, h and enter shows the keys, such as c to
call a tool. With EXTENSION only that one is shown.

With --json each line on stdout is an event. It ends when it is interrupted.`,
		Example: "  rho-ext dev\n  rho-ext dev weather\n  rho-ext dev --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("dev takes one EXTENSION or none, got %d arguments: %q; see rho-ext dev --help", len(args), args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) == 1 {
				name = args[0]
			}
			return a.dev(cmd.Context(), name)
		},
	}
}

func (a *app) dev(ctx context.Context, name string) error {
	begin := time.Now()
	a.asks, a.stays = true, true
	w, err := a.openDev(ctx)
	if err != nil {
		return err
	}
	defer func() { w.close() }()
	if yes, err := a.askTrust(ctx, w.host); err != nil {
		return err
	} else if yes {
		w.close()
		begin = time.Now()
		if w, err = a.openDev(ctx); err != nil {
			return err
		}
	}
	v := &devView{app: a, w: w, name: name}
	if err := v.known(); err != nil {
		return err
	}
	v.header()
	v.begin()
	o, err := a.testOptions(testFlags{})
	if err != nil {
		return err
	}
	tests := newDevTests(v, o)
	watcher, err := w.host.Watch(host.WatchOptions{Reloaded: func(r host.Report) { v.reloaded(r); tests.reloaded(r) }, Status: v.status})
	if err != nil {
		return fail(exitFailed, "files cannot be watched: %v", err)
	}
	defer watcher.Close()
	v.ready(time.Since(begin))
	a.tellUntrusted(untrusted(w.host))

	ctx, stop := context.WithCancel(ctx)
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		if home := dirs.Home(); w.session != nil && home != "" {
			dir := realPath(sessionDir(home, w.host.Root()))
			f := sessionlog.NewFollower(dir)
			f.Skip()
			followLog(ctx, dir, f, v.logged, nil)
		}
	}()
	defer func() { stop(); <-followed }()
	tested := make(chan struct{})
	go func() { defer close(tested); tests.follow(ctx) }()
	defer func() { stop(); <-tested }()
	keys := &devKeys{view: v, tests: tests}
	if p := a.person(); p != nil {
		return keys.run(ctx, p.listen())
	}
	<-ctx.Done()
	return nil
}

// openDev opens the project with whoever sits at the terminal as the gate.
func (a *app) openDev(ctx context.Context) (*workspace, error) {
	var gate registry.Gate
	if p := a.person(); p != nil {
		gate = p
	}
	return a.open(ctx, "", gate)
}

// known checks the name that was given.
func (v *devView) known() error {
	if v.name == "" {
		return nil
	}
	var names []string
	for _, e := range v.w.host.Extensions() {
		names = append(names, e.ID)
	}
	for _, f := range v.w.host.Failures() {
		names = append(names, f.Extension)
	}
	if slices.Contains(names, v.name) {
		return nil
	}
	return fail(exitFailed, "there is no extension %q%s; rho-ext list shows those that there are", v.name, suggest.Hint(suggest.Names(v.name, names, 1)...))
}
