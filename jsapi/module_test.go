package jsapi

import (
	"regexp"
	"slices"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
)

var exportRE = regexp.MustCompile(`(?m)^export (?:const|class|function) (\w+)`)

// exportsOf lists what the module rho-ext exports, sorted.
func exportsOf(t *testing.T) []string {
	t.Helper()
	names := []string{}
	for _, m := range exportRE.FindAllStringSubmatch(Modules()["rho-ext"], -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return names
}

// newModule evaluates the module as a bundler would lay it out.
func newModule(t testing.TB) (*realm, *goja.Object) {
	t.Helper()
	r := newRealm(t)
	src := regexp.MustCompile(`(?m)^export `).ReplaceAllString(Modules()["rho-ext"], "")
	mod := r.eval("(() => {" + src + "\nreturn { defineTool, defineExtension, ToolError, s } })()").(*goja.Object)
	return r, mod
}

// runModuleChecks runs rows with the module's exports in scope.
func runModuleChecks(t *testing.T, checks []check) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, mod := newModule(t)
			require.NoError(t, r.vm.Set("mod", mod))
			require.Equal(t, c.want, r.async("const { defineTool, defineExtension, ToolError, s } = mod;\n"+c.body))
		})
	}
}

func TestSchemaBuilder(t *testing.T) {
	t.Parallel()
	runModuleChecks(t, []check{
		{"string", `return s.string({ minLength: 1, maxLength: 9, pattern: "^a", format: "uri" })`, `{"type":"string","minLength":1,"maxLength":9,"pattern":"^a","format":"uri"}`},
		{"numbers", `return [s.number({ minimum: 0.5 }), s.integer({ maximum: 3 }), s.boolean()]`, `[{"type":"number","minimum":0.5},{"type":"integer","maximum":3},{"type":"boolean"}]`},
		{"enum of strings", `return s.enum(["a", "b"])`, `{"type":"string","enum":["a","b"]}`},
		{"mixed enum", `return s.enum(["a", 1])`, `{"enum":["a",1]}`},
		{"array", `return s.array(s.string(), { minItems: 1 })`, `{"type":"array","items":{"type":"string"},"minItems":1}`},
		{"object", `return s.object({ a: s.string(), b: s.integer().optional(), c: s.boolean().default(true) })`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"boolean","default":true}},"required":["a"],"additionalProperties":false}`},
		{"object without required", `return s.object({ a: s.string().optional() })`, `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`},
		{"record", `return s.record(s.number())`, `{"type":"object","additionalProperties":{"type":"number"}}`},
		{"union", `return s.union([s.string(), s.number()])`, `{"anyOf":[{"type":"string"},{"type":"number"}]}`},
		{"raw", `return s.json({ type: "string", const: "x" }).describe("d")`, `{"type":"string","description":"d","const":"x"}`},
		{"description comes after type", `return s.string({ minLength: 1 }).describe("d").default("x")`, `{"type":"string","description":"d","minLength":1,"default":"x"}`},
		{"methods make new schemas", `const a = s.string(); const b = a.describe("d"), c = a.optional(); return [a, b, a[Symbol.for("rho-ext.schema")].optional, c[Symbol.for("rho-ext.schema")].optional]`,
			`[{"type":"string"},{"type":"string","description":"d"},false,true]`},
		{"describe keeps optional", `return s.string().optional().describe("d")[Symbol.for("rho-ext.schema")].optional`, `true`},
		{"own keys are the schema alone", `const a = s.string(); const seen = []; for (const k in a) seen.push(k); return [Object.keys(a), seen]`, `[["type"],["type"]]`},
		{"a property called __proto__", `return Object.keys(s.object(JSON.parse('{"a":0}', (k, v) => k === "" ? Object.fromEntries([["__proto__", s.string()]]) : v)).properties)`, `["__proto__"]`},

		{"refuses an unknown option", `s.string({ min: 1 })`, `TypeError: s.string: unknown option min; known are minLength, maxLength, pattern, format`},
		{"refuses an option of the wrong type", `s.integer({ minimum: "1" })`, `TypeError: s.integer: minimum must be a number, got string`},
		{"refuses items that are no schema", `s.array("string")`, `TypeError: s.array: expected a schema such as s.string(), got string`},
		{"refuses a property that is no schema", `s.object({ a: { type: "string" } })`, `TypeError: s.object: property a: expected a schema such as s.string(), got an object`},
		{"refuses a schema as properties", `s.object(s.string())`, `TypeError: s.object: expected an object of schemas, got a schema`},
		{"refuses an empty enum", `s.enum([])`, `TypeError: s.enum: expected a list of at least one value`},
		{"refuses an enum of objects", `s.enum([{}])`, `TypeError: s.enum: values must be strings or numbers, got an object`},
		{"refuses a union of others", `s.union([s.string(), 1])`, `TypeError: s.union: element 1: expected a schema such as s.string(), got number`},
		{"refuses raw text", `s.json("{}")`, `TypeError: s.json: expected a JSON Schema object, got string`},
		{"refuses a description that is no string", `s.string().describe(1)`, `TypeError: describe: expected a string, got number`},
		{"refuses undefined as default", `s.string().default()`, `TypeError: default: expected a value, got undefined; use optional() for none`},
	})
}

func TestDefineTool(t *testing.T) {
	t.Parallel()
	runModuleChecks(t, []check{
		{"returns the same object, marked", `const t = { name: "a", description: "d", execute() {} }; const r = defineTool(t); return [r === t, t[Symbol.for("rho-ext.tool")], Object.keys(t)]`, `[true,true,["name","description","execute"]]`},
		{"wants an object", `defineTool("a")`, `TypeError: defineTool: expected an object with name, description and execute, got string`},
		{"wants a name", `defineTool({ description: "d", execute() {} })`, `TypeError: defineTool: name must be a string, but it is missing`},
		{"wants a description", `defineTool({ name: "a", description: "", execute() {} })`, `TypeError: defineTool (a): description must be a string, but it is empty`},
		{"wants a function", `defineTool({ name: "a", description: "d", execute: "x" })`, `TypeError: defineTool (a): execute must be a function, but it is string`},
		{"extension is marked", `const e = defineExtension({ name: "x", tools: [] }); return [e[Symbol.for("rho-ext.extension")], Object.keys(e)]`, `[true,["name","tools"]]`},
		{"extension wants a name", `defineExtension({ tools: [] })`, `TypeError: defineExtension: name must be a string, but it is missing`},
		{"extension wants a list of tools", `defineExtension({ name: "x", tools: {} })`, `TypeError: defineExtension (x): tools must be an array, but it is an object`},
	})
}

func TestToolError(t *testing.T) {
	t.Parallel()
	runModuleChecks(t, []check{
		{"carries its options", `const c = new Error("c"); const e = new ToolError("m", { hint: "h", details: [1], kind: "network", retryable: false, cause: c, code: "X" });
			return [e.message, e.name, e.hint, e.details, e.kind, e.retryable, e.cause === c, e.code, e instanceof Error, e[Symbol.for("rho-ext.error")], Object.prototype.propertyIsEnumerable.call(e, Symbol.for("rho-ext.error"))]`,
			`["m","ToolError","h",[1],"network",false,true,"X",true,true,false]`},
		{"can be extended the usual way", `"use strict"; class Mine extends ToolError { constructor(m) { super(m); this.name = "Mine" } } const e = new Mine("m"); return [e.name, String(e), Object.keys(e)]`, `["Mine","Mine: m",[]]`},
		{"needs no options", `const e = new ToolError("m"); return [e.message, "cause" in e, String(e)]`, `["m",false,"ToolError: m"]`},
		{"refuses options that are no object", `new ToolError("m", "hint")`, `TypeError: ToolError: the options must be an object, got string`},
	})
}
