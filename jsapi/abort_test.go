package jsapi

import (
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

func TestAbortSignals(t *testing.T) {
	t.Parallel()
	runChecks(t, []check{
		{"abort fires once with a DOMException", `const c = new AbortController(); let n = 0; c.signal.addEventListener("abort", () => n++); c.abort(); c.abort(); return [n, c.signal.aborted, c.signal.reason.name, c.signal.reason instanceof DOMException, c.signal.reason.code]`, `[1,true,"AbortError",true,20]`},
		{"a given reason is kept", `const c = new AbortController(); c.abort("why"); return c.signal.reason`, `"why"`},
		{"throwIfAborted throws the reason", `AbortSignal.abort(new RangeError("r")).throwIfAborted()`, `RangeError: r`},
		{"throwIfAborted does nothing before", `return new AbortController().signal.throwIfAborted()`, `undefined`},
		{"onabort can be replaced and removed", `const c = new AbortController(); const o = []; c.signal.onabort = () => o.push(1); c.signal.onabort = e => o.push(e.type, e.target === c.signal); c.abort(); const d = new AbortController(); d.signal.onabort = () => o.push(3); d.signal.onabort = null; d.abort(); return [o, d.signal.onabort]`, `[["abort",true],null]`},
		{"timeout fires with TimeoutError", `const s = AbortSignal.timeout(10); await new Promise(r => s.onabort = r); return [s.reason.name, s.reason.code]`, `["TimeoutError",23]`},
		{"timeout refuses a negative time", `AbortSignal.timeout(-1)`, `TypeError: AbortSignal.timeout: the time must be a number of milliseconds from 0 up`},
		{"any follows its sources", `const a = new AbortController(), b = new AbortController(); const s = AbortSignal.any([a.signal, b.signal]); b.abort("b"); a.abort("a"); return [s.aborted, s.reason]`, `[true,"b"]`},
		{"any of any follows the first sources", `const a = new AbortController(); const s = AbortSignal.any([AbortSignal.any([a.signal])]); let n = 0; s.onabort = () => n++; a.abort(1); return [n, s.reason]`, `[1,1]`},
		{"any of an aborted signal is aborted", `return AbortSignal.any([new AbortController().signal, AbortSignal.abort(7)]).reason`, `7`},
		{"any of nothing never fires", `return AbortSignal.any([]).aborted`, `false`},
		{"any refuses others", `AbortSignal.any([{}])`, `TypeError: AbortSignal.any: each element must be an AbortSignal`},
		{"all are aborted before any listener runs", `const c = new AbortController(); const s = AbortSignal.any([c.signal]); let seen; c.signal.onabort = () => seen = s.aborted; c.abort(); return seen`, `true`},
		{"the constructor is closed", `new AbortSignal()`, `TypeError: Illegal constructor`},
		{"getters refuse strangers", `Object.getOwnPropertyDescriptor(AbortSignal.prototype, "aborted").get.call({})`, `TypeError: Cannot read private member #aborted from an object whose class did not declare it`},
		{"tags", `return [String(new AbortController()), String(AbortSignal.abort())]`, `["[object AbortController]","[object AbortSignal]"]`},
	})
}

func TestNewSignalFiresWithTheNameItIsGiven(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	signal, abort := r.g.NewSignal()
	require.NoError(t, r.vm.Set("signal", signal))
	r.eval(`var seen = []; signal.addEventListener("abort", () => { throw new Error("bad listener") }); signal.addEventListener("abort", () => seen.push(signal.reason.name, signal.reason.message))`)
	require.NoError(t, abort("TimeoutError", "deadline exceeded"))
	require.NoError(t, abort("AbortError", "again"))
	require.Equal(t, "TimeoutError,deadline exceeded", r.eval("String(seen)").String())
	require.Len(t, r.reported, 1)
	require.Contains(t, r.reported[0], "bad listener")
}

func TestHasListeners(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		want       bool
	}{
		{"none", ``, false},
		{"another type", `signal.addEventListener("x", () => {})`, false},
		{"listener", `signal.addEventListener("abort", () => {})`, true},
		{"removed listener", `const f = () => {}; signal.addEventListener("abort", f); signal.removeEventListener("abort", f)`, false},
		{"onabort", `signal.onabort = () => {}`, true},
		{"onabort taken back", `signal.onabort = () => {}; signal.onabort = null`, false},
		{"dependent without listeners", `AbortSignal.any([signal])`, false},
		{"dependent with a listener", `AbortSignal.any([signal]).onabort = () => {}`, true},
		{"dependent of a dependent", `AbortSignal.any([AbortSignal.any([signal])]).onabort = () => {}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRealm(t)
			signal, _ := r.g.NewSignal()
			require.NoError(t, r.vm.Set("signal", signal))
			r.eval("(() => {" + tt.body + "})()")
			got, err := r.g.HasListeners(signal)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestHasListenersOfAStrangerIsFalse(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	got, err := r.g.HasListeners(r.eval("({})").(*goja.Object))
	require.NoError(t, err)
	require.False(t, got)
}
