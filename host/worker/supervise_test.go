package worker

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
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

func (d *deaths) last(t *testing.T) Death {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	require.NotEmpty(t, d.list)
	return d.list[len(d.list)-1]
}

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
		{"native recursion", `JSON.parse("[".repeat(1e7))`, 0, registry.KindOther, codeStack, CauseStack},
		{"a huge allocation", `new Float64Array(2**33)`, 0, registry.KindOther, codeMemory, CauseMemory},
		{"growth, seen from inside", `const l: any[] = []; for (;;) l.push([1, 2, 3, 4].map(String))`, 64 << 20, registry.KindOther, codeMemory, ""},
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
	require.Equal(t, wire.CallResult{Lost: true}, <-ended)
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
		fds, goroutines = descriptors(t), runtime.NumGoroutine()
		return f.stocked()
	}, 10*time.Second, 10*time.Millisecond)

	var slowest time.Duration
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
		slowest = max(slowest, time.Since(killed))
		require.NoError(t, next.sb.Close())
		<-r.link().gone
		require.Equal(t, CauseKilled, seen.last(t).Cause)
		require.Empty(t, ends, "one outcome for each")
	}
	t.Logf("%d kills under 100 calls: back in service after at most %v", rounds, slowest)
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

// TestAForgedFrameEndsTheWorker writes to the host what a worker that was taken
// over could.
func TestAForgedFrameEndsTheWorker(t *testing.T) {
	t.Parallel()
	for name, data := range bad() {
		if strings.HasPrefix(name, "a truncated") || name == "a payload that is short" {
			continue // the rest may yet come
		}
		forged(t, name, data, CauseProtocol)
	}
	forged(t, "an unknown kind", sound(`{"k":"attack"}`, ""), CauseProtocol)
	forged(t, "a request that is none", sound(`{"k":"do","i":1,"s":SANDBOX,"p":[1]}`, "x"), CauseProtocol)
	forged(t, "a result that is none", sound(`{"k":"result","i":CALL,"p":[2]}`, "{}"), CauseProtocol)
}

// forged sends data to the host as if it came from the worker, which is stopped
// meanwhile.
func forged(t *testing.T, name string, data []byte, want Cause) {
	var seen deaths
	f := newFactory(t, Options{OnDeath: seen.add, NoStandby: true})
	r := mustLoad(t, f, "ext", contract)
	l := r.link()
	end := make(chan wire.CallResult, 1)
	go func() { end <- r.within(time.Minute, "wait", "{}") }()
	require.Eventually(t, func() bool { return r.running() == 1 }, 10*time.Second, time.Millisecond)
	l.mu.Lock()
	var id uint64
	for id = range l.calls {
	}
	l.mu.Unlock()
	text := strings.NewReplacer("SANDBOX", fmt.Sprint(r.sb.(*remote).id), "CALL", fmt.Sprint(id)).Replace(string(data[8:]))
	data = append([]byte{}, data[:8]...)
	if head, _, ok := strings.Cut(text, "}"); ok && strings.HasPrefix(text, `{"k"`) {
		binary.LittleEndian.PutUint32(data, uint32(len(head)+1))
	}
	data = append(data, text...)
	require.NoError(t, l.inject(data), name)
	res := <-end
	require.Equal(t, codeLost, res.Thrown.Code, name)
	require.True(t, res.Guilty, name)
	<-l.gone
	require.Equal(t, want, seen.last(t).Cause, name)
}

// inject has the host read data in place of what the worker says.
func (l *link) inject(data []byte) error {
	// The worker's end of the pipe is in the worker: open it again.
	path := fmt.Sprintf("/proc/%d/fd/%d", l.proc.os.Pid, fdOut)
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer w.Close()
	_, err = w.Write(data)
	return err
}

func TestAWorkerThatStopsAnsweringIsReplaced(t *testing.T) {
	t.Parallel()
	var seen deaths
	f := newFactory(t, Options{OnDeath: seen.add})
	r := mustLoad(t, f, "ext", contract)
	require.NoError(t, r.link().proc.os.Signal(syscall.SIGSTOP))
	big, err := json.Marshal(map[string]string{"text": strings.Repeat("x", 4<<20)}) // more than the pipe takes
	require.NoError(t, err)
	start := time.Now()
	res := r.within(50*time.Millisecond, "echo", string(big))
	require.Equal(t, registry.KindTimeout, res.Thrown.Kind)
	require.Less(t, time.Since(start), 5*time.Second)
	<-r.sb.Done()
	again, fail := f.load(t, bundled(t, "other", contract), time.Minute)
	require.Nil(t, fail)
	require.Equal(t, "x", again.text("echo", `{"text":"x"}`))
	require.Equal(t, CauseTimeout, seen.last(t).Cause)
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
	require.Equal(t, wire.CallResult{Lost: true}, <-end)
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
	for i := range 12 {
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
