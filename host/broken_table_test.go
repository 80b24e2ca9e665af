package host_test

import (
	"strings"
	"testing"

	"github.com/rho-ext/rho-ext/host/wire"
)

func TestABrokenExtensionIsAFailureAndTheOthersStillRun(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, b := range brokenExtensions() {
		if seen[b.name] {
			t.Fatalf("two rows are called %q", b.name)
		}
		seen[b.name] = true
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			b.run(t)
		})
	}
}

func brokenExtensions() []broken {
	var all []broken
	for _, part := range [][]broken{
		brokenSyntax(), brokenImports(), brokenConfinement(), brokenEvaluation(),
		brokenManifests(), brokenTools(), brokenParameters(), brokenFolders(), exhausting(),
	} {
		all = append(all, part...)
	}
	return all
}

func brokenSyntax() []broken {
	return []broken{
		{name: "syntax: statement cut off", src: "const a = 1;\nconst = 2;\n", stage: wire.StageBundle, at: "ext.ts:2:7", message: `Expected identifier but found "="`, hint: "-"},
		{name: "syntax: bracket never closed", src: "export default {\n  name: \"ext\",\n  tools: [\n", stage: wire.StageBundle, at: "ext.ts:4:1", message: "Unexpected end of file", hint: "-"},
		{name: "syntax: string never closed", src: "\nconst a = \"text;\n", stage: wire.StageBundle, at: "ext.ts:2:17", message: "Unterminated string literal", hint: "-"},
		{name: "syntax: template never closed", src: "const a = `text;\n", stage: wire.StageBundle, at: "ext.ts:2:1", message: "Unterminated string literal", hint: "-"},
		{name: "syntax: declared twice", src: "const a = 1;\nconst a = 2;\nexport default a;\n", stage: wire.StageBundle, at: "ext.ts:2:7", message: `"a" has already been declared`, hint: "originally declared here"},
		{name: "syntax: await outside async", src: "export function f() {\n  await null;\n}\n", stage: wire.StageBundle, at: "ext.ts:2:3", message: `"await" can only be used inside an "async" function`, hint: "async"},
		{name: "syntax: in a helper", files: map[string]string{"ext.ts": "import \"./lib/helper\";\nexport default {}", "lib/helper.ts": "export const x: number = ;\n"},
			stage: wire.StageBundle, at: "lib/helper.ts:1:26", message: `Unexpected ";"`, hint: "-"},
		{name: "syntax: several at once", src: "import a from \"./nowhere\";\nimport b from \"./neither\";\nexport default { a, b };\n",
			stage: wire.StageResolve, at: "ext.ts:1:15", message: `cannot find "./nowhere"`, hint: "spelling", also: []string{`cannot find "./neither"`}},
		{name: "syntax: a regular expression the engine lacks", src: one(good) + "export const r = /(?i:a)b/;\nr.test(\"\");\n",
			stage: wire.StageBundle, at: "ext.ts:3:18", message: "Invalid group", hint: "engine"},
		{name: "syntax: a broken regular expression", src: "export default { name: \"ext\", tools: [], r: /(/ };\n", stage: wire.StageBundle, at: "ext.ts:1:45", message: "Unterminated group", hint: "engine"},
		{name: "syntax: not text at all", src: "\x00\x01\xff\xfe\x7fELF", stage: wire.StageBundle, at: "ext.ts:1:1", message: `Unexpected "\x00"`, hint: "-"},
	}
}

