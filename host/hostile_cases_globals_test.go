package host_test

// loudPrograms say more than anybody can hear.
var loudPrograms = []hostile{
	{name: "lines in the log without end", ends: "timeout memory_limit error", do: `for (let i = 0; ; i++) console.log("line", i)`},
	{name: "lines in the log from all sides", ends: "timeout memory_limit error", do: `for (let i = 0; ; i++) { ctx.log.info("i" + i, { i }); ctx.log.error("e"); rho.log("warn", "w"); console.error(i); if (i % 100 == 0) await null }`},
	{name: "a line of a hundred million characters", ends: "done memory_limit timeout error", do: `console.log("é".repeat(1e8)); return "said"`},
	{name: "data in the log that is a trap", ends: "timeout done error", do: `ctx.log.info("x", { get y() { for (;;) {} } }); return "said"`},
	{name: "data in the log that holds itself", ends: "done error", do: `const o: any = {}; o.o = o; ctx.log.info("x", o); ctx.log.info(o as any, o); console.log(o, [o], new Map([[o, o]])); return "said"`},
	{name: "a table of a million rows", ends: "done memory_limit timeout error", do: `console.table(new Array(1e6).fill({ a: 1, b: 2 })); return "said"`},
	{name: "groups in groups", ends: "done memory_limit timeout error", do: `for (let i = 0; i < 1e5; i++) console.group("g"); console.log("x"); return "said"`},
	{name: "labels of counters without end", ends: "timeout memory_limit", do: `for (let i = 0; ; i++) { console.count("label number " + i); console.time("timer number " + i) }`},
	{name: "formats that repeat", ends: "done error timeout memory_limit", do: `console.log("%o%s%d%j%c".repeat(1e6), ...new Array(1e5).fill({ a: 1 })); return "said"`},
	{name: "progress without end", ends: "timeout memory_limit error", do: `for (let i = 0; ; i++) ctx.progress({ message: "step", done: i, total: Infinity })`},
	{name: "progress of a hundred million characters", ends: "done memory_limit timeout error", do: `ctx.progress("é".repeat(1e8)); return "said"`},
	{name: "progress that is a trap", ends: "timeout done error", do: `ctx.progress({ get message() { for (;;) {} } } as any); return "said"`},
}

// pollutingPrograms change what all of the extension's code stands on. The
// next call of its other tool must go well all the same.
var pollutingPrograms = []hostile{
	{name: "Object.prototype with getters that never return", ends: "done timeout", after: "done timeout",
		do: `for (const k of ["then", "toJSON", "content", "output", "value", "get", "set", "message", "isError", "signal", "execute", "kind", "code", "hint", "id", "__proto__x"]) Object.defineProperty(Object.prototype, k, { configurable: true, get() { for (;;) {} }, set() {} }); return "done"`},
	{name: "Object.prototype with everything that results know", ends: "done error", do: `for (const k of ["content", "output", "details", "isError", "toJSON", "value", "get", "set", "enumerable", "writable", "message", "type", "text"]) (Object.prototype as any)[k] = "polluted"; return "done"`},
	{name: "Object.prototype with a then that never settles", ends: "done never_settles", do: `(Object.prototype as any).then = () => {}; return "done"`},
	{name: "Object.prototype with setters for every key of ours", ends: "done error", do: `for (const k of ["0", "1", "callId", "signal", "name", "tool", "args"]) Object.defineProperty(Object.prototype, k, { set() { throw new Error("no") }, get: () => undefined }); return "done"`},
	{name: "Array.prototype without its iterator", ends: "done", do: `delete (Array.prototype as any)[Symbol.iterator]; return "done"`},
	{name: "Array.prototype with an iterator that never ends", ends: "done timeout", do: `(Array.prototype as any)[Symbol.iterator] = function* () { for (;;) yield 1 }; return "done"`},
	{name: "Array.prototype with numbered setters", ends: "done error", do: `Object.defineProperty(Array.prototype, "0", { set() { for (;;) {} }, get: () => "x", configurable: true }); return "done"`},
	{name: "Array.prototype with other methods", ends: "done", do: `for (const k of Object.getOwnPropertyNames(Array.prototype)) if (typeof ([] as any)[k] === "function") (Array.prototype as any)[k] = () => { throw new Error(k) }; return "done"`},
	{name: "Promise.prototype.then that throws", ends: "done", do: `Promise.prototype.then = () => { throw new Error("no") }; return "done"`},
	{name: "Promise.prototype.then that never calls", ends: "done never_settles", do: `Promise.prototype.then = () => ({}) as any; return "done"`},
	{name: "Promise with another constructor", ends: "done error", do: `(globalThis as any).Promise = class { constructor() { throw new Error("no") } }; Object.defineProperty(async function () {}.constructor.prototype, "x", { value: 1 }); return "done"`},
	{name: "JSON that lies", ends: "done", do: `JSON.stringify = () => { throw new Error("no") }; JSON.parse = () => { for (;;) {} }; (globalThis as any).JSON = null; return "done"`},
	{name: "globals that are gone", ends: "done", do: `for (const k of Object.getOwnPropertyNames(globalThis)) { try { delete (globalThis as any)[k] } catch {} } return "done"`},
	{name: "globals that are numbers", ends: "done error", do: `for (const k of Object.getOwnPropertyNames(globalThis)) { try { (globalThis as any)[k] = 7 } catch {} } return "done"`},
	{name: "globals that are traps", ends: "done error timeout", do: `for (const k of Object.getOwnPropertyNames(globalThis)) { try { Object.defineProperty(globalThis, k, { get() { for (;;) {} } }) } catch {} } return "done"`},
	{name: "globals that are frozen", ends: "done", do: `const seen = new Set(); const f = (o: any) => { if (o === null || typeof o !== "object" && typeof o !== "function" || seen.has(o)) return; seen.add(o); for (const k of Reflect.ownKeys(o)) { const d = Reflect.getOwnPropertyDescriptor(o, k)!; if ("value" in d) f(d.value) } try { Object.freeze(o) } catch {} }; f(globalThis); return "done"`},
	{name: "Function.prototype without call and apply", ends: "done error", do: `for (const k of ["call", "apply", "bind", "toString"]) (Function.prototype as any)[k] = () => { for (;;) {} }; return "done"`},
	{name: "Object, Reflect and Symbol without their functions", ends: "done error", do: `for (const o of [Object, Reflect, Symbol, Error, Map.prototype, Set.prototype, WeakMap.prototype, String.prototype, RegExp.prototype, Symbol.prototype] as any[]) for (const k of Reflect.ownKeys(o)) { if (typeof k === "string" && k !== "constructor") try { Object.defineProperty(o, k, { value: () => { throw new Error("gone") } }) } catch {} } return "done"`},
	{name: "errors that lie about themselves", ends: "error", do: `Object.defineProperty(Error.prototype, "message", { get() { throw 1 } }); Object.defineProperty(Error.prototype, "name", { get() { throw 2 } }); Object.defineProperty(Error.prototype, "toString", { value: null }); (Error as any).prepareStackTrace = () => { throw 3 }; (null as any).x`},
	{name: "signals and timers that are taken", ends: "done", do: `for (const p of [AbortSignal.prototype, EventTarget.prototype, AbortController.prototype, Event.prototype] as any[]) for (const k of Object.getOwnPropertyNames(p)) { try { Object.defineProperty(p, k, { get() { throw new Error("taken") } }) } catch {} } (globalThis as any).setTimeout = null; (globalThis as any).queueMicrotask = null; void ctx.signal; return "done"`},
	{name: "the context of the call, bent", ends: "done", do: `for (const o of [ctx, Object.getPrototypeOf(ctx), ctx.log, ctx.fs]) for (const k of Reflect.ownKeys(o)) { try { Object.defineProperty(o, k, { get() { throw new Error("bent") } }) } catch {} } return "done"`},
	{name: "the other tool, replaced in the manifest", top: `const tools: any[] = [];`, ends: "done", do: `(0, eval)("globalThis.execute = () => 'no'"); args.__proto__.execute = () => "no"; return "done"`},
}

