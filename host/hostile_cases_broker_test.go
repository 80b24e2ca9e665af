package host_test

// brokerPrograms misuse what the host does for them.
var brokerPrograms = []hostile{
	{name: "reads of files without end", ends: "timeout memory_limit error", do: `for (;;) { void ctx.fs.read("calm.txt").catch(() => {}) }`},
	{name: "reads of files, a hundred thousand at once", ends: "timeout memory_limit done error", do: `return (await Promise.all(Array.from({ length: 1e5 }, () => ctx.fs.read("calm.txt").catch(() => "")))).length`},
	{name: "synchronous reads without end", ends: "timeout", do: `for (;;) rho.readFile("calm.txt")`},
	{name: "reads that are refused, without end", ends: "timeout memory_limit error denied", do: `for (;;) { try { await ctx.fs.read("/etc/shadow") } catch {} }`},
	{name: "listings and patterns without end", ends: "timeout memory_limit error", do: `for (;;) { void ctx.fs.glob("**/*").catch(() => {}); void ctx.fs.list(".").catch(() => {}); await null }`},
	{name: "a pattern made to be slow", ends: "timeout error done denied", do: `return await ctx.fs.glob("**/".repeat(1000) + "*".repeat(1000) + "[a-z]".repeat(1000))`},
	{name: "a path of ten million characters", ends: "error denied timeout not_found invalid_args", do: `return await ctx.fs.read("a/".repeat(5e6))`},
	{name: "paths that are no text", ends: "error denied not_found invalid_args", do: `for (const p of [null, {}, [], Symbol.iterator, "\u0000", "\ud800", { toString() { throw 1 } }]) { try { await ctx.fs.read(p as any) } catch {} } return await ctx.fs.read({ toString: () => "\u0000" } as any)`},
	{name: "a write of a gigabyte", allow: []string{"write ."}, ends: "error memory_limit timeout", do: `await ctx.fs.write("out.txt", "x".repeat(2 ** 30)); return "wrote"`},
	{name: "writes of 60 MB, many at once", allow: []string{"write ."}, ends: "error memory_limit timeout done", do: `const b = new Uint8Array(60e6); await Promise.all(Array.from({ length: 20 }, (_, i) => ctx.fs.write("out" + i, b))); return "wrote"`},
	{name: "appends without end", allow: []string{"write ."}, ends: "error memory_limit timeout", do: `for (let i = 0; ; i++) await ctx.fs.append("out.txt", "x")`},
	{name: "programs without end", allow: []string{"run true"}, ends: "timeout error memory_limit", do: `for (;;) void ctx.exec("true").catch(() => {})`},
	{name: "a program that writes without end", allow: []string{"run yes"}, ends: "timeout error memory_limit done", do: `return (await ctx.exec("yes")).stdout.length`},
	{name: "a program whose output is never taken", allow: []string{"run yes"}, ends: "never_settles timeout", do: `await ctx.exec("yes", [], { onStdout: () => new Promise(() => {}) })`},
	{name: "a program that gets a hundred megabytes", allow: []string{"run cat"}, ends: "timeout error memory_limit done", do: `return (await ctx.exec("cat", [], { input: new Uint8Array(1e8) })).stdout.length`},
	{name: "a program with a million arguments", allow: []string{"run true"}, ends: "error timeout memory_limit", do: `await ctx.exec("true", new Array(1e6).fill("x".repeat(10))); return "ran"`},
	{name: "programs that are killed while they start", allow: []string{"run sleep"}, ends: "timeout error memory_limit done", do: `for (let i = 0; i < 50; i++) { const c = new AbortController(); const p = ctx.exec("sleep", ["10"], { signal: c.signal }).catch(() => {}); if (i % 2) await null; c.abort(); await p } return "done"`},
	{name: "requests without end", ends: "timeout memory_limit error denied", do: `for (;;) void fetch("http://127.0.0.1:9/").catch(() => {})`},
	{name: "a request with a body of a gigabyte", ends: "timeout memory_limit error denied", do: `await fetch("http://127.0.0.1:9/", { method: "POST", body: "x".repeat(2 ** 30) })`},
	{name: "requests with headers of a hundred megabytes", ends: "timeout memory_limit error denied", do: `await fetch("http://127.0.0.1:9/", { headers: { x: "y".repeat(1e8) } })`},
	{name: "tools that call tools without end", allow: []string{"tool *"}, ends: "timeout memory_limit error", do: `for (;;) void ctx.callTool("calm").catch(() => {})`},
	{name: "a tool that calls itself", allow: []string{"tool *"}, ends: "timeout error done denied", do: `const r = await ctx.callTool("attack", {}); return r.text`},
	{name: "a tool that calls itself twice", allow: []string{"tool *"}, ends: "timeout error done denied memory_limit", do: `const r = await Promise.all([ctx.callTool("attack", {}), ctx.callTool("attack", {})]); return r[0].text`},
	{name: "arguments of a hundred megabytes to a tool", allow: []string{"tool *"}, ends: "timeout memory_limit error done", do: `return (await ctx.callTool("calm", { x: "y".repeat(1e8) })).text`},
	{name: "arguments that hold themselves to a tool", allow: []string{"tool *"}, ends: "error timeout stack_overflow", do: `const a: any = {}; a.a = a; return (await ctx.callTool("calm", a)).text`},
	{name: "arguments a million deep to a tool", allow: []string{"tool *"}, ends: "error timeout stack_overflow memory_limit", do: `let a: any = {}; for (let i = 0; i < 1e6; i++) a = { a }; return (await ctx.callTool("calm", a)).text`},
	{name: "settings that nobody declared, without end", ends: "timeout done error", do: `for (let i = 0; i < 1e5; i++) { try { void ctx.config["x" + i]; void process.env["X" + i] } catch {} } return "read"`},
}

