package jsapi

import "testing"

func TestStructuredClone(t *testing.T) {
	t.Parallel()
	runChecks(t, []check{
		{"primitives", `return [structuredClone(1), structuredClone("x"), structuredClone(null), structuredClone(true), typeof structuredClone(undefined), String(structuredClone(10n))]`, `[1,"x",null,true,"undefined","10"]`},
		{"objects and arrays are copied deeply", `const a = { x: [1, { y: 2 }], z: undefined }; const b = structuredClone(a); return [b, b !== a, b.x !== a.x, "z" in b]`, `[{"x":[1,{"y":2}]},true,true,true]`},
		{"cycles and shared parts", `const a = { k: {} }; a.me = a; a.k2 = a.k; const b = structuredClone(a); return [b.me === b, b.k === b.k2, b.k !== a.k]`, `[true,true,true]`},
		{"holes and extra keys of arrays", `const a = [1, , 3]; a.x = "y"; const b = structuredClone(a); return [b.length, 1 in b, b.x]`, `[3,false,"y"]`},
		{"map and set", `const k = {}; const m = structuredClone(new Map([[k, new Set([k])]])); const [[k2, s]] = m; return [m instanceof Map, s instanceof Set, s.has(k2), k2 !== k]`, `[true,true,true,true]`},
		{"date and regexp", `const d = structuredClone(new Date(5)), r = structuredClone(/a/gi); return [d instanceof Date, d.getTime(), r instanceof RegExp, r.source, r.flags, r.lastIndex]`, `[true,5,true,"a","gi",0]`},
		{"buffers and views", `const b = new Uint8Array([1, 2, 3, 4]); const c = structuredClone({ a: b.subarray(1, 3), b: b.buffer, d: new DataView(b.buffer, 2) }); b[1] = 9; return [[...c.a], c.a.buffer === c.b, c.d.getUint8(0), c.d.byteLength, c.a.constructor.name]`, `[[2,3],true,3,2,"Uint8Array"]`},
		{"all typed arrays", `return [Int8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array].every(C => structuredClone(new C(2)) instanceof C)`, `true`},
		{"errors", `const e = structuredClone(Object.assign(new RangeError("m", { cause: { a: 1 } }), { extra: 1 })); return [e instanceof RangeError, e.message, e.cause, e.extra, typeof e.stack]`, `[true,"m",{"a":1},null,"string"]`},
		{"an error of an own class", `class Mine extends Error { get name() { return "Mine" } }; const e = structuredClone(new Mine("m")); return [e.constructor === Error, e.name, e.message]`, `[true,"Error","m"]`},
		{"DOMException", `const e = structuredClone(new DOMException("m", "AbortError")); return [e instanceof DOMException, e.name, e.code]`, `[true,"AbortError",20]`},
		{"boxed primitives", `const [a, b, c, d] = structuredClone([Object(1), Object("s"), Object(true), Object(5n)]); return [typeof a, a + 1, b + "", c.valueOf(), String(d)]`, `["object",2,"s",true,"5"]`},
		{"class instances become plain", `class P { constructor() { this.a = 1 } get b() { return 2 } }; const p = structuredClone(new P()); return [p.constructor === Object, p]`, `[true,{"a":1}]`},
		{"getters are read", `return structuredClone({ get a() { return 4 } })`, `{"a":4}`},
		{"a getter's error comes through", `structuredClone({ get a() { throw new RangeError("no") } })`, `RangeError: no`},
		{"very deep data", `let a = {}; const root = a; for (let i = 0; i < 10000; i++) a = a.a = {}; let b = structuredClone(root), n = 0; while ((b = b.a)) n++; return n`, `10000`},
		{"a key called __proto__", `const b = structuredClone(JSON.parse('{"__proto__": 1}')); return [Object.keys(b), Object.getPrototypeOf(b) === Object.prototype]`, `[["__proto__"],true]`},
		{"transfer empties the buffer", `const b = new Uint8Array([7]).buffer; const c = structuredClone({ b }, { transfer: [b] }); return [new Uint8Array(c.b)[0], b.byteLength]`, `[7,0]`},

		{"refuses functions", `structuredClone({ f() {} })`, `DataCloneError: The function f could not be cloned`},
		{"refuses symbols", `structuredClone(Symbol("x"))`, `DataCloneError: Symbol(x) could not be cloned`},
		{"refuses boxed symbols", `structuredClone(Object(Symbol("x")))`, `DataCloneError: An object of class Symbol could not be cloned`},
		{"refuses promises", `structuredClone(Promise.resolve())`, `DataCloneError: An object of class Promise could not be cloned`},
		{"refuses weak collections", `structuredClone(new WeakMap())`, `DataCloneError: An object of class WeakMap could not be cloned`},
		{"refuses proxies", `structuredClone(new Proxy({}, {}))`, `DataCloneError: A Proxy could not be cloned`},
		{"refuses web objects", `structuredClone(new URL("http://h"))`, `DataCloneError: An object of class URL could not be cloned`},
		{"refuses a transfer of others", `structuredClone(1, { transfer: [{}] })`, `DataCloneError: A value in transfer that is not an ArrayBuffer could not be cloned`},
		{"refuses a transfer twice", `const b = new ArrayBuffer(1); structuredClone(b, { transfer: [b, b] })`, `DataCloneError: An ArrayBuffer that is in transfer twice could not be cloned`},
		{"needs an argument", `structuredClone()`, `TypeError: structuredClone: 1 argument required, but only 0 present`},
	})
}
