package sandbox_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// lend is a pair of tools: one gives its ctx away, the other uses it.
const lend = `
	tool("lend", async (_: any, ctx: any) => { (globalThis as any).lent = ctx; (globalThis as any).fs = ctx.fs; await ctx.fs.read("wait"); return "done" }),
	tool("lendShortly", (_: any, ctx: any) => { (globalThis as any).lent = ctx; (globalThis as any).fs = ctx.fs; return "done" }),
`

// borrowed lists uses of another call's ctx.
var borrowed = map[string]string{
	"read":     `lent.fs.read("p")`,
	"write":    `lent.fs.write("p", "x")`,
	"the fs":   `(globalThis as any).fs.read("p")`,
	"exec":     `lent.exec("git")`,
	"callTool": `lent.callTool("t")`,
	"config":   `lent.config`,
}

func TestACtxIsOfNoUseOnceItsCallHasEnded(t *testing.T) {
	t.Parallel()
	for name, code := range borrowed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := mustLoad(t, tools(lend+`tool("use", async (_: any, ctx: any) => { const { lent } = globalThis as any; await ctx.fs.read("mine"); await (`+code+`) })`))
			r.b.do = answers(everyAnswer)
			require.Equal(t, "done", r.text("lendShortly", "{}"))
			res := r.call("use", "{}")
			require.NotNil(t, res.Thrown)
			require.Equal(t, registry.KindPermissionDenied, res.Thrown.Kind)
			require.Equal(t, "no_call", res.Thrown.Code)
			require.Contains(t, res.Thrown.Message, "the call of this ctx")
			require.Equal(t, "ext.ts", res.Thrown.Stack[0].File)
			require.Len(t, r.b.requests(), 1, "its own ctx was of use")
			require.False(t, res.Acted)
		})
	}
}

func TestALiveCtxActsForItsCallWhoeverUsesIt(t *testing.T) {
	t.Parallel()
	for name, code := range borrowed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := mustLoad(t, tools(lend+`tool("use", async () => { const { lent } = globalThis as any; await (`+code+`); return "used" })`))
			waiting, release := make(chan struct{}), make(chan struct{})
			table := answers(everyAnswer)
			r.b.do = func(ctx context.Context, req wire.Request) (wire.Response, error) {
				if string(req.Data) == `{"path":"wait"}` {
					close(waiting)
					<-release
				}
				return table(ctx, req)
			}
			lent := make(chan wire.CallResult)
			go func() {
				lent <- r.sb.Call(context.Background(), wire.CallRequest{ID: "a", Tool: "lend", Args: json.RawMessage("{}")})
			}()
			<-waiting
			res := r.call("use", "{}")
			require.Nil(t, res.Thrown, "%+v", res.Thrown)
			asked := r.b.requests()
			require.Len(t, asked, 2)
			require.Equal(t, "a", asked[1].Call)
			require.Equal(t, "lend", asked[1].Tool)
			acts := asked[1].Op.Effect()&^registry.EffectRead != 0
			require.Equal(t, acts, res.Acted, "to run it again would have it done twice")
			close(release)
			require.Equal(t, acts, (<-lent).Acted)
		})
	}
}

// A promise of another call's ctx must not leave whoever awaits it hanging.
func TestWhoAwaitsACtxOfACallThatEndsIsTold(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, tools(`
		tool("lend", async (_: any, ctx: any) => { (globalThis as any).lent = ctx; await ctx.fs.read("wait") }),
		tool("use", async () => { setInterval(() => {}, 3600_000); await (globalThis as any).lent.fs.read("never") }),
	`))
	lending, using := make(chan struct{}), make(chan struct{})
	r.b.do = func(ctx context.Context, req wire.Request) (wire.Response, error) {
		if string(req.Data) == `{"path":"wait"}` {
			close(lending)
			<-using
			return wire.Response{}, nil
		}
		close(using)
		<-ctx.Done()
		return wire.Response{}, ctx.Err()
	}
	go r.call("lend", "{}")
	<-lending
	res := r.call("use", "{}")
	require.NotNil(t, res.Thrown)
	require.Equal(t, "no_call", res.Thrown.Code)
	require.Equal(t, "ctx.fs.read is only possible while the call of this ctx runs, and it has ended", res.Thrown.Message)
	require.Equal(t, 5, res.Thrown.Stack[0].Line)
}

