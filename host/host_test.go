package host_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/rho-ext/rho-ext/builtin"
	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/registry"
)

func TestMain(m *testing.M) {
	host.WorkerMain()
	if name := os.Getenv(hostileName); name != "" {
		tryAlone(name)
	}
	// The clock of the schema patterns' timeout stops by itself a little later.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// isolation is the mode in which the tests run extensions: in-process, or what
// RHO_TEST_ISOLATION says. All hold in both.
var isolation = func() host.Isolation {
	if os.Getenv("RHO_TEST_ISOLATION") == "process" {
		return host.Process
	}
	return host.InProcess
}()

// project is a folder with extensions, loaded and behind a door.
type project struct {
	t    testing.TB
	root string
	host *host.Host
	reg  *registry.Registry
	door *registry.Door
}

// writeFiles writes files below dir.
func writeFiles(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

// allowNet grants hosts to every extension.
func allowNet(t *testing.T, hosts ...string) (out []permission.Grant) {
	t.Helper()
	for _, h := range hosts {
		g, err := permission.ParseGrant(permission.KindNet, h, "")
		require.NoError(t, err)
		out = append(out, g)
	}
	return out
}

// newProject loads extensions that are given by their path in .rho/extensions.
func newProject(t testing.TB, extensions map[string]string, change ...func(*host.Options)) *project {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	writeFiles(t, filepath.Join(root, ".rho", "extensions"), extensions)
	return openProject(t, root, change...)
}

func openProject(t testing.TB, root string, change ...func(*host.Options)) *project {
	t.Helper()
	p := &project{t: t, root: root, reg: registry.New()}
	require.NoError(t, builtin.Register(p.reg, builtin.Options{Root: root}))
	o := host.Options{Isolation: isolation, Root: root, Trusted: true, UserDir: "-", Registry: p.reg}
	for _, f := range change {
		f(&o)
	}
	var err error
	p.host, err = host.New(context.Background(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.host.Close()) })
	p.door = registry.NewDoor(p.reg, &registry.DoorOptions{ProjectRoot: root})
	return p
}

func (p *project) call(tool, args string) *registry.Outcome {
	return p.within(20*time.Second, tool, args)
}

func (p *project) within(d time.Duration, tool, args string) *registry.Outcome {
	return p.door.Call(context.Background(), registry.Request{Tool: tool, Arguments: json.RawMessage(args), Timeout: d})
}

func TestExtensionAndBuiltinToolsStandInOneRegistry(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"hello.ts": `export default { name: "Hello", version: "1.2.3", tools: [
		{ name: "hello", description: "Greets.", risk: "read", parameters: { name: { type: "string", required: true } }, execute: async (args: string) => "Hello " + JSON.parse(args).name }] }`})
	require.Empty(t, p.host.Failures())
	require.NoError(t, os.WriteFile(filepath.Join(p.root, "a.txt"), []byte("one\ntwo\n"), 0o644))
	require.Equal(t, "Hello Ada", p.call("hello", `{"name":"Ada"}`).Text)
	require.Contains(t, p.call("read_file", `{"path":"a.txt"}`).Text, "two")

	list := p.host.Extensions()
	require.Len(t, list, 1)
	require.Equal(t, "hello", list[0].ID)
	require.Equal(t, "Hello", list[0].Title)
	require.Equal(t, "1.2.3", list[0].Version)
	require.Equal(t, ".rho/extensions/hello.ts", list[0].Path)
	require.Equal(t, host.StateLoaded, list[0].State)
}

