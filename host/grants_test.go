package host_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/registry"
)

// allow grants things to every extension, as "kind target".
func allow(t *testing.T, root string, texts ...string) []permission.Grant {
	t.Helper()
	out, err := grants(root, texts...)
	require.NoError(t, err)
	return out
}

func grants(root string, texts ...string) (out []permission.Grant, err error) {
	for _, text := range texts {
		kind, target, _ := strings.Cut(text, " ")
		g, err := permission.ParseGrant(permission.Kind(kind), target, root)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// One tool that does what its argument says, with every effect there is.
const doer = `import { defineExtension, defineTool, s } from "rho-ext";
const tool = defineTool({ name: "do", description: "d", risk: "destructive", parameters: { path: s.string(), to: s.string().default("") , op: s.string() },
  async execute({ op, path, to }, ctx) {
    void fetch; 
    switch (op) {
      case "read": return ctx.fs.read(path);
      case "write": await ctx.fs.write(path, "new"); return "done";
      case "append": await ctx.fs.append(path, "more"); return "done";
      case "list": return (await ctx.fs.list(path)).map((e) => e.name).join();
      case "stat": return String((await ctx.fs.stat(path)).size);
      case "remove": await ctx.fs.remove(path); return "done";
      case "rename": await ctx.fs.rename(path, to); return "done";
      case "mkdir": await ctx.fs.mkdir(path); return "done";
      case "glob": return (await ctx.fs.glob(path)).join();
      case "rho.readFile": return rho.readFile(path);
      case "rho.writeFile": rho.writeFile(path, "new"); return "done";
    }
    throw new Error("unknown op");
  } });
`

func doIt(p *project, op, path string, to ...string) *registry.Outcome {
	args, _ := json.Marshal(map[string]string{"op": op, "path": path, "to": strings.Join(to, "")})
	return p.call("do", string(args))
}

func TestFilesAreTouchedOnlyWhereTheManifestAsksAndTheUserGrants(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	outside, err := filepath.EvalSymlinks(outside)
	require.NoError(t, err)
	write(t, outside, "o.txt", "outside")
	for about, c := range map[string]struct {
		permissions string // of the manifest; empty is none
		allow       []string
		op, path    string
		to          string
		want        string // the text, or the code of the failure after a !
		use         registry.Use
	}{
		"the project is readable":               {``, nil, "read", "a.txt", "", "old", registry.Use{Kind: "file", Target: "a.txt", Effect: "read", Grant: "default"}},
		"but not where the manifest reads none": {`read: []`, nil, "read", "a.txt", "", "!read", registry.Use{Kind: "file", Target: "a.txt", Effect: "read", Denied: true}},
		"nor outside what it names":             {`read: ["src"]`, nil, "read", "a.txt", "", "!read", registry.Use{Kind: "file", Target: "a.txt", Effect: "read", Denied: true}},
		"a grant beyond the ceiling is none":    {`read: ["src"]`, []string{"read ."}, "read", "a.txt", "", "!read", registry.Use{Kind: "file", Target: "a.txt", Effect: "read", Denied: true}},
		"nothing is writable":                   {``, nil, "write", "a.txt", "", "!write", registry.Use{Kind: "file", Target: "a.txt", Effect: "write", Denied: true}},
		"until it is granted":                   {``, []string{"write out"}, "write", "out/deep/n.txt", "", "done", registry.Use{Kind: "file", Target: "out/deep/n.txt", Effect: "write", Grant: "--allow-write=out"}},
		"there and not beside":                  {``, []string{"write out"}, "write", "outer/n.txt", "", "!write", registry.Use{Kind: "file", Target: "outer/n.txt", Effect: "write", Denied: true}},
		"nor by way of ..":                      {``, []string{"write out"}, "write", "out/../a.txt", "", "!write", registry.Use{Kind: "file", Target: "a.txt", Effect: "write", Denied: true}},
		"nor through a link":                    {``, []string{"write out"}, "write", "out/link", "", "!write", registry.Use{Kind: "file", Target: "a.txt", Effect: "write", Denied: true}},
		"the seed's function keeps to it":       {``, nil, "rho.writeFile", "a.txt", "", "!write", registry.Use{Kind: "file", Target: "a.txt", Effect: "write", Denied: true}},
		"and works where granted":               {`write: ["out"]`, []string{"write out"}, "rho.writeFile", "out/x", "", "done", registry.Use{Kind: "file", Target: "out/x", Effect: "write", Grant: "--allow-write=out"}},
		"append":                                {``, []string{"write ."}, "append", "a.txt", "", "done", registry.Use{Kind: "file", Target: "a.txt", Effect: "write", Grant: "--allow-write=."}},
		"remove":                                {``, []string{"write ."}, "remove", "a.txt", "", "done", registry.Use{Kind: "file", Target: "a.txt", Effect: "write", Grant: "--allow-write=."}},
		"rename needs both places":              {``, []string{"write out"}, "rename", "out/o.txt", "a2.txt", "!write", registry.Use{Kind: "file", Target: "a2.txt", Effect: "write", Denied: true}},
		"rename":                                {``, []string{"write out"}, "rename", "out/o.txt", "out/p.txt", "done", registry.Use{Kind: "file", Target: "out/p.txt", Effect: "write", Grant: "--allow-write=out"}},
		"mkdir":                                 {``, []string{"write out"}, "mkdir", "out/x/y", "", "done", registry.Use{Kind: "file", Target: "out/x/y", Effect: "write", Grant: "--allow-write=out"}},
		"list hides what is protected":          {``, nil, "list", ".", "", "a.txt,out,src", registry.Use{Kind: "file", Target: ".", Effect: "read", Grant: "default"}},
		"glob":                                  {``, nil, "glob", "**/*.ts", "", "src/m.ts", registry.Use{Kind: "file", Target: "**/*.ts", Effect: "read", Grant: "default"}},
		"stat":                                  {``, nil, "stat", "a.txt", "", "3", registry.Use{Kind: "file", Target: "a.txt", Effect: "read", Grant: "default"}},
		"a secret is not read":                  {``, []string{"read .", "write ."}, "read", ".env", "", "!read", registry.Use{Kind: "file", Target: ".env", Effect: "read", Denied: true}},
		"unless it was granted by name":         {``, []string{"read .env"}, "read", ".env", "", "KEY=1", registry.Use{Kind: "file", Target: ".env", Effect: "read", Grant: "--allow-read=.env"}},
		"which lets nothing be written":         {``, []string{"read .env", "write ."}, "write", ".env", "", "!write", registry.Use{Kind: "file", Target: ".env", Effect: "write", Denied: true}},
		"outside is refused":                    {``, nil, "read", outside + "/o.txt", "", "!read", registry.Use{Kind: "file", Target: filepath.ToSlash(outside) + "/o.txt", Effect: "read", Denied: true}},
		"unless granted":                        {``, []string{"read " + outside}, "read", outside + "/o.txt", "", "outside", registry.Use{Kind: "file", Target: filepath.ToSlash(outside) + "/o.txt", Effect: "read", Grant: "--allow-read=" + filepath.ToSlash(outside)}},
		"for reading alone":                     {``, []string{"read " + outside}, "write", outside + "/o.txt", "", "!write", registry.Use{Kind: "file", Target: filepath.ToSlash(outside) + "/o.txt", Effect: "write", Denied: true}},
		"what is missing is told so":            {``, nil, "read", "nope.txt", "", "!ENOENT", registry.Use{}},
		"a directory is no file":                {``, nil, "read", "src", "", "!EISDIR", registry.Use{}},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			permissions := "permissions: {" + c.permissions + "}, "
			if c.permissions == "" {
				permissions = "" // everything the code uses
			}
			p := newProject(t, map[string]string{"x.ts": doer + `export default defineExtension({ name: "x", ` + permissions + `tools: [tool] });`},
				func(o *host.Options) {
					for name, text := range map[string]string{"a.txt": "old", "out/o.txt": "out", "src/m.ts": "", ".env": "KEY=1"} {
						write(t, o.Root, name, text)
					}
					if err := os.Symlink("../a.txt", filepath.Join(o.Root, "out", "link")); err != nil {
						t.Skip("no symbolic links here: ", err)
					}
					o.Allow = allow(t, o.Root, c.allow...)
				})
			require.Empty(t, p.host.Failures())
			out := doIt(p, c.op, c.path, c.to)
			if code, bad := strings.CutPrefix(c.want, "!"); bad {
				require.NotNil(t, out.Failure, out.Text)
				assert.Equal(t, code, out.Failure.Code, out.Text)
				data, err := os.ReadFile(filepath.Join(p.root, "a.txt"))
				require.NoError(t, err)
				assert.Equal(t, "old", string(data))
			} else {
				assert.Equal(t, c.want, out.Text)
			}
			if c.use != (registry.Use{}) {
				assert.Contains(t, out.Uses, c.use)
			}
		})
	}
}

