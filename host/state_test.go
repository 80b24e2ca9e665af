package host_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

// keeper is an extension whose tool runs code that uses ctx.state.
func keeper(tool, code string) string {
	return `import { defineTool } from "rho-ext";
export default defineTool({ name: "` + tool + `", description: "d", risk: "read", parameters: {}, execute: async (_, ctx) => { ` + code + ` } });`
}

func TestWhatStateHolds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, code, want string }{
		{"nothing", `return JSON.stringify([await ctx.state.get("x") === undefined, await ctx.state.keys(), await ctx.state.delete("x")]);`, `[true,[],false]`},
		{"values", `await ctx.state.set("b", { n: 1, list: [null, true, "\u2028"] }); await ctx.state.set("a", null); return JSON.stringify([await ctx.state.get("b"), await ctx.state.get("a"), await ctx.state.keys()]);`,
			"[{\"n\":1,\"list\":[null,true,\"\u2028\"]},null,[\"a\",\"b\"]]"},
		{"deleted", `await ctx.state.set("a", 1); return JSON.stringify([await ctx.state.delete("a"), await ctx.state.keys()]);`, `[true,[]]`},
		{"odd keys", `const ks = ["__proto__", "constructor", "toString", " ", "é", "\u{1f600}"]; for (const k of ks) await ctx.state.set(k, k); const out = []; for (const k of ks) out.push(await ctx.state.get(k) === k); return out.join() + " " + ({} as any).polluted;`,
			`true,true,true,true,true,true undefined`},
		{"odd members", `await ctx.state.set("x", JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')); const v: any = await ctx.state.get("x");
			return Object.keys(v).join() + " " + Object.hasOwn(v, "__proto__") + " " + ({} as any).polluted + " " + v.polluted;`, `__proto__,constructor true undefined undefined`},
		{"no aliases", `const o = { a: 1 }; await ctx.state.set("x", o); o.a = 2; const v: any = await ctx.state.get("x"); v.a = 3; return JSON.stringify(await ctx.state.get("x"));`, `{"a":1}`},
		{"undefined", `try { await ctx.state.set("x", undefined); return "set"; } catch (e: any) { return e.message; }`, `ctx.state.set: the value is undefined, which JSON cannot hold; use delete`},
		{"a function", `try { await ctx.state.set("x", () => 1); return "set"; } catch (e: any) { return e.name; }`, `TypeError`},
		{"a circle", `const o: any = {}; o.o = o; try { await ctx.state.set("x", o); return "set"; } catch (e: any) { return e.name; }`, `TypeError`},
		{"too deep", `let o: any = 1; for (let i = 0; i < 1000; i++) o = [o]; try { await ctx.state.set("x", o); return "set"; } catch (e: any) { return e.name; }`, `TypeError`},
		{"no key", `try { await ctx.state.set("", 1); return "set"; } catch (e: any) { return e.name; }`, `TypeError`},
		{"half a character", `try { await ctx.state.set("\ud800", 1); return "set"; } catch (e: any) { return e.name; }`, `TypeError`},
		{"a key that is an object", `try { await ctx.state.get({ toString: () => "x" } as any); return "got"; } catch (e: any) { return e.name; }`, `TypeError`},
		{"too large", `await ctx.state.set("kept", 1); try { await ctx.state.set("x", "y".repeat(1 << 20)); return "set"; } catch (e: any) { return e.name + " " + e.code + " " + await ctx.state.get("kept") + " " + await ctx.state.keys(); }`, `RangeError too_large 1 kept`},
		{"too large bit by bit", `let n = 0; try { for (;; n++) await ctx.state.set("k" + n, "y".repeat(200_000)); } catch (e: any) { return e.code + " " + n + " " + (await ctx.state.keys()).length; }`, `too_large 5 5`},
		{"many at once", `await Promise.all(Array.from({ length: 50 }, (_, i) => ctx.state.set("k" + i, i))); let sum = 0; for (const k of await ctx.state.keys()) sum += await ctx.state.get(k) as number; return sum + "";`, `1225`},
		{"frozen", `try { (ctx.state as any).get = () => 1; return "changed"; } catch (e: any) { return e.name; }`, `TypeError`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, map[string]string{"keep.ts": keeper("keep", tc.code)}, ownHome(t))
			require.Empty(t, p.host.Failures())
			require.Equal(t, tc.want, p.call("keep", "").Text)
		})
	}
}

func TestStateSurvivesReloadAndRestartAndIsTheExtensionsOwn(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	atHome := func(o *host.Options) { o.Home = home }
	count := func(tool string) string {
		return keeper(tool, `const n = ((await ctx.state.get<number>("n")) ?? 0) + 1; await ctx.state.set("n", n); return n + "";`)
	}
	p := newProject(t, map[string]string{"count.ts": count("count"), "other.ts": count("other")}, atHome)
	o := p.call("count", "")
	require.Equal(t, "1", o.Text)
	require.Equal(t, []registry.Use{{Kind: "state", Target: "n", Effect: "read", Grant: "default"}, {Kind: "state", Target: "n", Effect: "write", Grant: "default"}}, o.Uses)
	require.Equal(t, "2", p.call("count", "").Text)
	require.Equal(t, "1", p.call("other", "").Text, "another extension has its own")
	write(t, p.root, ".rho/extensions/count.ts", "// changed\n"+count("count"))
	r, err := p.host.Reload(context.Background())
	require.NoError(t, err)
	require.Equal(t, []string{"count"}, r.Reloaded)
	require.Equal(t, "3", p.call("count", "").Text)
	again := openProject(t, p.root, atHome)
	require.Equal(t, "4", again.call("count", "").Text)
	require.Equal(t, "5", p.call("count", "").Text, "two hosts at once")

	// One of the same name in another place is another extension.
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"count.ts": count("count")})
	elsewhere := openProject(t, p.root, atHome, func(o *host.Options) { o.Dirs = []string{dir} })
	require.Equal(t, "1", elsewhere.call("count", "").Text)
	// And the same one in another project keeps other things.
	require.Equal(t, "1", newProject(t, map[string]string{"count.ts": count("count")}, atHome).call("count", "").Text)

	files, err := filepath.Glob(filepath.Join(home, "projects", "*", "state", "count-*.json"))
	require.NoError(t, err)
	require.Len(t, files, 3)
	entries, err := os.ReadDir(p.root)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is written into the project")
}

