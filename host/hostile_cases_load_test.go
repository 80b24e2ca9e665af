package host_test

import (
	"fmt"
	"strings"
)

// module is an extension of one file.
func module(text string) func() map[string]string {
	return func() map[string]string { return map[string]string{"x.ts": text} }
}

// withManifest is an extension whose module has top before a usual manifest.
func withManifest(top string) func() map[string]string {
	return func() map[string]string {
		return map[string]string{"x.ts": top + "\nexport default { name: \"x\", tools: [{ name: \"x\", description: \"d\", risk: \"read\", execute: () => \"x\" }] }\n"}
	}
}

// repeated is n times text.
func repeated(text string, n int) string { return strings.Repeat(text, n) }

// unused is a function that no one calls, so that its text is all that counts.
func unused(body string) func() map[string]string {
	return func() map[string]string {
		return withManifest("export function unused(a: any, b: any, f: any) { " + body + " }")()
	}
}

// wrapped is a function with the expression in so many levels of open and shut.
func wrapped(open, inner, shut string, n int) func() map[string]string {
	return func() map[string]string {
		return unused("return " + repeated(open, n) + inner + repeated(shut, n))()
	}
}

// loadingPrograms attack when their module is evaluated, or its manifest read.
var loadingPrograms = []hostile{
	{name: "a module that never ends", ends: "refused", says: "in time", files: withManifest(`for (;;) {}`)},
	{name: "a module that never ends in native code", ends: "refused", files: withManifest(`new Array(2 ** 32 - 1).fill(0);`)},
	{name: "a module that waits for ever", ends: "refused", files: withManifest(`await new Promise(() => {});`)},
	{name: "a module that waits for a timer that never comes", ends: "refused", files: withManifest(`await new Promise((r) => setTimeout(r, 1e6));`)},
	{name: "a module that floods microtasks", ends: "refused", files: withManifest(`for (;;) await null;`)},
	{name: "a module that leaves microtasks behind", ends: "loaded refused", files: withManifest(`(async () => { for (;;) await null })();`)},
	{name: "a module that leaves a busy timer behind", ends: "loaded refused", files: withManifest(`setInterval(() => { for (;;) {} }, 1);`)},
	{name: "a module that throws a trap", ends: "refused", files: withManifest(`throw { get message() { for (;;) {} }, get stack() { for (;;) {} } };`)},
	{name: "a module that throws a huge error", ends: "refused", files: withManifest(`throw new Error("x".repeat(1e8));`)},
	{name: "a module that takes all memory", ends: "refused", files: withManifest(`const a: any[] = []; for (;;) a.push(new Array(1e5).fill(1));`)},
	{name: "a module that takes all memory at once", ends: "refused", files: withManifest(`const a = new Float64Array(2 ** 33);`)},
	{name: "a module that recurses in native code", ends: "refused", files: withManifest(`let a: any = []; for (let i = 0; i < 3e5; i++) a = [a]; String(a);`)},
	{name: "a module that clobbers what loading needs", ends: "loaded refused", files: withManifest(`Object.defineProperty(Object.prototype, "tools", { get() { for (;;) {} } }); (Array as any).isArray = () => { for (;;) {} }; (Object as any).keys = () => { throw 1 }; JSON.stringify = () => "no"; (globalThis as any).__rho_load = null;`)},
	{name: "a manifest with a million tools", ends: "refused", files: module(`export default { name: "x", tools: Array.from({ length: 1e6 }, (_, i) => ({ name: "t" + i, description: "d", risk: "read", execute: () => "" })) }`)},
	{name: "a manifest with four billion tools", ends: "refused", files: module(`const tools: any[] = []; tools.length = 2 ** 32 - 1; export default { name: "x", tools }`)},
	{name: "names of a megabyte", ends: "refused", files: module(`export default { name: "x".repeat(1e6), version: "1".repeat(1e6), tools: [{ name: "t".repeat(1e6), description: "d".repeat(1e6), risk: "read".repeat(1e5), execute: () => "" }] }`)},
	{name: "a description of a hundred megabytes", ends: "refused", files: module(`export default { name: "x", tools: [{ name: "t", description: "d".repeat(1e8), risk: "read", execute: () => "" }] }`)},
	{name: "a manifest of getters that never return", ends: "refused", files: module(`export default { get name() { for (;;) {} }, get tools() { for (;;) {} } }`)},
	{name: "a manifest of getters that change their mind", ends: "refused loaded", files: module(`let n = 0; export default { name: "x", get tools() { return n++ ? null : [{ get name() { return "t" + n++ }, description: "d", risk: "read", get execute() { return n++ % 2 ? "no" : () => "" } }] } }`)},
	{name: "a manifest that is a Proxy of everything", ends: "refused", files: module(`const p: any = new Proxy(function () {}, { get: () => p, ownKeys: () => ["tools", "prototype"] }); export default p`)},
	{name: "a manifest that is a thenable", ends: "refused loaded", files: module(`export default { then() { for (;;) {} }, name: "x", tools: [{ name: "t", description: "d", risk: "read", execute: () => "" }] }`)},
	{name: "tools with a length that lies", ends: "refused", files: module(`export default { name: "x", tools: new Proxy([], { get: (t: any, k) => k === "length" ? 2 ** 53 - 1 : ({ name: "t" + String(k), description: "d", risk: "read", execute: () => "" }) }) }`)},
	{name: "a schema of a million properties", ends: "refused loaded", files: module(`const properties: any = {}; for (let i = 0; i < 1e6; i++) properties["p" + i] = { type: "string" }; export default { name: "x", tools: [{ name: "t", description: "d", risk: "read", parameters: { type: "object", properties }, execute: () => "" }] }`)},
	{name: "a schema a hundred thousand deep", ends: "refused", files: module(`let s: any = { type: "string" }; for (let i = 0; i < 1e5; i++) s = { type: "object", properties: { s } }; export default { name: "x", tools: [{ name: "t", description: "d", risk: "read", parameters: s, execute: () => "" }] }`)},
	{name: "a schema two thousand deep", ends: "refused loaded", files: module(`let s: any = { type: "string" }; for (let i = 0; i < 2000; i++) s = { type: "object", properties: { s } }; export default { name: "x", tools: [{ name: "t", description: "d", risk: "read", parameters: s, execute: () => "" }] }`)},
	{name: "a schema that holds itself", ends: "refused", files: module(`const s: any = { type: "object", properties: {} }; s.properties.s = s; export default { name: "x", tools: [{ name: "t", description: "d", risk: "read", parameters: s, execute: () => "" }] }`)},
	{name: "a schema that refers to itself", ends: "refused loaded", files: module(`export default { name: "x", tools: [{ name: "t", description: "d", risk: "read", parameters: { type: "object", $ref: "#", allOf: [{ $ref: "#" }], $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, properties: { a: { $ref: "#/$defs/a" } } }, execute: () => "" }] }`)},
	{name: "a schema with a pattern made to be slow", ends: "refused loaded", files: module(`export default { name: "x", tools: [{ name: "t", description: "d", risk: "read", parameters: { type: "object", properties: { a: { type: "string", pattern: "^(a+)+\\1$", default: "a".repeat(40) + "b" } } }, execute: () => "" }] }`)},
	{name: "permissions without end", ends: "refused", files: module(`export default { name: "x", permissions: { net: Array.from({ length: 1e6 }, (_, i) => "h" + i + ".example.org"), read: ["a/".repeat(1e6)] }, tools: [{ name: "t", description: "d", risk: "read", execute: () => "" }] }`)},
	{name: "a version range made to be slow", ends: "refused", files: module(`export default { name: "x", engines: { rhoExt: ">=0.0.1 || ".repeat(1e5) + "x" }, tools: [{ name: "t", description: "d", risk: "read", execute: () => "" }] }`)},
}