func brokenImports() []broken {
	ext := func(line string) string { return line + "\nexport default { name: \"ext\", tools: [], a };\n" }
	return []broken{
		{name: "import: missing file", src: ext(`import a from "./nowhere";`), stage: wire.StageResolve, at: "ext.ts:1:15", message: `cannot find "./nowhere"`, hint: "relative to the importing file"},
		{name: "import: from a module that exports nothing", files: map[string]string{"ext.ts": ext(`import { a } from "./lib/x";`), "lib/x.ts": ""},
			stage: wire.StageBundle, at: "ext.ts:1:10", message: `Import "a" finds nothing: the file "lib/x.ts" has no exports`, hint: "export the name"},
		{name: "import: missing package", src: ext(`import a from "left-pad";`), stage: wire.StageResolve, at: "ext.ts:1:15", message: `cannot find "left-pad"`, hint: "npm install left-pad"},
		{name: "import: missing scoped package", src: ext(`import a from "@scope/pkg/deep";`), stage: wire.StageResolve, at: "ext.ts:1:15", message: `cannot find "@scope/pkg/deep"`, hint: "npm install @scope/pkg in"},
		{name: "import: node:worker_threads", src: ext(`import * as a from "node:worker_threads";`), stage: wire.StageResolve, at: "ext.ts:1:20", message: "no Node modules", hint: "interleave at await"},
		{name: "import: node:fs", src: ext(`import a from "node:fs/promises";`), stage: wire.StageResolve, at: "ext.ts:1:15", message: `cannot import "node:fs/promises"`, hint: "rho.readFile"},
		{name: "import: bare child_process", src: ext(`import a from "child_process";`), stage: wire.StageResolve, at: "ext.ts:1:15", message: `"child_process"`, hint: "no processes"},
		{name: "import: http", src: ext(`import a from "https://esm.sh/zod";`), stage: wire.StageResolve, at: "ext.ts:1:15", message: "not loaded from https: addresses", hint: "save the module"},
		{name: "import: data", src: ext(`import a from "data:text/javascript,export default 1";`), stage: wire.StageResolve, at: "ext.ts:1:15", message: "not loaded from data: addresses", hint: "save the module"},
		{name: "import: npm prefix", src: ext(`import a from "npm:zod";`), stage: wire.StageResolve, at: "ext.ts:1:15", message: "npm: addresses", hint: "by name"},
		{name: "import: dynamic and missing", src: "export default { name: \"ext\", tools: [], a: () => import(\"./gone\") };\n", stage: wire.StageResolve, at: "ext.ts:1:58", message: `cannot find "./gone"`, hint: "spelling"},
		{name: "import: missing name", files: map[string]string{"ext.ts": ext(`import { a } from "./lib/x";`), "lib/x.ts": "export const b = 1;\n"},
			stage: wire.StageBundle, at: "ext.ts:1:10", message: `No matching export in "lib/x.ts" for import "a"`, hint: "spelling"},
		{name: "import: missing name of the rho-ext module", src: ext(`import { defineTools as a } from "rho-ext";`), stage: wire.StageBundle, at: "ext.ts:1:10", message: `"rho-ext"`, hint: ""},
		{name: "import: bad JSON", files: map[string]string{"ext.ts": ext(`import a from "./data/x.json";`), "data/x.json": "{\n  \"a\": 1,\n  \"b\": tru\n}\n"},
			stage: wire.StageBundle, at: "data/x.json:3:8", message: `Unexpected "tru" in JSON`, hint: "-"},
		{name: "import: empty JSON", files: map[string]string{"ext.ts": ext(`import a from "./data/x.json";`), "data/x.json": ""},
			stage: wire.StageBundle, at: "data/x.json:1:1", message: "Unexpected end of file", hint: "-"},
		{name: "import: a file that is no module", files: map[string]string{"ext.ts": ext(`import a from "./data/x.png";`), "data/x.png": "\x89PNG"},
			stage: wire.StageBundle, at: "ext.ts:1:15", message: `files of type ".png" are not modules`, hint: `type: "text"`},
		{name: "import: unknown attribute", files: map[string]string{"ext.ts": ext(`import a from "./data/x.bin" with { type: "bytes" };`), "data/x.bin": "x"},
			stage: wire.StageBundle, at: "ext.ts:1:15", message: `type "bytes" is not supported`, hint: "with {"},
		{name: "import: a folder called x.ts", files: map[string]string{"ext.ts": ext(`import a from "./lib/x.ts";`), "lib/x.ts/readme": "x"},
			stage: wire.StageResolve, at: "ext.ts:1:15", message: `"./lib/x.ts"`, hint: "spelling"},
		{name: "import: a link to nothing", files: map[string]string{"ext.ts": ext(`import a from "./lib/x";`), "lib/y.ts": ""}, links: map[string]string{"lib/x.ts": "gone.ts"},
			stage: wire.StageResolve, at: "ext.ts:1:15", message: `x`, hint: ""},
		{name: "import: a package without its main", files: map[string]string{"ext.ts": ext(`import a from "pkg";`), "node_modules/pkg/package.json": `{"name":"pkg","main":"gone.js"}`},
			stage: wire.StageResolve, at: "ext.ts:1:15", message: `"pkg"`, hint: ""},
		{name: "import: syntax error in a package", files: map[string]string{"ext.ts": ext(`import a from "pkg";`),
			"node_modules/pkg/package.json": `{"name":"pkg","main":"main.js"}`, "node_modules/pkg/main.js": "exports.a = 1;\nexports.b = ;\n"},
			stage: wire.StageBundle, at: "node_modules/pkg/main.js:2:13", message: `Unexpected ";"`, hint: "-"},
		{name: "import: a package that needs Node", files: map[string]string{"ext.ts": ext(`import a from "pkg";`),
			"node_modules/pkg/package.json": `{"name":"pkg","main":"main.js"}`, "node_modules/pkg/main.js": "const os = require(\"os\");\nmodule.exports = os;\n"},
			stage: wire.StageResolve, at: "node_modules/pkg/main.js:1:20", message: `"os"`, hint: "no Node modules"},
		{name: "import: a bad package.json", files: map[string]string{"ext.ts": ext(`import a from "pkg";`), "node_modules/pkg/package.json": "{\n  \"name\": pkg\n}", "node_modules/pkg/index.js": "export default 1"},
			stage: wire.StageBundle, at: "node_modules/pkg/package.json:2:11", message: `JSON`, hint: "-"},
	}
}

