package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/rho-ext/rho-ext/registry"
)

type benchFlags struct {
	args        string
	pairs       []string
	duration    time.Duration
	count       int
	concurrency int
	warmup      int
}

func (a *app) benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench TOOL",
		Short: "Measure how long the calls of a tool take",
		Long: `Call one tool again and again, as an agent would, and tell how long the calls
took: the first one apart, then the middle, the slow ones and how they are spread.

A tool that does more than read does so each time. Interrupted, it tells what was
measured so far. The calls are not kept in the session log, only that they were
measured.

Exit status: 0 success, 1 a call failed, 2 wrong usage, 3 the extension did not
load, 4 the first call was denied, 124 its deadline passed, 130 interrupted.`,
		Example: `  rho-ext bench word_count --arg path=README.md
  rho-ext bench word_count --arg path=README.md --count 1000 --concurrency 8 --json`,
		Args: one("TOOL"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.bench(cmd.Context(), args[0], f) },
	}
	cmd.Flags().StringVar(&f.args, "args", "", "the arguments as a `JSON` object, or - to read it from stdin")
	cmd.Flags().StringArrayVar(&f.pairs, "arg", nil, "one argument as `KEY=VALUE`; VALUE is text or JSON, as the schema says; may be repeated")
	cmd.Flags().DurationVar(&f.duration, "duration", 3*time.Second, "how long to measure, a `TIME` such as 10s")
	cmd.Flags().IntVar(&f.count, "count", 0, "end after `N` calls instead of after a time")
	cmd.Flags().IntVar(&f.concurrency, "concurrency", 1, "`N` calls at once")
	cmd.Flags().IntVar(&f.warmup, "warmup", 10, "`N` calls before it is measured, the first one besides")
	return cmd
}

func (f benchFlags) check() error {
	switch {
	case f.count < 0:
		return usage("--count must not be negative, got %d", f.count)
	case f.duration <= 0:
		return usage("--duration must be more than nothing, got %s", f.duration)
	case f.concurrency < 1 || f.concurrency > maxConcurrency:
		return usage("--concurrency must be from 1 to %d, got %d", maxConcurrency, f.concurrency)
	case f.warmup < 0:
		return usage("--warmup must not be negative, got %d", f.warmup)
	}
	return nil
}

const maxConcurrency = 1000

func (a *app) bench(ctx context.Context, name string, f benchFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	args, err := a.readArgs(f.args)
	if err != nil {
		return err
	}
	a.unlogged = true
	t, err := a.openTool(ctx, name)
	if err != nil {
		return err
	}
	w := t.w
	defer w.close()
	if t.known {
		if args, err = withPairs(args, f.pairs, t.entry.Tool.Parameters()); err != nil {
			return err
		}
		if more := t.entry.Info.Effects &^ registry.EffectRead; more != 0 && !a.json {
			a.warnOnce(fmt.Sprintf("%s may do more than read (%s), and does so at each call", name, more))
		}
	}
	b := &benching{door: w.door, req: registry.Request{Tool: name, Arguments: args}, errors: map[string]int{}}
	first, out := b.call(ctx)
	if !t.known || hopeless(out) {
		if err := a.printOutcome(out, false); err != nil {
			return written(err)
		}
		if waiting := untrusted(w.host); !t.known && len(waiting) > 0 {
			a.tellUntrusted(waiting)
			return &exitError{code: exitDenied}
		}
		return &exitError{code: exitCode(out)}
	}
	if !a.json && out.Status != registry.StatusSuccess {
		fmt.Fprintln(a.err, a.paint(yellow, "warning:"), "the first call failed:")
		a.printCallFailure(out)
	}
	b.measure(ctx, f)
	r := b.report(t, f, first)
	r.Interrupted = ctx.Err() != nil
	if w.session != nil {
		_ = w.session.Append(context.WithoutCancel(ctx), logKindBench, r)
	}
	if a.json {
		err = a.printJSON(r)
	} else {
		err = a.printBench(r)
	}
	switch {
	case err != nil:
		return written(err)
	case r.Interrupted:
		return &exitError{code: exitInterrupted}
	case r.Failed > 0 || out.Status != registry.StatusSuccess:
		return &exitError{code: exitFailed}
	}
	return nil
}

// hopeless reports whether further calls would end as the first one has, before
// the tool did anything.
func hopeless(o *registry.Outcome) bool {
	if o.Status == registry.StatusDenied || o.Status == registry.StatusSkipped {
		return true
	}
	if o.Failure == nil {
		return false
	}
	switch o.Failure.Kind {
	case registry.KindInvalidArgs, registry.KindNotFound, registry.KindPermissionDenied, registry.KindCancelled, registry.KindTimeout:
		return true
	}
	return false
}

// benching calls a tool again and again.
type benching struct {
	door *registry.Door
	req  registry.Request

	mu     sync.Mutex
	taken  sample
	errors map[string]int // by kind
	spent  time.Duration
}

// call makes one call and tells how long it took as its caller sees it.
func (b *benching) call(ctx context.Context) (time.Duration, *registry.Outcome) {
	begin := time.Now()
	out := b.door.Call(ctx, b.req)
	return time.Since(begin), out
}

// measure makes the calls. What an interrupt has cut short does not count.
func (b *benching) measure(ctx context.Context, f benchFlags) {
	var made atomic.Int64
	side(f.concurrency, func() bool {
		if made.Add(1) > int64(f.warmup) {
			return false
		}
		_, _ = b.call(ctx)
		return ctx.Err() == nil
	})
	made.Store(0)
	begin := time.Now()
	end := begin.Add(f.duration)
	side(f.concurrency, func() bool {
		if f.count > 0 && made.Add(1) > int64(f.count) || f.count == 0 && !time.Now().Before(end) {
			return false
		}
		took, out := b.call(ctx)
		if ctx.Err() != nil {
			return false
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.taken.add(took)
		if out.Status != registry.StatusSuccess {
			b.errors[kindOf(out)]++
		}
		return true
	})
	b.spent = time.Since(begin)
}

// side does a thing again and again, several at once, until it says no.
func side(workers int, do func() bool) {
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for do() {
			}
		})
	}
	all.Wait()
}

func kindOf(o *registry.Outcome) string {
	if o.Failure == nil {
		return string(o.Status)
	}
	if o.Failure.Code != "" {
		return string(o.Failure.Kind) + " (" + o.Failure.Code + ")"
	}
	return string(o.Failure.Kind)
}