// sourcePrograms are hard on whoever reads their text: the bundler, the engine's
// parser and compiler, static reading.
var sourcePrograms = []hostile{
	{name: "BigInt powers in a function that nobody calls", always: true, ends: "refused loaded", files: unused(`return 2n ** (2n ** 34n)`)},
	{name: "BigInt shifts in a function that nobody calls", ends: "refused loaded", files: unused(`return 1n << (1n << 40n)`)},
	{name: "BigInt products in a function that nobody calls", ends: "refused loaded", files: wrapped("(", "9999999999999999999999999999999999999999n", ")", 1)},
	{name: "arrays in arrays", ends: "refused", files: wrapped("[", "1", "]", 100_000)},
	{name: "parentheses in parentheses", ends: "refused loaded", files: wrapped("(", "1", ")", 900)},
	{name: "arrows in defaults of arrows", ends: "refused loaded", files: wrapped("(a=", "1", ")=>1", 40)},
	{name: "a thousand arrows", ends: "refused loaded", files: wrapped("a=>", "1", "", 900)},
	{name: "ten thousand arrows with bodies", ends: "refused loaded", files: wrapped("()=>{return ", "1", "}", 900)},
	{name: "conditions in conditions", ends: "refused loaded", files: wrapped("a?", "1", ":0", 20_000)},
	{name: "arrows in conditions", ends: "refused loaded", files: wrapped("a?(b)=>(", "1", "):0", 30)},
	{name: "arrows with types in conditions", ends: "refused loaded", files: wrapped("a?(b):c=>(", "1", "):0", 30)},
	{name: "types in types", ends: "refused loaded", files: wrapped("<T extends Array<", "any", ">>(a:T)=>1", 200)},
	{name: "a type annotation of a hundred thousand levels", ends: "refused loaded", files: withManifest("type T = " + repeated("Array<", 100_000) + "1" + repeated(">", 100_000) + ";")},
	{name: "object types in object types", ends: "refused loaded", files: withManifest("type T = " + repeated("{a:", 20_000) + "1" + repeated("}", 20_000) + ";")},
	{name: "conditional types without end", ends: "refused loaded", files: withManifest("type T<A> = " + repeated("A extends 1 ? 2 : ", 50_000) + "3;")},
	{name: "function types in function types", ends: "refused loaded", files: withManifest("type T = " + repeated("(a: ", 500) + "1" + repeated(") => 1", 500) + ";")},
	{name: "templates in templates", ends: "refused loaded", files: wrapped("`${", "1", "}`", 20_000)},
	{name: "a template of ten megabytes", ends: "refused loaded", files: func() map[string]string {
		return withManifest("export const t = `" + repeated("x${1}", 2_000_000) + "`")()
	}},
	{name: "a line of ten megabytes", ends: "refused loaded", files: func() map[string]string { return withManifest("export const t = \"" + repeated("x", 10<<20) + "\"")() }},
	{name: "a list of a million numbers", ends: "refused loaded", files: func() map[string]string {
		return withManifest("export const t = [" + repeated("1,", 1_000_000) + "]")()
	}},
	{name: "a million statements", ends: "refused loaded", files: func() map[string]string { return unused(repeated("a(b);\n", 600_000))() }},
	{name: "a sum of a hundred thousand", ends: "refused loaded", files: wrapped("a+\n", "1", "", 100_000)},
	{name: "a hundred thousand else ifs", ends: "refused loaded", files: func() map[string]string { return unused(repeated("if (a) b(); else ", 100_000) + "b()")() }},
	{name: "a hundred thousand labels", ends: "refused loaded", files: func() map[string]string {
		var b strings.Builder
		for i := range 100_000 {
			fmt.Fprintf(&b, "l%d: ", i)
		}
		return unused(b.String() + ";")()
	}},
	{name: "unary operators without end", ends: "refused loaded", files: wrapped("- ", "a", "", 100_000)},
	{name: "keywords in a row without end", ends: "refused loaded", files: wrapped("typeof void delete ", "a", "", 100_000)},
	{name: "new of new", ends: "refused loaded", files: wrapped("new ", "a", "", 100_000)},
	{name: "calls of calls", ends: "refused loaded", files: wrapped("", "a", "()", 100_000)},
	{name: "members of members", ends: "refused loaded", files: wrapped("", "a", ".b", 100_000)},
	{name: "exponents of exponents", ends: "refused loaded", files: wrapped("2**", "2", "", 50_000)},
	{name: "assignments of assignments", ends: "refused loaded", files: wrapped("a=", "1", "", 100_000)},
	{name: "classes in classes", ends: "refused loaded", files: wrapped("class { m() { return ", "1", "} }", 400)},
	{name: "classes with private members in classes", ends: "refused loaded", files: wrapped("class extends (", "Object", ") { #p = 1; static { this.#q } static #q = 2 }", 300)},
	{name: "decorators on decorators", ends: "refused loaded", files: func() map[string]string {
		return withManifest(repeated("@f ", 20_000) + "class C {}; function f(x: any) { return x }")()
	}},
	{name: "destructuring in destructuring", ends: "refused loaded", files: wrapped("({a:", "b", "}=a)", 300)},
	{name: "a regular expression of five megabytes", ends: "refused loaded", files: func() map[string]string { return unused("return /" + repeated("(a|b)*", 800_000) + "/")() }},
	{name: "a regular expression nested in a literal", ends: "refused loaded", files: func() map[string]string {
		return unused("return /" + repeated("(?:", 100_000) + repeated(")", 100_000) + "/")()
	}},
	{name: "a regular expression with repeats of repeats", ends: "refused loaded", files: unused("return /((a{1,1000}){1,1000}){1,1000}/")},
	{name: "JSX in JSX", ends: "refused loaded", files: func() map[string]string {
		return map[string]string{"x.tsx": "export const t = " + repeated("<a>", 5000) + repeated("</a>", 5000)}
	}},
	{name: "a JSON import nested deeply", ends: "refused", files: func() map[string]string {
		return map[string]string{"x/index.ts": `import d from "./d.json"; export default { name: "x", d, tools: [] }`, "x/d.json": repeated("[", 1_000_000) + repeated("]", 1_000_000)}
	}},
	{name: "a JSON import of fifty megabytes", ends: "refused", files: func() map[string]string {
		return map[string]string{"x/index.ts": `import d from "./d.json"; export default { name: "x", d, tools: [] }`, "x/d.json": "[" + repeated("1234567,", 6_000_000) + "1]"}
	}},
	{name: "a thousand modules that import each other", ends: "refused loaded", files: func() map[string]string {
		list := map[string]string{"x/index.ts": `import "./m0"; export default { name: "x", tools: [{ name: "t", description: "d", risk: "read", execute: () => "" }] }`}
		for i := range 1000 {
			list[fmt.Sprintf("x/m%d.ts", i)] = fmt.Sprintf("import \"./m%d\"; import \"./m%d\"; export const v%d = 1; await null", (i+1)%1000, (i*7)%1000, i)
		}
		return list
	}},
	{name: "tsconfig files that extend each other", ends: "refused loaded", files: func() map[string]string {
		return map[string]string{"x/index.ts": withManifest("")()["x.ts"], "x/tsconfig.json": `{"extends":"./b.json","compilerOptions":{"paths":{"*":["` + repeated("*/", 1000) + `*"]}}}`, "x/b.json": `{"extends":"./tsconfig.json"}`}
	}},
	{name: "enums that count on each other", ends: "refused loaded", files: func() map[string]string {
		return withManifest("enum E { a0 = 1, " + repeated("b = a0 + a0 + a0,", 50_000) + " }")()
	}},
	{name: "a source map comment of ten megabytes", ends: "refused loaded", files: func() map[string]string {
		return withManifest("//# sourceMappingURL=data:application/json;base64," + repeated("QUFB", 1_000_000))()
	}},
	{name: "bytes that are no text", ends: "refused loaded", files: func() map[string]string {
		return map[string]string{"x.ts": repeated("\xff\xfe\x00\xc0\x80", 100_000)}
	}},
	{name: "tools whose text is hard to read", ends: "refused loaded", files: func() map[string]string {
		return module("const f = (a: any) => { " + repeated("for (const x of a) { if (x) { a = x; ", 300) + repeated("} }", 300) + " return a };\nexport default { name: \"x\", tools: [{ name: \"t\", description: \"d\", risk: \"read\", execute: f }] }")()
	}},
	{name: "ten thousand functions that call each other", ends: "refused loaded", files: func() map[string]string {
		var b strings.Builder
		for i := range 10_000 {
			fmt.Fprintf(&b, "function f%d(x: any) { return x ? f%d(x - 1) : f%d(rho) }\n", i, (i*7+1)%10_000, (i*13+5)%10_000)
		}
		return withManifest(b.String() + "export const f = f0;")()
	}},
}
