package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/jsapi"
	"github.com/rho-ext/rho-ext/registry"
)

// data makes a response of a value.
func data(v any) wire.Response {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return wire.Response{Data: raw}
}

// answers is a broker's table: one response for each operation.
func answers(table map[wire.Op]wire.Response) func(context.Context, wire.Request) (wire.Response, error) {
	return func(_ context.Context, r wire.Request) (wire.Response, error) {
		if res, ok := table[r.Op]; ok {
			return res, nil
		}
		return wire.Response{}, &wire.Error{Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Code: "not_granted", Message: "no " + string(r.Op), Hint: "grant it"}
	}
}

var everyAnswer = map[wire.Op]wire.Response{
	wire.OpReadFile:  {Payload: []byte("text")},
	wire.OpWriteFile: {}, wire.OpMkdir: {}, wire.OpRemove: {}, wire.OpRename: {},
	wire.OpListDir:  data([]wire.DirEntry{{Name: "a", Directory: true}}),
	wire.OpStat:     data(wire.FileInfo{Size: 4, ModTimeMS: 1000}),
	wire.OpGlob:     data(wire.GlobResponse{Paths: []string{"a"}}),
	wire.OpExec:     data(wire.ExecResponse{ExitCode: 2, Stdout: "out", Stderr: "err"}),
	wire.OpCallTool: data(wire.ToolResponse{Text: "t", Structured: json.RawMessage(`{"a":1}`)}),
	wire.OpConfig:   data(map[string]any{"limit": 5, "key": "k", "on": true}),
	wire.OpEnv:      data(wire.EnvResponse{Value: "v", Set: true}),
	wire.OpFetch:    {Data: data(wire.FetchResponse{Status: 200, Headers: [][2]string{{"A", "b"}}}).Data, Payload: []byte("body")},
}

// uses lists each thing that code can ask the host for, and what it gives.
var uses = []struct {
	code, want string
	op         wire.Op
	as         string
}{
	{`ctx.fs.read("p")`, `"text"`, wire.OpReadFile, "ctx.fs.read"},
	{`ctx.fs.readBytes("p").then((b: Uint8Array) => [...b])`, `[116,101,120,116]`, wire.OpReadFile, "ctx.fs.readBytes"},
	{`ctx.fs.write("p", "x")`, `null`, wire.OpWriteFile, "ctx.fs.write"},
	{`ctx.fs.append("p", new Uint8Array([1]))`, `null`, wire.OpWriteFile, "ctx.fs.append"},
	{`ctx.fs.list(".")`, `[{"name":"a","isDirectory":true,"isSymlink":false}]`, wire.OpListDir, "ctx.fs.list"},
	{`ctx.fs.stat("p")`, `{"size":4,"mtime":"1970-01-01T00:00:01.000Z","isDirectory":false}`, wire.OpStat, "ctx.fs.stat"},
	{`ctx.fs.remove("p")`, `null`, wire.OpRemove, "ctx.fs.remove"},
	{`ctx.fs.rename("p", "q")`, `null`, wire.OpRename, "ctx.fs.rename"},
	{`ctx.fs.mkdir("p")`, `null`, wire.OpMkdir, "ctx.fs.mkdir"},
	{`ctx.fs.glob("*")`, `["a"]`, wire.OpGlob, "ctx.fs.glob"},
	{`ctx.exec("git", ["x"])`, `{"stdout":"out","stderr":"err","exitCode":2}`, wire.OpExec, "ctx.exec"},
	{`ctx.callTool("t", {})`, `{"text":"t","isError":false,"structured":{"a":1}}`, wire.OpCallTool, "ctx.callTool"},
	{`ctx.config`, `{"key":"k","limit":5,"on":true}`, wire.OpConfig, "ctx.config"},
	{`process.env.NAME`, `"v"`, wire.OpEnv, "process.env"},
	{`rho.readFile("p")`, `"text"`, wire.OpReadFile, "rho.readFile"},
	{`rho.writeFile("p", "x")`, `null`, wire.OpWriteFile, "rho.writeFile"},
	{`rho.runCommand("git", ["x"])`, `{"stdout":"out","stderr":"err","exitCode":2}`, wire.OpExec, "rho.runCommand"},
	{`rho.fetchUrl({ url: "http://h/" })`, `{"status":200,"headers":{"a":"b"},"body":"body"}`, wire.OpFetch, "rho.fetchUrl"},
}

// usesAsTools makes a tool use0, use1 … of each.
func usesAsTools() map[string]string {
	var b strings.Builder
	for i, u := range uses {
		fmt.Fprintf(&b, "tool(\"use%d\", async (_: any, ctx: any) => JSON.stringify(await (%s) ?? null)),\n", i, u.code)
	}
	return tools(b.String())
}

