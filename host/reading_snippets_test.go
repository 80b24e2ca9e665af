package host_test

import "slices"

// effectSnippets is every way to an effect that reading is known to see, and
// those that it is known to miss.
var effectSnippets = slices.Concat(directSnippets, moduleSnippets, objectSnippets, shapeSnippets, contextSnippets, missedSnippets)

// directSnippets use the globals.
var directSnippets = []effectSnippet{
	{name: "fetch", tool: "t", tries: "net", want: of("net"),
		files: beside("", `async (args: any) => (await fetch(args.url)).text()`)},
	{name: "fetch at the top", tool: "noisy", tries: "net run", want: of(""),
		files: beside(`let got: any = 0; try { got = await fetch("http://192.0.2.1/") } catch {}`, `() => String(got)`)},
	{name: "an alias of fetch", tool: "t", tries: "net", want: of("net"),
		files: beside(`const get = fetch;`, `(args: any) => get(args.url)`)},
	{name: "fetch of globalThis", tool: "t", tries: "net", want: of("net"),
		files: beside("", `(args: any) => globalThis.fetch(args.url)`)},
	{name: "fetch of self by a literal key", tool: "t", tries: "net", want: of("net"),
		files: beside("", `(args: any) => (self as any)["fetch"](args.url)`)},
	{name: "fetch out of globalThis", tool: "t", tries: "net", want: of("net"),
		files: beside(`const { fetch: go } = globalThis;`, `(args: any) => go(args.url)`)},
	{name: "an alias of globalThis", tool: "t", tries: "net", want: of("net"),
		files: beside(`const g: any = globalThis;`, `(args: any) => g.fetch(args.url)`)},
	{name: "fetch bound", tool: "t", tries: "net", want: of("net"),
		files: beside(`const go = fetch.bind(null);`, `(args: any) => go(args.url)`)},
	{name: "fetch through call", tool: "t", tries: "net", want: of("net"),
		files: beside("", `(args: any) => fetch.call(undefined, args.url)`)},
	{name: "fetch as a callback", tool: "t", tries: "net", want: of("net"),
		files: beside("", `(args: any) => Promise.resolve(args.url).then(fetch)`)},
	{name: "fetch as a default value", tool: "t", tries: "net", want: of("net"),
		files: beside(`const load = (url: string, go = fetch) => go(url);`, `(args: any) => load(args.url)`)},
	{name: "Reflect.get", tool: "t", tries: "net", want: of("net"),
		files: beside("", `(args: any) => Reflect.get(globalThis, "fetch")(args.url)`)},
	{name: "a name that hides fetch", tool: "noisy", tries: "net run", want: of(""),
		files: beside("", `(args: any) => ((fetch: any) => fetch(args.url))((x: string) => x)`)},
	{name: "a block that hides fetch, then fetch", tool: "t", tries: "net", want: of("net"),
		files: beside("", `(args: any) => { { const fetch = (x: any) => x; fetch(1) } return fetch(args.url) }`)},
	{name: "a method called fetch", tool: "noisy", tries: "net run", want: of(""),
		files: beside(`const cache = { fetch: (k: string) => k };`, `(args: any) => cache.fetch(args.url)`)},
	{name: "asking whether there is fetch", tool: "noisy", tries: "net run", want: of(""),
		files: beside("", `() => typeof fetch === "function" && "fetch" in globalThis ? typeof rho.runCommand : ""`)},

	{name: "rho.readFile", tool: "t", tries: "read", want: of("read"),
		files: beside("", `(args: any) => rho.readFile(args.path)`)},
	{name: "rho.writeFile", tool: "t", tries: "write", want: of("write"),
		files: beside("", `(args: any) => rho.writeFile(args.path, "x")`)},
	{name: "rho.runCommand and fetchUrl", tool: "t", tries: "net run", want: of("net run"),
		files: beside("", `(args: any) => [rho.runCommand(args.cmd, []), rho.fetchUrl({ url: args.url })]`)},
	{name: "an alias of rho", tool: "t", tries: "write", want: of("write"),
		files: beside(`const r = rho;`, `(args: any) => r.writeFile(args.path, "x")`)},
	{name: "an alias of rho that only logs", tool: "noisy", tries: "net run", want: of(""),
		files: beside(`const r = rho;`, `(args: any) => { r.log("info", "x"); const q = rho; q.log("info", "y"); return q.getCwd() }`)},
	{name: "rho in globalThis", tool: "t", tries: "run", want: of("run"),
		files: beside("", `(args: any) => (globalThis as any).rho.runCommand(args.cmd, [])`)},
	{name: "a member of rho by a literal key", tool: "t", tries: "write", want: of("write"),
		files: beside("", `(args: any) => rho["write" + "File"](args.path, "x")`)},
	{name: "a member of rho by a template", tool: "t", tries: "write", want: of("write"),
		files: beside("", "(args: any) => rho[`writeFile`](args.path, 'x')")},
	{name: "a member of rho by a computed key", tool: "t", tries: "write", want: of(everything),
		args: map[string]string{"key": "writeFile"}, files: beside("", `(args: any) => (rho as any)[args.key](args.path, "x")`)},
	{name: "members out of rho, told apart", tool: "t", tries: "run", want: of("run"),
		files: beside(`const { runCommand: rc, writeFile, log } = rho;`, `(args: any) => { log("info", "x"); return rc(args.cmd, []) }`)},
	{name: "a member out of rho as a parameter", tool: "t", tries: "write", want: of(everything),
		files: beside("", `(args: any) => (({ writeFile }: any) => writeFile(args.path, "x"))(rho)`)},
	{name: "rho only where there is one", tool: "t", tries: "write", want: of("write"),
		files: beside("", `(args: any) => typeof rho !== "undefined" && rho ? rho.writeFile(args.path, "x") : ""`)},
	{name: "rho in an object", tool: "t", tries: "write", want: of(everything),
		files: beside(`const host = { rho };`, `(args: any) => host.rho.writeFile(args.path, "x")`)},
}

