package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/server/rpc"
)

// commands is the host's commands as the RPC server sees them.
type commands struct{ host *host.Host }

var _ rpc.Commands = commands{}

// List implements [rpc.Commands].
func (c commands) List(context.Context) (any, error) { return c.host.Commands(), nil }

// Request implements [rpc.Commands].
func (c commands) Request(name, input string) (registry.Request, error) {
	return c.host.CommandRequest(name, input)
}

// Complete implements [rpc.Commands].
func (c commands) Complete(ctx context.Context, name, prefix string) ([]string, error) {
	return c.host.CompleteCommand(ctx, name, prefix)
}

func (a *app) commandCommand() *cobra.Command {
	var full, complete bool
	cmd := &cobra.Command{
		Use:   "command [NAME [TEXT…]]",
		Short: "Run one command of an extension, or list them",
		Long: `Run one command of an extension with the text behind its name, and print its
answer on stdout; without a name, list the commands. Where several extensions have
a command of one name, it is EXTENSION:NAME.

The policy judges a command by what its code is seen to do, under the name
command-NAME. On a terminal it asks; elsewhere --yes says yes.

Exit status: as of run.`,
		Example: `  rho-ext command
  rho-ext command tally reset
  rho-ext command tally --complete re
  rho-ext command --yes -- tally --all`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listCommands(cmd.Context())
			}
			return a.runCommandNamed(cmd.Context(), args[0], strings.Join(args[1:], " "), complete, full)
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "print the whole text, not what a model would see of it")
	cmd.Flags().BoolVar(&complete, "complete", false, "do not run it; print what TEXT may go on with, one per line")
	return cmd
}

func (a *app) listCommands(ctx context.Context) error {
	w, err := a.open(ctx, "", nil)
	if err != nil {
		return err
	}
	defer w.close()
	list := w.host.Commands()
	if a.json {
		return written(a.printJSON(map[string]any{"commands": list}))
	}
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "COMMAND\tEXTENSION\tRISK\tDESCRIPTION")
	for _, c := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", cleanLine(c.Name), cleanLine(c.Extension), c.Risk, cleanLine(c.Description))
	}
	if err := t.Flush(); err != nil {
		return written(err)
	}
	for _, f := range w.failures() {
		a.printFailure(f)
	}
	a.tellUntrusted(untrusted(w.host))
	return nil
}

func (a *app) runCommandNamed(ctx context.Context, name, input string, complete, full bool) error {
	a.asks, a.short = true, true
	a.showStatus()
	defer a.endStatus()
	var gate registry.Gate
	if p := a.person(); p != nil {
		gate = p
	}
	w, err := a.open(ctx, "", gate)
	if err != nil {
		return err
	}
	defer w.close()
	if complete {
		list, err := w.host.CompleteCommand(ctx, name, input)
		if err != nil {
			return a.noCommand(w, name, err)
		}
		if a.json {
			if list == nil {
				list = []string{}
			}
			return written(a.printJSON(map[string]any{"completions": list}))
		}
		for _, text := range list {
			if _, err := fmt.Fprintln(a.out, cleanLine(text)); err != nil {
				return written(err)
			}
		}
		return nil
	}
	req, err := w.host.CommandRequest(name, input)
	if err != nil {
		return a.noCommand(w, name, err)
	}
	for _, f := range w.failures() {
		fmt.Fprintf(a.err, "%s extension %s failed to load: %s\n", a.paint(yellow, "warning:"), cleanLine(f.Extension), clean(f.Error()))
	}
	req.Progress = a.progress
	out := w.door.Call(ctx, req)
	a.endStatus()
	if err := a.printOutcome(out, full); err != nil {
		return written(err)
	}
	if err := a.saveImages(out, ""); err != nil {
		return err
	}
	if code := exitCode(out); code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

// noCommand answers for a command that cannot be run, or did not complete.
func (a *app) noCommand(w *workspace, name string, err error) error {
	var none *host.CommandError
	if !errors.As(err, &none) || len(none.In) > 0 {
		return fail(exitFailed, "%v", err)
	}
	if failures := w.failures(); len(failures) > 0 {
		return a.loadFailed(name, failures)
	}
	if waiting := untrusted(w.host); len(waiting) > 0 {
		a.tellUntrusted(waiting)
		return fail(exitDenied, "%v in what is trusted", err)
	}
	return fail(exitFailed, "%v; rho-ext command shows those that there are", err)
}