func TestAnExtensionNeverTouchesWhatDecidesAboutIt(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write(t, home, "grants.jsonl", "")
	more := t.TempDir()
	write(t, more, "other.ts", "export default {}")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(home, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	p := newProject(t, map[string]string{"x.ts": doer + `export default tool;`}, func(o *host.Options) {
		o.Home = link
		o.Dirs = []string{more}
		o.Allow = allow(t, o.Root, "read "+home, "write "+home, "write "+filepath.Dir(more), "write .")
	})
	for op, path := range map[string]string{
		"read": home + "/grants.jsonl", "append": home + "/grants.jsonl", "write": more + "/other.ts",
		"rho.writeFile": ".rho/extensions/x.ts", "mkdir": ".rho/extensions/y",
	} {
		out := doIt(p, op, path)
		require.Equal(t, registry.StatusDenied, out.Status, "%s %s: %s", op, path, out.Text)
	}
	require.Equal(t, "export default {}", doIt(p, "read", more+"/other.ts").Text, "reading is another matter")
}

func TestProgramsRunOnlyWhereGranted(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a Unix shell")
	}
	files := map[string]string{"x.ts": `import { defineTool, s } from "rho-ext";
export default { name: "x", tools: [
  defineTool({ name: "exec", description: "d", risk: "destructive", parameters: { cmd: s.array(s.string()), cwd: s.string().default(""), input: s.string().default("") },
    async execute({ cmd, cwd, input }, ctx) {
      const r = await ctx.exec(cmd[0], cmd.slice(1), { cwd: cwd || undefined, input: input || undefined });
      return JSON.stringify(r);
    } }),
  defineTool({ name: "stream", description: "d", risk: "destructive", parameters: {},
    async execute(_, ctx) {
      const seen: string[] = [];
      const r = await ctx.exec("sh", ["-c", "echo one; echo two >&2; exit 3"], { onStdout: (t) => { seen.push("out " + t.trim()) }, onStderr: (t) => { seen.push("err " + t.trim()) } });
      return seen.sort().join() + " " + r.exitCode;
    } }),
  defineTool({ name: "leave", description: "d", risk: "destructive", parameters: {},
    async execute(_, ctx) { void ctx.exec("sh", ["-c", "sleep 60"], { onStdout() {} }); await ctx.exec("true"); return "left" } }),
  defineTool({ name: "old", description: "d", risk: "destructive", parameters: {}, execute: () => JSON.stringify(rho.runCommand("sh", ["-c", "cat; pwd"])) }),
] }`}
	p := newProject(t, files, func(o *host.Options) {
		write(t, o.Root, "sub/x.sh", "#!/bin/sh\necho script in $(pwd)\n")
		require.NoError(t, os.Chmod(filepath.Join(o.Root, "sub/x.sh"), 0o755))
		o.Allow = allow(t, o.Root, "run sh -c", "run true", "run ./sub/x.sh")
	})
	run := func(args string) *registry.Outcome { return p.call("exec", args) }
	require.JSONEq(t, `{"stdout":"in","stderr":"","exitCode":0}`, run(`{"cmd":["sh","-c","cat"],"input":"in"}`).Text)
	require.JSONEq(t, `{"stdout":"`+p.root+`/sub\n","stderr":"","exitCode":0}`, run(`{"cmd":["sh","-c","pwd"],"cwd":"sub"}`).Text)
	require.JSONEq(t, `{"stdout":"script in `+p.root+`/sub\n","stderr":"","exitCode":0}`, run(`{"cmd":["./sub/x.sh"],"cwd":"sub"}`).Text,
		"a relative program is the project's, whatever directory it runs in")
	for about, args := range map[string]string{
		"another program":          `{"cmd":["ls"]}`,
		"the same by another path": `{"cmd":["/bin/sh","-c","true"]}`,
		"other arguments":          `{"cmd":["sh","-x"]}`,
		"a program with a space":   `{"cmd":["sh -c"]}`,
		"none":                     `{"cmd":[""]}`,
	} {
		out := run(args)
		require.NotEqual(t, registry.StatusSuccess, out.Status, about)
		require.Contains(t, []string{"run", ""}, out.Failure.Code, about)
	}
	out := run(`{"cmd":["sh","-c","true"],"cwd":"/"}`)
	require.Equal(t, registry.StatusDenied, out.Status, out.Text)
	require.Equal(t, "err two,out one 3", p.call("stream", "{}").Text)
	require.Equal(t, "left", p.call("leave", "{}").Text, "a program that runs on holds nobody up")
	require.JSONEq(t, `{"stdout":"`+p.root+`\n","stderr":"","exitCode":0}`, p.call("old", "{}").Text)
	require.Contains(t, out.Uses, registry.Use{Kind: "file", Target: "/", Effect: "read", Denied: true})
	require.Contains(t, run(`{"cmd":["true"]}`).Uses, registry.Use{Kind: "run", Target: "true", Effect: "run", Grant: "--allow-run=true"})
}

