package reading

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

func parsed(t testing.TB, src string) *Script {
	t.Helper()
	s, fail := Parse("x.js", []byte(src), nil)
	require.Nil(t, fail, src)
	return s
}

func said(u Uses) string {
	s := u.Effects.String()
	for _, w := range []struct {
		is   bool
		text string
	}{{u.CallsTools, "callTool"}, {u.Whole, "whole"}, {len(u.Computed) > 0, "computed"}} {
		if w.is && s != "" {
			s += " "
		}
		if w.is {
			s += w.text
		}
	}
	return s
}

func TestTheUsesOfAScriptAreThoseThatItMentions(t *testing.T) {
	t.Parallel()
	const all = "read write net run"
	for src, want := range map[string]string{
		`fetch("x")`:                                "net",
		`const f = fetch; f()`:                      "net",
		`globalThis.fetch("x")`:                     "net",
		`self["fetch"]("x")`:                        "net",
		`globalThis?.fetch?.("x")`:                  "net",
		`const { fetch: go } = globalThis; go()`:    "net",
		`const { fetch } = self; fetch()`:           "net",
		`let g; ({ fetch: g } = self); g()`:         "net",
		`a.map(fetch)`:                              "net",
		`x = { fetch }`:                             "net",
		`class A { go() { return fetch }}`:          "net",
		`cache.fetch("x")`:                          "",
		`const o = { fetch: 1 }; o.fetch`:           "",
		`const { fetch } = helpers; fetch()`:        "",
		`"fetch"; // fetch`:                         "",
		`fetch: for (;;) break fetch`:               "",
		`const prefetch = 1, fetcher = 2; prefetch`: "",
		`try { x() } catch (fetch) { fetch() }`:     "",
		`for (const fetch of x) fetch()`:            "",
		`function f(fetch) { var fetch; fetch() }`:  "",
		`function f(a = fetch) { var fetch = 1 }`:   "net",
		`{ let fetch = 1 } fetch()`:                 "net",

		`rho.readFile("x")`:                              "read",
		`rho["readFile"]("x")`:                           "read",
		`const { readFile } = rho; readFile("x")`:        "read",
		`rho.readFile(fetch)`:                            "read net",
		`rho.fetchUrl({})`:                               "net",
		`globalThis.rho.writeFile("x")`:                  "write",
		`rho.log("info", "x"); rho.getCwd()`:             "",
		`const r = rho, q = r; q.runCommand("x")`:        "run",
		`function f() { return r.log("x") } var r = rho`: "",
		`let r; r = rho; r.log("x")`:                     all + " whole",
		`f(rho)`:                                         all + " whole",
		`x = { rho }`:                                    all + " whole",
		`rho[k]`:                                         all + " whole",
		`const { log, ...rest } = rho`:                   all + " whole",
		`const { [k]: x } = rho`:                         all + " whole",
		`const r = a ? rho : null; r.log("x")`:           "",
		`const r = a ? rho : globalThis; r.log("x")`:     all + " whole computed",
		`for (const k in rho) rho.log(k)`:                all + " whole",
		`(rho, 1)`:                                       all + " whole",
		`typeof rho === "object" && rho && rho.log(1)`:   "",
		`if (rho.writeFile) {}`:                          "",
		`function f(rho) { return rho }`:                 "",
		`function f(r = rho) { r.writeFile("x") }`:       "write",
		`(({ writeFile } = rho) => writeFile("x"))()`:    "write",

		`globalThis[k]`:                       "computed",
		`Reflect.get(globalThis, k)`:          "computed",
		`Reflect.get(globalThis, "fetch")`:    "net",
		`Reflect.get(globalThis, "rho")`:      all + " whole",
		`f(globalThis)`:                       "computed",
		`typeof globalThis; "a" in self`:      "",
		`globalThis.x = 1; globalThis.URL`:    "",
		`eval("1")`:                           "computed",
		`new Function("1")`:                   "computed",
		`globalThis.eval("1")`:                "computed",
		`x instanceof Function`:               "",
		`Function.prototype.toString.call(f)`: "",
		`process.env.HOME`:                    "",
		`f(process.env)`:                      "computed",
		`process.env[k]`:                      "computed",
		`globalThis.globalThis.self.self.self.self.self.self.fetch()`: "computed",

		`ctx.exec("x")`:                                                          "run",
		`this.ctx.exec("x")`:                                                     "run",
		`context.fs.write("x")`:                                                  "write",
		`x.fs.glob("x")`:                                                         "read",
		`x.fs.exists("x"); x.write("y")`:                                         "",
		`const { fs } = x; fs.remove("x")`:                                       "write",
		`const { fs: { stat } } = x; stat()`:                                     "read",
		`const { callTool } = x; callTool()`:                                     "callTool",
		`re.exec("x"); ctx.signal`:                                               "",
		`({ execute(a, b) { b.exec("x") } })`:                                    "run",
		`({ execute(a, b) { return b[a] } })`:                                    "read write run callTool",
		`({ onLoad(b) { b.exec("x") } })`:                                        "run",
		`x.execute = (a, b) => b.exec("x")`:                                      "run",
		`class T { execute(a, b) { b.exec("x") } }`:                              "run",
		`class T { execute = async (a, b) => b.exec("x") }`:                      "run",
		`({ name: "c", run(a, b) { b.exec("x") } })`:                             "run",
		`({ run(a, b) { b.exec("x") } })`:                                        "",
		`({ execute(a, b) { h(b) } }); function h(c) { c.exec("x") }`:            "run",
		`({ execute(a, b) { h(b) } }); function h(c) { c.re.exec("x") }`:         "",
		`({ execute(a, b) { h(b) } }); function h(c) { let d; d = c; d.exec() }`: "run",
		`({ execute(a, b) { h(b) } }); function h(c) { x.c = c; x.c.exec("x") }`: "run",
		`({ execute(a, b) { h(b) } }); function h(c) { return c.fs }`:            "read write",
		`({ execute(a, b) { h(b.fs) } })`:                                        "read write",
		`({ execute(a, b) { const c = b; c.exec("x") } })`:                       "run",
		`({ execute: h }); function h(a, b) { b.exec("x") }`:                     "run",
		`({ execute: h }); const h = (a, b) => b.exec("x")`:                      "run",
		`({ execute: w((a, b) => b.exec("x")) })`:                                "run",
		`({ execute() { return arguments[1].exec("x") } })`:                      "run",
		`({ execute(a, b) { return (b ?? other).exec("x") } })`:                  "run",
		`({ async execute(a, b) { (await b).fs?.read("x"); b?.exec?.("x"); } })`: "read run",
	} {
		require.Equal(t, want, said(parsed(t, src).Uses), src)
	}
}

