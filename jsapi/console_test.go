package jsapi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConsole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, src, want string }{
		{"levels", `console.log("a"); console.info("b"); console.debug("c"); console.warn("d"); console.error("e")`, "info a|info b|debug c|warn d|error e"},
		{"values are inspected, text is not quoted", `console.log("x", "y", 1, null, undefined, [1, "z"], { a: 1 })`, "info x y 1 null undefined [ 1, 'z' ] { a: 1 }"},
		{"nothing", `console.log()`, "info "},
		{"formats", `console.log("%s-%d-%i-%f-%j-%o-%O-%c-%%-%x", "s", "4.5", "4.5", "4.5z", { a: 1 }, [1], { b: 2 }, "color: red")`, `info s-4.5-4-4.5-{"a":1}-[ 1 ]-{ b: 2 }--%-%x`},
		{"formats without arguments", `console.log("100%", "%s"); console.log("%s"); console.log("%s %s", 1)`, "info 100% %s|info %s|info 1 %s"},
		{"formats of odd values", `console.log("%d %i %s %s %d", {}, Symbol("q"), Symbol("s"), [1], 5n)`, "info NaN NaN Symbol(s) [ 1 ] 5n"},
		{"assert", `console.assert(true, "no"); console.assert(false); console.assert(0, "a %s", "b"); console.assert(null, { a: 1 })`, "error Assertion failed|error Assertion failed: a b|error Assertion failed: { a: 1 }"},
		{"count", `console.count(); console.count("x"); console.count(); console.countReset(); console.count(); console.countReset("y")`, "info default: 1|info x: 1|info default: 2|info default: 1|warn Count for 'y' does not exist"},
		{"groups", `console.group("g"); console.log("a\nb"); console.groupCollapsed(); console.warn("c"); console.groupEnd(); console.groupEnd(); console.groupEnd(); console.log("d"); console.group(); console.clear(); console.log("e")`, "info g|info   a\n  b|warn     c|info d|info e"},
		{"unknown timers", `console.timeEnd("x"); console.timeLog()`, "warn Timer 'x' does not exist|warn Timer 'default' does not exist"},
		{"a timer twice", `console.time(); console.time()`, "warn Timer 'default' already exists"},
		{"dir", `console.dir({ a: { b: 1 } })`, "info { a: { b: 1 } }"},
		{"table of a value", `console.table(5)`, "info 5"},
		{"works detached", `const { log } = console; [1].forEach(log)`, "info 1 0 [ 1 ]"},
		{"trace names the author's frames alone", `function f() { console.trace("t %s", 1) }; f()`, "trace Trace: t 1\n    at f (test.js:1:29)\n    at test.js:1:45"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRealm(t)
			r.eval(tt.src)
			got := []string{}
			for _, l := range r.logs {
				got = append(got, l.Level+" "+l.Message)
			}
			require.Equal(t, tt.want, strings.Join(got, "|"))
		})
	}
}

func TestConsoleTable(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	r.eval(`console.table([{ a: 1, b: "x" }, { a: 2, c: true }, 7])`)
	require.Equal(t, `┌─────────┬───┬─────┬──────┬────────┐
│ (index) │ a │ b   │ c    │ Values │
├─────────┼───┼─────┼──────┼────────┤
│ 0       │ 1 │ 'x' │      │        │
│ 1       │ 2 │     │ true │        │
│ 2       │   │     │      │ 7      │
└─────────┴───┴─────┴──────┴────────┘`, r.logs[0].Message)
	r.eval(`console.table([{ a: 1, b: 2 }], ["b"]); console.table(new Map([["k", 1]]))`)
	require.Contains(t, r.logs[1].Message, "│ 0       │ 2 │")
	require.Contains(t, r.logs[2].Message, "│ 0       │ 'k' │ 1      │")
}

func TestConsoleTimers(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	r.eval(`console.time("t"); console.timeLog("t", "more", 1); console.timeEnd("t"); console.timeEnd("t")`)
	require.Regexp(t, `^t: \d+\.\d{3} ms more 1$`, r.logs[0].Message)
	require.Regexp(t, `^t: \d+\.\d{3} ms$`, r.logs[1].Message)
	require.Equal(t, "Timer 't' does not exist", r.logs[2].Message)
}

