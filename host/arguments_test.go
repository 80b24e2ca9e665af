package host_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
)

// TestOldAndNewStyleFunctionsGetTheArgumentsTheyExpect runs one function body
// per row on {"name":"Ada","n":2}. A row says what form the loader chose and
// what the tool answers.
func TestOldAndNewStyleFunctionsGetTheArgumentsTheyExpect(t *testing.T) {
	t.Parallel()
	const sent = `{"name":"Ada","n":2}`
	rows := []struct {
		name, execute, form, want string
	}{
		// The old style: the argument is a JSON text.
		{"parse", `(args) => JSON.parse(args).name`, "text", "Ada"},
		{"parse in an async function", `async (args) => { const a = JSON.parse(args); return a.name }`, "text", "Ada"},
		{"parse in a method body", `async function (args) { return JSON.parse(args).name }`, "text", "Ada"},
		{"parse with a default", `(args) => JSON.parse(args || "{}").name`, "text", "Ada"},
		{"parse what was awaited", `async (args) => JSON.parse(await args).name`, "text", "Ada"},
		{"parse when it is a string", `(args) => (typeof args === "string" ? JSON.parse(args) : args).name`, "text", "Ada"},
		{"parse when it has a length", `(args) => (args.length ? JSON.parse(args) : {}).name`, "text", "Ada"},
		{"parse what was trimmed", `(args) => JSON.parse(args.trim()).name`, "text", "Ada"},
		{"look into the text", `(args) => String(args.includes('"Ada"'))`, "text", "true"},
		{"look at its beginning", `(args) => String(args.startsWith("{"))`, "text", "true"},
		{"cut it", `(args) => args.slice(0, 7)`, "text", `{"name"`},
		{"insist on a string", `(args) => { if (typeof args !== "string") throw new TypeError("want text"); return JSON.parse(args).name }`, "text", "Ada"},
		{"parse and destructure", `(args) => { const { name, n } = JSON.parse(args); return name + n }`, "text", "Ada2"},
		{"parse through a variable", `(args) => { const raw = args; return JSON.parse(raw).name }`, "both", "Ada"},
		{"parse in a closure", `(args) => [0].map(() => JSON.parse(args).name)[0]`, "text", "Ada"},
		{"upper-case", `(args) => args.toUpperCase().slice(2, 6)`, "text", "NAME"},
		{"split", `(args) => String(args.split(",").length)`, "text", "2"},
		{"match", `(args) => args.match(/"n":(\d)/)[1]`, "text", "2"},
		{"parse with another parameter name", `(json) => JSON.parse(json).name`, "text", "Ada"},
		{"parse with a second parameter", `(args, ctx) => JSON.parse(args).name + typeof ctx`, "text", "Adaobject"},
		{"length alone", `(args) => String(args.length)`, "text", fmt.Sprint(len(sent))},
		{"parse in a try", `(args) => { try { return JSON.parse(args).name } catch { return "bad" } }`, "text", "Ada"},

		// The new style: the argument is an object.
		{"read a member", `(args) => args.name`, "both", "Ada"},
		{"destructure the parameter", `({ name, n }) => name + n`, "both", "Ada2"},
		{"destructure in the body", `(args) => { const { name } = args; return name }`, "both", "Ada"},
		{"rest", `({ name, ...rest }) => name + Object.keys(rest).join()`, "both", "Adan"},
		{"computed member", `(args) => args["na" + "me"]`, "both", "Ada"},
		{"optional chaining", `(args) => args?.name ?? "none"`, "both", "Ada"},
		{"spread into an object", `(args) => JSON.stringify({ ...args })`, "both", sent},
		{"stringify", `(args) => JSON.stringify(args)`, "both", sent},
		{"entries in order", `(args) => Object.entries(args).join("|")`, "both", "name,Ada|n,2"},
		{"for in", `(args) => { let s = ""; for (const k in args) s += k; return s }`, "both", "namen"},
		{"assign", `(args) => Object.assign({ x: 1 }, args).name`, "both", "Ada"},
		{"change it", `(args) => { args.name = "Bob"; args.list = []; args.list.push(1); return args.name + args.list.length }`, "both", "Bob1"},
		{"freeze it", `(args) => Object.freeze(args).name`, "both", "Ada"},
		{"check its prototype", `(args) => String(Object.getPrototypeOf(args) === Object.prototype)`, "both", "true"},
		{"typeof", `(args) => typeof args`, "both", "object"},
		{"no parameter", `() => "none"`, "both", "none"},
		{"pass it on", `(args) => helper(args)`, "both", "Ada"},

		// Both at once, or neither seen: an object whose text is the JSON.
		{"concatenate", `(args) => args + ""`, "both", sent},
		{"template", "(args) => `${args}`", "both", sent},
		{"String()", `(args) => String(args)`, "both", sent},
		{"concat", `(args) => "".concat(args)`, "both", sent},
		{"loose equality", `(args) => String(args == '{"name":"Ada","n":2}')`, "both", "true"},
		{"encodeURIComponent", `(args) => decodeURIComponent(encodeURIComponent(args))`, "both", sent},
		{"parse behind a wrapper", `wrap((args) => JSON.parse(args).name)`, "both", "Ada"},
		{"parse and read", `(args) => args.name + JSON.parse(args).n`, "both", "Ada2"},
		{"the text is hidden", `(args) => Reflect.ownKeys(args).join() + Object.keys(args).join()`, "both", "name,n,toStringname,n"},

		// defineTool: an object and nothing else.
		{"define", `defined: (args) => args.name`, "object", "Ada"},
		{"define has nothing hidden", `defined: (args) => Reflect.ownKeys(args).join()`, "object", "name,n"},
		{"define does not parse", `defined: (args) => { try { return JSON.parse(args).name } catch (e) { return e.name } }`, "object", "SyntaxError"},
		{"define with context", `defined: ({ n }, ctx) => n + ctx.toolName.slice(0, 1)`, "object", "2t"},
	}
	var src strings.Builder
	src.WriteString("import { defineTool } from 'rho-ext';\nconst helper = (a) => a.name;\nconst wrap = (f) => (...a) => f(...a);\nexport default { name: 'ext', tools: [\n")
	for i, row := range rows {
		fn, define := strings.CutPrefix(row.execute, "defined: ")
		lit := fmt.Sprintf(`{ name: "t%d", description: "d", risk: "read", parameters: { name: { type: "string" }, n: { type: "number" } }, execute: %s }`, i+1, fn)
		if define {
			lit = "defineTool(" + lit + ")"
		}
		src.WriteString(lit + ",\n")
	}
	src.WriteString("] }")
	p := newProject(t, map[string]string{"ext.js": src.String()})
	require.Empty(t, p.host.Failures())
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			name := fmt.Sprintf("t%d", i+1)
			e, ok := p.reg.Snapshot().Lookup(name)
			require.True(t, ok)
			require.Equal(t, row.form, string(e.Tool.(*host.JSTool).Arguments()), "form")
			out := p.call(name, sent)
			require.Nil(t, out.Failure, "%+v", out.Failure)
			require.Equal(t, row.want, out.Text)
		})
	}
	require.GreaterOrEqual(t, len(rows), 40)
}