func TestAToolHasWhatItsOwnCodeReaches(t *testing.T) {
	t.Parallel()
	// Each row is code, and what the tool that ends it executes.
	for _, row := range []struct{ before, execute, want string }{
		{`class C { constructor(f) { this.f = f } go() { return this.f() } } const c = new C(fetch);`, `() => c.go()`, "net"},
		{`class C { constructor(f) { this.f = f } }`, `() => new C(fetch).f()`, "net"},
		{`let h; function other() { ({ h } = { h: fetch }) }`, `() => h()`, "net"},
		{`let h; function other() { [h] = [fetch] }`, `() => h()`, "net"},
		{`let h; function other() { for (h of [fetch]); }`, `() => h()`, "net"},
		{`let h; function other() { h ||= fetch }`, `() => h()`, "net"},
		{`let h; const set = (f) => { h = f }; function other() { set(fetch) }`, `() => h()`, "net"},
		{`const l = []; const add = (f) => l.push(f), more = (g) => add(g); function other() { more(fetch) }`, `() => l[0]()`, "net"},
		{`const o = {}; function put(to, f) { to.f = f } put(o, fetch);`, `() => o.f()`, "net"},
		{`const run = ({ f }) => f();`, `() => run({ f: fetch })`, "net"},
		{`const o = { *[Symbol.iterator]() { yield fetch } };`, `() => [...o][0]()`, "net"},
		{`function bad() { throw fetch }`, `() => { try { bad() } catch (f) { f() } }`, "net"},
		{`const f = (...a) => g(...a); function g(x) { return late(x) } var late = fetch;`, `() => f(1)`, "net"},
		{`var require_a = __commonJS({ "a"(exports, module) { exports.go = fetch; exports.no = 1 } }); var a = __toESM(require_a());`, `() => a.go()`, "net"},
		{`var go; var init_a = __esm({ "a"() { go = fetch } });`, `() => { init_a(); go() }`, "net"},
		{`const q = []; globalThis.bus.push(() => fetch());`, `() => 1`, "net"},
		{`const { a, b } = make(fetch);`, `() => a()`, "net"},
		{`const wrap = (f) => (x) => f(x); const go = wrap(fetch);`, `() => go(1)`, "net"},
		{`const go = (() => { const f = fetch; return () => f() })();`, `() => go()`, "net"},
		{`const later = await fetch("x");`, `() => later.status`, ""},
		{`const data = fetch("x"); const other = () => fetch();`, `() => 1`, ""},
		{`const api = { go: fetch, no() {} };`, `() => api.no()`, "net"}, // the object counts as one
		{`const { readFile, writeFile } = rho;`, `() => readFile("x")`, "read"},
		{`const items = [1]; items.forEach((x) => fetch(x));`, `() => items`, ""},
		{`const seen = new Set(); const other = () => seen.add(fetch());`, `() => seen.size`, ""},
		{`const seen = new Map(); const other = () => seen.set(1, fetch);`, `() => seen.get(1)()`, "net"},
		{`function retry(f) { return f() } function other() { return retry(fetch) }`, `() => retry(() => 1)`, ""},
		{`const other = () => globalThis[k];`, `() => 1`, ""},
		{``, `() => { const g = globalThis; g[k] }`, "computed"},
		{``, `() => f(rho)`, "read write net run whole"},
	} {
		src := "(async () => {" + row.before + "\nconst tool = { name: 'a', execute: " + row.execute + " };\n" +
			"const noisy = { name: 'noisy', execute: () => rho.runCommand(1) }; const m = { name: 'm', tools: [tool, noisy] }; __rho_load(m) })()"
		s := parsed(t, src)
		require.Equal(t, row.want, said(s.UsesOf("a")), src)
		require.Equal(t, s.UsesOf("a"), s.Tools[0].Uses)
		require.True(t, s.UsesOf("noisy").Effects.Has(registry.EffectRun))
		require.Equal(t, s.Uses, s.UsesOf("unknown"), "a name that no literal has")
		require.Equal(t, s.Uses, s.UsesOf(""))
	}
}

