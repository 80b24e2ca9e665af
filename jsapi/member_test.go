package jsapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
)

// newCtx makes a realm with fs, exec and callTool on a global ctx.
func newCtx(t testing.TB) *realm {
	t.Helper()
	r := newRealm(t)
	ctx := r.vm.NewObject()
	for _, name := range []string{"fs", "exec", "callTool"} {
		v, err := r.g.Member(name, r)
		require.NoError(t, err)
		require.NoError(t, ctx.Set(name, v))
	}
	require.NoError(t, r.vm.Set("ctx", ctx))
	return r
}

func TestMembersAskForWhatWasSaid(t *testing.T) {
	t.Parallel()
	const none = "\x00none"
	for _, tt := range []struct {
		call          string
		op            wire.Op
		as            string
		data, payload string
	}{
		{`ctx.fs.read("a/b.txt")`, wire.OpReadFile, "ctx.fs.read", `{"path":"a/b.txt"}`, none},
		{`ctx.fs.readBytes("a")`, wire.OpReadFile, "ctx.fs.readBytes", `{"path":"a"}`, none},
		{`ctx.fs.write("a", "é")`, wire.OpWriteFile, "ctx.fs.write", `{"path":"a"}`, "é"},
		{`ctx.fs.write("a", "\ud800")`, wire.OpWriteFile, "ctx.fs.write", `{"path":"a"}`, "\ufffd"},
		{`ctx.fs.write("a", "")`, wire.OpWriteFile, "ctx.fs.write", `{"path":"a"}`, ""},
		{`ctx.fs.write("a", new Uint8Array([97, 98, 99]).subarray(1))`, wire.OpWriteFile, "ctx.fs.write", `{"path":"a"}`, "bc"},
		{`ctx.fs.write("a", new Uint8Array([97, 98]).buffer)`, wire.OpWriteFile, "ctx.fs.write", `{"path":"a"}`, "ab"},
		{`ctx.fs.write("a", new Uint8Array(0))`, wire.OpWriteFile, "ctx.fs.write", `{"path":"a"}`, ""},
		{`const b = new Uint8Array([97]); const p = ctx.fs.write("a", b); b[0] = 98; p`, wire.OpWriteFile, "ctx.fs.write", `{"path":"a"}`, "a"},
		{`ctx.fs.append("a", "x")`, wire.OpWriteFile, "ctx.fs.append", `{"path":"a","append":true}`, "x"},
		{`ctx.fs.list(".")`, wire.OpListDir, "ctx.fs.list", `{"path":"."}`, none},
		{`ctx.fs.stat("a")`, wire.OpStat, "ctx.fs.stat", `{"path":"a"}`, none},
		{`ctx.fs.remove("a")`, wire.OpRemove, "ctx.fs.remove", `{"path":"a"}`, none},
		{`ctx.fs.rename("a", "b")`, wire.OpRename, "ctx.fs.rename", `{"from":"a","to":"b"}`, none},
		{`ctx.fs.mkdir("a/b")`, wire.OpMkdir, "ctx.fs.mkdir", `{"path":"a/b"}`, none},
		{`ctx.fs.glob("**/*.ts")`, wire.OpGlob, "ctx.fs.glob", `{"pattern":"**/*.ts"}`, none},
		{`ctx.exec("git")`, wire.OpExec, "ctx.exec", `{"command":"git"}`, none},
		{`ctx.exec("git", ["log", ""], {})`, wire.OpExec, "ctx.exec", `{"command":"git","args":["log",""]}`, none},
		{`ctx.exec("cat", [], { cwd: "x", timeoutMs: 1.5, input: "in" })`, wire.OpExec, "ctx.exec", `{"command":"cat","cwd":"x","timeoutMs":1.5}`, "in"},
		{`ctx.exec("cat", [], { cwd: undefined, input: new Uint8Array([97]) })`, wire.OpExec, "ctx.exec", `{"command":"cat"}`, "a"},
		{`ctx.exec("cat", [], { input: "" })`, wire.OpExec, "ctx.exec", `{"command":"cat"}`, ""},
		{`ctx.exec("cat", [], { onStderr() {} })`, wire.OpExec, "ctx.exec", `{"command":"cat","stream":true}`, none},
		{`ctx.callTool("other")`, wire.OpCallTool, "ctx.callTool", `{"name":"other","args":{}}`, none},
		{`ctx.callTool("other", { b: [1], a: null })`, wire.OpCallTool, "ctx.callTool", `{"name":"other","args":{"b":[1],"a":null}}`, none},
		{`fetch("http://h/")`, wire.OpFetch, "fetch", `{"url":"http://h/","method":"GET","headers":[],"redirect":"follow"}`, none},
		{`rho.writeFile("a", "é")`, wire.OpWriteFile, "rho.writeFile", `{"path":"a"}`, "é"},
		{`rho.runCommand("git", ["a"])`, wire.OpExec, "rho.runCommand", `{"command":"git","args":["a"]}`, none},
		{`rho.fetchUrl({ url: "http://h/" })`, wire.OpFetch, "rho.fetchUrl", `{"url":"http://h/","method":"GET","whole":true}`, none},
		{`rho.fetchUrl({ url: "u", method: "post", headers: { "X-A": "1" }, body: "", max_bytes: 5 })`, wire.OpFetch, "rho.fetchUrl",
			`{"url":"u","method":"post","headers":[["x-a","1"]],"whole":true,"maxBytes":5}`, ""},
		{`rho.fetchUrl({ url: "u", body: null, headers: null, max_bytes: null })`, wire.OpFetch, "rho.fetchUrl", `{"url":"u","method":"GET","whole":true}`, none},
	} {
		t.Run(tt.call, func(t *testing.T) {
			t.Parallel()
			r := newCtx(t)
			r.answer = func(wire.Request) (wire.Response, error) {
				return wire.Response{Data: json.RawMessage(`null`)}, nil
			}
			r.eval(`"use strict"; ` + tt.call)
			require.Len(t, r.requests, 1)
			got := r.requests[0]
			require.Equal(t, tt.op, got.Op)
			require.Equal(t, tt.as, got.As)
			require.JSONEq(t, tt.data, string(got.Data))
			payload := none
			if got.Payload != nil {
				payload = string(got.Payload)
			}
			require.Equal(t, tt.payload, payload)
		})
	}
}

func TestMembersGiveWhatTheHostAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		body          string
		data, payload string
		want          string
	}{
		{`return await ctx.fs.read("a")`, "", "\ufeffaé\xff", "\"\ufeffaé\ufffd\""},
		{`const b = await ctx.fs.readBytes("a"); return [b.constructor.name, [...b]]`, "", "\x00\xff", `["Uint8Array",[0,255]]`},
		{`return (await ctx.fs.readBytes("a")).length`, "", "", `0`},
		{`return [await ctx.fs.write("a", "b"), await ctx.fs.remove("a")].map(String)`, "", "", `["undefined","undefined"]`},
		{`return await ctx.fs.list("a")`, `[{"name":"x","isDirectory":true,"isSymlink":false},{"name":"y","isDirectory":false,"isSymlink":true}]`, "",
			`[{"name":"x","isDirectory":true,"isSymlink":false},{"name":"y","isDirectory":false,"isSymlink":true}]`},
		{`return await ctx.fs.list("a")`, `null`, "", `[]`},
		{`const s = await ctx.fs.stat("a"); return [s, s.mtime instanceof Date]`, `{"size":5,"mtimeMs":1500.5,"isDirectory":false}`, "",
			`[{"size":5,"mtime":"1970-01-01T00:00:01.500Z","isDirectory":false},true]`},
		{`return await ctx.fs.glob("*")`, `{"paths":["a","b/c"]}`, "", `["a","b/c"]`},
		{`return await ctx.fs.glob("*")`, `{"paths":null}`, "", `[]`},
		{`try { await ctx.fs.glob("**") } catch (e) { return [e.name, e.message, e.code, e.hint] }`, `{"paths":["a","b"],"more":true}`, "",
			`["RangeError","ctx.fs.glob: \"**\" matches more than 2 paths","too_many","narrow the pattern, as in src/**/*.ts"]`},
		{`return await ctx.exec("a")`, `{"exitCode":3,"stdout":"o","stderr":"e"}`, "", `{"stdout":"o","stderr":"e","exitCode":3}`},
		{`return await ctx.exec("a")`, `{"exitCode":-1,"signal":"SIGKILL","stdout":"","stderr":"","timedOut":true,"truncated":true}`, "",
			`{"stdout":"","stderr":"","exitCode":-1,"signal":"SIGKILL","timedOut":true,"truncated":true}`},
		{`return await ctx.callTool("a")`, `{"text":"t","isError":true}`, "", `{"text":"t","isError":true}`},
		{`const r = await ctx.callTool("a"); return [r, Object.keys(r.structured)]`, `{"text":"t","isError":false,"structured":{"z":1,"__proto__":[2]}}`, "",
			`[{"text":"t","isError":false,"structured":{"z":1,"__proto__":[2]}},["z","__proto__"]]`},
		{`await ctx.callTool("a")`, `{"text":"t","structured":` + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + `}`, "",
			`TypeError: ctx.callTool: the structured result of a is nested too deeply`},
		{`return rho.runCommand("a")`, `{"exitCode":1,"stdout":"o","stderr":"e","truncated":true}`, "", `{"stdout":"o","stderr":"e","exitCode":1}`},
		{`return rho.fetchUrl({ url: "u" })`, `{"status":404,"headers":[["Content-Type","a"],["Set-Cookie","x=1"],["set-cookie","y=2"],["__proto__","p"]]}`, "\ufeffbé\xff",
			`{"status":404,"headers":{"content-type":"a","set-cookie":"x=1, y=2","__proto__":"p"},"body":"bé` + "\ufffd" + `"}`},
		{`return [rho.writeFile("a", "b"), rho.getModel()].map(String)`, "", "", `["undefined","a-model"]`},
	} {
		t.Run(tt.body, func(t *testing.T) {
			t.Parallel()
			r := newCtx(t)
			r.answer = func(wire.Request) (wire.Response, error) {
				return wire.Response{Data: json.RawMessage(tt.data), Payload: []byte(tt.payload)}, nil
			}
			require.Equal(t, tt.want, r.async(tt.body))
		})
	}
}