func TestInspect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, src, want string }{
		{"quotes nested text", `["a'b", "c\n", 'd"e']`, `[ "a'b", 'c\n', 'd"e' ]`},
		{"cycles", `(() => { const a = { n: 1 }; a.me = a; return a })()`, `{ n: 1, me: [Circular] }`},
		{"depth", `({ a: { b: { c: { d: { e: 1 } } }, l: [[[[[1]]]]] } })`, `{ a: { b: { c: { d: [Object] } }, l: [ [ [Array] ] ] } }`},
		{"holes", `[1, , , 4]`, `[ 1, <2 empty items>, 4 ]`},
		{"extra keys", `Object.assign([1], { x: 2, [Symbol("s")]: 3 })`, `[ 1, x: 2, [Symbol(s)]: 3 ]`},
		{"accessors are not run", `({ get a() { throw 1 }, set b(v) {}, get c() { return 1 }, set c(v) {} })`, `{ a: [Getter], b: [Setter], c: [Getter/Setter] }`},
		{"toString and toJSON are not run", `({ toString() { throw 1 }, toJSON() { throw 1 } })`, `{ toString: [Function: toString], toJSON: [Function: toJSON] }`},
		{"a proxy's traps are not run", `new Proxy({ a: 1 }, { get() { throw 1 }, ownKeys() { throw 1 }, getPrototypeOf() { throw 1 } })`, `{ a: 1 }`},
		{"a proxy as prototype", `Object.create(new Proxy({}, { get() { throw 1 }, getOwnPropertyDescriptor() { throw 1 } }))`, `{}`},
		{"a revoked proxy", `(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy })()`, `<revoked Proxy>`},
		{"classes and instances", `[class A {}, class B extends Map {}, new (class C { x = 1 })(), () => {}, async function f() {}]`, "[\n  [class A],\n  [class B extends Map],\n  C { x: 1 },\n  [Function: (anonymous)],\n  [AsyncFunction: f]\n]"},
		{"no prototype", `Object.assign(Object.create(null), { a: 1 })`, `[Object: null prototype] { a: 1 }`},
		{"tags", `({ [Symbol.toStringTag]: "T" })`, `Object [T] { [Symbol(Symbol.toStringTag)]: 'T' }`},
		{"map and set", `new Map([["a", new Set([1])]])`, `Map(1) { 'a' => Set(1) { 1 } }`},
		{"buffers", `[new Uint8Array([1, 2]), new ArrayBuffer(3)]`, `[ Uint8Array(2) [ 1, 2 ], ArrayBuffer { byteLength: 3 } ]`},
		{"dates and patterns", `[new Date(0), new Date(NaN), /a/g]`, `[ 1970-01-01T00:00:00.000Z, Invalid Date, /a/g ]`},
		{"boxed", `[Object(1), Object("s"), Object(false), Object(1n), Object(Symbol("q"))]`, "[\n  [Number: 1],\n  [String: 's'],\n  [Boolean: false],\n  [BigInt: 1n],\n  [Symbol: Symbol(q)]\n]"},
		{"numbers", `[-0, 1n, NaN]`, `[ -0, 1n, NaN ]`},
		{"promises", `[Promise.resolve(1), new Promise(() => {})]`, `[ Promise { 1 }, Promise { <pending> } ]`},
		{"headers", `new Headers({ "X-A": "1", b: "2" })`, `Headers { b: '2', 'x-a': '1' }`},
		{"long arrays", `Array.from({ length: 103 }, () => 0)`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRealm(t)
			got := r.g.Inspect(r.eval("(" + tt.src + ")"))
			if tt.want != "" {
				require.Equal(t, tt.want, got)
				return
			}
			require.True(t, strings.HasSuffix(got, "… 3 more items\n]"), got)
		})
	}
}

func TestInspectShowsErrorsWithTheirStack(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	got := r.g.Inspect(r.eval(`(function f() { return Object.assign(new TypeError("bad", { cause: new Error("why") }), { status: 5 }) })()`))
	require.Equal(t, "TypeError: bad\n    at f (test.js:1:38)\n    at test.js:1:106 {\n  [cause]: [Error: why\n      at f (test.js:1:68)\n      at test.js:1:106],\n  status: 5\n}", got)
}

func TestInspectIsBounded(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		`"x".repeat(1e6)`,
		`Array.from({ length: 1000 }, () => "y".repeat(1000))`,
		`Object.fromEntries(Array.from({ length: 5000 }, (_, i) => ["key" + i, "v".repeat(50)]))`,
		`(() => { const wide = d => d === 0 ? "leaf" : Array.from({ length: 30 }, () => wide(d - 1)); return wide(3) })()`,
		`(() => { let a = []; for (let i = 0; i < 10000; i++) a = [a]; return a })()`,
		`new Map(Array.from({ length: 5000 }, (_, i) => [{ i }, { i }]))`,
		`Object.assign(new Error("e".repeat(1e5)), { stack: "s".repeat(1e5) })`,
		`new Uint8Array(1e6)`, `Array(4294967295)`, `Object("q".repeat(1e5))`, `({ ["k".repeat(1e5)]: 1 })`, `Symbol("d".repeat(1e5))`,
	} {
		r := newRealm(t)
		require.Less(t, len([]rune(r.g.Inspect(r.eval("("+src+")")))), 10_100, src)
	}
}

func TestInspectSurvivesHostileValuesAndClobberedGlobals(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	r.eval(`console.log("first use")`)
	r.eval(`Object.getOwnPropertyDescriptor = Reflect.ownKeys = Array.isArray = JSON.stringify = () => { throw new Error("mine") }; Object.prototype.toString = null; Function.prototype.toString = () => { throw 1 }; globalThis.Map = globalThis.Error = undefined;`)
	require.Equal(t, "{ a: [ 1 ], f: [Function: f] }", r.g.Inspect(r.eval(`({ a: [1], f() {} })`)))
	r.eval(`console.log({ b: 2 })`)
	require.Equal(t, "{ b: 2 }", r.logs[1].Message)
}
