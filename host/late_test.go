package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

const slowTools = `
let count = 0, open: () => void;
const gate = new Promise<void>((r) => (open = r));
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
const tool = (name: string, execute: any) => ({ name, description: "d", risk: "read", execute });
export default { name: "c", tools: [
  tool("interleave", async () => { count++; while (count < 3) await sleep(1); return "together" }),
  tool("abortable", (_: any, ctx: any) => new Promise((_, no) => ctx.signal.addEventListener("abort", () => no(ctx.signal.reason)))),
  tool("polite", (_: any, ctx: any) => new Promise((ok) => ctx.signal.addEventListener("abort", () => ok("cleaned up after " + ctx.signal.reason.name)))),
  tool("busy", () => { for (;;) {} }),
  tool("busy_late", async () => {
    await sleep(10);
    for (let n = 0;;) { n++ }
  }),
  tool("busy_then", () => sleep(5).then(() => { for (;;) {} })),
  tool("busy_gate", async () => { await gate; for (;;) {} }),
  tool("opener", async () => { await sleep(5); open(); await sleep(30); return "opened" }),
  tool("reader", async () => { rho.readFile("x.txt"); await sleep(40); rho.readFile("x.txt"); return "read" }),
  tool("slow", async () => { await sleep(30); let s = 0; for (let i = 0; i < 20000; i++) s += i; await sleep(1); return "slow" }),
  tool("patient", () => sleep(60_000)),
  tool("never", () => new Promise(() => {})),
  tool("ignores", async () => { for (;;) await sleep(5) }),
  tool("overflow", () => { const f = (): number => 1 + f(); return f() }),
  tool("overflow_late", async () => { await sleep(5); const f = (): number => 1 + f(); return f() }),
  tool("interval", async () => { setInterval(() => {}, 1); return "left a timer" }),
  tool("zombie", async () => { setTimeout(() => { count += 1000 }, 50); return count }),
  tool("count", () => count),
] }`

func slowProject(t testing.TB) *project {
	p := newProject(t, map[string]string{"c.ts": slowTools})
	require.Empty(t, p.host.Failures())
	writeFiles(t, p.root, map[string]string{"x.txt": "x"})
	return p
}

// group runs calls at once: tool, deadline, tool, deadline … and gives their
// outcomes in order.
func (p *project) group(specs ...any) []*registry.Outcome {
	out := make([]*registry.Outcome, len(specs)/2)
	var wg sync.WaitGroup
	for i := range out {
		wg.Go(func() { out[i] = p.within(specs[2*i+1].(time.Duration), specs[2*i].(string), "{}") })
	}
	wg.Wait()
	return out
}

func TestConcurrentCallsInterleaveAtAwait(t *testing.T) {
	t.Parallel()
	p := slowProject(t)
	for _, o := range p.group("interleave", time.Minute, "interleave", time.Minute, "interleave", time.Minute) {
		require.Equal(t, registry.StatusSuccess, o.Status)
		require.Equal(t, "together", o.Text, "each waits until all three have begun")
	}
}

func TestADeadlineFiresTheSignalAndEndsTheCall(t *testing.T) {
	t.Parallel()
	p := slowProject(t)
	for _, tool := range []string{"abortable", "polite", "ignores", "busy", "busy_late", "busy_then"} {
		start := time.Now()
		o := p.within(100*time.Millisecond, tool, "{}")
		require.Equal(t, registry.KindTimeout, o.Failure.Kind, tool)
		require.Less(t, time.Since(start), 5*time.Second, tool)
	}
	require.Contains(t, p.within(time.Second, "busy_late", "{}").Failure.Location.String(), ".rho/extensions/c.ts:13",
		"the place where it was stopped is told")
	require.Equal(t, "left a timer", p.call("interval", "{}").Text, "the next call finds a sound runtime")
}

func TestCancellingStopsABusyLoop(t *testing.T) { // locode 69
	t.Parallel()
	p := slowProject(t)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	o := p.door.Call(ctx, registry.Request{Tool: "busy"})
	require.Equal(t, registry.KindCancelled, o.Failure.Kind)
	require.Equal(t, registry.StatusSuccess, p.call("count", "{}").Status)
}