func TestMembersRefuseWrongArgumentsWithoutAskingTheHost(t *testing.T) {
	t.Parallel()
	path := func(what, name string) string {
		return "TypeError: " + what + ": the " + name + " must be a string that is not empty"
	}
	for call, want := range map[string]string{
		`ctx.fs.read()`:                                      path("ctx.fs.read", "path"),
		`ctx.fs.read(5)`:                                     path("ctx.fs.read", "path"),
		`ctx.fs.readBytes("")`:                               path("ctx.fs.readBytes", "path"),
		`ctx.fs.write(null, "x")`:                            path("ctx.fs.write", "path"),
		`ctx.fs.append({}, "x")`:                             path("ctx.fs.append", "path"),
		`ctx.fs.list()`:                                      path("ctx.fs.list", "path"),
		`ctx.fs.stat()`:                                      path("ctx.fs.stat", "path"),
		`ctx.fs.remove([])`:                                  path("ctx.fs.remove", "path"),
		`ctx.fs.mkdir()`:                                     path("ctx.fs.mkdir", "path"),
		`ctx.fs.rename()`:                                    path("ctx.fs.rename", "old path"),
		`ctx.fs.rename("a")`:                                 path("ctx.fs.rename", "new path"),
		`ctx.fs.glob()`:                                      path("ctx.fs.glob", "pattern"),
		`ctx.fs.write("a")`:                                  "TypeError: ctx.fs.write: data must be a string, a Uint8Array or an ArrayBuffer",
		`ctx.fs.append("a", [1])`:                            "TypeError: ctx.fs.append: data must be a string, a Uint8Array or an ArrayBuffer",
		`ctx.exec()`:                                         path("ctx.exec", "command"),
		`ctx.exec("a", "b")`:                                 "TypeError: ctx.exec: args must be an array of strings",
		`ctx.exec("a", ["b", 1])`:                            "TypeError: ctx.exec: args must be an array of strings",
		`ctx.exec("a", [,"b"])`:                              "TypeError: ctx.exec: args must be an array of strings",
		`ctx.exec("a", [], "x")`:                             "TypeError: ctx.exec: the options must be an object",
		`ctx.exec("a", [], [])`:                              "TypeError: ctx.exec: the options must be an object",
		`ctx.exec("a", [], { shell: true })`:                 "TypeError: ctx.exec: unknown option shell; known are cwd, input, timeoutMs, signal, onStdout, onStderr",
		`ctx.exec("a", [], { cwd: "" })`:                     "TypeError: ctx.exec: cwd must be a string that is not empty",
		`ctx.exec("a", [], { timeoutMs: 0 })`:                "TypeError: ctx.exec: timeoutMs must be a positive number of milliseconds",
		`ctx.exec("a", [], { timeoutMs: "5" })`:              "TypeError: ctx.exec: timeoutMs must be a positive number of milliseconds",
		`ctx.exec("a", [], { input: 5 })`:                    "TypeError: ctx.exec: input must be a string, a Uint8Array or an ArrayBuffer",
		`ctx.exec("a", [], { signal: {} })`:                  "TypeError: ctx.exec: signal must be an AbortSignal",
		`ctx.exec("a", [], { onStdout: 1 })`:                 "TypeError: ctx.exec: onStdout must be a function",
		`ctx.exec("a", [], { onStderr: "x" })`:               "TypeError: ctx.exec: onStderr must be a function",
		`ctx.callTool()`:                                     path("ctx.callTool", "name"),
		`ctx.callTool("a", [])`:                              "TypeError: ctx.callTool: args must be an object",
		`ctx.callTool("a", null)`:                            "TypeError: ctx.callTool: args must be an object",
		`ctx.callTool("a", new Date(0))`:                     "TypeError: ctx.callTool: args must be an object, also as JSON",
		`ctx.callTool("a", { b: 1n })`:                       "TypeError: ctx.callTool: args cannot be sent: Do not know how to serialize a BigInt",
		`const o = {}; o.o = o; return ctx.callTool("a", o)`: "TypeError: ctx.callTool: args cannot be sent: it is nested more than 200 levels deep, or refers to itself",
	} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			r := newCtx(t)
			if !strings.Contains(call, "return") {
				call = "return " + call
			}
			require.Equal(t, want, r.async(`const p = (() => { `+call+` })(); if (!(p instanceof Promise)) return "no promise"; await p`))
			require.Empty(t, r.requests)
		})
	}
}