func TestVariablesAreSeenOnlyWhereGranted(t *testing.T) {
	t.Setenv("RHO_TEST_TOKEN", "s3cret-value")
	t.Setenv("RHO_TEST_OTHER", "other")
	files := map[string]string{"x.ts": `
const early = process.env.RHO_TEST_TOKEN;
export default { name: "x", permissions: { env: ["RHO_TEST_TOKEN", "RHO_TEST_LATER"], run: ["sh"] }, tools: [
  { name: "env", description: "d", risk: "destructive", async execute(_: any, ctx: any) {
    const seen = [early, process.env.RHO_TEST_TOKEN, process.env.RHO_TEST_OTHER, process.env.RHO_TEST_LATER].map((v) => v ?? "-").join();
    try { return seen + " " + (await ctx.exec("sh", ["-c", "echo $RHO_TEST_TOKEN$RHO_TEST_OTHER"])).stdout.trim(); } catch { return seen }
  } }] }`}
	for about, c := range map[string]struct {
		allow []string
		want  string
	}{
		"nothing granted":    {nil, "-,-,-,-"},
		"one":                {[]string{"env RHO_TEST_TOKEN", "run sh"}, "s3cret-value,s3cret-value,-,- s3cret-value"},
		"beyond the ceiling": {[]string{"env RHO_TEST_OTHER", "run sh"}, "-,-,-,-"},
	} {
		t.Run(about, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("needs a Unix shell")
			}
			p := newProject(t, files, func(o *host.Options) { o.Allow = allow(t, o.Root, c.allow...) })
			out := p.call("env", "{}")
			require.Equal(t, c.want, strings.TrimSpace(out.Text))
			for _, u := range out.Uses {
				require.NotEqual(t, "RHO_TEST_OTHER", u.Target, "what the manifest does not name is no use of anything")
			}
		})
	}
}

