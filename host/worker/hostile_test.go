package worker

import (
	"context"
	"encoding/json"
	"fmt"
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

// attack is the body of a tool that means harm.
type attack struct {
	name string
	code string
	// codes are the ends it may have besides its deadline, which comes first
	// where the machine is slow: a failure's code, its kind, or value.
	codes []string
}

var (
	hangs     []string
	overflows = []string{codeStack}
	bursts    = []string{codeMemory}
	other     = []string{"other"}
	value     = []string{"value"}
)

func ends(lists ...[]string) []string { return slices.Concat(lists...) }

// attacks are programs that kill or hang the process they run in, or did.
var attacks = []attack{
	// Native recursion.
	{"JSON.parse of brackets", `JSON.parse("[".repeat(1e7))`, ends(overflows, other)},
	{"JSON.parse of objects", `JSON.parse('{"a":'.repeat(5e6))`, ends(overflows, other)},
	{"eval of brackets", `(0, eval)("[".repeat(1e6) + "]".repeat(1e6))`, ends(overflows, other)},
	{"eval of parentheses", `(0, eval)("(".repeat(2e6))`, ends(overflows, other)},
	{"Function of unary minus", `new Function("return " + "- ".repeat(3e6) + "1")`, ends(overflows, other)},
	{"a cyclic array made flat", `const a: any[] = []; a.push(a); a.flat(Infinity)`, ends(overflows, bursts, other)},
	{"a deep array made flat", `let a: any = []; for (let i = 0; i < 2e6; i++) a = [a]; a.flat(Infinity)`, ends(overflows, bursts, other)},
	{"a deep array as text", `let a: any = []; for (let i = 0; i < 2e6; i++) a = [a]; String(a)`, ends(overflows, bursts, other)},
	{"a deep array as JSON", `let a: any = []; for (let i = 0; i < 2e6; i++) a = [a]; return a`, ends(overflows, bursts, other)},
	{"recursion", `const f = (): number => 1 + f(); f()`, overflows},
	{"recursion through map", `const f = (): any => [1].map(f); f()`, overflows},
	{"recursion through a getter", `const o = { get x(): any { return this.x } }; o.x`, overflows},
	{"a proxy of itself", `let p: any = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x`, ends(overflows, value, other)},
	{"a chain of bound functions", `let f: any = () => 1; for (let i = 0; i < 1e6; i++) f = f.bind(null); f()`, ends(overflows, bursts, value, other)},
	{"a generator of itself", `function* g(): any { yield* g() } g().next()`, ends(overflows, bursts)},
	// Allocation.
	{"a huge typed array", `new Float64Array(2**33)`, ends(bursts, other)},
	{"a huge buffer", `new ArrayBuffer(2**36)`, ends(bursts, other)},
	{"apply of a huge list", `Math.max.apply(null, { length: 2**31 } as any)`, ends(bursts, other)},
	{"growing buffers", `const l = []; for (;;) { const b = new ArrayBuffer(1 << 24); new Uint8Array(b).fill(1); l.push(b) }`, bursts},
	{"growing arrays", `const l: any[] = []; for (;;) l.push([1, 2, 3, 4].map(String))`, bursts},
	{"growing maps", `const m = new Map(); for (let i = 0;; i++) m.set(i, { i })`, bursts},
	{"growing across awaits", `const l: any[] = []; for (;;) { for (let i = 0; i < 1e4; i++) l.push({ i }); await null }`, bursts},
	{"growing closures", `let f: any = () => 1; for (;;) { const g = f; f = () => g }`, bursts},
	{"a doubling string", `let s = "x"; for (;;) s += s`, ends(bursts, other)},
	{"a repeat of terabytes", `"x".repeat(2**40)`, ends(bursts, other)},
	{"a padding of gigabytes", `"x".padStart(2**33)`, ends(bursts, other)},
	{"a replace of ten gigabytes", `"x".repeat(1e5).replace(/x/g, "y".repeat(1e5))`, bursts},
	{"a join of gigabytes", `new Array(1e5).join("y".repeat(1e5))`, bursts},
	{"a spread of 1e8", `Math.max(...new Array(1e8))`, ends(bursts, overflows, other)},
	{"an array from a length", `Array.from({ length: 1e9 })`, bursts},
	{"a large result", `return "x".repeat(200e6)`, ends(bursts, other)},
	{"a large structured result", `const o: any = {}; for (let i = 0; i < 1e6; i++) o["key" + i] = "value".repeat(10); return o`, ends(bursts, other)},
	{"a large error", `throw new Error("x".repeat(100e6))`, ends(bursts, other)},
	{"a large BigInt", `let n = 2n; for (;;) n = n * n`, bursts},
	// Native code that no interrupt reaches.
	{"a fill of four billion", `new Array(2**32 - 1).fill(0)`, bursts},
	{"an includes of 2**53", `Array.prototype.includes.call({ length: 2**53 - 1 }, 1)`, hangs},
	{"an indexOf of 2**53", `Array.prototype.indexOf.call({ length: 2**53 - 1 } as any, 1)`, hangs},
	{"a backtracking expression", `/^(a+)+\1$/.test("a".repeat(40) + "b")`, value},
	{"a looking backtracker", `/^(?=(a+)+$)b/.test("a".repeat(40) + "b")`, value},
	{"a power of BigInts", `const b = [2n, 34n]; b[0] ** (b[0] ** b[1])`, ends(bursts, other)},
	{"a sort with a slow comparer", `new Array(1e5).fill(0).sort(() => { for (let i = 0; i < 1e6; i++); return 0 })`, hangs},
	// Storms.
	{"a busy loop", `for (;;) {}`, hangs},
	{"a loop that catches", `for (;;) { try { throw 1 } catch {} finally { continue } }`, hangs},
	{"microtasks without end", `for (;;) await null`, hangs},
	{"timers that breed", `const f = () => { setTimeout(f); setTimeout(f) }; f(); await new Promise(() => {})`, bursts},
	{"promises that breed", `const f = (): any => { Promise.resolve().then(f); Promise.resolve().then(f) }; f(); await sleep(1e6)`, bursts},
	{"a flood of logs", `for (;;) console.log("x".repeat(1e4))`, bursts},
	{"a flood of requests", `for (let i = 0;; i++) { fetch("https://example.org/" + i).catch(() => {}); if (i % 100 == 0) await null }`, bursts},
	// Traps.
	{"a throwing proxy thrown", `throw new Proxy({}, { get() { throw 1 } })`, other},
	{"a looping proxy thrown", `throw new Proxy({}, { get() { for (;;); } })`, hangs},
	{"a looping getter returned", `return { get x() { for (;;); } }`, hangs},
	{"a looping toJSON returned", `return { toJSON() { for (;;); } }`, hangs},
	{"a looping thenable", `return { then() { for (;;); } }`, hangs},
	{"a cycle returned", `const o: any = {}; o.o = o; return o`, ends(value, other)},
	{"a polluted prototype", `Object.defineProperty(Object.prototype, "then", { get() { for (;;); }, configurable: true }); return {}`, ends(value, other)},
	{"a broken Array.prototype", `Array.prototype.push = () => { for (;;); }; return [1]`, ends(value, other)},
	{"the constructor's constructor", `(() => {}).constructor("for (;;) {}")()`, other},
}

// loads are modules that mean harm before they have a tool. They are made when
// they are needed: the workers are this binary, too, and shall start quickly.
func loads() []struct{ name, script string } {
	return []struct{ name, script string }{
		{"a BigInt at compile time", `(async () => { function f() { return 2n**(2n**34n) } })()`},
		{"brackets", strings.Repeat("[", 3e6)},
		{"parentheses", "(" + strings.Repeat("(", 3e6)},
		{"arrow functions in defaults", "export0 = " + strings.Repeat("(a = ", 22) + "b" + strings.Repeat(") => c", 22)},
		{"unary operators", "x = " + strings.Repeat("! ", 3e6) + "1"},
		{"blocks", strings.Repeat("{", 3e6)},
		{"functions in functions", strings.Repeat("function f(){", 1e6)},
		{"a chain of sums", "x = 1" + strings.Repeat("+1", 3e6)},
		{"a chain of members", "x = a" + strings.Repeat(".b", 3e6)},
		{"templates in templates", strings.Repeat("`${", 1e6)},
		{"a loop", "for (;;) {}"},
		{"allocation", "const l = []; for (;;) l.push({})"},
		{"a native loop", "Array.prototype.includes.call({ length: 2**53 - 1 }, 1)"},
		{"a huge array", "new Float64Array(2**33)"},
		{"a deep JSON", "JSON.parse('['.repeat(1e7))"},
		{"no JavaScript", "\x00\xff\xfe"},
	}
}

const (
	hostileDeadline = 300 * time.Millisecond
	loadDeadline    = 700 * time.Millisecond // it may have to wait for a worker
	// slack is what the rules allow on top; the machine that runs the tests may
	// be busy with others.
	slack = time.Second
)

// asHost calls a tool as its host would: a call that was lost and has not acted
// runs again on a fresh runtime, within its deadline.
func (r *rig) asHost(d time.Duration, tool string) wire.CallResult {
	ctx, cancel := context.WithTimeoutCause(context.Background(), d, wire.ErrDeadline)
	defer cancel()
	for sb := r.sb; ; {
		res := sb.Call(ctx, wire.CallRequest{ID: "attack", Tool: tool, Args: json.RawMessage("{}")})
		_ = sb.Close()
		if !res.Lost || res.Acted {
			return res
		}
		var err error
		sb, err = r.f.NewSandbox(r.b)
		require.NoError(r.t, err)
		loaded, err := sb.Load(ctx, r.req)
		require.NoError(r.t, err)
		if ctx.Err() != nil {
			_ = sb.Close()
			return wire.CallResult{Thrown: &wire.Thrown{Kind: registry.KindTimeout}}
		}
		require.Nil(r.t, loaded.Failure)
	}
}

// neighbour calls the harmless extension over and over, as its host would: a
// call that was lost without having acted runs again.
type neighbour struct {
	t      *testing.T
	f      *Factory
	req    wire.LoadRequest
	r      *rig
	calls  atomic.Int64
	again  int
	failed []string
}

func (n *neighbour) call() {
	for attempt := 1; ; attempt++ {
		select {
		case <-n.r.sb.Done():
			_ = n.r.sb.Close()
			r, fail := n.f.load(n.t, n.req, 20*time.Second)
			if fail != nil {
				n.failed = append(n.failed, "load: "+fail.Message)
				return
			}
			n.r = r
		default:
		}
		res := n.r.within(20*time.Second, "work", "{}")
		switch {
		case res.Value != nil:
			n.calls.Add(1)
			return
		case res.Lost && !res.Acted && attempt < 5:
			n.again++
		default:
			n.failed = append(n.failed, fmt.Sprintf("%+v %+v", res, res.Thrown))
			return
		}
	}
}

func (n *neighbour) run(ctx context.Context) (done chan struct{}) {
	done = make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			n.call()
			select {
			case <-time.After(5 * time.Millisecond):
			case <-ctx.Done():
			}
		}
		n.call() // afterwards too
	}()
	return done
}