func TestArgumentsKeepTheirValues(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"ext.ts": `import { defineTool, s } from "rho-ext";
export default { name: "ext", tools: [
  defineTool({ name: "echo", description: "d", risk: "read", parameters: { v: s.json({}) }, execute: ({ v }) => ({ v }) }),
  defineTool({ name: "own", description: "d", risk: "read", parameters: { type: "object" }, execute: (a: any) => Object.keys(a).join() + "|" + ({} as any).polluted }),
  { name: "named", description: "d", risk: "read", parameters: { type: "object" }, execute: (a: any) => a.toString },
] }`})
	for name, v := range map[string]string{
		"text": `"naïve \u2603 \ud83d\ude00"`, "empty": `""`, "zero": `0`, "negative": `-12.5`, "exponent": `1e+21`,
		"safe integer": `9007199254740991`, "true": `true`, "null": `null`, "nested": `{"b":[1,{"a":null},[]],"a":{}}`,
		"key order": `{"z":1,"y":2,"x":3,"10":4}`,
	} {
		out := p.call("echo", `{"v":`+v+`}`)
		require.Nil(t, out.Failure, name)
		require.JSONEq(t, `{"v":`+v+`}`, string(out.Structured), name)
	}
	require.Equal(t, "__proto__,constructor|undefined", p.call("own", `{"__proto__":{"polluted":1},"constructor":2}`).Text)
	require.Equal(t, "mine", p.call("named", `{"toString":"mine"}`).Text)
}