func TestToolsThatCannotBeToldApartHaveAllOfTheScript(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"made from a parameter":  `const make = (f) => ({ name: "a", execute: f }); x = [make(fetch)]`,
		"through a local name":   `const make = (o) => { const f = wrap(o.f); return { name: "a", execute: () => f() } }; x = [make({ f: fetch })]`,
		"made by a method":       `class M { make() { return { name: "a", execute: () => this.go() } } } x = new M(); x.go = fetch`,
		"two of one name":        `x = { name: "a", execute() {} }; y = { name: "a", execute: fetch }`,
		"a name that is no text": `x = { name: n, execute() {} }; fetch()`,
		"a class":                `class A { name = "a"; execute() {} } fetch()`,
	} {
		s := parsed(t, src)
		require.Equal(t, "net", said(s.Uses), name)
		require.Equal(t, s.Uses, s.UsesOf("a"), name)
	}
}

func TestHooksAndCommandsHaveTheirOwnUses(t *testing.T) {
	t.Parallel()
	s := parsed(t, `const after = async (e, c) => c.exec("x");
const hooks = { onToolCall(e, c) { return c.fs.read("x") }, onToolResult: after, onLoad: (c) => { c.log.info("x") } };
const unrelated = { onLoad: fetch };
const m = { name: "m", tools: [{ name: "t", execute: () => 1 }], hooks, commands: [
  { name: "save", run: (a, c) => c.fs.write("x") }, { name: "old", handler(a) { return rho.readFile(a) } }, make("other")] };`)
	for hook, want := range map[string]string{"onToolCall": "read", "onToolResult": "run", "onLoad": "", "onBeforeModel": "read write net run"} {
		require.Equal(t, want, said(s.HookUses(hook)), hook)
	}
	for command, want := range map[string]string{"save": "write", "old": "read", "other": "read write net run"} {
		require.Equal(t, want, said(s.CommandUses(command)), command)
	}
	require.Len(t, s.Hooks, 3)
	require.Len(t, s.Commands, 2)
	require.Empty(t, said(s.UsesOf("t")))
}

func TestUsesSayWhereTheyAre(t *testing.T) {
	t.Parallel()
	s := parsed(t, `function far() { return rho.readFile("x") + fetch("x") }
const tool = { name: "a", execute(args, ctx) {
  fetch("y"); far(); ctx.callTool("b"); process.env.TOKEN; const { HOME, ["USER"]: u } = process.env; process.env["TOKEN"];
  return globalThis[args] } };`)
	u := s.UsesOf("a")
	at := func(line, column int) wire.Position { return wire.Position{File: "x.js", Line: line, Column: column} }
	require.Equal(t, []Mention{
		{registry.EffectRead, "rho.readFile", at(1, 25)},
		{registry.EffectNet, "fetch", at(3, 3)}, // nearer than the one in far
		{0, "ctx.callTool", at(3, 22)},
	}, u.Seen)
	require.Equal(t, []string{"HOME", "TOKEN", "USER"}, u.Env)
	require.Equal(t, []wire.Position{at(4, 10)}, u.Computed)
	require.Equal(t, at(1, 45), s.Uses.Seen[1].At, "of the script the first one counts")
}

func TestUsesAreBounded(t *testing.T) {
	t.Parallel()
	src := ""
	for i := range 1000 {
		src += fmt.Sprintf("globalThis[k]; process.env.X%d;\n", i)
	}
	u := parsed(t, src).Uses
	require.Len(t, u.Computed, maxComputed)
	require.Len(t, u.Env, maxEnv)
}