func brokenConfinement() []broken {
	ext := func(line string) string { return line + "\nexport default { name: \"ext\", tools: [], a };\n" }
	return []broken{
		{name: "outside: the folder above", files: map[string]string{"ext.ts": ext(`import a from "../secret";`), "/.rho/secret.ts": "export default 'secret'"},
			stage: wire.StageResolve, at: "ext.ts:1:15", message: "outside the extension", hint: "move the file"},
		{name: "outside: an absolute path", files: map[string]string{"ext.ts": ext(`import a from "ROOT/secret.ts";`), "/secret.ts": "export default 'secret'"},
			stage: wire.StageResolve, at: "ext.ts:1:15", message: "outside the extension", hint: "move the file"},
		{name: "outside: through a link to a file", files: map[string]string{"ext.ts": ext(`import a from "./lib/x";`), "lib/y.ts": "", "/secret.ts": "export default 'secret'"}, links: map[string]string{"lib/x.ts": "../../../secret.ts"},
			stage: wire.StageResolve, at: "ext.ts:1:15", message: "outside the extension", hint: "move the file"},
		{name: "outside: through a link to a folder", files: map[string]string{"ext.ts": ext(`import a from "./lib/x";`), "/other/x.ts": "export default 'secret'"}, links: map[string]string{"lib": "../../other"},
			stage: wire.StageResolve, at: "ext.ts:1:15", message: "outside the extension", hint: "move the file"},
		{name: "outside: text of the system", src: ext(`import a from "/etc/passwd" with { type: "text" };`),
			stage: wire.StageResolve, at: "ext.ts:1:15", message: "outside the extension", hint: "move the file"},
		{name: "outside: JSON beside the project", files: map[string]string{"ext.ts": ext(`import a from "../../package.json";`), "/package.json": `{"secret":1}`},
			stage: wire.StageResolve, at: "ext.ts:1:15", message: "outside the extension", hint: "move the file"},
		{name: "outside: a package that is a link", files: map[string]string{"ext.ts": ext(`import a from "pkg";`), "/other/index.js": "export default 'secret'", "node_modules/x/y": ""}, links: map[string]string{"node_modules/pkg": "../../../other"},
			stage: wire.StageResolve, at: "ext.ts:1:15", message: "outside the extension", hint: "move the file"},
		{name: "outside: the extension itself is a link", files: map[string]string{}, links: map[string]string{"ext.ts": "/etc/hostname"},
			stage: wire.StageDiscover, at: "ext.ts", message: "leaves the project", hint: "--extensions"},
		{name: "outside: of a folder extension", files: map[string]string{"ext/mod.ts": ext(`import a from "../secret";`), "secret.txt": "", "secret/x.ts": "", "secret.json": "{}"},
			stage: wire.StageResolve, at: "ext/mod.ts:1:15", message: "outside the extension", hint: "move the file"},
	}
}