func TestToolsCallOtherToolsWithinTheirOwnEffects(t *testing.T) {
	t.Parallel()
	files := map[string]string{"x.ts": `
const call = (name: string, tool: string) => ({ name, description: "d", risk: "read", execute: async (_: any, ctx: any) => (await ctx.callTool(tool, { path: "a.txt" })) });
export default { name: "x", permissions: { tools: ["read_file", "writer"] }, tools: [
  { name: "reads", description: "d", risk: "read", execute: async (_: any, ctx: any) => (await ctx.callTool("read_file", { path: "a.txt" })).text },
  { name: "writes", description: "d", risk: "read", execute: async (_: any, ctx: any) => (await ctx.callTool("writer", {})).text },
  { name: "other", description: "d", risk: "read", execute: async (_: any, ctx: any) => (await ctx.callTool("think", { thought: "x" })).text },
  { name: "again", description: "d", risk: "read", execute: async (_: any, ctx: any) => (await ctx.callTool("again", {})).text },
] }`, "w.ts": `export default { name: "w", permissions: { write: ["."] }, tools: [{ name: "writer", description: "d", risk: "write", async execute(_: any, ctx: any) { await ctx.fs.write("w.txt", "w"); return "wrote" } }] }`}
	p := newProject(t, files, func(o *host.Options) {
		write(t, o.Root, "a.txt", "text")
		o.Allow = allow(t, o.Root, "tool read_file", "tool writer", "write .")
	})
	require.Empty(t, p.host.Failures())
	out := p.call("reads", "{}")
	require.Contains(t, out.Text, "text")
	require.Contains(t, out.Uses, registry.Use{Kind: "tool", Target: "read_file", Effect: "read", Grant: "--allow-tool=read_file"})
	require.Equal(t, "wrote", p.call("writes", "{}").Text)
	out = p.call("other", "{}")
	require.Equal(t, registry.StatusDenied, out.Status, out.Text)
	require.Contains(t, out.Failure.Hint, `add "think" to tools`)
	require.Equal(t, registry.StatusDenied, p.call("again", "{}").Status, "nor itself")

	e, _ := p.reg.Snapshot().Lookup("writes")
	require.True(t, e.Info.Effects.Has(registry.EffectWrite), "it has the effects of what it may call")
}