// latePrograms do not end when they are told to.
var latePrograms = []hostile{
	{name: "a listener of the signal that throws", ends: "timeout", do: `ctx.signal.addEventListener("abort", () => { throw new Error("late") }); await new Promise((r) => setTimeout(r, 1e6))`},
	{name: "a listener of the signal that never returns", ends: "timeout", do: `ctx.signal.addEventListener("abort", () => { for (;;) {} }); await new Promise((r) => setTimeout(r, 1e6))`},
	{name: "a listener of the signal that reads for ever", ends: "timeout", do: `ctx.signal.addEventListener("abort", () => { for (;;) try { rho.readFile("calm.txt") } catch {} }); await new Promise((r) => setTimeout(r, 1e6))`},
	{name: "a million listeners of the signal", ends: "timeout memory_limit", do: `for (let i = 0; i < 1e5; i++) ctx.signal.addEventListener("abort", () => { throw i }); await new Promise((r) => setTimeout(r, 1e6))`},
	{name: "a listener of the signal in native code", ends: "timeout", do: `ctx.signal.onabort = () => { new Array(2 ** 32 - 1).fill(0) }; await new Promise((r) => setTimeout(r, 1e6))`},
	{name: "finally that loops after the deadline", ends: "timeout", do: `try { await new Promise((_, no) => ctx.signal.addEventListener("abort", () => no(ctx.signal.reason))) } finally { for (;;) {} }`},
	{name: "catch that goes on after the deadline", ends: "timeout", do: `for (;;) { try { await new Promise((_, no) => { if (ctx.signal.aborted) return no(1); ctx.signal.addEventListener("abort", () => no(ctx.signal.reason)) }) } catch {} }`},
	{name: "a deadline in a synchronous call", allow: []string{"run sleep"}, ends: "timeout", do: `rho.runCommand("sleep", ["30"]); return "slept"`},
	{name: "a deadline in an asynchronous program", allow: []string{"run sleep"}, ends: "timeout", do: `for (;;) { try { await ctx.exec("sleep", ["30"]) } catch {} }`},
	{name: "a deadline in a tool that it calls", allow: []string{"tool *"}, ends: "timeout", more: `tool("slow", () => { for (;;) {} }),`, do: `for (;;) { try { await ctx.callTool("slow", {}) } catch {} }`},
}
