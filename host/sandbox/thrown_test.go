package sandbox_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

func TestThrowShowsThePlaceInTheAuthorsFile(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"helper.ts": `type Unused = { a: string };

export function boom(x: number): never {
    throw new TypeError("helper " + x);
}
export async function late(x: number) { await null; boom(x) }
`,
		"node_modules/pkg/package.json": `{"name":"pkg","main":"main.js"}`,
		"node_modules/pkg/main.js":      "exports.fail = function fail() {\n  null.x;\n};\n",
		"ext.ts": `import { boom, late } from "./helper";
import { fail } from "pkg";
interface Args { n?: number }
const tool = (name: string, execute: any) => ({ name, description: "d", risk: "read", execute });
class Special extends Error { code = "E_SPECIAL" }
export default { name: "ext", tools: [
  tool("plain", () => { throw new Error("plain") }),
  tool("after_await", async (a: Args) => {
    await null;
    const x = 1; throw new RangeError("after");
  }),
  tool("in_helper", () => boom(1)),
  tool("in_helper_late", async () => { await late(2) }),
  tool("in_package", () => fail()),
  tool("in_timer", () => new Promise(() => { setTimeout(() => { throw new Error("timer") }, 1) })),
  tool("in_async_timer", () => new Promise(() => { setTimeout(async () => { await null; throw new Error("async timer") }, 1) })),
  tool("in_microtask", () => new Promise(() => { queueMicrotask(() => { throw new Error("micro") }) })),
  tool("subclass", () => { throw new Special("special") }),
  tool("reference", () => { (globalThis as any).nope.x }),
  tool("refused", async () => { await fetch("http://example.com/") }),
  tool("refused_wrapped", async () => { try { await fetch("http://example.com/") } catch (e) { throw new Error("could not load", { cause: e }) } }),
  tool("unhandled", () => { const p = new Promise(() => {}); (async () => { throw new Error("floating") })(); return p }),
  tool("for_await", async () => { for await (const x of (async function* () { yield 1; throw new Error("gen") })()) void x }),
] };
`}
	r := mustLoad(t, files)
	for _, tc := range []struct{ tool, name, message, at string }{
		{"plain", "Error", "plain", "ext.ts:7:31"},
		{"after_await", "RangeError", "after", "ext.ts:10:24"},
		{"in_helper", "TypeError", "helper 1", "helper.ts:4:11"},
		{"in_helper_late", "TypeError", "helper 2", "helper.ts:4:11"},
		{"in_package", "TypeError", "Cannot read property 'x' of undefined", "node_modules/pkg/main.js:2:8"},
		{"in_timer", "Error", "timer", "ext.ts:15:71"},
		{"in_async_timer", "Error", "async timer", "ext.ts:16:95"},
		{"in_microtask", "Error", "micro", "ext.ts:17:79"},
		{"subclass", "Error", "special", "ext.ts:18:34"},
		{"reference", "TypeError", "Cannot read property 'x' of undefined", "ext.ts:19:54"},
		{"refused", "PermissionDenied", "no fetch here", "ext.ts:20:39"},
		{"refused_wrapped", "Error", "could not load", "ext.ts:21:102"},
		{"unhandled", "Error", "floating", "ext.ts:22:83"},
		{"for_await", "Error", "gen", "ext.ts:23:94"},
	} {
		t.Run(tc.tool, func(t *testing.T) {
			res := r.call(tc.tool, "{}")
			require.NotNil(t, res.Thrown)
			require.Equal(t, tc.message, res.Thrown.Message)
			require.Equal(t, tc.name, res.Thrown.Name)
			require.NotEmpty(t, res.Thrown.Stack)
			top := res.Thrown.Stack[0]
			require.Equal(t, tc.at, fmt.Sprintf("%s:%d:%d", top.File, top.Line, top.Column))
		})
	}
	require.Equal(t, registry.KindPermissionDenied, r.call("refused", "{}").Thrown.Kind)
	require.Equal(t, registry.KindPermissionDenied, r.call("refused_wrapped", "{}").Thrown.Kind)
	require.Equal(t, "E_SPECIAL", r.call("subclass", "{}").Thrown.Code)
}