func TestEachUseAsksTheHostInTheNameOfItsCall(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, usesAsTools())
	r.b.do = answers(everyAnswer)
	for i, u := range uses {
		name := fmt.Sprint("use", i)
		require.JSONEq(t, u.want, r.text(name, "{}"), u.code)
		asked := r.b.requests()
		require.Len(t, asked, i+1)
		last := asked[i]
		require.Equal(t, u.op, last.Op, u.code)
		require.Equal(t, u.as, last.As, u.code)
		require.Equal(t, name, last.Tool)
		require.Equal(t, fmt.Sprint("c", i+1), last.Call)
	}
}

func TestARefusalOfTheHostIsPermissionDeniedAtTheCallersLine(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, usesAsTools())
	r.b.do = answers(nil)
	for i, u := range uses {
		res := r.call(fmt.Sprint("use", i), "{}")
		require.NotNil(t, res.Thrown, u.code)
		require.Equal(t, registry.KindPermissionDenied, res.Thrown.Kind, u.code)
		require.Equal(t, "PermissionDenied", res.Thrown.Name)
		require.Equal(t, "not_granted", res.Thrown.Code)
		require.Equal(t, "no "+string(u.op), res.Thrown.Message)
		require.Equal(t, "grant it", res.Thrown.Hint)
		require.Equal(t, "ext.ts", res.Thrown.Stack[0].File, u.code)
		require.Equal(t, 3+i, res.Thrown.Stack[0].Line, u.code)
		require.Equal(t, u.op.Effect()&^registry.EffectRead != 0, res.Acted, u.code)
	}
}

func TestFailuresOfFilesHaveCodes(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, tools(`
		tool("read", async (_: any, ctx: any) => { try { await ctx.fs.read("p") } catch (e: any) { return [e.constructor.name, e.name, e.code, e.message].join() } }),
		tool("sync", () => { try { rho.readFile("p") } catch (e: any) { return [e.constructor.name, e.name, e.code, e.message].join() } }),
		tool("uncaught", async (_: any, ctx: any) => { await ctx.fs.read("p") }),
	`))
	r.b.do = func(context.Context, wire.Request) (wire.Response, error) {
		return wire.Response{}, &wire.Error{Kind: registry.KindNotFound, Name: "Error", Code: "ENOENT", Message: "p: no such file"}
	}
	require.Equal(t, "Error,Error,ENOENT,p: no such file", r.text("read", "{}"))
	require.Equal(t, "Error,Error,ENOENT,p: no such file", r.text("sync", "{}"))
	thrown := r.call("uncaught", "{}").Thrown
	require.Equal(t, registry.KindNotFound, thrown.Kind)
	require.Equal(t, "ENOENT", thrown.Code)
}

func TestConfigIsFetchedOnceInACallAndFrozen(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, tools(`
		tool("twice", (_: any, ctx: any) => { const a = ctx.config; return [a === ctx.config, Object.isFrozen(a), a.limit, Object.getPrototypeOf(a) === Object.prototype] }),
		tool("never", (_: any, ctx: any) => Object.keys(ctx).includes("config")),
	`))
	r.b.do = answers(everyAnswer)
	require.Equal(t, `[true,true,5,true]`, r.text("twice", "{}"))
	require.Equal(t, "true", r.text("never", "{}"))
	require.Len(t, r.b.requests(), 1)
	require.Equal(t, `[true,true,5,true]`, r.text("twice", "{}"))
	require.Len(t, r.b.requests(), 2, "settings may have changed since the last call")
}

func TestTheEnvironmentIsThereForTheModulesOwnCode(t *testing.T) {
	t.Parallel()
	f := map[string]string{"ext.ts": `const atLoad = String(process.env.ABSENT);
let later = "";
setTimeout(() => { later = String(process.env.ABSENT) }, 1);
export default { name: "ext", tools: [{ name: "both", description: "d", risk: "read", async execute() {
  while (later === "") await new Promise((r) => setTimeout(r, 1));
  return atLoad + "," + later;
} }] };`}
	b := &broker{do: answers(map[wire.Op]wire.Response{wire.OpEnv: data(wire.EnvResponse{})})}
	r, fail := loadWith(t, b, source(t, f))
	require.Nil(t, fail)
	require.Equal(t, "undefined,undefined", r.text("both", "{}"))
	for _, asked := range b.requests() {
		require.Equal(t, "", asked.Call)
	}
}

