package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// deaths collects what a factory tells of its workers' ends.
type deaths struct {
	mu   sync.Mutex
	list []Death
}

func (d *deaths) add(x Death) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = append(d.list, x)
}

func (d *deaths) get() []Death {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.list)
}

func (d *deaths) last(t *testing.T) Death {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	require.NotEmpty(t, d.list)
	return d.list[len(d.list)-1]
}

// recursive overflows the stack of Go, where the engine's limit does not reach.
const recursive = `let a: any = []; for (let i = 0; i < 3e5; i++) a = [a]; String(a)`

func TestDeathsAreClassifiedAndHaveOneGuilty(t *testing.T) {
	t.Parallel()
	if raceEnabled {
		t.Skip("the race detector's own memory makes the limits meaningless")
	}
	for _, c := range []struct {
		name, code string
		soft       int64
		kind       registry.Kind
		want       string
		cause      Cause
	}{
		{"native recursion", recursive, 0, registry.KindOther, codeStack, CauseStack},
		{"a huge allocation", `new Float64Array(2**33)`, 0, registry.KindOther, codeMemory, CauseMemory},
		{"growth, seen from inside", `const l: any[] = []; for (;;) l.push([1, 2, 3, 4].map(String))`, 64 << 20, registry.KindOther, codeMemory, ""},
		{"growth of what the module keeps", `const l: any[] = (globalThis as any).kept = []; for (;;) l.push([1, 2, 3, 4].map(String))`, 64 << 20, registry.KindOther, codeMemory, ""},
		{"growth, seen from outside", `const l: any[] = []; for (;;) { const b = new ArrayBuffer(1 << 20); new Uint8Array(b).fill(1); l.push(b) }`, 4 << 30, registry.KindOther, codeMemory, CauseMemory},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var seen deaths
			f := newFactory(t, Options{OnDeath: seen.add, SoftMemory: c.soft})
			r := mustLoad(t, f, "hostile", tools(`tool("attack", async () => { `+c.code+` })`))
			res := r.asHost(2*time.Minute, "attack")
			require.NotNil(t, res.Thrown, "%+v", res)
			require.Equal(t, c.kind, res.Thrown.Kind)
			require.Equal(t, c.want, res.Thrown.Code)
			require.True(t, res.Guilty)
			<-r.sb.Done()
			if c.cause == "" {
				require.NotEmpty(t, res.Thrown.Stack, "it was interrupted at a place")
				require.True(t, r.link().fit(), "the worker lives on")
				return
			}
			<-r.link().gone
			d := seen.last(t)
			require.Equal(t, c.cause, d.Cause)
			require.Equal(t, "hostile", d.Extension)
		})
	}
}