func brokenEvaluation() []broken {
	return []broken{
		{name: "evaluate: throws", src: "const a = 1;\n\nthrow new Error(\"top \" + a);\nexport default {}", stage: wire.StageEvaluate, at: "ext.ts:3:7", message: "top 1", hint: "-"},
		{name: "evaluate: throws in a helper", files: map[string]string{"ext.ts": "import { f } from \"./lib/x\";\nf();\nexport default {}", "lib/x.ts": "type T = string;\nexport function f(): T {\n  throw new RangeError(\"too far\");\n}\n"},
			stage: wire.StageEvaluate, at: "lib/x.ts:3:9", message: "RangeError: too far", hint: "-"},
		{name: "evaluate: throws no Error", src: "throw { code: 5 };\nexport default {}", stage: wire.StageEvaluate, at: "ext.ts", message: `{"code":5}`, hint: "throw new Error"},
		{name: "evaluate: throws a string", src: "throw \"no\";\nexport default {}", stage: wire.StageEvaluate, at: "ext.ts", message: "no", hint: "throw new Error"},
		{name: "evaluate: unknown name", src: "const a: number = 1;\nDeno.exit(a);\nexport default {}", stage: wire.StageEvaluate, at: "ext.ts:2:1", message: "ReferenceError: Deno is not defined", hint: ""},
		{name: "evaluate: null has no members", src: "const a: any = null;\nexport default a.b.c;", stage: wire.StageEvaluate, at: "ext.ts:2:18", message: "TypeError", hint: "-"},
		{name: "evaluate: defineTool is told nonsense", src: "import { defineTool } from \"rho-ext\";\nexport default defineTool({ name: \"x\" } as any);\n", stage: wire.StageEvaluate, at: "ext.ts:2:16", message: "description must be a string", hint: "-"},
		{name: "evaluate: endless loop", src: "let n = 0;\nfor (;;) { n++ }\nexport default {}", stage: wire.StageEvaluate, at: "ext.ts:2", message: notInTime, hint: "inside a tool"},
		{name: "evaluate: endless loop after await", src: "await null;\nlet n = 0;\nwhile (true) n++;\nexport default {}", stage: wire.StageEvaluate, at: "ext.ts:3", message: notInTime, hint: "inside a tool"},
		{name: "evaluate: endless microtasks", src: "const f = (): any => Promise.resolve().then(f);\nawait f();\nexport default {}", stage: wire.StageEvaluate, at: "ext.ts:1", message: notInTime, hint: "inside a tool"},
		{name: "evaluate: await that never settles", src: "await new Promise(() => {});\nexport default {}", stage: wire.StageEvaluate, at: "ext.ts", message: "never settle", hint: "resolve or reject"},
		{name: "evaluate: await that takes too long", src: "await new Promise((r) => setTimeout(r, 60000));\nexport default {}", stage: wire.StageEvaluate, at: "ext.ts", message: notInTime, hint: "inside a tool"},
		{name: "evaluate: rejected await", src: "\nawait Promise.reject(new TypeError(\"refused\"));\nexport default {}", stage: wire.StageEvaluate, at: "ext.ts:2:22", message: "TypeError: refused", hint: "-"},
		{name: "evaluate: recursion without end", src: "function f(n: number): number { return f(n + 1) + 1 }\nf(0);\nexport default {}", stage: wire.StageEvaluate, at: "ext.ts:1", message: "call stack", hint: "recursion"},
		{name: "evaluate: a cycle that uses a value too early", files: map[string]string{
			"ext.ts":   "import { b } from \"./lib/b\";\nexport const a = { n: 1 };\nexport default { name: \"ext\", tools: [], b };\n",
			"lib/b.ts": "import { a } from \"../ext\";\nexport const b = a.n + 1;\n"},
			stage: wire.StageEvaluate, at: "lib/b.ts:2:20", message: "TypeError", hint: "-"},
		{name: "evaluate: frozen globals are the author's own trouble", src: "Object.freeze(Object.prototype);\nArray.prototype.map = null as any;\nthrow new Error(\"after\");", stage: wire.StageEvaluate, at: "ext.ts:3:7", message: "after", hint: "-"},
		{name: "permission: fetch at top level", src: "const r = await fetch(\"http://example.com/\");\nexport default { r };\n", stage: wire.StagePermission, at: "ext.ts:1:17", message: "only possible while a call runs", hint: ""},
		{name: "permission: readFile at top level", src: "const r = rho.readFile(\"x\");\nexport default { r };\n", stage: wire.StagePermission, at: "ext.ts:1", message: "only possible while a call runs", hint: ""},
	}
}

