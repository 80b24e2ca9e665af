package exttest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
)

// worldly is an extension that uses everything that tests can stand in for.
const worldly = `import { defineExtension, defineTool, s } from "rho-ext";
const tool = (name: string, risk: any, execute: any, parameters: any = {}) => defineTool({ name, description: "d", risk, parameters, execute });
export default defineExtension({
  name: "x",
  permissions: { net: ["api.example.org"], write: ["out"], env: ["X_TOKEN"], hooks: ["tool_call"], tools: ["read_file", "run_command"], run: ["sh"] },
  settings: { unit: { type: "string", default: "C" }, apiKey: { type: "string", secret: true } },
  tools: [
    tool("load", "network", async ({ path }: any) => { const r = await fetch("https://api.example.org" + path); return r.status + " " + (await r.text()); }, { path: s.string() }),
    tool("post", "network", async () => (await fetch("https://api.example.org/items", { method: "POST", body: JSON.stringify({ a: 1 }), headers: { "x-kind": "new" } })).json()),
    tool("settings", "read", (_: any, ctx: any) => ctx.config.unit + " " + ctx.config.apiKey),
    tool("env", "read", () => process.env.X_TOKEN ?? "unset"),
    tool("wait", "read", async () => { await new Promise((r) => setTimeout(r, 3_600_000)); return "waited until " + new Date().toISOString(); }),
    tool("outside", "network", async () => { try { await fetch("https://evil.example/"); return "left"; } catch (e: any) { return e.name; } }),
    tool("shell", "destructive", async (_: any, ctx: any) => { try { return (await ctx.exec("sh", ["-c", "echo ran"])).stdout; } catch (e: any) { return e.name; } }),
    tool("nested", "destructive", async (_: any, ctx: any) => (await ctx.callTool("run_command", { command: "echo ran" })).text),
  ],
  hooks: { onToolCall: ({ toolName }) => (toolName === "forbidden" ? { block: "no" } : undefined) },
  commands: [{ name: "greet", complete: (p) => ["ada", "bob"].filter((n) => n.startsWith(p)), run: (text) => { if (text === "") throw new Error("whom?"); return "hello " + text; } }],
});
`

func TestWhatATestCanStandInFor(t *testing.T) {
	t.Parallel()
	for _, mode := range []host.Isolation{host.InProcess, host.Process} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			p := newProject(t, map[string]string{"x.ts": worldly, "x.test.ts": `
import { callCommand, callHook, callTool, completeCommand, expect, mockFetch, project, settings, test, vi } from "rho-ext/test";

test("requests", async () => {
  const net = mockFetch();
  net.get("https://api.example.org/a").reply(200, "one").get(/\/b$/).reply(404, { error: "none" });
  expect((await callTool("load", { path: "/a" })).text).toBe("200 one");
  expect((await callTool("load", { path: "/b" })).text).toBe('404 {"error":"none"}');
  expect(net.calls).toHaveLength(2);
});
test("requests with a body, answered by a function", async () => {
  mockFetch().post("https://api.example.org/items", { body: { a: 1 }, headers: { "x-kind": "new" } }).reply(201, (r) => ({ got: r.json().a }));
  expect((await callTool("post")).structured).toEqual({ got: 1 });
});
test("a network that fails", async () => {
  mockFetch().any(/./).replyError("down");
  const r = await callTool("load", { path: "/a" });
  expect(r.failure?.kind).toBe("network");
  expect(r.text).toContain("down");
});
test("settings", async () => {
  settings({ unit: "F", apiKey: "s3cret-value" });
  expect((await callTool("settings")).text).toMatch(/^F /);
});
test("settings are back", async () => { expect((await callTool("settings")).text).toBe("C undefined"); });
test("variables", async () => {
  vi.stubEnv("X_TOKEN", "t");
  expect((await callTool("env")).text).toBe("t");
  vi.unstubAllEnvs();
});
test("variables are back", async () => { expect((await callTool("env")).text).toBe("unset"); });
test("hooks", async () => {
  expect(await callHook("onToolCall", { toolName: "forbidden" })).toEqual({ block: "no" });
  expect(await callHook("onToolCall", { toolName: "other" })).toBeUndefined();
});
test("commands", async () => {
  expect(await callCommand("greet", "ada")).toMatchObject({ text: "hello ada", isError: false });
  expect((await callCommand("greet", "")).isError).toBe(true);
  expect(await completeCommand("greet", "b")).toEqual(["bob"]);
});
test("the project", async () => {
  await project.write("a/b.txt", "text");
  expect((await callTool("read_file", { path: "a/b.txt" })).text).toContain("text");
  expect(await project.list()).toEqual(["a/b.txt"]);
  await project.remove("a");
  expect(await project.list()).toEqual([]);
});
test("the project ends at its root", async () => {
  await expect(project.write("../out.txt", "x")).rejects.toThrow();
  await expect(project.read("/etc/hostname")).rejects.toThrow();
});
test("time", async () => {
  vi.useFakeTimers({ now: new Date("2020-01-01T00:00:00Z") });
  const waiting = callTool("wait", {}, { timeoutMs: 60_000 });
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect((await waiting).text).toBe("waited until 2020-01-01T01:00:00.000Z");
});
test("what it was not given", async () => {
  expect((await callTool("outside")).text).toBe("PermissionDenied");
  expect((await callTool("shell")).text).toBe("PermissionDenied");
  expect((await callTool("nested")).text).not.toContain("ran\n");
  expect((await callTool("run_command", { command: "echo ran" })).failure?.kind).toBe("permission_denied");
});
`})
			p.opts.Isolation = mode
			p.passes(13)
			require.NoFileExists(t, p.path("../../../out.txt"))
		})
	}
}

