package exttest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// maxConcurrent bounds how many tests of a file run side by side.
const maxConcurrent = 5

// suite runs what a suite holds, in order. Neighbours that are marked as
// concurrent run side by side.
func (f *fileRun) suite(ctx context.Context, p *plan, around ...*plan) {
	chain := append(slices.Clone(around), p)
	f.each(ctx, p.children, func(c *plan, begun func()) {
		if c.node.Suite {
			f.suite(ctx, c, chain...)
		} else {
			f.test(ctx, c, chain, begun)
		}
	})
	if !p.node.AfterAll || p.runs == 0 || ctx.Err() != nil {
		return
	}
	if life, ran := f.began(p); p.node.BeforeAll && (!ran || life != f.lifeNow()) {
		return // what it would end went away with its sandbox
	}
	if res := f.part(ctx, wire.TestAfterAll, p.node, hookDeadline(f.opts)); res.State == StateFail {
		f.blame(p, res, "afterAll")
	}
}

// each runs children, neighbours that are concurrent side by side. Those begin in
// their order: do calls begun when the code of its test has begun; it is nil for
// one that runs by itself.
func (f *fileRun) each(ctx context.Context, list []*plan, do func(c *plan, begun func())) {
	for i := 0; i < len(list); {
		end := i + 1
		if together(list[i]) {
			for end < len(list) && together(list[end]) {
				end++
			}
		}
		if end == i+1 {
			if ctx.Err() == nil {
				do(list[i], nil)
			}
			i = end
			continue
		}
		slots := make(chan struct{}, maxConcurrent)
		var wait sync.WaitGroup
		for _, c := range list[i:end] {
			slots <- struct{}{}
			started := make(chan struct{})
			begun := sync.OnceFunc(func() { close(started) })
			wait.Go(func() {
				defer func() { begun(); <-slots }()
				if ctx.Err() == nil {
					do(c, begun)
				}
			})
			if !c.node.Suite {
				<-started
			}
		}
		wait.Wait()
		i = end
	}
}

func together(p *plan) bool { return p.node.Concurrent && !p.node.Sequential }

// began tells in which life of the sandbox beforeAll of a suite has run.
func (f *fileRun) began(p *plan) (int, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	life, ok := f.before[p.node.ID]
	return life, ok
}

func (f *fileRun) lifeNow() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.life
}

// prepare runs the hooks beforeAll of the suites around a test that have not run
// in this life of the sandbox.
func (f *fileRun) prepare(ctx context.Context, chain []*plan) *wire.TestResult {
	f.broker.preparing.Lock()
	defer f.broker.preparing.Unlock()
	_, life, err := f.live(ctx)
	if err != nil {
		return failedResult("", err)
	}
	for _, p := range chain {
		if !p.node.BeforeAll {
			continue
		}
		if at, ran := f.began(p); ran && at == life {
			if res := f.broker.refused[p.node.ID]; res != nil {
				return res
			}
			continue
		}
		res := f.part(ctx, wire.TestBeforeAll, p.node, hookDeadline(f.opts))
		f.mu.Lock()
		f.before[p.node.ID] = life
		f.mu.Unlock()
		delete(f.broker.refused, p.node.ID)
		if res.State == StateFail {
			for i := range res.Errors {
				if res.Errors[i].In == "" {
					res.Errors[i].In = "beforeAll"
				}
			}
			f.broker.refused[p.node.ID] = &res
			return &res
		}
	}
	return nil
}

// test runs one test, or tells why it does not.
func (f *fileRun) test(ctx context.Context, p *plan, chain []*plan, begun func()) {
	rep := &f.tests[p.index]
	rep.Path, rep.Line, rep.Column = p.path, p.node.Location.Line, p.node.Location.Column
	if rep.State = p.state; p.state != "" {
		return
	}
	if f.run.bailed() {
		f.run.cut.Store(true)
		rep.State, rep.Note = StateSkip, "too many tests had failed"
		return
	}
	begin := time.Now()
	defer func() { rep.DurationMS = milliseconds(time.Since(begin)) }()
	if res := f.prepare(ctx, chain); res != nil {
		f.settle(rep, *res)
		return
	}
	t := f.newRun(p.node)
	timeout := f.opts.Timeout
	if p.node.TimeoutMS > 0 {
		timeout = time.Duration(p.node.TimeoutMS * float64(time.Millisecond))
	}
	t.begun = begun
	res := f.call(ctx, t, wire.TestBody, timeout)
	t.end(f)
	if ctx.Err() != nil {
		rep.State = ""
		return
	}
	f.keep(res.Snapshots)
	rep.Logs, rep.Retries, rep.Note = t.logs, res.Retries, res.Note
	f.settle(rep, res)
}