func TestStateEndsWithItsCall(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"keep.ts": `let old: any;
export default { name: "K", tools: [
	{ name: "leave", description: "d", risk: "read", execute: (_: any, ctx: any) => { old = ctx.state; return "left"; } },
	{ name: "use", description: "d", risk: "read", execute: async () => { try { await old.set("x", 1); return "set"; } catch (e) { return e.name + " " + e.code; } } },
] };`}, ownHome(t))
	require.Equal(t, "left", p.call("leave", "").Text)
	require.Equal(t, "PermissionDenied no_call", p.call("use", "").Text)
}

func TestACallThatKeptSomethingIsNotRunAgain(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"keep.ts": `export default { name: "K", tools: [
	{ name: "count", description: "d", risk: "read", execute: async (_: any, ctx: any) => { await ctx.state.set("n", ((await ctx.state.get("n")) ?? 0) + 1); ctx.progress("kept"); await new Promise((r) => setTimeout(r, 10_000)); return "done"; } },
	{ name: "n", description: "d", risk: "read", execute: async (_: any, ctx: any) => String(await ctx.state.get("n")) },
	{ name: "hang", description: "d", risk: "read", timeoutMs: 50, execute: () => { for (;;); } },
] };`}, ownHome(t))
	kept := make(chan struct{})
	outcome := make(chan *registry.Outcome)
	go func() {
		outcome <- p.door.Call(context.Background(), registry.Request{Tool: "count", Progress: func(registry.Progress) { close(kept) }})
	}()
	<-kept
	require.Equal(t, registry.KindTimeout, p.door.Call(context.Background(), registry.Request{Tool: "hang"}).Failure.Kind)
	require.Equal(t, "runtime_lost", (<-outcome).Failure.Code)
	require.Equal(t, "1", p.call("n", "").Text)
}

func TestWithoutAPlaceStateSaysSo(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	p := newProject(t, map[string]string{"keep.ts": keeper("keep", `try { await ctx.state.set("x", 1); return "set"; } catch (e: any) { return e.message; }`)},
		func(o *host.Options) { o.Home = file })
	require.Contains(t, p.call("keep", "").Text, "ctx.state.set:")
}

func TestExtensionsCannotReachTheStateOfOthersThroughFiles(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := newProject(t, map[string]string{
		"keep.ts": keeper("keep", `await ctx.state.set("token", "s3cret"); return "kept";`),
		"thief.ts": `export default { name: "T", permissions: { read: ["` + filepath.ToSlash(home) + `"], write: ["` + filepath.ToSlash(home) + `"] }, tools: [{ name: "steal", description: "d", risk: "write",
			parameters: { path: { type: "string" } }, execute: async (args: any, ctx: any) => { try { return await ctx.fs.read(args.path); } catch (e) { return e.name; } } }] };`,
	}, func(o *host.Options) {
		o.Home = home
		o.Allow = append(o.Allow, allow(t, o.Root, "read "+home, "write "+home)...)
	})
	require.Equal(t, "kept", p.call("keep", "").Text)
	files, err := filepath.Glob(filepath.Join(home, "projects", "*", "state", "keep-*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.False(t, strings.Contains(p.call("steal", `{"path":"`+filepath.ToSlash(files[0])+`"}`).Text, "s3cret"))
}

func TestAVersionKeepsWhatItHasWhenItEnds(t *testing.T) {
	t.Parallel()
	source := func(version string) string {
		return `let n = 0; export default { name: "K", hooks: { async onLoad(ctx: any) { n = (await ctx.state.get("n")) ?? 0; } },
	async dispose(ctx: any) { await ctx.state.set("n", n); try { rho.writeFile("x", "y"); await ctx.state.set("wrote", 1); } catch {} await ctx.state.set("done", "` + version + `"); },
	tools: [{ name: "next", description: "d", risk: "read", execute: () => String(++n) },
		{ name: "done", description: "d", risk: "read", execute: async (_: any, ctx: any) => JSON.stringify([await ctx.state.get("done"), await ctx.state.keys()]) }] };`
	}
	p := newProject(t, map[string]string{"keep.ts": source("1")}, ownHome(t))
	require.Empty(t, p.host.Failures())
	require.Equal(t, "1", p.call("next", "").Text)
	require.Equal(t, "2", p.call("next", "").Text)
	write(t, p.root, ".rho/extensions/keep.ts", source("2"))
	_, err := p.host.Reload(context.Background())
	require.NoError(t, err)
	require.Eventually(t, func() bool { return p.call("done", "").Text == `["1",["done","n"]]` }, 10*time.Second, time.Millisecond)
	write(t, p.root, ".rho/extensions/keep.ts", source("3"))
	_, err = p.host.Reload(context.Background())
	require.NoError(t, err)
	require.Equal(t, "3", p.call("next", "").Text, "what the first version had counted")
}