func TestAPromiseThatCanNeverSettleFailsAtOnce(t *testing.T) {
	t.Parallel()
	p := slowProject(t)
	start := time.Now()
	o := p.within(time.Minute, "never", "{}")
	require.Equal(t, "never_settles", o.Failure.Code)
	require.Less(t, time.Since(start), 10*time.Second)
	o = p.within(100*time.Millisecond, "abortable", "{}")
	require.Equal(t, registry.KindTimeout, o.Failure.Kind, "one that listens for its own end is not stuck")
}

func TestAStackOverflowFailsItsCallAlone(t *testing.T) {
	t.Parallel()
	p := slowProject(t)
	out := p.group("overflow_late", time.Minute, "slow", time.Minute, "slow", time.Minute)
	require.Equal(t, "stack_overflow", out[0].Failure.Code)
	require.NotNil(t, out[0].Failure.Location)
	require.Equal(t, "slow", out[1].Text)
	require.Equal(t, "slow", out[2].Text)
	require.Equal(t, "stack_overflow", p.call("overflow", "{}").Failure.Code)
}

func TestTimersOfAnEndedCallNeverFire(t *testing.T) {
	t.Parallel()
	p := slowProject(t)
	require.Equal(t, "0", p.call("zombie", "{}").Text)
	require.Equal(t, "slow", p.call("slow", "{}").Text)
	require.Equal(t, "slow", p.call("slow", "{}").Text)
	require.Equal(t, "0", p.call("count", "{}").Text)
}

// TestABusyLoopLosesNothingOfTheCallsBesideIt is the case: eight calls
// beside for(;;){}.
func TestABusyLoopLosesNothingOfTheCallsBesideIt(t *testing.T) {
	t.Parallel()
	for _, guilty := range []string{"busy", "busy_late", "busy_then", "busy_gate"} {
		t.Run(guilty, func(t *testing.T) {
			t.Parallel()
			p := slowProject(t)
			specs := []any{guilty, 200 * time.Millisecond}
			for i := range 8 {
				specs = append(specs, []string{"slow", "reader"}[i%2], time.Minute)
			}
			specs = append(specs, "opener", time.Minute)
			out := p.group(specs...)
			if guilty != "busy_gate" || out[0].Failure.Code != "never_settles" { // it may begin before the call that opens the gate
				require.Equal(t, registry.KindTimeout, out[0].Failure.Kind)
			}
			for _, o := range out[1:] {
				require.Equal(t, registry.StatusSuccess, o.Status, "%s: %+v", o.Tool, o.Failure)
			}
		})
	}
}

func TestAVictimsOwnDeadlineSaysWhoHeldTheLoop(t *testing.T) {
	t.Parallel()
	p := slowProject(t)
	out := p.group("busy_late", 1500*time.Millisecond, "patient", 700*time.Millisecond)
	require.Equal(t, registry.KindTimeout, out[1].Failure.Kind)
	require.Contains(t, out[1].Failure.Hint, "busy_late")
	require.Equal(t, registry.KindTimeout, out[0].Failure.Kind)
}

// TestStorm is eight callers that mix honest calls with one busy loop in six:
// every call ends as it must, and no innocent one is lost.
func TestStorm(t *testing.T) {
	t.Parallel()
	p := slowProject(t)
	var ok, late, bad atomic.Int64
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 1))
			for i := range 30 {
				tool := []string{"slow", "reader", "slow", "reader", "slow", "busy_late"}[r.IntN(6)]
				deadline := time.Minute
				if tool == "busy_late" {
					deadline = 30 * time.Millisecond
				}
				o := p.door.Call(context.Background(), registry.Request{ID: fmt.Sprint(g, "-", i), Tool: tool, Timeout: deadline})
				switch {
				case tool == "busy_late" && o.Failure != nil && o.Failure.Kind == registry.KindTimeout:
					late.Add(1)
				case tool != "busy_late" && o.Status == registry.StatusSuccess:
					ok.Add(1)
				default:
					bad.Add(1)
					t.Errorf("%s ended as %s: %+v", tool, o.Status, o.Failure)
				}
			}
		})
	}
	wg.Wait()
	require.Zero(t, bad.Load())
	require.Equal(t, int64(240), ok.Load()+late.Load())
	t.Logf("240 calls: %d answered, %d stopped at their deadline, %d lost", ok.Load(), late.Load(), bad.Load())
}

