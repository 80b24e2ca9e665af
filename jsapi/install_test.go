package jsapi

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

func TestGlobalsAreLazyAndOrdinary(t *testing.T) {
	t.Parallel()
	runChecks(t, []check{
		{"typeof", `return [typeof fetch, typeof URL, typeof console, typeof notThere]`, `["function","function","object","undefined"]`},
		{"identity", `return [globalThis.URL === URL, self === globalThis, "Headers" in globalThis, new (self.URL)("http://h") instanceof URL]`, `[true,true,true,true]`},
		{"unknown names", `notThere`, `ReferenceError: notThere is not defined`},
		{"assignment", `globalThis.URL = 5; fetch = 6; return [URL, fetch]`, `[5,6]`},
		{"destructuring", `const { Response, atob } = globalThis; return [typeof Response, atob("YQ")]`, `["function","a"]`},
		{"a frozen globalThis", `Object.freeze(globalThis); return [typeof URL, URL === URL]`, `["function",true]`},
		{"local names", `let console = 3; function btoa() { return 9 } return [console, btoa()]`, `[3,9]`},
		{"not listed", `let n = 0; for (const k in globalThis) n++; return [n, Object.keys(globalThis).length]`, `[0,0]`},
		{"property attributes", `URL; const d = Object.getOwnPropertyDescriptor(globalThis, "URL"); return [d.writable, d.enumerable, d.configurable]`, `[true,false,true]`},
		{"no leftovers of the engine", `return [typeof GoError, typeof require, typeof global, typeof window]`, `["undefined","undefined","undefined","undefined"]`},
		{"function names", `return [setTimeout, fetch, atob, structuredClone, queueMicrotask, URL].map(f => f.name)`, `["setTimeout","fetch","atob","structuredClone","queueMicrotask","URL"]`},
		{"tags", `return [console, rho, performance, new Headers(), new Response(), new Request("http://h"), new URLSearchParams(), new Event("x"), new EventTarget(), new TextEncoder()].map(String)`,
			`["[object console]","[object rho]","[object Performance]","[object Headers]","[object Response]","[object Request]","","[object Event]","[object EventTarget]","[object TextEncoder]"]`},
		{"symbols for lowered syntax", `return [Symbol.asyncIterator, Symbol.dispose, Symbol.asyncDispose].map(String)`, `["Symbol(Symbol.asyncIterator)","Symbol(Symbol.dispose)","Symbol(Symbol.asyncDispose)"]`},
		{"performance", `const a = performance.now(), b = performance.now(); return [b >= a, Math.abs(performance.timeOrigin + a - Date.now()) < 1000, typeof performance.toJSON().timeOrigin]`, `[true,true,"number"]`},
		{"a web class used after globals were clobbered", `new Headers(); Object.defineProperty = Reflect.apply = null; globalThis.Map = globalThis.Promise = null; const h = new Headers({ a: "1" }); return [...h]`, `[["a","1"]]`},
	})
}

func TestEveryScriptCompilesAndRunsAlone(t *testing.T) {
	t.Parallel()
	for name, s := range scriptNamed {
		r := newRealm(t)
		if strings.HasPrefix(name, "testing/") {
			r = newTestRig(t).realm
		}
		require.NotNil(t, r.g.run(s), name)
		for _, global := range s.globals {
			require.False(t, goja.IsUndefined(r.vm.Get(global)), global)
		}
	}
}

func TestRuntimesShareNothingButCode(t *testing.T) {
	t.Parallel()
	a, b := newRealm(t), newRealm(t)
	a.eval(`URL.prototype.mine = 1; console.mine = 2`)
	require.Equal(t, "undefined,undefined", b.eval(`String([typeof URL.prototype.mine, typeof console.mine])`).String())
}

func TestInterruptWhileAGlobalIsMadeStaysAnInterrupt(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	r.vm.Interrupt("stop")
	_, err := r.vm.RunString(`try { URL } catch (e) { "caught" }`)
	var interrupted *goja.InterruptedError
	require.ErrorAs(t, err, &interrupted)
}

func TestHostErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  wire.Error
		want string // of the expression below
	}{
		{wire.Error{Kind: registry.KindNetwork, Name: "PermissionDenied", Message: "m", Hint: "h"}, `["PermissionDenied","m","permission_denied","h",true,false,"PermissionDenied"]`},
		{wire.Error{Kind: registry.KindNetwork, Name: "TypeError", Message: "m", Code: "c"}, `["TypeError","m","c",null,true,true,"TypeError"]`},
		{wire.Error{Kind: registry.KindNetwork, Name: "RangeError", Message: "m"}, `["RangeError","m",null,null,true,false,"RangeError"]`},
		{wire.Error{Kind: registry.KindNetwork, Name: "AbortError", Message: "m"}, `["AbortError","m",20,null,true,false,"DOMException"]`},
		{wire.Error{Kind: registry.KindNetwork, Name: "TimeoutError", Message: "m"}, `["TimeoutError","m",23,null,true,false,"DOMException"]`},
		{wire.Error{Kind: registry.KindNetwork, Name: "Error", Message: "m"}, `["Error","m",null,null,true,false,"Error"]`},
		{wire.Error{Message: "m"}, `["Error","m",null,null,true,false,"Error"]`},
	} {
		t.Run(tt.err.Name, func(t *testing.T) {
			t.Parallel()
			r := newRealm(t)
			e := r.g.Error(&tt.err, "\tat f (x.ts:3:4)")
			require.NoError(t, r.vm.Set("e", e))
			require.Equal(t, tt.want, r.async(`return [e.name, e.message, e.code, e.hint, e instanceof Error, e instanceof TypeError, e.constructor.name]`))
			name := tt.err.Name
			if name == "" {
				name = "Error"
			}
			require.Equal(t, name+": m\n\tat f (x.ts:3:4)", r.eval("e.stack").String())
			require.Equal(t, "[]", r.async(`return Object.keys(e)`))
			require.Equal(t, tt.err.Kind, r.g.Kind(e))
		})
	}
}