func TestThrownValuesOfEveryKindAreTold(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, tools(`
		tool("text", () => { throw "just text" }),
		tool("object", () => { throw { code: 5 } }),
		tool("undefined", () => Promise.reject()),
		tool("null", async () => { throw null }),
		tool("number", async () => { throw 7 }),
		tool("symbol", () => { throw Symbol("s") }),
		tool("trap", () => { throw new Proxy({}, { get() { throw new Error("no") }, getPrototypeOf() { throw 1 } }) }),
		tool("getter", () => { throw Object.defineProperty(new Error("x"), "message", { get() { throw 1 } }) }),
		tool("cyclic", () => { const o: any = {}; o.o = o; throw o }),
		tool("fake", () => { const e: any = new Error("look-alike"); e.name = "PermissionDenied"; e.code = "permission_denied"; throw e }),
		tool("huge", () => { throw new Error("x".repeat(1e6)) }),
	`))
	for tool, want := range map[string]string{
		"text": "just text", "object": `{"code":5}`, "undefined": "undefined", "null": "null", "number": "7",
		"symbol": "Symbol()", "trap": "an object that is no Error", "getter": "", "cyclic": "an object that is no Error",
		"fake": "look-alike",
	} {
		res := r.call(tool, "{}")
		require.NotNil(t, res.Thrown, tool)
		require.Equal(t, want, res.Thrown.Message, tool)
		require.Equal(t, registry.KindOther, res.Thrown.Kind, tool)
		require.False(t, res.Guilty, tool)
	}
	require.Less(t, len(r.call("huge", "{}").Thrown.Message), 70_000)
}

func TestLoadFailuresNameStageAndPlace(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		src   string
		stage wire.Stage
		at    string
		text  string
	}{
		"throw at top level": {"const a = 1;\n\nthrow new Error('top ' + a);\nexport default {}", wire.StageEvaluate, "ext.ts:3:7", "top 1"},
		"endless loop":       {"let n = 0;\nfor (;;) { n++ }\nexport default {}", wire.StageEvaluate, "ext.ts:2", "did not finish loading"},
		"await that never settles": {
			"await new Promise(() => {});\nexport default {}", wire.StageEvaluate, "", "never settle"},
		"fetch at top level": {"await fetch('http://example.com/');\nexport default {}", wire.StagePermission, "ext.ts:1:7", "only possible while a call runs"},
		"no name":            {"export default { tools: [] }", wire.StageManifest, "ext.ts:1:16", "has no name"},
		"wrong risk": {
			"export default { name: 'x', tools: [\n  { name: 'a', description: 'd',\n    risk: 'high', execute() {} }] }", wire.StageManifest, "ext.ts:3:5", `risk must be one of "read"`},
		"duplicate tool": {
			"const t = { name: 'a', description: 'd', risk: 'read', execute() {} };\nexport default { name: 'x', tools: [t,\n { name: 'a', description: 'e', risk: 'read', execute() {} }] }", wire.StageManifest, "ext.ts:3:4", "same name"},
		"huge constant":  {"function f() {\n  return 2n ** (2n ** 34n);\n}\nexport default { name: 'x', tools: [], f }", wire.StageBundle, "ext.ts:2:10", "BigInt constant is too large"},
		"empty":          {"", wire.StageManifest, "", "exports no manifest"},
		"only a comment": {"// nothing", wire.StageManifest, "", "exports no manifest"},
		"bad regex":      {"const r = /(?i:a)b/;\nexport default { name: 'x', tools: [], r }", wire.StageBundle, "ext.ts:1:11", "Invalid group"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, f := load(t, map[string]string{"ext.ts": tc.src})
			require.NotNil(t, f)
			require.Equal(t, tc.stage, f.Stage, "%+v", *f)
			require.Contains(t, f.Message, tc.text)
			if tc.at != "" {
				require.Contains(t, fmt.Sprintf("%s:%d:%d", f.Position.File, f.Position.Line, f.Position.Column), tc.at)
			}
		})
	}
}