func TestRhoRefusesWrongArgumentsWithoutAskingTheHost(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]string{
		`rho.writeFile("", "x")`:                            "rho.writeFile: the path must be a string that is not empty",
		`rho.writeFile("a", 5)`:                             "rho.writeFile: the content must be a string",
		`rho.writeFile("a")`:                                "rho.writeFile: the content must be a string",
		`rho.runCommand()`:                                  "rho.runCommand: the command must be a string that is not empty",
		`rho.runCommand("a", "b")`:                          "rho.runCommand: args must be an array of strings",
		`rho.runCommand("a", [1])`:                          "rho.runCommand: args must be an array of strings",
		`rho.fetchUrl("http://h/")`:                         "rho.fetchUrl: the request must be an object with a url",
		`rho.fetchUrl({})`:                                  "rho.fetchUrl: url must be a string that is not empty",
		`rho.fetchUrl({ url: "u", method: 5 })`:             "rho.fetchUrl: method must be a string that is not empty",
		`rho.fetchUrl({ url: "u", headers: "a" })`:          "rho.fetchUrl: headers must be an object of strings",
		`rho.fetchUrl({ url: "u", headers: { "a b": 1 } })`: `Headers: "a b" is not a valid header name`,
		`rho.fetchUrl({ url: "u", body: {} })`:              "rho.fetchUrl: body must be a string",
		`rho.fetchUrl({ url: "u", max_bytes: 1.5 })`:        "rho.fetchUrl: max_bytes must be a positive integer",
		`rho.fetchUrl({ url: "u", max_bytes: -1 })`:         "rho.fetchUrl: max_bytes must be a positive integer",
	} {
		r := newRealm(t)
		require.Equal(t, "TypeError: "+want, r.async(call), call)
		require.Empty(t, r.requests, call)
	}
}

func TestMembersAreFrozen(t *testing.T) {
	t.Parallel()
	r := newCtx(t)
	require.Equal(t, `[true,true,true,true]`, r.async(`return [ctx.fs, ctx.exec, ctx.callTool, Object.values(ctx.fs)].flat().map(Object.isFrozen).filter((x, i) => !x || i < 4)`))
	require.Equal(t, `["read","exec","callTool"]`, r.async(`return [ctx.fs.read, ctx.exec, ctx.callTool].map(f => f.name)`))
	require.Equal(t, "TypeError: Cannot assign to read only property 'read'", r.async(`"use strict"; ctx.fs.read = 1`))
}

func TestMembersSurviveClobberedPrototypes(t *testing.T) {
	t.Parallel()
	r := newCtx(t)
	r.answer = func(wire.Request) (wire.Response, error) {
		return wire.Response{Data: json.RawMessage(`{"exitCode":0,"stdout":"o","stderr":""}`)}, nil
	}
	require.Equal(t, `"o"`, r.async(`
		const { exec } = ctx;
		Array.prototype.toJSON = Object.prototype.toJSON = () => "no";
		Array.prototype.includes = Array.prototype.join = Array.isArray = Object.keys = null;
		globalThis.TypeError = globalThis.Uint8Array = globalThis.Promise = null;
		const r = await exec("a", ["b"], { cwd: "c" });
		delete Array.prototype.toJSON; delete Object.prototype.toJSON;
		return r.stdout`))
	require.JSONEq(t, `{"command":"a","args":["b"],"cwd":"c"}`, string(r.requests[0].Data))
}

func TestMemberOfAnUnknownName(t *testing.T) {
	t.Parallel()
	r := newRealm(t)
	_, err := r.g.Member("nope", r)
	require.EqualError(t, err, "ctx has no member nope")
}

func BenchmarkMemberFS(b *testing.B) {
	b.ReportAllocs()
	r := newRealm(b)
	for b.Loop() {
		if _, err := r.g.Member("fs", r); err != nil {
			b.Fatal(err)
		}
	}
}