func TestARequestThatNobodyAnswersFailsTheTest(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": worldly, "x.test.ts": `
import { callTool, mockFetch, test } from "rho-ext/test";
test("swallowed", async () => {
  mockFetch().get("https://api.example.org/other").reply(200, "");
  await callTool("load", { path: "/a" });
});`})
	got := outcome(p.run())
	require.Contains(t, got, "fail swallowed | nothing answers GET https://api.example.org/a")
	require.Contains(t, got, "closest is GET https://api.example.org/other")
}

func TestRecordingsAreMadeOnceWithoutSecretsAndPlayedAgain(t *testing.T) {
	t.Parallel()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Set-Cookie", "session=s3cret-cookie")
		w.Header().Set("Location", "/next?access_token=s3cret-in-header&page=2")
		_, _ = w.Write([]byte(`{"you":"` + r.Header.Get("Authorization") + `","refresh_token":"s3cret-in-\"body","n":` + r.URL.Query().Get("n") + `}`))
	}))
	t.Cleanup(server.Close)
	hostPort := strings.TrimPrefix(server.URL, "http://")
	ext := strings.NewReplacer("HOST", hostPort).Replace(`import { defineTool } from "rho-ext";
export default { name: "x", permissions: { net: ["HOST"], env: ["X_TOKEN"] }, tools: [
  defineTool({ name: "ask", description: "d", risk: "network", parameters: {}, execute: async () => {
    const out = [];
    for (const n of [1, 2]) out.push((await (await fetch("http://HOST/v?n=" + n + "&api_key=k3y-in-url", { headers: { authorization: process.env.X_TOKEN! } })).json()).n);
    return out;
  } }),
] };`)
	p := newProject(t, map[string]string{"x.ts": ext, "x.test.ts": `
import { callTool, expect, mockFetch, test, vi } from "rho-ext/test";
test("plays", async () => {
  vi.stubEnv("X_TOKEN", "t0ken-of-mine");
  mockFetch({ cassette: "numbers" });
  expect((await callTool("ask")).structured).toEqual([1, 2]);
});`})
	require.Contains(t, outcome(p.run()), "__fixtures__/numbers.http.json", "it says which file is missing")
	require.Zero(t, asked)

	p.opts.Record = true
	require.Contains(t, outcome(p.run()), "--allow-net", "nothing is asked without a grant")
	require.Zero(t, asked)

	g, err := permission.ParseGrant(permission.KindNet, hostPort, p.root)
	require.NoError(t, err)
	p.opts.Allow = []permission.Grant{g}
	p.passes(1)
	require.Equal(t, 2, asked)
	tape := p.read("__fixtures__/numbers.http.json")
	for _, secret := range []string{"t0ken-of-mine", "k3y-in-url", "s3cret-cookie", "s3cret-in-header", "s3cret-in-"} {
		require.NotContains(t, tape, secret)
	}
	require.Contains(t, tape, "[redacted]")
	require.Contains(t, tape, "page=2")

	p.opts.Record, p.opts.Allow = false, nil
	server.Close()
	p.passes(1)

	// What is left over, or asked beyond it, fails.
	p.write("x.ts", strings.Replace(ext, "[1, 2]) out", "[1]) out", 1))
	require.Contains(t, outcome(p.run()), "these were expected but did not come: GET http://")
	p.write("x.ts", strings.Replace(ext, "[1, 2]) out", "[1, 2, 3]) out", 1))
	require.Contains(t, outcome(p.run()), "nothing answers GET")
}

func TestSnapshotsAreWrittenComparedAndUpdated(t *testing.T) {
	t.Parallel()
	file := func(value string) string {
		return `import { expect, test } from "rho-ext/test";
test("shows", () => {
  expect({ value: ` + value + ` }).toMatchSnapshot();
  expect(` + value + `).toMatchSnapshot("named");
});`
	}
	const snap = "__snapshots__/x.test.ts.snap"
	p := newProject(t, map[string]string{"x.ts": counter, "x.test.ts": file(`"a${b}\n` + "`" + `c"`)})
	p.opts.Frozen = true
	require.False(t, p.run().OK(), "nothing is written where it must not be")
	require.NoFileExists(t, p.path(snap))
	p.opts.Frozen = false
	require.Equal(t, 2, p.passes(1).Snapshots.Added)
	first := p.read(snap)
	require.Contains(t, first, "exports[`shows 1`] = `")
	require.Contains(t, first, "exports[`shows > named 1`] = `")
	require.Contains(t, first, "\\${b}")
	require.Equal(t, 2, p.passes(1).Snapshots.Matched)
	require.Equal(t, first, p.read(snap), "what holds is not touched")

	p.write("x.test.ts", file(`"other"`))
	require.False(t, p.run().OK())
	require.Equal(t, first, p.read(snap))
	p.opts.Update = true
	require.Equal(t, 2, p.passes(1).Snapshots.Updated)
	require.Contains(t, p.read(snap), `"other"`)

	p.opts.Update = false
	p.write("x.test.ts", `import { expect, test } from "rho-ext/test";
test("shows", () => { expect(1).toBe(1); });`)
	require.Equal(t, 2, p.passes(1).Snapshots.Obsolete)
	p.opts.Update = true
	require.Equal(t, 2, p.passes(1).Snapshots.Removed)
	require.NoFileExists(t, p.path(snap))
	p.opts.Update = false

	p.write(snap, "exports[`half")
	require.Contains(t, outcome(p.run()), "broken .rho/extensions/x.test.ts: the snapshots cannot be read")
}