func brokenManifests() []broken {
	return []broken{
		{name: "manifest: empty file", src: "", stage: wire.StageManifest, at: "ext.ts", message: "exports no manifest", hint: "export default"},
		{name: "manifest: only a comment", src: "// later\n", stage: wire.StageManifest, at: "ext.ts", message: "exports no manifest", hint: "export default"},
		{name: "manifest: no export", src: "const t = { " + good + " };\n", stage: wire.StageManifest, at: "ext.ts", message: "exports no manifest", hint: "export default"},
		{name: "manifest: only named exports", src: "export const tools = [];\n", stage: wire.StageManifest, at: "ext.ts", message: "exports no manifest", hint: "export default"},
		{name: "manifest: an empty object", src: "export default {};\n", stage: wire.StageManifest, at: "ext.ts", message: "exports no manifest", hint: "export default"},
		{name: "manifest: a function", src: "export default function () {}\n", stage: wire.StageManifest, at: "ext.ts", message: "must be a manifest object, got a function", hint: "export default {"},
		{name: "manifest: a number", src: "export default 42;\n", stage: wire.StageManifest, at: "ext.ts", message: "must be a manifest object, got 42", hint: "export default {"},
		{name: "manifest: null", src: "export default null;\n", stage: wire.StageManifest, at: "ext.ts", message: "got null", hint: "export default {"},
		{name: "manifest: an array", src: "export default [];\n", stage: wire.StageManifest, at: "ext.ts", message: "got an array", hint: "export default {"},
		{name: "manifest: a promise", src: "export default Promise.resolve({ name: \"ext\" });\n", stage: wire.StageManifest, at: "ext.ts", message: "is a promise", hint: "await"},
		{name: "manifest: a bare tool", src: "\nexport default { " + good + " };\n", stage: wire.StageManifest, at: "ext.ts:2:16", message: "a tool without its manifest", hint: "defineTool"},
		{name: "manifest: no name", src: "export default { tools: [] };\n", stage: wire.StageManifest, at: "ext.ts:1:16", message: "has no name", hint: `name: "ext"`},
		{name: "manifest: name is a number", src: "export default {\n  name: 7,\n  tools: [] };\n", stage: wire.StageManifest, at: "ext.ts:2:3", message: "must be a non-empty string, got 7", hint: ""},
		{name: "manifest: empty name", src: "export default {\n  name: \"\",\n  tools: [] };\n", stage: wire.StageManifest, at: "ext.ts:2:3", message: `must be a non-empty string, got ""`, hint: ""},
		{name: "manifest: no tools", src: "export default { name: \"ext\" };\n", stage: wire.StageManifest, at: "ext.ts", message: "has no tools", hint: "tools: ["},
		{name: "manifest: tools is an object", src: "export default { name: \"ext\",\n  tools: { t: 1 } };\n", stage: wire.StageManifest, at: "ext.ts:2:3", message: "tools must be an array, got an object", hint: ""},
		{name: "manifest: version is a number", src: "export default { name: \"ext\",\n  version: 1, tools: [] };\n", stage: wire.StageManifest, at: "ext.ts:2:3", message: "version", hint: ""},
		{name: "manifest: hooks is an array", src: "export default { name: \"ext\", tools: [],\n  hooks: [] };\n", stage: wire.StageManifest, at: "ext.ts:2:3", message: "hooks must be an object", hint: ""},
		{name: "manifest: a command without function", src: "export default { name: \"ext\", tools: [],\n  commands: [{ name: \"c\" }] };\n", stage: wire.StageManifest, at: "ext.ts:2:3", message: "command c has no handler", hint: ""},
		{name: "manifest: engines is no range", src: "export default { name: \"ext\",\n  engines: { rhoExt: \"newest\" }, tools: [] };\n", stage: wire.StageManifest, at: "ext.ts:2:3", message: `"newest" is no version range`, hint: `">=0.1"`},
		{name: "manifest: engines is a string", src: "export default { name: \"ext\",\n  engines: \">=1\", tools: [] };\n", stage: wire.StageManifest, at: "ext.ts:2:3", message: "engines must be an object", hint: "rhoExt"},
		{name: "manifest: engines ask for more", src: "export default { name: \"ext\",\n  engines: { rhoExt: \">=99\" }, tools: [] };\n", stage: wire.StageManifest, at: "ext.ts:2:3", message: "needs rho-ext >=99", hint: "update rho-ext"},
		{name: "manifest: a getter throws", src: "export default { name: \"ext\",\n  get tools() { throw new Error(\"lazy\") } };\n", stage: wire.StageEvaluate, at: "ext.ts:2:23", message: "lazy", hint: "-"},
		{name: "manifest: a getter never returns", src: "export default { name: \"ext\",\n  get tools() { for (;;); } };\n", stage: wire.StageEvaluate, at: "ext.ts:2", message: notInTime, hint: "inside a tool"},
	}
}