// moduleSnippets go through other modules.
var moduleSnippets = []effectSnippet{
	{name: "a helper module", tool: "t", tries: "net", want: of("net"),
		files: beside(`import { get } from "./h";`, `(args: any) => get(args.url)`, "h.ts", helperModule)},
	{name: "a harmless function of a module that fetches", tool: "noisy", tries: "net run", want: of(""),
		files: beside(`import { trim } from "./h";`, `(args: any) => trim(args.url)`, "h.ts", helperModule)},
	{name: "a namespace", tool: "t", tries: "net", want: of("net"),
		files: beside(`import * as H from "./h";`, `(args: any) => H.get(args.url)`, "h.ts", helperModule)},
	{name: "a harmless member of a namespace", tool: "noisy", tries: "net run", want: of(""),
		files: beside(`import * as H from "./h";`, `(args: any) => H.trim(args.url)`, "h.ts", helperModule)},
	{name: "a namespace by a computed key", tool: "t", tries: "net", want: of("net"), args: map[string]string{"key": "get"},
		files: beside(`import * as H from "./h";`, `(args: any) => (H as any)[args.key](args.url)`, "h.ts", helperModule)},
	{name: "a function that is exported again", tool: "t", tries: "net", want: of("net"),
		files: beside(`import { load } from "./again";`, `(args: any) => load(args.url)`, "again.ts", `export { get as load } from "./h"; export * from "./h";`, "h.ts", helperModule)},
	{name: "a default export", tool: "t", tries: "write", want: of("write"),
		files: beside(`import w from "./w";`, `(args: any) => w.save(args.path)`, "w.ts", `export default { save(path: string) { return rho.writeFile(path, "x") } }`)},
	{name: "a package with import", tool: "t", tries: "net", want: of("net"),
		files: beside(`import { client } from "client";`, `(args: any) => client(args.url)`,
			"node_modules/client/package.json", `{"name":"client","version":"1.0.0","type":"module","main":"index.js"}`,
			"node_modules/client/index.js", `const send = async (u) => (await fetch(u)).status; export const client = (u) => send(u); export const parse = (u) => new URL(u);`)},
	{name: "a package with require", tool: "t", tries: "net", want: of("net"),
		files: beside(`import client from "client";`, `(args: any) => client.get(args.url)`,
			"node_modules/client/package.json", `{"name":"client","version":"1.0.0","main":"index.js"}`,
			"node_modules/client/index.js", `const core = require("./core"); module.exports = { get: (u) => core.send(u) };`,
			"node_modules/client/core.js", `exports.send = (u) => fetch(u);`)},
	{name: "a package with require that the other tool maps with fetch", tool: "noisy", tries: "net run",
		want: map[string]string{"t": "", "noisy": "net run"},
		files: with(file(`import _ from "list"; export default { name: "x", tools: [`+
			snippetTool("t", `(args: any) => _.map([args.url], (u: string) => u.trim())`)+`, `+
			snippetTool("noisy", `(args: any) => { rho.runCommand(args.cmd, []); return Promise.all(_.map([args.url], (u: string) => fetch(u))) }`)+`] }`),
			"node_modules/list/index.js", `module.exports = { map: (l, f) => l.map((x) => f(x)) };`)},
	{name: "a module that is imported when it is needed", tool: "t", tries: "net", want: of("net"),
		files: beside("", `async (args: any) => (await import("./h")).get(args.url)`, "h.ts", helperModule)},
	{name: "state in a module that another module sets", tool: "t", tries: "net", want: of("net"),
		files: beside(`import { client } from "./state"; import "./setup";`, `(args: any) => client.go(args.url)`,
			"state.ts", `export const client: any = {};`, "setup.ts", `import { client } from "./state"; client.go = (u: string) => fetch(u);`)},
}

const helperModule = `export async function get(u: string) { return (await fetch(u)).text() }
export function trim(s: string) { return s.trim() }
`