func TestToolsThatMentionFetchAreNetworkWhateverTheyDeclare(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{
		"net.ts":   `export default { name: "n", tools: [{ name: "sly", description: "d", risk: "read", execute: () => fetch("http://example.com/") }] }`,
		"pure.ts":  `/* fetch */ export default { name: "p", tools: [{ name: "pure", description: "about fetch", risk: "read", execute: () => "no" }] }`,
		"write.ts": `export default { name: "w", tools: [{ name: "writer", description: "d", risk: "write", execute: () => "no" }] }`,
	})
	risk := func(name string) string {
		e, ok := p.reg.Snapshot().Lookup(name)
		require.True(t, ok)
		return e.Tool.Risk().String() + " " + e.Info.Effects.String() + " " + e.Info.DeclaredRisk.String()
	}
	require.Equal(t, "network read net read", risk("sly"))
	require.Equal(t, "read read read", risk("pure"))
	require.Equal(t, "write read write write", risk("writer"))
	out := p.call("sly", "{}")
	require.Equal(t, registry.StatusDenied, out.Status)
	require.Equal(t, registry.KindPermissionDenied, out.Failure.Kind)
	require.Contains(t, out.Failure.Hint, "--allow-net=example.com")
	require.Equal(t, ".rho/extensions/net.ts:1:99", out.Failure.Location.String())
	require.True(t, out.Uses[0].Denied)
}