// settle puts a result into a report.
func (f *fileRun) settle(rep *TestReport, res wire.TestResult) {
	rep.State = res.State
	for _, e := range res.Errors {
		rep.Errors = append(rep.Errors, f.place.failed(e))
	}
	if rep.State != StatePass && rep.State != StateSkip {
		rep.State = StateFail
		f.run.failed.Add(1)
	}
}

// part runs a hook of a suite.
func (f *fileRun) part(ctx context.Context, part string, n *wire.TestNode, timeout time.Duration) wire.TestResult {
	t := f.newRun(n)
	res := f.call(ctx, t, part, timeout)
	t.end(f)
	f.keep(res.Snapshots)
	f.mu.Lock()
	f.logs = append(f.logs, t.logs...)
	f.mu.Unlock()
	return res
}

// blame fails the last test that ran in a suite whose afterAll failed.
func (f *fileRun) blame(p *plan, res wire.TestResult, hook string) {
	last := lastRun(p)
	if last == nil {
		return
	}
	rep := &f.tests[last.index]
	rep.State = StateFail
	for _, e := range res.Errors {
		if e.In == "" {
			e.In = hook
		}
		rep.Errors = append(rep.Errors, f.place.failed(e))
	}
}

func lastRun(p *plan) *plan {
	if !p.node.Suite {
		if p.runs > 0 {
			return p
		}
		return nil
	}
	for _, c := range slices.Backward(p.children) {
		if last := lastRun(c); last != nil {
			return last
		}
	}
	return nil
}

func hookDeadline(o Options) time.Duration { return o.HookTimeout }

func failedResult(in string, err error) *wire.TestResult {
	return &wire.TestResult{State: StateFail, Errors: []wire.TestError{{Name: "Error", Message: err.Error(), In: in}}}
}

// call runs a part of the file and reads what came of it.
func (f *fileRun) call(ctx context.Context, t *testRun, part string, timeout time.Duration) wire.TestResult {
	args, err := json.Marshal(wire.TestRef{ID: t.node.ID})
	if err != nil {
		return *failedResult("", err)
	}
	for attempt := 1; ; attempt++ {
		sb, _, err := f.live(ctx)
		if err != nil {
			return *failedResult("", err)
		}
		ctx, stop := t.limit.start(ctx, part, timeout)
		if t.begun != nil {
			go t.tellBegun(ctx, sb)
		}
		res := sb.Call(ctx, wire.CallRequest{ID: t.id, Run: wire.RunTest, Tool: part, Args: args})
		stop()
		if res.Guilty || res.Lost {
			_ = sb.Close() // it takes no more calls, and may be about to say so
		}
		if res.Lost && attempt == 1 && ctx.Err() == nil {
			continue // another test took the sandbox down
		}
		return t.result(res)
	}
}

// result reads how a call ended.
func (t *testRun) result(res wire.CallResult) wire.TestResult {
	var out wire.TestResult
	switch {
	case res.Value != nil:
		if err := json.Unmarshal(res.Value.Structured, &out); err != nil {
			return *failedResult("", fmt.Errorf("the result of the test cannot be read: %w", err))
		}
	case res.Thrown != nil:
		e := wire.TestError{Name: res.Thrown.Name, Message: res.Thrown.Message, Hint: res.Thrown.Hint, Stack: res.Thrown.Stack}
		if res.Thrown.Kind == registry.KindTimeout {
			phase, limit := t.limit.last()
			e.Name, e.Message = "Error", fmt.Sprintf("%s timed out in %dms.", phase, limit.Milliseconds())
			e.Hint = "it never gave way to anything else; the line is where it was stopped"
			if len(e.Stack) == 0 {
				e.Stack = []wire.Position{t.node.Location}
				e.Hint = "it waited for something that did not come, or was busy in one long step, such as a regular expression; a test may name a longer time: test(name, fn, 20_000)"
			}
		}
		out = wire.TestResult{State: StateFail, Errors: []wire.TestError{e}}
	default:
		why := "the sandbox of the test file went away"
		if res.Died {
			why = "the worker process of the test file ended"
		}
		out = *failedResult("", fmt.Errorf("%s: another test in it took it down, or it used too much memory", why))
	}
	if e := t.unanswered(); e != nil {
		out.State = StateFail
		out.Errors = append(out.Errors, e...)
	}
	return out
}