func brokenTools() []broken {
	tool := func(members string) string { return one(members) }
	return []broken{
		{name: "tool: no execute", src: tool(`name: "t", description: "d", risk: "read"`), stage: wire.StageManifest, at: "ext.ts:2:3", message: "tool t: execute must be a function, got nothing", hint: ""},
		{name: "tool: execute is text", src: tool(`name: "t", description: "d", risk: "read",` + "\n    execute: \"run\""), stage: wire.StageManifest, at: "ext.ts:3:5", message: `execute must be a function, got "run"`, hint: ""},
		{name: "tool: no description", src: tool(`name: "t", risk: "read", execute() {}`), stage: wire.StageManifest, at: "ext.ts:2:3", message: "tool t: description is missing", hint: ""},
		{name: "tool: no risk", src: tool(`name: "t", description: "d", execute() {}`), stage: wire.StageManifest, at: "ext.ts:2:3", message: `tool t: risk must be one of "read"`, hint: ""},
		{name: "tool: wrong risk", src: tool(`name: "t", description: "d",` + "\n    risk: \"high\", execute() {}"), stage: wire.StageManifest, at: "ext.ts:3:5", message: `got "high"`, hint: ""},
		{name: "tool: no name", src: tool(`description: "d", risk: "read", execute() {}`), stage: wire.StageManifest, at: "ext.ts:2:3", message: "tools[0]: name is missing", hint: ""},
		{name: "tool: a name with a blank", src: tool(`name: "my tool", description: "d", risk: "read", execute() {}`), stage: wire.StageManifest, at: "ext.ts:2:5", message: "1–64 letters, digits, _ or -", hint: ""},
		{name: "tool: a name that is too long", src: tool(`name: "` + strings.Repeat("n", 65) + `", description: "d", risk: "read", execute() {}`), stage: wire.StageManifest, at: "ext.ts:2:5", message: "1–64 letters", hint: ""},
		{name: "tool: no object", src: "export default { name: \"ext\", tools: [null] };\n", stage: wire.StageManifest, at: "ext.ts:1:16", message: "tools[0]: must be an object, got null", hint: "name, description, risk and execute"},
		{name: "tool: the second of two", src: "export default { name: \"ext\", tools: [\n  { " + good + " },\n  { name: \"u\", description: \"\", risk: \"read\", execute() {} } ] };\n", stage: wire.StageManifest, at: "ext.ts:3:16", message: "tool u: description must be a non-empty string", hint: ""},
		{name: "tool: twice in one extension", src: "export default { name: \"ext\", tools: [\n  { " + good + " },\n  { " + good + " } ] };\n", stage: wire.StageManifest, at: "ext.ts:3:5", message: "tool t: a second tool of this extension has the same name", hint: "its own name"},
		{name: "tool: of another extension", files: map[string]string{"a_first.ts": one(good), "b_second.ts": "\n\n" + one(good)},
			extension: "b_second", stage: wire.StageManifest, at: "b_second.ts:4:5", message: `tool "t" of "b_second" is already registered by "a_first"`, hint: "rename"},
		{name: "tool: of a program's own", src: tool(good), builtin: "t", stage: wire.StageManifest, at: "ext.ts:2:5", message: `tool "t" of "ext" is already registered by the host program`, hint: "rename"},
		{name: "tool: negative timeout", src: tool(good + `, timeoutMs: -1`), stage: wire.StageManifest, at: "ext.ts:2", message: "timeoutMs must be a positive number", hint: ""},
		{name: "tool: examples without args", src: tool(good + `, examples: [{}]`), stage: wire.StageManifest, at: "ext.ts:2", message: "examples[0] needs args", hint: ""},
	}
}

func brokenParameters() []broken {
	param := func(p string) string { return one(good + ",\n    parameters: " + p) }
	return []broken{
		{name: "parameters: an array", src: param(`[]`), stage: wire.StageManifest, at: "ext.ts:3:5", message: "parameters must be an object, got an array", hint: ""},
		{name: "parameters: a key without type", src: param(`{ path: { description: "x" } }`), stage: wire.StageManifest, at: "ext.ts:3:5", message: `parameter "path" has no type`, hint: `path: { type: "string" }`},
		{name: "parameters: a key that is text", src: param(`{ path: "string" }`), stage: wire.StageManifest, at: "ext.ts:3:5", message: `parameter "path" must be an object with a type`, hint: `path: { type: "string" }`},
		{name: "parameters: a schema of type string", src: param(`{ type: "string" }`), stage: wire.StageManifest, at: "ext.ts:3:5", message: `got a schema of type "string"`, hint: `type: "object"`},
		{name: "parameters: an unknown type", src: param(`{ path: { type: "strin" } }`), stage: wire.StageManifest, at: "ext.ts:3:5", message: `strin`, hint: ""},
		{name: "parameters: a file as a schema", src: param(`{ type: "object", properties: { a: { $ref: "file:///etc/passwd" } } }`), stage: wire.StageManifest, at: "ext.ts:3:5", message: "file:///etc/passwd", hint: ""},
		{name: "parameters: a web page as a schema", src: param(`{ type: "object", properties: { a: { $ref: "https://example.com/s.json" } } }`), stage: wire.StageManifest, at: "ext.ts:3:5", message: "stand on its own", hint: ""},
		{name: "parameters: a reference to nothing", src: param(`{ type: "object", properties: { a: { $ref: "#/$defs/gone" } } }`), stage: wire.StageManifest, at: "ext.ts:3:5", message: "$defs/gone", hint: ""},
		{name: "parameters: a bad pattern", src: param(`{ a: { type: "string", pattern: "(" } }`), stage: wire.StageManifest, at: "ext.ts:3:5", message: "pattern", hint: ""},
		{name: "parameters: refers to itself", src: "const p: any = { type: \"object\" };\np.properties = p;\n" + param(`p`), stage: wire.StageManifest, at: "ext.ts:5:5", message: "refers to itself", hint: ""},
		{name: "parameters: required is text", src: param(`{ a: { type: "string", required: "yes" } }`), stage: wire.StageManifest, at: "ext.ts:3:5", message: "required must be true or false", hint: ""},
		{name: "parameters: a builder given nonsense", src: "import { s } from \"rho-ext\";\n" + param(`{ a: s.string({ max: 3 } as any) }`), stage: wire.StageEvaluate, at: "ext.ts:4:24", message: "unknown option max", hint: "-"},
	}
}