func TestResultsOfEveryKindHaveADefinedOutcome(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"ext.ts": `
const deep = (n: number) => { let o: any = {}; for (let i = 0; i < n; i++) o = { o }; return o };
const results: Record<string, () => unknown> = {
  text: () => "plain", empty: () => "", undefined: () => undefined, null: () => null, number: () => 42, bool: () => false,
  bigint: () => 12345678901234567890n, nan: () => NaN, object: () => ({ a: 1, b: [true] }), array: () => [1, "x"],
  output: () => ({ output: "from output" }), output_data: () => ({ output: { a: 1 } }), output_and_more: () => ({ output: "x", code: 1 }),
  content: () => ({ content: "from content", details: { d: 1 } }), content_error: () => ({ content: "went wrong", isError: true }),
  blocks: () => ({ content: [{ type: "text", text: "one" }, { type: "json", value: { two: 2 } }, { type: "image", data: "aGk=", mimeType: "image/png" }] }),
  content_data: () => ({ content: "page", url: "u" }), bad_block: () => ({ content: [{ type: "video" }] }), bad_image: () => ({ content: [{ type: "image", data: "***", mimeType: "x" }] }),
  date: () => new Date(0), map: () => new Map([[1, 2]]), to_json: () => ({ toJSON: () => "custom" }), undefined_member: () => ({ a: undefined, b: 1 }),
  function: () => () => 1, symbol: () => Symbol("s"), cyclic: () => { const o: any = {}; o.o = o; return o }, bigint_member: () => ({ a: 1n }),
  deep: () => deep(1e4), getter: () => ({ get a() { throw new Error("trap") } }), proxy: () => new Proxy({}, { ownKeys() { throw new Error("trap") } }),
  promise: () => Promise.resolve(Promise.resolve("late")), thenable: () => ({ then(ok: any) { ok("thenable") } }), thenable_throws: () => ({ then() { throw new Error("no") } }),
  surrogate: () => "a\ud800b", rejected: () => Promise.reject(new Error("no")), wide: () => new Array(1000001),
};
export default { name: "ext", tools: Object.keys(results).map((name) => ({ name, description: "d", risk: "read", execute: results[name] })) };`})
	for _, tc := range []struct{ tool, status, text, structured string }{
		{"text", "success", "plain", ""},
		{"empty", "success", "", ""},
		{"undefined", "success", "(no output)", ""},
		{"null", "success", "null", "null"},
		{"number", "success", "42", "42"},
		{"bool", "success", "false", "false"},
		{"bigint", "success", "12345678901234567890", ""},
		{"nan", "success", "null", "null"},
		{"object", "success", `{"a":1,"b":[true]}`, `{"a":1,"b":[true]}`},
		{"array", "success", `[1,"x"]`, `[1,"x"]`},
		{"output", "success", "from output", ""},
		{"output_data", "success", `{"a":1}`, ""},
		{"output_and_more", "success", `{"output":"x","code":1}`, `{"output":"x","code":1}`},
		{"content", "success", "from content", ""},
		{"content_error", "error", "went wrong", ""},
		{"blocks", "success", "one\n{\"two\":2}\n[image image/png]", ""},
		{"content_data", "success", `{"content":"page","url":"u"}`, `{"content":"page","url":"u"}`},
		{"bad_block", "error", `content[0]: unknown type "video"`, ""},
		{"bad_image", "error", "data must be base64", ""},
		{"date", "success", `"1970-01-01T00:00:00.000Z"`, `"1970-01-01T00:00:00.000Z"`},
		{"map", "success", "{}", "{}"},
		{"to_json", "success", `"custom"`, `"custom"`},
		{"undefined_member", "success", `{"b":1}`, `{"b":1}`},
		{"function", "error", "the tool returned a function", ""},
		{"symbol", "error", "the tool returned a symbol", ""},
		{"cyclic", "error", "refers to itself", ""},
		{"bigint_member", "error", "the result cannot be sent", ""},
		{"deep", "error", "nested more than 200 levels", ""},
		{"getter", "error", "trap", ""},
		{"proxy", "error", "trap", ""},
		{"promise", "success", "late", ""},
		{"thenable", "success", "thenable", ""},
		{"thenable_throws", "error", "no", ""},
		{"surrogate", "success", "a\ufffdb", ""},
		{"rejected", "error", "no", ""},
		{"wide", "error", "more than 1000000 values", ""},
	} {
		t.Run(tc.tool, func(t *testing.T) {
			out := p.call(tc.tool, "{}")
			require.Equal(t, tc.status, string(out.Status), "%s %+v", out.Text, out.Failure)
			if tc.status == "success" {
				require.Equal(t, tc.text, out.Text)
			} else {
				require.Contains(t, out.Text, tc.text)
			}
			require.Equal(t, tc.structured, string(out.Structured))
		})
	}
	details, err := json.Marshal(p.call("content", "{}").Details)
	require.NoError(t, err)
	require.Contains(t, string(details), `"d":1`)
}
