package jsapi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTimers(t *testing.T) {
	t.Parallel()
	runChecks(t, []check{
		{"passes extra arguments", `return await new Promise(r => setTimeout((a, b) => r([a, b]), 5, "x", 2))`, `["x",2]`},
		{"fires in order of time", `const o = []; setTimeout(() => o.push(2), 20); setTimeout(() => o.push(1), 10); await new Promise(r => setTimeout(r, 30)); return o`, `[1,2]`},
		{"clears a timeout", `let n = 0; clearTimeout(setTimeout(() => n++, 1)); await new Promise(r => setTimeout(r, 9)); return n`, `0`},
		{"repeats until cleared", `let n = 0; await new Promise(r => { const id = setInterval(() => { if (++n === 3) { clearInterval(id); r() } }, 2) }); return n`, `3`},
		{"ignores an unknown id", `clearTimeout(); clearTimeout(99); clearTimeout({}); clearTimeout("x"); clearInterval(null); return 1`, `1`},
		{"refuses a string", `setTimeout("alert(1)", 1)`, `TypeError: setTimeout: the callback must be a function, not string`},
		{"refuses no argument", `setInterval()`, `TypeError: setInterval: 1 argument required, but only 0 present`},
		{"runs microtasks before timers", `const o = []; setTimeout(() => o.push("t"), 1); queueMicrotask(() => o.push("m")); o.push("s"); await new Promise(r => setTimeout(r, 5)); return o`, `["s","m","t"]`},
		{"refuses a microtask that is no function", `queueMicrotask(null)`, `TypeError: queueMicrotask: the callback must be a function, not null`},
	})
}

func TestTimerDelayIsClamped(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		delay string
		want  time.Duration
	}{
		{"undefined", time.Millisecond}, {"NaN", time.Millisecond}, {"-5", time.Millisecond}, {"0", time.Millisecond},
		{"'12'", 12 * time.Millisecond}, {"2.5", 2500 * time.Microsecond}, {"2147483647", 2147483647 * time.Millisecond},
		{"2147483648", time.Millisecond}, {"Infinity", time.Millisecond},
	} {
		r := newRealm(t)
		r.eval("setTimeout(() => {}, " + tt.delay + ")")
		require.Equal(t, tt.want, r.timers[1].at, tt.delay)
	}
}

func TestMicrotaskThatThrowsIsReported(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	require.Equal(t, "1", r.async(`queueMicrotask(() => { throw new RangeError("boom") }); await null; return 1`))
	require.Len(t, r.reported, 1)
	require.Contains(t, r.reported[0], "RangeError: boom")
}