func TestFetchThatReadingMissedIsRefusedAtRunTime(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": `export default { name: "x", tools: [
		{ name: "hidden", description: "d", risk: "read", execute: () => (globalThis as any)[["fe", "tch"].join("")]("http://127.0.0.1:9/") }] }`})
	out := p.call("hidden", "{}")
	require.Equal(t, registry.KindPermissionDenied, out.Failure.Kind)
	require.Contains(t, out.Failure.Message, "not known to use the network")
}

func TestAToolCannotReadOutsideTheProject(t *testing.T) { // locode 73
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": `export default { name: "x", tools: [
		{ name: "read", description: "d", risk: "read", parameters: { path: { type: "string" } }, execute: ({ path }: any) => rho.readFile(path) }] }`})
	require.NoError(t, os.WriteFile(filepath.Join(p.root, "ok.txt"), []byte("fine"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(p.root, ".env"), []byte("SECRET=1"), 0o644))
	require.Equal(t, "fine", p.call("read", `{"path":"ok.txt"}`).Text)
	for _, path := range []string{"../x", "/etc/passwd", "a/../../b", ".env", ".rho/extensions/x.ts"} {
		args, err := json.Marshal(map[string]string{"path": path})
		require.NoError(t, err)
		js, builtin := p.call("read", string(args)), p.call("read_file", string(args))
		require.Equal(t, registry.StatusDenied, js.Status, path)
		require.Equal(t, builtin.Failure.Kind, js.Failure.Kind, path)
		text := func(o *registry.Outcome) string { return o.Failure.TextForModel() }
		require.Contains(t, text(js), strings.TrimPrefix(text(builtin), "read_file: "), "the same words for both kinds of tool")
	}
}

func TestInvalidArgumentsNeverReachTheFunction(t *testing.T) { // locode 72
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": `let runs = 0; export default { name: "x", tools: [
		{ name: "strict", description: "d", risk: "read", parameters: { path: { type: "string", required: true }, limit: { type: "integer", maximum: 50 } }, execute: () => { runs++; return "ran" } },
		{ name: "runs", description: "d", risk: "read", execute: () => runs }] }`})
	out := p.call("strict", `{"limit":999,"pth":"x"}`)
	require.Equal(t, registry.KindInvalidArgs, out.Failure.Kind)
	for _, part := range []string{"path: required", "limit: expected", "999", `"pth"`, `did you mean "path"?`} {
		require.Contains(t, out.Text, part)
	}
	require.Equal(t, "0", p.call("runs", "{}").Text)
}

func TestTheContextTellsTheCallAndTheProject(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"x/index.ts": `import { defineTool } from "rho-ext";
export default defineTool({ name: "ctx", description: "d", risk: "read", execute(_, ctx) {
  ctx.progress({ message: "half", done: 1, total: 2 });
  ctx.progress("text");
  const { signal, callId, toolName, projectRoot, extensionDir, values } = ctx;
  let frozen = false; try { (values as any).x = 1 } catch { frozen = true }
  return { aborted: signal.aborted, callId, toolName, projectRoot, extensionDir, values, frozen, root: rho.getProjectRoot(), cwd: rho.getCwd() };
} })`})
	var got []registry.Progress
	out := p.door.Call(context.Background(), registry.Request{ID: "id-1", Tool: "ctx",
		Values: map[string]json.RawMessage{"user": json.RawMessage(`{"name":"Ada"}`)}, Progress: func(u registry.Progress) { got = append(got, u) }})
	require.Nil(t, out.Failure, "%+v", out.Failure)
	root := filepath.ToSlash(p.root)
	require.JSONEq(t, `{"aborted":false,"callId":"id-1","toolName":"ctx","projectRoot":"`+root+`","extensionDir":"`+root+`/.rho/extensions/x","values":{"user":{"name":"Ada"}},"frozen":true,"root":"`+root+`","cwd":"`+root+`"}`, string(out.Structured))
	require.Equal(t, []registry.Progress{{Message: "half", Done: 1, Total: 2}, {Message: "text"}}, got)
}

func TestTheContextIsAnObjectLikeAnyOther(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": `export default { name: "x", tools: [{ name: "x", description: "d", risk: "read", execute(_: any, ctx: any) {
  const all = Object.keys(ctx).join();
  const copy = { ...ctx, mine: 1 };
  ctx.mine = 2; delete ctx.values;
  const { log: { info }, progress } = ctx;
  info("free"); progress("free");
  return { all, copy: Object.keys(copy).length, mine: ctx.mine, gone: "values" in ctx, same: ctx.signal === ctx.signal, none: ctx.nope === undefined, later: Object.keys(ctx).join(), text: String(ctx), proto: Object.getPrototypeOf(ctx) === Object.prototype };
} }] }`})
	o := p.call("x", "{}")
	require.Nil(t, o.Failure, "%+v", o.Failure)
	const all = "callId,toolName,projectRoot,extensionDir,signal,values,config,progress,log,state,fs,exec,callTool"
	require.JSONEq(t, `{"all":"`+all+`","copy": 14,"mine":2,"gone":false,"same":true,"none":true,"later":"callId,toolName,projectRoot,extensionDir,signal,config,progress,log,state,fs,exec,callTool,mine","text":"[object Object]","proto":true}`, string(o.Structured))
}

func TestWhatTheModelIsToldOfAFailure(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": `import { ToolError } from "rho-ext";
const tool = (name: string, execute: any) => ({ name, description: "d", risk: "network", execute });
export default { name: "x", tools: [
  tool("tool_error", () => { throw new ToolError("no such unit", { hint: "try km", kind: "not_found", retryable: false, details: { unit: "q" } }) }),
  tool("plain", () => { throw new TypeError("plain words") }),
  tool("refused", async () => { await fetch("http://127.0.0.1:1/") }),
  tool("unreachable", async () => { await fetch("http://localhost:1/") }),
  tool("wrapped", async () => { try { await fetch("http://localhost:1/") } catch (e) { throw new Error("cannot load", { cause: e }) } }),
] }`}, func(o *host.Options) {
		o.Allow = allowNet(t, "localhost:1")
	})
	for _, tc := range []struct{ tool, kind, text, message, hint string }{
		{"tool_error", "not_found", "no such unit\ntry km", "no such unit", "try km"},
		{"plain", "other", "plain words", "TypeError: plain words", ""},
		{"refused", "permission_denied", `extension "x": network access to 127.0.0.1:1 is not granted: to allow it: rho-ext grant x --allow-net=127.0.0.1:1`, `PermissionDenied: extension "x": network access to 127.0.0.1:1 is not granted`, "to allow it: rho-ext grant x --allow-net=127.0.0.1:1"},
		{"unreachable", "network", "", "", ""},
		{"wrapped", "network", "cannot load", "cannot load", ""},
	} {
		t.Run(tc.tool, func(t *testing.T) {
			o := p.call(tc.tool, "{}")
			require.NotNil(t, o.Failure)
			require.Equal(t, tc.kind, string(o.Failure.Kind))
			require.NotContains(t, o.Text, "x.ts", "the model sees no stack")
			require.NotEmpty(t, o.Failure.Location)
			if tc.text == "" {
				return
			}
			require.Equal(t, tc.text, o.Text)
			require.Equal(t, tc.message, o.Failure.Message)
			require.Equal(t, tc.hint, o.Failure.Hint)
		})
	}
	require.Equal(t, registry.RetryNo, p.call("tool_error", "{}").Failure.Retryable)
}