func brokenFolders() []broken {
	return []broken{
		{name: "folder: main is missing", files: map[string]string{"ext/package.json": `{"main":"src/gone.ts"}`}, stage: wire.StageDiscover, at: "ext/package.json", message: `"src/gone.ts"`, hint: `"main"`},
		{name: "folder: main is outside", files: map[string]string{"ext/package.json": `{"main":"../secret.ts"}`, "/.rho/secret.ts": ""}, stage: wire.StageDiscover, at: "ext/package.json", message: "outside the folder", hint: `"main"`},
		{name: "folder: main is an outside link", files: map[string]string{"ext/package.json": `{"main":"x.ts"}`, "/secret.ts": ""}, links: map[string]string{"ext/x.ts": "../../../secret.ts"}, stage: wire.StageDiscover, at: "ext/x.ts", message: "leaves the folder", hint: "itself"},
		{name: "folder: package.json is no JSON", files: map[string]string{"ext/package.json": "{\n  main: 1 }"}, stage: wire.StageDiscover, at: "ext/package.json:2:3", message: "no JSON", hint: ""},
		{name: "folder: main is a number", files: map[string]string{"ext/package.json": "{\n  \"main\": 1 }"}, stage: wire.StageDiscover, at: "ext/package.json:2:11", message: `"main" must be a string, got a number`, hint: "module"},
		{name: "folder: mod.ts links outside", files: map[string]string{"ext/x.txt": "", "/secret.ts": ""}, links: map[string]string{"ext/mod.ts": "../../../secret.ts"}, stage: wire.StageDiscover, at: "ext/mod.ts", message: "leaves the folder", hint: ""},
		{name: "file: a link to nothing", files: map[string]string{}, links: map[string]string{"ext.ts": "gone.ts"}, stage: wire.StageDiscover, at: "ext.ts", message: "cannot read the extension", hint: "symbolic link"},
		{name: "file: a link in a circle", files: map[string]string{}, links: map[string]string{"ext.ts": "ext.ts"}, stage: wire.StageDiscover, at: "ext.ts", message: "cannot read the extension", hint: "symbolic link"},
		{name: "file: a folder called ext.ts", files: map[string]string{"ext.ts/readme.md": "x"}, stage: wire.StageDiscover, at: "ext.ts", message: "is a folder", hint: "mod.ts"},
		{name: "file: in a folder with odd characters", files: map[string]string{"ext/mod.ts": "import { f } from \"./a b/ü%20#?\";\nf();\nexport default {}", "ext/a b/ü%20#?.ts": "export function f() {\n  throw new Error(\"odd\");\n}\n"},
			stage: wire.StageEvaluate, at: "ext/a b/ü%20#?.ts:2:9", message: "odd", hint: "-"},
	}
}