func TestOnlyTheHostsOwnErrorsHaveAKind(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	require.NoError(t, r.vm.Set("e", r.g.Error(&wire.Error{Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Message: "m"}, "")))
	for _, src := range []string{
		`new e.constructor("m")`, `Object.create(e)`, `Object.assign(new Error("m"), { name: "PermissionDenied", code: "permission_denied" })`,
		`new Proxy(e, {})`, `structuredClone(e)`, `1`, `null`, `"PermissionDenied"`,
	} {
		require.Empty(t, r.g.Kind(r.eval("("+src+")")), src)
	}
	require.Equal(t, registry.KindPermissionDenied, r.g.Kind(r.eval("WeakSet.prototype.has = () => false; e")))
}

func TestRho(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	r.answer = func(req wire.Request) (wire.Response, error) {
		if strings.Contains(string(req.Data), "secret") {
			return wire.Response{}, &wire.Error{Name: "PermissionDenied", Message: "not this file"}
		}
		return wire.Response{Payload: []byte("\ufeffaé\xff")}, nil
	}
	require.Equal(t, "[\"/project\",\"/project\",\"\ufeffaé\ufffd\"]", r.async(`return [rho.getCwd(), rho.getProjectRoot(), rho.readFile("a/b.txt")]`))
	require.Equal(t, wire.OpReadFile, r.requests[0].Op)
	require.JSONEq(t, `{"path":"a/b.txt"}`, string(r.requests[0].Data))
	require.Equal(t, "PermissionDenied: not this file", r.async(`rho.readFile("secret")`))
	require.Equal(t, `"PermissionDenied"`, r.async(`try { rho.readFile("secret") } catch (e) { return e.name }`))
	require.Equal(t, "undefined", r.async(`rho.log("warn", "w"); rho.log("trace", 5)`))
	require.Equal(t, []wire.LogRecord{{Level: "warn", Message: "w"}, {Level: "trace", Message: "5"}}, r.logs)
	require.Equal(t, "undefined", r.async(`rho.log("fatal", "x")`))
	require.Equal(t, wire.LogRecord{Level: "fatal", Message: "x"}, r.logs[2], "the host says what becomes of an unknown level, as in the seed")
	for _, arg := range []string{"", "1", "null", "''", "{}"} {
		require.Equal(t, "TypeError: rho.readFile: the path must be a string that is not empty", r.async(`rho.readFile(`+arg+`)`))
	}
	require.Equal(t, "TypeError: Cannot assign to read only property 'readFile'", r.async(`"use strict"; rho.readFile = 1`))
}

// A failure of the environment that is no wire.Error still is an exception.
func TestPlainFailureOfTheHost(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	r.answer = func(wire.Request) (wire.Response, error) { return wire.Response{}, errors.New("broken") }
	require.Equal(t, "Error: broken", r.async(`rho.readFile("x")`))
}

func TestTimersFromTheEnvironmentsView(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	require.Equal(t, "1,2", r.eval(`String([setTimeout(() => {}, 5), setInterval(() => {}, 7)])`).String())
	require.Equal(t, 7*time.Millisecond, r.timers[2].every)
	require.True(t, r.timers[2].repeat)
	r.eval(`AbortSignal.timeout(Number.MAX_SAFE_INTEGER)`)
	require.Greater(t, r.timers[3].at, 24*time.Hour)
	r.eval(`clearTimeout(3)`)
	r.eval(`clearTimeout(2); clearInterval("1")`)
	require.Empty(t, r.timers)
}

func BenchmarkInstall(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Install(goja.New(), (*realm)(nil)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNew is the engine alone, to subtract from BenchmarkInstall.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		goja.New()
	}
}

func benchmarkFirstUse(b *testing.B, src string) {
	b.ReportAllocs()
	for b.Loop() {
		r := newRealm(b)
		if _, err := r.vm.RunString(src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFirstURL(b *testing.B)     { benchmarkFirstUse(b, `new URL("http://h/a?b=c")`) }
func BenchmarkFirstFetch(b *testing.B)   { benchmarkFirstUse(b, `fetch`) }
func BenchmarkFirstConsole(b *testing.B) { benchmarkFirstUse(b, `console.log("x")`) }

func BenchmarkFirstSignal(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newRealm(b).g.NewSignal()
	}
}

func BenchmarkNewSignal(b *testing.B) {
	b.ReportAllocs()
	r := newRealm(b)
	for b.Loop() {
		r.g.NewSignal()
	}
}

func BenchmarkInspect(b *testing.B) {
	b.ReportAllocs()
	r := newRealm(b)
	v := r.eval(`({ a: 1, b: ["x", { c: true }] })`)
	for b.Loop() {
		r.g.Inspect(v)
	}
}