func TestTheCallThatWasRunningIsHeldToAccountNotOthersOfItsExtension(t *testing.T) {
	t.Parallel()
	if raceEnabled {
		t.Skip("the race detector's own memory makes the limits meaningless")
	}
	for name, code := range map[string]string{
		"native recursion":  recursive,
		"a huge allocation": `new Float64Array(2**33)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFactory(t, Options{})
			r := mustLoad(t, f, "ext", tools(`
				tool("wait", async (_: any, ctx: any) => { ctx.log.info("go"); await sleep(1e6) }),
				tool("attack", async () => { await sleep(1); `+code+` })`))
			heard := make(chan struct{})
			r.b.heard = heard
			waits := make(chan wire.CallResult, 1)
			go func() { waits <- r.within(time.Minute, "wait", "{}") }()
			<-heard
			res := r.within(time.Minute, "attack", "{}")
			require.True(t, res.Guilty, "%+v", res)
			require.Equal(t, wire.CallResult{Lost: true, Died: true, Culprit: "attack"}, <-waits)
		})
	}
}

func TestCodeThatNothingInterruptsTakesItsWorkerWithItAndNobodyElse(t *testing.T) {
	t.Parallel()
	var seen deaths
	f := newFactory(t, Options{OnDeath: seen.add})
	beside := mustLoad(t, f, "beside", contract)
	r := mustLoad(t, f, "hostile", tools(`tool("attack", async (_: any, ctx: any) => { ctx.log.info("go"); Array.prototype.includes.call({ length: 2**53 - 1 }, 1) })`))
	require.Equal(t, beside.link(), r.link())
	ended := make(chan wire.CallResult, 1)
	go func() { ended <- beside.within(time.Minute, "wait", "{}") }()
	res := r.stopped(wire.ErrDeadline, "attack")
	require.Equal(t, registry.KindTimeout, res.Thrown.Kind)
	require.Equal(t, codeStuck, res.Thrown.Code)
	require.True(t, res.Guilty)
	// The worker drains, and then the last call in it is lost.
	require.Equal(t, wire.CallResult{Lost: true, Died: true}, <-ended)
	<-r.link().gone
	require.Equal(t, CauseTimeout, seen.last(t).Cause)
	require.Equal(t, "hostile", seen.last(t).Extension)
	// From now on the extension has a worker for each sandbox.
	one, fail := f.load(t, r.req, time.Minute)
	require.Nil(t, fail)
	two, fail := f.load(t, r.req, time.Minute)
	require.Nil(t, fail)
	again, fail := f.load(t, beside.req, time.Minute)
	require.Nil(t, fail)
	require.NotEqual(t, one.link(), two.link())
	require.NotEqual(t, one.link(), again.link())
	require.NoError(t, one.sb.Close())
	<-one.link().gone
	changed := r.req
	changed.Hash = "changed"
	three, fail := f.load(t, changed, time.Minute)
	require.Nil(t, fail)
	require.Equal(t, again.link(), three.link(), "until its code changes")
}

func TestMemoryIsNotLaidAtTheDoorOfThoseThatOnlyCompute(t *testing.T) {
	t.Parallel()
	if raceEnabled {
		t.Skip("the race detector's own memory makes the limits meaningless")
	}
	f := newFactory(t, Options{SoftMemory: 48 << 20})
	busy := mustLoad(t, f, "busy", tools(`tool("compute", async () => { let n = 0; for (let i = 0; i < 1e6; i++) n = (n + i) % 1000; return "computed" })`))
	hog := mustLoad(t, f, "hog", tools(`tool("grow", async () => { const l: any[] = []; for (;;) l.push([1, 2, 3, 4].map(String)) })`))
	var wg sync.WaitGroup
	var computed, grown wire.CallResult
	wg.Go(func() { computed = busy.asHost(time.Minute, "compute") })
	wg.Go(func() { grown = hog.asHost(time.Minute, "grow") })
	wg.Wait()
	require.NotNil(t, computed.Value, "%+v", computed.Thrown)
	require.NotNil(t, grown.Thrown)
	require.Equal(t, codeMemory, grown.Thrown.Code)
	require.True(t, grown.Guilty)
}

func TestOneWorkerForEachExtension(t *testing.T) {
	t.Parallel()
	f := newFactory(t, Options{PerExtension: true})
	a, b := mustLoad(t, f, "a", contract), mustLoad(t, f, "b", contract)
	again, fail := f.load(t, a.req, time.Minute)
	require.Nil(t, fail)
	require.Equal(t, a.link(), again.link())
	require.NotEqual(t, a.link(), b.link())
}

func TestKilledUnderAHundredCalls(t *testing.T) {
	rounds := 20
	if raceEnabled {
		rounds = 5 // starting takes long
	}
	var seen deaths
	f := newFactory(t, Options{OnDeath: seen.add})
	req := bundled(t, "ext", tools(`
		tool("read", async () => { await sleep(1e6) }),
		tool("write", async () => { await fetch("https://example.org/"); await sleep(1e6) }),
		tool("echo", () => "echo")`))
	// Whatever starts once is there.
	warm, fail := f.load(t, req, time.Minute)
	require.Nil(t, fail)
	require.Equal(t, "echo", warm.text("echo", "{}"))
	var fds, goroutines int
	require.Eventually(t, func() bool {
		stocked := f.stocked()
		fds, goroutines = descriptors(t), runtime.NumGoroutine()
		return stocked
	}, 10*time.Second, 10*time.Millisecond)

	var back []time.Duration
	for range rounds {
		r, fail := f.load(t, req, time.Minute)
		require.Nil(t, fail)
		var wrote atomic.Int64
		r.b.do = func(context.Context, wire.Request) (wire.Response, error) {
			wrote.Add(1)
			return wire.Response{Data: json.RawMessage(`{"status":200,"url":"https://example.org/"}`)}, nil
		}
		ends := make(chan wire.CallResult, 200)
		for i := range 100 {
			go func() { ends <- r.within(time.Minute, []string{"read", "write"}[i%2], "{}") }()
		}
		require.Eventually(t, func() bool { return r.running() == 100 && wrote.Load() == 50 }, time.Minute, time.Millisecond)
		require.Eventually(t, f.stocked, 10*time.Second, time.Millisecond, "a standby is ready")
		require.NoError(t, r.link().proc.os.Kill())
		killed := time.Now()
		acted := 0
		for range 100 {
			res := <-ends
			require.True(t, res.Lost)
			require.False(t, res.Guilty)
			require.Empty(t, res.Culprit)
			if res.Acted {
				acted++
			}
		}
		require.Equal(t, 50, acted, "those that had acted are told apart")
		<-r.sb.Done()
		next, fail := f.load(t, req, time.Minute)
		require.Nil(t, fail)
		require.Equal(t, "echo", next.text("echo", "{}"))
		back = append(back, time.Since(killed))
		require.NoError(t, next.sb.Close())
		<-r.link().gone
		require.Equal(t, CauseKilled, seen.last(t).Cause)
		require.Empty(t, ends, "one outcome for each")
	}
	slices.Sort(back)
	t.Logf("%d kills under 100 calls: back in service after %v (median), %v at most", rounds, back[rounds/2], back[rounds-1])
	require.Len(t, seen.list, rounds)
	require.Eventually(t, f.stocked, 10*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines }, 10*time.Second, 10*time.Millisecond, "goroutines")
	require.Eventually(t, func() bool { return descriptors(t) <= fds }, 10*time.Second, 10*time.Millisecond, "descriptors")
	require.NoError(t, f.Close())
	require.Empty(t, children(t), "no worker and no zombie is left")
}

// stocked reports whether a standby is ready and the workers that ended are
// gone.
func (f *Factory) stocked() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.spare == nil || len(f.all) > 2 {
		return false
	}
	select {
	case <-f.spare.done:
		return f.spare.err == nil
	default:
		return false
	}
}

func descriptors(t testing.TB) int {
	if runtime.GOOS != "linux" {
		return 0
	}
	list, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(list)
}

// children lists the processes whose parent is this one.
func children(t testing.TB) (list []string) {
	if runtime.GOOS != "linux" {
		return nil
	}
	all, err := os.ReadDir("/proc")
	require.NoError(t, err)
	for _, e := range all {
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == fmt.Sprint(os.Getpid()) {
			list = append(list, string(stat))
		}
	}
	return list
}

func TestCloseIsBoundedWhateverRuns(t *testing.T) {
	t.Parallel()
	f, err := NewFactory(Options{})
	require.NoError(t, err)
	r := mustLoad(t, f, "ext", tools(`tool("attack", async () => { Array.prototype.includes.call({ length: 2**53 - 1 }, 1) })`))
	end := make(chan wire.CallResult, 1)
	go func() { end <- r.within(time.Minute, "attack", "{}") }()
	require.Eventually(t, func() bool { return r.running() == 1 }, 10*time.Second, time.Millisecond)
	start := time.Now()
	require.NoError(t, f.Close())
	require.Less(t, time.Since(start), 2*time.Second)
	require.Equal(t, wire.CallResult{Lost: true, Died: true}, <-end)
	<-r.sb.Done()
	_, err = f.NewSandbox(r.b)
	require.ErrorIs(t, err, ErrClosed)
	_, err = f.Lockdown(context.Background())
	require.ErrorIs(t, err, ErrClosed)
	require.NoError(t, f.Close())
}

func TestLoadsAtTheSameTimeShareAWorkerAndSurviveItsDeath(t *testing.T) {
	t.Parallel()
	f := newFactory(t, Options{})
	req := bundled(t, "ext", contract)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			r := req
			r.Extension = fmt.Sprint("ext", i)
			sb, err := f.NewSandbox(&broker{})
			require.NoError(t, err)
			defer sb.Close()
			if i%4 == 3 { // a module that takes the worker down
				r.Script, r.Hash = []byte(strings.Repeat("[", 3e6)), "brackets"
			}
			ctx, cancel := context.WithTimeoutCause(context.Background(), time.Minute, wire.ErrDeadline)
			defer cancel()
			res, err := sb.Load(ctx, r)
			if err == nil && i%4 != 3 && res.Failure != nil || err == nil && i%4 == 3 && res.Failure == nil {
				t.Errorf("%d: %+v", i, res.Failure)
			}
			if err != nil && !errors.Is(err, errWorkerLost) {
				t.Errorf("%d: %v", i, err)
			}
			if err != nil {
				t.Errorf("%d was given up: %v", i, err)
			}
		})
	}
	wg.Wait()
}

// It is not parallel: it makes the process one that has not called Main.
func TestWithoutMainThereIsAnErrorAndNoProcess(t *testing.T) {
	mainRan.Store(false)
	defer mainRan.Store(true)
	_, err := NewFactory(Options{})
	require.ErrorIs(t, err, ErrNoMain)
	require.ErrorContains(t, err, "host.WorkerMain()")
	require.Empty(t, children(t))
}

func TestAnExtensionThatWaitsForMuchTakesNoAnswersFromAnother(t *testing.T) {
	t.Parallel()
	f := newFactory(t, Options{})
	flood := mustLoad(t, f, "flood", tools(`tool("flood", async (_: any, ctx: any) => { for (let i = 0; i < 1900; i++) void ctx.exec("x").catch(() => {}); await sleep(1e6) })`))
	other := mustLoad(t, f, "other", tools(`tool("read", (_: any, ctx: any) => ctx.fs.read("x.txt"))`))
	require.Equal(t, flood.link(), other.link())
	asked := make(chan struct{}, 2000)
	flood.b.do = func(ctx context.Context, _ wire.Request) (wire.Response, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return wire.Response{}, context.Cause(ctx)
	}
	other.b.do = func(context.Context, wire.Request) (wire.Response, error) {
		return wire.Response{Payload: []byte("text")}, nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan wire.CallResult, 1)
	go func() {
		ended <- flood.sb.Call(ctx, wire.CallRequest{ID: "flood", Tool: "flood", Args: json.RawMessage("{}")})
	}()
	for range 1900 {
		select {
		case <-asked:
		case <-time.After(30 * time.Second):
			t.Fatal("the requests of one call are not all let through")
		}
	}
	require.Equal(t, "text", other.text("read", "{}"))
	cancel()
	require.Equal(t, registry.KindCancelled, (<-ended).Thrown.Kind)
}

func TestACallThatHoldsUpAnotherIsNotSaidToBeCancelled(t *testing.T) {
	t.Parallel()
	late, cancel := context.WithTimeoutCause(context.Background(), 0, wire.ErrDeadline)
	defer cancel()
	<-late.Done()
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for caller, want := range map[context.Context]registry.Kind{context.Background(): registry.KindOther, late: registry.KindTimeout, cancelled: registry.KindCancelled} {
		c := &call{caller: caller}
		th := (&verdict{cause: CauseTimeout, guilty: c}).thrown(c)
		require.Equal(t, want, th.Kind)
		require.Equal(t, codeStuck, th.Code)
	}
}

func TestWhoMustBeStoppedForMemoryIsAccused(t *testing.T) {
	t.Parallel()
	var tr trace
	tr.line(accusation(7))
	tr.line(accusation(9))
	require.Equal(t, trace{first: 7, seen: true, working: map[uint64]bool{7: true, 9: true}}, tr)
}

func TestNobodyIsStoppedForMemoryThatAnotherExtensionKeeps(t *testing.T) {
	t.Parallel()
	if raceEnabled {
		t.Skip("the race detector's own memory makes the limits meaningless")
	}
	f := newFactory(t, Options{})
	waits := mustLoad(t, f, "waits", tools(`tool("wait", async (_: any, ctx: any) => { ctx.log.info("go"); await sleep(200); return "waited" })`))
	keeps := mustLoad(t, f, "keeps", `const kept: any[] = [];`+tools(`tool("keep", () => { kept.push(new ArrayBuffer(400 << 20)); return "kept" })`))
	heard := make(chan struct{})
	waits.b.mu.Lock()
	waits.b.heard = heard
	waits.b.mu.Unlock()
	done := make(chan wire.CallResult, 1)
	go func() { done <- waits.within(time.Minute, "wait", "{}") }()
	<-heard
	_ = keeps.within(time.Minute, "keep", "{}") // it may be stopped, or be over before
	res := <-done
	require.Nil(t, res.Thrown, "%+v", res.Thrown)
	require.True(t, res.Lost || res.Value != nil, "one that is lost may run again")
}