func TestAGoToolThatPanicsHarmsNoOther(t *testing.T) { // locode 70
	t.Parallel()
	p := slowProject(t)
	require.NoError(t, p.reg.Register("go", panicTool{}))
	o := p.call("panics", "{}")
	require.Equal(t, registry.StatusError, o.Status)
	require.NotContains(t, o.Text, "secret")
	require.Equal(t, "0", p.call("count", "{}").Text)
	require.Equal(t, registry.StatusError, p.call("panics", "{}").Status)
}

type panicTool struct{}

func (panicTool) Name() string                { return "panics" }
func (panicTool) Description() string         { return "d" }
func (panicTool) Parameters() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }
func (panicTool) Risk() registry.Risk         { return registry.Read }
func (panicTool) Execute(context.Context, json.RawMessage) (*registry.Result, error) {
	panic(errors.New("secret"))
}

func TestCloseEndsRunningCalls(t *testing.T) {
	t.Parallel()
	p := slowProject(t)
	done := make(chan *registry.Outcome, 2)
	for _, tool := range []string{"busy", "ignores"} {
		go func() { done <- p.within(time.Minute, tool, "{}") }()
	}
	require.Eventually(t, func() bool { return p.within(50*time.Millisecond, "count", "{}").Status != registry.StatusSuccess }, 10*time.Second, time.Millisecond)
	require.NoError(t, p.host.Close())
	for range 2 {
		o := <-done
		require.NotEqual(t, registry.StatusSuccess, o.Status)
	}
}

const leftBehind = `
const tool = (name: string, execute: any) => ({ name, description: "d", risk: "read", execute });
const spin = (): any => { for (;;) {} };
export default { name: "c", tools: [
  tool("ping", () => "pong"),
  tool("unseen_rejection", () => { Promise.reject({ get stack() { return spin() } }); return "done" }),
  tool("microtasks", async () => { await new Promise((r) => setTimeout(r, 1)); (async () => { for (;;) await null })(); return "done" }),
  tool("plain_loop", async () => { await new Promise((r) => setTimeout(r, 1)); Promise.resolve().then(() => {}).then(() => {}).then(() => {}).then(spin); return "done" }),
  tool("endless_microtasks", async () => { for (;;) await null }),
  tool("throws_getter", () => { throw { get stack() { return spin() } } }),
  tool("rejects_getter", async () => { await null; throw { get stack() { return spin() } } }),
  tool("throws_cause", () => { throw Object.assign(new Error("x"), { get cause() { return spin() } }) }),
  tool("broken_iterator", (_: any, ctx: any) => { ctx.signal; (Array.prototype as any)[Symbol.iterator] = spin; return new Promise(() => {}) }),
] }`

func TestWhatACallLeavesBehindNeverHoldsTheLoop(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"unseen_rejection", "microtasks", "plain_loop"} {
		p := newProject(t, map[string]string{"c.ts": leftBehind})
		require.Empty(t, p.host.Failures())
		for range 2 {
			require.Equal(t, "done", p.call(tool, "{}").Text, tool)
			require.Equal(t, "pong", p.call("ping", "{}").Text, tool)
		}
	}
}

func TestATrapInAnErrorOrAGlobalTakesDownItsOwnRuntimeAlone(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"endless_microtasks", "throws_getter", "rejects_getter", "throws_cause", "broken_iterator"} {
		p := newProject(t, map[string]string{"c.ts": leftBehind})
		for range 2 {
			o := p.within(200*time.Millisecond, tool, "{}")
			require.NotNil(t, o.Failure, tool)
			require.Equal(t, registry.KindTimeout, o.Failure.Kind, tool)
			require.Equal(t, "pong", p.call("ping", "{}").Text, tool)
		}
	}
}