func newNeighbour(t *testing.T, f *Factory) *neighbour {
	r := mustLoad(t, f, "neighbour", tools(`tool("work", async () => { await sleep(2); let n = 0; for (let i = 0; i < 1000; i++) n += i; await sleep(2); return "worked" })`))
	return &neighbour{t: t, f: f, req: r.req, r: r}
}

// heap is the size of the host's own heap.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func verdictOf(res wire.CallResult) string {
	switch {
	case res.Value != nil:
		return "value"
	case res.Thrown == nil:
		return "lost"
	case res.Thrown.Kind == registry.KindTimeout:
		return "timeout"
	case res.Thrown.Code == codeMemory, res.Thrown.Code == codeStack, res.Thrown.Code == codeLost:
		return res.Thrown.Code
	default:
		return string(res.Thrown.Kind)
	}
}

// TestHostileTools is the whole line of attacks: each is answered soon after
// its deadline, and all calls of the extension beside it succeed.
func TestHostileTools(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's own memory makes the limits meaningless")
	}
	deaths := map[Cause]int{}
	var mu sync.Mutex
	f := newFactory(t, Options{OnDeath: func(d Death) {
		mu.Lock()
		defer mu.Unlock()
		deaths[d.Cause]++
	}})
	n := newNeighbour(t, f)
	before := heap()
	good := 0
	for _, a := range attacks {
		ctx, stop := context.WithCancel(context.Background())
		done := n.run(ctx)
		r, fail := f.load(t, bundled(t, "hostile", tools(`tool("attack", async () => { `+a.code+` })`)), 20*time.Second)
		require.Nil(t, fail, a.name)
		start := time.Now()
		res := r.asHost(hostileDeadline, "attack")
		took := time.Since(start)
		stop()
		<-done
		verdict := verdictOf(res)
		ok := took < hostileDeadline+slack && len(n.failed) == 0 && (verdict == "timeout" || slices.Contains(a.codes, verdict))
		if ok {
			good++
		} else {
			t.Errorf("%s: %s after %v (%+v); the neighbour: %v", a.name, verdict, took, res.Thrown, n.failed)
		}
		t.Logf("%-32s %-15s %5d ms", a.name, verdict, took.Milliseconds())
		n.failed = nil
	}
	after := heap()
	require.Less(t, int64(after)-int64(before), int64(64<<20), "the host's heap")
	mu.Lock()
	defer mu.Unlock()
	t.Logf("%d/%d attacks held; %d calls of the neighbour succeeded, %d of them at another try; workers died of %v; the host's heap grew by %d KB",
		good, len(attacks), n.calls.Load(), n.again, deaths, (int64(after)-int64(before))>>10)
}

// TestHostileModules attacks the parser, the compiler and the load.
func TestHostileModules(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's own memory makes the limits meaningless")
	}
	f := newFactory(t, Options{})
	n := newNeighbour(t, f)
	good, modules := 0, loads()
	for i, l := range modules {
		ctx, stop := context.WithCancel(context.Background())
		done := n.run(ctx)
		start := time.Now()
		r, fail := f.load(t, wire.LoadRequest{Extension: "hostile", Script: []byte(l.script), Hash: fmt.Sprint("hostile ", i)}, loadDeadline)
		took := time.Since(start)
		require.NoError(t, r.sb.Close())
		stop()
		<-done
		switch {
		case fail == nil:
			t.Errorf("%s: it loaded", l.name)
		case took > loadDeadline+slack || len(n.failed) > 0:
			t.Errorf("%s: %s after %v; the neighbour: %v", l.name, fail.Message, took, n.failed)
		default:
			good++
			t.Logf("%-28s %5d ms %s", l.name, took.Milliseconds(), strings.SplitN(fail.Message, "\n", 2)[0])
		}
		n.failed = nil
	}
	t.Logf("%d/%d modules held; %d calls of the neighbour succeeded, %d of them at another try", good, len(modules), n.calls.Load(), n.again)
}