func TestManyRequestsOfOneCallRunAtOnce(t *testing.T) {
	t.Parallel()
	const n = 16 // of files; each answer may be large, and more wait for the loop to take those
	r := mustLoad(t, tools(`tool("many", async (_: any, ctx: any) =>
		(await Promise.all(Array.from({ length: `+fmt.Sprint(n)+` }, (_, i) => ctx.fs.read("f" + i)))).join() === Array.from({ length: `+fmt.Sprint(n)+` }, (_, i) => "f" + i).join())`))
	all := make(chan struct{})
	var waiting atomic.Int64
	r.b.do = func(_ context.Context, req wire.Request) (wire.Response, error) {
		if waiting.Add(1) == n {
			close(all)
		}
		<-all // each waits for every other
		var p wire.FilePath
		_ = json.Unmarshal(req.Data, &p)
		return wire.Response{Payload: []byte(p.Path)}, nil
	}
	require.Equal(t, "true", r.text("many", "{}"))
}

func TestABlockedSynchronousCallEndsWithItsCall(t *testing.T) {
	t.Parallel()
	for _, u := range []string{`rho.readFile("p")`, `rho.runCommand("sleep")`, `ctx.config`, `process.env.NAME`} {
		t.Run(u, func(t *testing.T) {
			t.Parallel()
			req := source(t, tools(`tool("block", (_: any, ctx: any) => { `+u+`; }), tool("other", () => "fine")`))
			req.Limits.Grace = 10 * time.Second // it needs none
			r, fail := loadWith(t, &broker{}, req)
			require.Nil(t, fail)
			blocked, release := make(chan struct{}), make(chan struct{})
			defer close(release)
			r.b.do = func(context.Context, wire.Request) (wire.Response, error) {
				close(blocked)
				<-release // a host that does not hear of the end
				return wire.Response{}, errors.New("too late")
			}
			ctx, cancel := context.WithCancelCause(context.Background())
			go func() { <-blocked; cancel(wire.ErrDeadline) }()
			res := r.sb.Call(ctx, wire.CallRequest{ID: "b", Tool: "block", Args: json.RawMessage("{}")})
			require.Equal(t, registry.KindTimeout, res.Thrown.Kind)
			require.False(t, res.Guilty, "it waited for the host, and stopped")
			require.Equal(t, "fine", r.text("other", "{}"), "the runtime lives on")
		})
	}
}

// What the declarations say of ctx is what each function gets.
func TestTypesDeclareExactlyTheMembersOfCtx(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, map[string]string{"ext.ts": `export default { name: "x", tools: [{ name: "keys", description: "d", risk: "read", execute: (_: any, ctx: any) => Object.keys(ctx).sort().join() }],
		hooks: { onToolCall: (_: any, ctx: any) => ({ block: Object.keys(ctx).sort().join() }) },
		commands: [{ name: "keys", run: (_: string, ctx: any) => Object.keys(ctx).sort().join(), complete: (_: string, ctx: any) => Object.keys(ctx).sort() }] };`})
	call := func(run wire.Run, name, args string) *wire.Value {
		res := r.sb.Call(context.Background(), wire.CallRequest{ID: "c", Run: run, Tool: name, Args: json.RawMessage(args)})
		require.NotNil(t, res.Value, "%+v", res.Thrown)
		return res.Value
	}
	var decision struct{ Block string }
	require.NoError(t, json.Unmarshal(call(wire.RunHook, "onToolCall", `{"toolName":"x","args":{}}`).Structured, &decision))
	var quiet []string
	require.NoError(t, json.Unmarshal(call(wire.RunComplete, "keys", `""`).Structured, &quiet))

	declared := []string{}
	for _, part := range []struct{ name, got string }{
		{"Context", strings.Join(quiet, ",")},
		{"HookContext extends Context", decision.Block},
		{"CommandContext extends HookContext", call(wire.RunCommand, "keys", `""`).Content[0].Text},
		{"ToolContext extends CommandContext", r.text("keys", "{}")},
	} {
		body := regexp.MustCompile(`(?ms)^  export interface ` + part.name + ` \{\n(.*?)^  \}$`).FindStringSubmatch(jsapi.Types)
		require.NotNil(t, body, part.name)
		for _, m := range regexp.MustCompile(`(?m)^    (?:readonly )?(\w+)[(:]`).FindAllStringSubmatch(body[1], -1) {
			declared = append(declared, m[1])
		}
		slices.Sort(declared)
		require.Equal(t, strings.Join(declared, ","), part.got, part.name)
	}
}

func TestACallCannotAskForEndlesslyManyThingsAtOnce(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, tools(`tool("flood", async (_: any, ctx: any) => {
		const all = Array.from({ length: 5000 }, (_, i) => ctx.fs.read("f" + i));
		return (await Promise.allSettled(all)).filter((p) => p.status === "rejected" && p.reason.code === "too_many").length;
	})`))
	r.b.do = func(context.Context, wire.Request) (wire.Response, error) {
		return wire.Response{}, nil
	}
	require.Equal(t, "3000", r.text("flood", "{}"))
}