// escapingPrograms look for a way out of the sandbox. What they return is what
// they found.
var escapingPrograms = []hostile{
	{name: "Function of every kind of function", ends: "done", says: "[]",
		do: `const found: string[] = []; for (const f of [() => {}, async () => {}, function* () {}, (class { static m() {} } as any).m, Math.max, ctx.callTool, ctx.fs.read, console.log, fetch] as any[]) { try { const g = f.constructor("return typeof process === 'undefined' ? [] : Object.keys(process).filter((k) => k !== 'env')"); const r = await g(); if (r && typeof r.next !== "function" && r.length) found.push(String(r)) } catch {} } return found`},
	{name: "the global this of sloppy code", ends: "done", says: "undefined undefined undefined object",
		do: `const g = new Function("return this")(); return [typeof g.require, typeof g.module, typeof g.Deno, typeof g].join(" ")`},
	{name: "callers and arguments", ends: "done error", says: "",
		do: `return new Function("return [typeof arguments.callee.caller, typeof this]")().join()`},
	{name: "the host through a stack trace", ends: "done", says: "no frames",
		do: `let seen: any = null; (Error as any).prepareStackTrace = (_: any, frames: any) => { seen = frames; return "" }; void new Error("x").stack; return seen?.[0]?.getThis?.() ? "frames" : "no frames"`},
	{name: "modules by every name", ends: "done", says: "[]",
		do: `const found: string[] = []; for (const m of ["fs", "node:fs", "child_process", "node:vm", "/etc/passwd", "../calm.ts", "file:///etc/passwd", "data:text/javascript,1"]) { try { await import(m); found.push(m) } catch {} try { (globalThis as any).require(m); found.push(m) } catch {} } return found`},
	{name: "Go's methods on what the host made", ends: "done", says: "[]",
		do: `const found: string[] = []; const look = (o: any, path: string, depth: number) => { if (o === null || typeof o !== "object" && typeof o !== "function" || depth > 4) return; for (const k of Reflect.ownKeys(o)) { if (typeof k === "string" && /^[A-Z][a-z]+[A-Z]?[a-zA-Z]*$/.test(k) && o !== globalThis && !(k in globalThis)) found.push(path + "." + k); let v; try { v = o[k] } catch { continue } look(v, path + "." + String(k), depth + 1) } }; look(ctx, "ctx", 0); look(rho, "rho", 0); look(args, "args", 0); return found`},
	{name: "another extension's globals", ends: "done", says: "undefined",
		do: `return typeof (globalThis as any).calm + ""`},
	{name: "timers with text", ends: "done error", says: "no", do: `let ran = "no"; (globalThis as any).mark = () => { ran = "yes" }; try { setTimeout("mark()" as any, 0) } catch {} await new Promise((r) => setTimeout(r, 5)); return ran`},
}