func TestInlineSnapshotsAreWrittenIntoTheFile(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": counter, "x.test.ts": `import { expect, test } from "rho-ext/test";
test("a", () => {
  expect("é 😀").toMatchInlineSnapshot(); expect([1]).toMatchInlineSnapshot( );
	expect(() => { throw new Error("no"); })
		.toThrowErrorMatchingInlineSnapshot();
  expect("old").toMatchInlineSnapshot(` + "`\"old\"`" + `);
});
`})
	require.Equal(t, 3, p.passes(1).Snapshots.Added)
	want := `import { expect, test } from "rho-ext/test";
test("a", () => {
  expect("é 😀").toMatchInlineSnapshot(` + "`\"é 😀\"`" + `); expect([1]).toMatchInlineSnapshot(` + "`\n    [\n      1,\n    ]\n  `" + `);
	expect(() => { throw new Error("no"); })
		.toThrowErrorMatchingInlineSnapshot(` + "`[Error: no]`" + `);
  expect("old").toMatchInlineSnapshot(` + "`\"old\"`" + `);
});
`
	require.Equal(t, want, p.read("x.test.ts"))
	require.Equal(t, 4, p.passes(1).Snapshots.Matched)
	require.Equal(t, want, p.read("x.test.ts"))

	p.write("x.test.ts", `import { expect, test } from "rho-ext/test";
for (const n of [1, 2]) test("loop " + n, () => { expect(n).toMatchInlineSnapshot(); });
`)
	require.Contains(t, outcome(p.run()), "an inline snapshot cannot stand in a loop")
}

func TestATestFileCannotHarmTheRunnerOrOthers(t *testing.T) {
	t.Parallel()
	hostile := map[string]string{
		"memory":  `test("x", () => { const a: any[] = []; for (;;) a.push(new Array(1e6).fill(1)); }, 2_000);`,
		"regexp":  `test("x", () => { /(a+)+$/.test("a".repeat(40) + "b"); }, 300);`,
		"log":     `test("x", () => { for (let i = 0; i < 1e5; i++) console.log("x".repeat(1000)); });`,
		"names":   `test("x".repeat(1e6), () => { throw new Error("y".repeat(1e7)); });`,
		"load":    `for (;;) {}`,
		"deep":    `let f = () => {}; for (let i = 0; i < 1e5; i++) { const g = f; f = () => g(); } test("x", f);`,
		"globals": `Object.prototype.toString = () => { throw 1; }; JSON.stringify = () => "{}"; Array.prototype.push = () => 0; Promise.prototype.then = () => 0 as any; test("x", () => {});`,
		"late":    `test("x", () => { setTimeout(() => { callTool("count"); }, 50); });`,
		"forge":   `test("x", async () => { await callTool("count", { toJSON() { return "nonsense"; } } as any); });`,
	}
	files := map[string]string{"counter.ts": counter, "counter.test.ts": `
import { callTool, expect, test } from "rho-ext/test";
for (let i = 0; i < 20; i++) test("calm " + i, async () => { expect((await callTool("count")).text).toBe("1 1 1"); }, 30_000);`}
	for name, body := range hostile {
		files[name+".test.ts"] = "import { callTool, test } from \"rho-ext/test\";\n" + body
	}
	p := newProject(t, files)
	p.opts.Isolation = host.Process
	p.opts.LoadTimeout = 0
	rep := p.run()
	for _, f := range rep.Files {
		if f.Extension != "counter" {
			continue
		}
		for _, test := range f.Tests {
			require.Equal(t, "pass", test.State, "%s: %+v", test.Path, test.Errors)
		}
	}
	require.Len(t, rep.Files, len(files)-1)
}
