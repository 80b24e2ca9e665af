package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

type runFlags struct {
	args   string
	pairs  []string
	time   bool
	full   bool
	trace  bool
	repeat int
	save   string
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run TOOL",
		Short: "Run one tool, built-in or from an extension, without a model",
		Long: `Run one tool and print its answer on stdout; everything else goes to stderr.

On a terminal you are asked for arguments that the tool needs and that no --arg
gives, unless there is --args or --json. Images of the answer become files.

Exit status: 0 success, 1 the tool failed or its arguments are wrong, 2 wrong
usage, 3 the extension did not load, 4 something was denied, 124 the deadline
passed, 130 interrupted.`,
		Example: `  rho-ext run word_count --args '{"path":"README.md"}'
  rho-ext run word_count
  rho-ext run word_count --arg path=README.md --json
  echo '{"path":"README.md"}' | rho-ext run word_count --args -`,
		Args: one("TOOL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("save") && f.save == "" {
				return usage("--save is empty; expected a folder, such as --save images")
			}
			return a.runTool(cmd.Context(), args[0], f)
		},
	}
	cmd.Flags().StringVar(&f.args, "args", "", "the arguments as a `JSON` object, or - to read it from stdin")
	cmd.Flags().StringArrayVar(&f.pairs, "arg", nil, "one argument as `KEY=VALUE`; VALUE is text or JSON, as the schema says; may be repeated")
	cmd.Flags().BoolVar(&f.time, "time", false, "tell how long loading and the call took")
	cmd.Flags().BoolVar(&f.full, "full", false, "print the whole text, not what a model would see of it")
	cmd.Flags().BoolVar(&f.trace, "trace", false, "tell what happens, step by step")
	cmd.Flags().IntVar(&f.repeat, "repeat", 1, "run it `N` times and tell the times")
	cmd.Flags().StringVar(&f.save, "save", "", "write images of the answer to files in `DIR` (default: a new folder for temporary files)")
	return cmd
}

func (a *app) runTool(ctx context.Context, name string, f runFlags) error {
	if f.repeat < 1 {
		return usage("--repeat must be at least 1, got %d", f.repeat)
	}
	args, err := a.readArgs(f.args)
	if err != nil {
		return err
	}
	a.short = true
	a.showStatus()
	defer a.endStatus()
	t, err := a.openTool(ctx, name)
	if err != nil {
		return err
	}
	w, entry, known, loaded := t.w, t.entry, t.known, t.loaded
	defer w.close()
	if known {
		if args, err = withPairs(args, f.pairs, entry.Tool.Parameters()); err != nil {
			return err
		}
		if f.args == "" {
			if args, err = a.askMissing(ctx, args, entry.Tool, f.pairs); err != nil {
				return err
			}
		}
	}
	if f.trace {
		a.traceLoad(w, entry, known, loaded)
	}
	var times []time.Duration
	var out *registry.Outcome
	for range f.repeat {
		out = w.door.Call(ctx, registry.Request{Tool: name, Arguments: args, Progress: a.progress})
		times = append(times, out.Duration)
		if out.Status != registry.StatusSuccess {
			break
		}
	}
	a.endStatus()
	if f.trace {
		a.traceCall(out)
	}
	if err := a.printOutcome(out, f.full); err != nil {
		return written(err)
	}
	if err := a.saveImages(out, f.save); err != nil {
		return err
	}
	if !known && !a.json {
		a.printFrame("", "rho-ext list shows the tools that there are")
	}
	if f.time || f.repeat > 1 {
		a.printTimes(loaded, times)
	}
	if waiting := untrusted(w.host); !known && len(waiting) > 0 {
		a.tellUntrusted(waiting)
		return &exitError{code: exitDenied}
	}
	if code := exitCode(out); code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

// openedTool is a workspace in which one tool is about to be called.
type openedTool struct {
	w      *workspace
	entry  registry.Entry
	known  bool          // whether there is such a tool
	loaded time.Duration // how long that took
}

// openTool loads what a tool needs. Whoever types the command has said that its
// calls may run; what the policy denies stays denied.
func (a *app) openTool(ctx context.Context, name string) (*openedTool, error) {
	start := time.Now()
	a.asks = true
	var nested registry.Gate
	if p := a.person(); p != nil {
		nested = p
	}
	w, err := a.open(ctx, name, registry.AllowDirectElse(nested))
	if err != nil {
		return nil, err
	}
	t := &openedTool{w: w, loaded: time.Since(start)}
	t.entry, t.known = w.reg.Snapshot().Lookup(name)
	if !t.known {
		yes, err := a.askTrust(ctx, w.host)
		if yes || err != nil {
			w.close()
		}
		if err != nil {
			return nil, err
		}
		if yes {
			start = time.Now()
			if t.w, err = a.open(ctx, name, registry.AllowDirectElse(nested)); err != nil {
				return nil, err
			}
			t.loaded = time.Since(start)
			t.entry, t.known = t.w.reg.Snapshot().Lookup(name)
		}
	}
	failures := t.w.failures()
	if !t.known && len(failures) > 0 {
		t.w.close()
		return nil, a.loadFailed(name, failures)
	}
	for _, fl := range failures {
		fl.File = cleanLine(fl.File)
		fmt.Fprintf(a.err, "%s extension %s failed to load: %s\n", a.paint(yellow, "warning:"), cleanLine(fl.Extension), clean(fl.Error()))
	}
	return t, nil
}

func (a *app) printOutcome(out *registry.Outcome, full bool) error {
	if a.json {
		return a.printJSON(out)
	}
	if out.Status != registry.StatusSuccess {
		a.printCallFailure(out)
		return nil
	}
	text := out.Text
	if full {
		text = out.FullText()
	} else if out.Truncated {
		defer fmt.Fprintln(a.err, a.paint(dim, "this is what a model sees; --full prints the whole text"))
	}
	return a.printText(text)
}

// loadFailed answers for a name that may belong to a broken extension.
func (a *app) loadFailed(name string, failures []host.Failure) error {
	if a.json {
		if err := a.printJSON(map[string]any{"failures": failures}); err != nil {
			return written(err)
		}
	}
	for _, f := range failures {
		a.printFailure(f)
	}
	return fail(exitLoad, "%s is not available: no extension that loaded has it, and %s", name, counted(len(failures), "failure is", "failures are")+" above")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (a *app) progress(p registry.Progress) {
	if a.json {
		return
	}
	part := ""
	switch {
	case p.Total > 0:
		part = fmt.Sprintf("[%g/%g] ", p.Done, p.Total)
	case p.Done > 0:
		part = fmt.Sprintf("[%g] ", p.Done)
	}
	if s, ok := a.err.(*statusTerminal); ok {
		s.status("… " + part + cleanLine(p.Message))
		return
	}
	fmt.Fprintln(a.err, a.paint(dim, "… "+part+clean(p.Message)))
}