// exhausting are sources that would hang a parser or compiler, or overflow a
// stack.
func exhausting() []broken {
	deep := func(before, open, middle, shut string, n int) string {
		return before + strings.Repeat(open, n) + middle + strings.Repeat(shut, n) + ";\nexport default { name: \"ext\", tools: [], x };\n"
	}
	const nested = "nested too deeply"
	return []broken{
		{name: "exhausting: BigInt power", src: "function f() {\n  return 2n ** (2n ** 34n);\n}\nexport default { name: \"ext\", tools: [], f };\n", stage: wire.StageBundle, at: "ext.ts:2:10", message: "BigInt constant is too large", hint: "when the tool runs"},
		{name: "exhausting: BigInt shift", src: "export default { name: \"ext\", tools: [], f: () => 1n << 99999999999n };\n", stage: wire.StageBundle, at: "ext.ts:1:51", message: "BigInt constant is too large", hint: "when the tool runs"},
		{name: "exhausting: BigInt through a const", src: "const a = 2n, b = 34n;\nexport default { name: \"ext\", tools: [], f: () => a ** (a ** b) };\n(2n ** 2n ** 34n);\n", stage: wire.StageBundle, at: "ext.ts:3:2", message: "BigInt constant is too large", hint: "when the tool runs"},
		{name: "exhausting: round brackets", src: deep("const x = ", "(", "1", ")", 100_000), stage: wire.StageBundle, at: "ext.ts:1:1010", message: nested, hint: "data file"},
		{name: "exhausting: square brackets", src: deep("const x = ", "[", "1", "]", 100_000), stage: wire.StageBundle, at: "ext.ts:1:1010", message: nested, hint: "data file"},
		{name: "exhausting: blocks", src: deep("const x = () => ", "{", "", "}", 100_000), stage: wire.StageBundle, at: "ext.ts:1", message: nested, hint: "data file"},
		{name: "exhausting: unary", src: deep("const x = ", "!", "1", "", 1_000_000), stage: wire.StageBundle, at: "ext.ts:1", message: nested, hint: "data file"},
		{name: "exhausting: typeof", src: deep("const x = ", "typeof ", "1", "", 200_000), stage: wire.StageBundle, at: "ext.ts:1", message: nested, hint: "data file"},
		{name: "exhausting: arrows", src: deep("const x = ", "a=>", "1", "", 200_000), stage: wire.StageBundle, at: "ext.ts:1", message: nested, hint: "data file"},
		{name: "exhausting: conditionals", src: deep("const x = ", "1?", "1", ":1", 200_000), stage: wire.StageBundle, at: "ext.ts:1", message: nested, hint: "data file"},
		{name: "exhausting: sums", src: deep("const y = 1;\nconst x = y", "+y", "", "", 400_000), stage: wire.StageBundle, at: "ext.ts:2", message: nested, hint: "data file"},
		{name: "exhausting: members", src: deep("const y: any = 1;\nconst x = y", ".a", "", "", 400_000), stage: wire.StageBundle, at: "ext.ts:2", message: nested, hint: "data file"},
		{name: "exhausting: comparisons", src: deep("const y: any = 1;\nconst x = y", "<y", "", "", 400_000), stage: wire.StageBundle, at: "ext.ts:2", message: nested, hint: "data file"},
		{name: "exhausting: logic", src: deep("const y: any = 1;\nconst x = y", "&&y", "", "", 300_000), stage: wire.StageBundle, at: "ext.ts:2", message: nested, hint: "data file"},
		{name: "exhausting: calls", src: deep("const y: any = 1;\nconst x = () => y", "()", "", "", 400_000), stage: wire.StageBundle, at: "ext.ts:2", message: nested, hint: "data file"},
		{name: "exhausting: templates", src: deep("const x = ", "`${", "1", "}`", 100_000), stage: wire.StageBundle, at: "ext.ts:1", message: nested, hint: "data file"},
		{name: "exhausting: else if", src: "const x = 1;\n" + strings.Repeat("if (x) {} else ", 100_000) + "{}\nexport default {}", stage: wire.StageBundle, at: "ext.ts:2", message: nested, hint: "data file"},
		{name: "exhausting: labels and loops", src: "const x = 1;\n" + strings.Repeat("for(;;)", 200_000) + ";\nexport default {}", stage: wire.StageBundle, at: "ext.ts:2", message: nested, hint: "data file"},
		{name: "exhausting: types", src: deep("const x = 1;\ntype A<T> = T; type B = ", "A<", "1", ">", 200_000), stage: wire.StageBundle, at: "ext.ts:2", message: nested, hint: "data file"},
		{name: "exhausting: JSON", files: map[string]string{"ext.ts": "import a from \"./data/x.json\";\nexport default a;\n", "data/x.json": strings.Repeat("[", 500_000)},
			stage: wire.StageBundle, at: "data/x.json:1", message: nested, hint: "data file"},
		{name: "exhausting: markup", files: map[string]string{"ext.tsx": "export default " + strings.Repeat("<a>", 200_000)},
			stage: wire.StageBundle, at: "ext.tsx:1", message: nested, hint: "data file"},
		{name: "exhausting: a regular expression", src: "export const r = new RegExp(\"(\".repeat(3000) + \")\".repeat(3000));\nexport default {}", stage: wire.StageEvaluate, at: "ext.ts:1:18", message: "Invalid regular expression", hint: "-"},
		{name: "exhausting: a huge message", src: "throw new Error(\"x\".repeat(1e6));", stage: wire.StageEvaluate, at: "ext.ts:1:7", message: "xxxx", hint: "-"},
		{name: "exhausting: a regular expression literal", src: "export default { name: \"ext\", tools: [], r: /" + strings.Repeat("(?:", 300_000) + strings.Repeat(")", 300_000) + "/ };\n", stage: wire.StageBundle, at: "ext.ts:1", message: nested, hint: "data file"},
		{name: "exhausting: too large", src: "// " + strings.Repeat("x", 5<<20) + "\nexport default {}", stage: wire.StageBundle, at: "ext.ts", message: "too large: 5", hint: "keep data in a file"},
		{name: "exhausting: memory at top level", src: "const a = [];\nfor (;;) a.push(\"xxxxxxxx\" + a.length);\nexport default {}", stage: wire.StageEvaluate, at: "ext.ts:2", message: notInTime, hint: "inside a tool"},
	}
}