func TestATakenBackGrantIsGoneAtOnce(t *testing.T) {
	t.Parallel()
	store := permission.NewFileStore(t.TempDir())
	p := newProject(t, map[string]string{"x.ts": doer + `export default tool;`}, func(o *host.Options) { o.Grants = store })
	key := p.host.Access("x").Key()
	g := allow(t, p.root, "write out")[0]
	require.Equal(t, registry.StatusDenied, doIt(p, "write", "out/a").Status)
	other := permission.NewFileStore(filepath.Dir(filepath.Join(t.TempDir(), "x"))) // another file is another matter
	require.NoError(t, other.Add(key, g))
	require.Equal(t, registry.StatusDenied, doIt(p, "write", "out/a").Status)
	require.NoError(t, store.Add(key, g))
	out := doIt(p, "write", "out/a")
	require.Equal(t, "done", out.Text)
	require.Contains(t, out.Uses, registry.Use{Kind: "file", Target: "out/a", Effect: "write", Grant: "granted"})
	require.NoError(t, store.Remove(key, g))
	require.Equal(t, registry.StatusDenied, doIt(p, "write", "out/a").Status)
}

func TestAProjectsOwnExtensionsWaitForTrust(t *testing.T) {
	t.Parallel()
	user := t.TempDir()
	write(t, user, "x.ts", `export default { name: "mine", tools: [{ name: "mine", description: "d", risk: "read", execute: () => "mine" }] }`)
	files := map[string]string{"x.ts": `throw new Error("evaluated")`, "y.ts": `syntax error here (`}
	p := newProject(t, files, func(o *host.Options) { o.Trusted, o.UserDir = false, user })
	require.Empty(t, p.host.Failures(), "not even bundled")
	states := map[string]host.State{}
	for _, e := range p.host.Extensions() {
		states[string(e.Scope)+" "+e.ID] = e.State
	}
	require.Equal(t, map[string]host.State{"user x": host.StateLoaded, "project x": host.StateUntrusted, "project y": host.StateUntrusted}, states)
	require.Equal(t, "mine", p.call("mine", "{}").Text)
	_, err := p.host.Reload(context.Background())
	require.NoError(t, err)
	require.Equal(t, "mine", p.call("mine", "{}").Text)
}

func TestSettingsReachTheExtensionAndSecretsNobodyElse(t *testing.T) {
	t.Setenv("RHO_TEST_KEY", "from-the-environment")
	var hidden []string
	files := map[string]string{"x.ts": `export default { name: "x",
  permissions: { env: ["RHO_TEST_KEY"] },
  settings: { days: { type: "number", default: 3 }, key: { type: "string", secret: true }, other: { type: "string", env: "RHO_TEST_KEY" }, unset: { type: "string" } },
  tools: [{ name: "config", description: "d", risk: "read", execute: (_: any, ctx: any) => JSON.stringify(ctx.config) }] }`}
	p := newProject(t, files, func(o *host.Options) {
		o.Allow = allow(t, o.Root, "env RHO_TEST_KEY")
		o.Secrets = func(_ context.Context, k host.SettingsKey, name string) (string, bool, error) {
			return "s3cret of " + k.Extension, name == "key", nil
		}
		o.OnSecret = func(values ...string) { hidden = append(hidden, values...) }
	})
	out := p.call("config", "{}")
	require.JSONEq(t, `{"days":3,"key":"s3cret of x","other":"from-the-environment"}`, out.Text)
	require.Contains(t, hidden, "s3cret of x")
	require.Contains(t, hidden, "from-the-environment", "a variable of this name usually holds a secret")
	require.Contains(t, out.Uses, registry.Use{Kind: "secret", Target: "x.key", Grant: "rho-ext secret set"})
	require.Contains(t, out.Uses, registry.Use{Kind: "env", Target: "RHO_TEST_KEY", Grant: "--allow-env=RHO_TEST_KEY"})
}