// Code that an ended call left behind may run for a live one, as in a queue
// that the module keeps: it is the live one's ctx that counts.
func TestCodeOfAnEndedCallMayUseALiveCtxAndNothingElse(t *testing.T) {
	t.Parallel()
	req := source(t, map[string]string{"ext.ts": `let jobs: any[] = [];
let wake = () => {};
async function work() { for (;;) { while (jobs.length > 0) { const job = jobs.shift(); await job().catch(() => {}) } await new Promise<void>((r) => { wake = r }) } }
const push = (job: () => Promise<any>) => new Promise((resolve, reject) => { jobs.push(() => { const p = job(); p.then(resolve, reject); return p }); wake() });
const tool = (name: string, execute: any) => ({ name, description: "d", risk: "read", execute });
export default { name: "ext", tools: [
  tool("start", () => { work(); return "started" }),
  tool("with_ctx", (_: any, ctx: any) => push(() => ctx.fs.read("p"))),
  tool("without", () => push(() => fetch("http://h/"))),
] };`})
	req.Limits.Grace = 10 * time.Second // such code is stopped soon, and this machine may be slow
	r, fail := loadWith(t, &broker{do: answers(everyAnswer)}, req)
	require.Nil(t, fail)
	require.Equal(t, "started", r.text("start", "{}"))
	require.Equal(t, "text", r.text("with_ctx", "{}"))
	require.Equal(t, "no_call", r.call("without", "{}").Thrown.Code)
	asked := r.b.requests()
	require.Len(t, asked, 1)
	require.Equal(t, "with_ctx", asked[0].Tool)
}

// A call that waits for another call's settings ends with its own context, too.
func TestABlockedUseOfAnothersCtxEndsWithTheCallThatWaits(t *testing.T) {
	t.Parallel()
	req := source(t, tools(lend+`tool("use", () => (globalThis as any).lent.config)`))
	req.Limits.Grace = 10 * time.Second
	r, fail := loadWith(t, &broker{}, req)
	require.Nil(t, fail)
	lending, blocked, release := make(chan struct{}), make(chan struct{}), make(chan struct{})
	r.b.do = func(ctx context.Context, req wire.Request) (wire.Response, error) {
		if req.Op == wire.OpConfig {
			close(blocked)
			<-ctx.Done()
			return wire.Response{}, ctx.Err()
		}
		close(lending)
		<-release
		return wire.Response{}, nil
	}
	lent := make(chan wire.CallResult)
	go func() {
		lent <- r.sb.Call(context.Background(), wire.CallRequest{ID: "a", Tool: "lend", Args: json.RawMessage("{}")})
	}()
	<-lending
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-blocked; cancel() }()
	res := r.sb.Call(ctx, wire.CallRequest{ID: "b", Tool: "use", Args: json.RawMessage("{}")})
	require.Equal(t, registry.KindCancelled, res.Thrown.Kind)
	close(release)
	require.Nil(t, (<-lent).Thrown, "the call whose ctx it is goes on")
}

func TestTheMembersOfCtxCanBeTakenApartAndSpread(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, tools(`
		tool("apart", async (_: any, { fs: { read }, exec, config }: any) => [await read("p"), (await exec("a")).exitCode, config.limit]),
		tool("spread", async (_: any, ctx: any) => { const c = { ...ctx, fs: { ...ctx.fs } }; return [await c.fs.read("p"), c.callId, c.config.limit] }),
		tool("same", (_: any, ctx: any) => [ctx.fs === ctx.fs, ctx.exec === ctx.exec, Object.isFrozen(ctx.fs), Object.isFrozen(ctx.exec)]),
	`))
	r.b.do = answers(everyAnswer)
	require.Equal(t, `["text",2,5]`, r.text("apart", "{}"))
	require.Equal(t, `["text","c2",5]`, r.text("spread", "{}"))
	require.Equal(t, `[true,true,true,true]`, r.text("same", "{}"))
}
