package worker

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// contract is a module that uses most of what a sandbox offers.
const contract = `
const tool = (name: string, execute: any, parameters: any = {}) => ({ name, description: "d", risk: "read", parameters, execute });
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
let count = 0;

export default { name: "ext", tools: [
  tool("interleave", async () => { count++; while (count < 3) await sleep(1); return "together" }),
  tool("echo", (a: any) => a.text, { text: { type: "string", description: "d" } }),
  tool("blocks", () => ({ content: [{ type: "text", text: "t" }, { type: "json", value: { a: [1, 2] } }], details: { d: 1 }, isError: true })),
  tool("object", () => ({ b: 1, a: "é" })),
  tool("nothing", () => {}),
  tool("throws", async () => { await sleep(1);
    throw new TypeError("no good") }),
  tool("context", (_: any, ctx: any) => [ctx.callId, ctx.toolName, ctx.projectRoot, ctx.extensionDir, ctx.values.k[0]].join(" ")),
  tool("busy", async (_: any, ctx: any) => { await sleep(1); ctx.log.info("go");
    for (let n = 0;;) n++ }),
  tool("abortable", (_: any, ctx: any) => new Promise((_, no) => { ctx.signal.addEventListener("abort", () => { ctx.log.info("bye"); no(ctx.signal.reason) }); ctx.log.info("go") })),
  tool("ignores", async (_: any, ctx: any) => { ctx.log.info("go"); for (;;) await sleep(5) }),
  tool("never", () => new Promise(() => {})),
  tool("overflow", () => { const f = (): number => 1 + f(); return f() }),
  tool("read", () => rho.readFile("x.txt")),
  tool("write", async () => { await fetch("https://example.org/"); await sleep(1e6); return "wrote" }),
  tool("wait", async () => { await sleep(1e6); return "waited" }),
  tool("logs", (_: any, ctx: any) => { for (let i = 0; i < 20; i++) ctx.log.warn("line " + i); console.error("last") ; return "logged" }),
  tool("progress", (_: any, ctx: any) => { ctx.progress("half"); return "done" }),
  tool("fetch", async () => { const r = await fetch("https://example.org/"); return r.status + " " + await r.text() }),
  tool("fetch_head", async () => String((await fetch("https://example.org/")).status)),
  tool("zone", () => new Date(2026, 0, 1).getTimezoneOffset() + " " + new Date(2026, 6, 1).getTimezoneOffset()),
] }`

func TestWhatASandboxDoesAWorkerDoes(t *testing.T) {
	t.Parallel()
	req := bundled(t, "ext", contract)
	req.Limits.Grace = time.Second // none of the calls is to be interrupted, however busy the machine is
	r, fail := newFactory(t, Options{}).load(t, req, time.Minute)
	require.Nil(t, fail)
	require.Len(t, r.man.Tools, 20)
	require.Equal(t, "ext.ts", r.man.Tools[0].Location.File)

	t.Run("calls interleave at await", func(t *testing.T) {
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() { require.Equal(t, "together", r.text("interleave", "{}")) })
		}
		wg.Wait()
	})
	t.Run("results", func(t *testing.T) {
		for _, text := range []string{"", "é\u2028\"\\", strings.Repeat("0123456789", 1<<17)} {
			args, err := json.Marshal(map[string]string{"text": text})
			require.NoError(t, err)
			require.Equal(t, text, r.text("echo", string(args)))
		}
		require.Equal(t, "(no output)", r.text("nothing", "{}"))
		v := r.within(time.Minute, "blocks", "{}").Value
		require.True(t, v.IsError)
		require.JSONEq(t, `{"a":[1,2]}`, string(v.Content[1].JSON))
		require.JSONEq(t, `{"d":1}`, string(v.Details))
		v = r.within(time.Minute, "object", "{}").Value
		require.Equal(t, `{"b":1,"a":"é"}`, string(v.Structured))
	})
	t.Run("errors have their place", func(t *testing.T) {
		th := r.within(time.Minute, "throws", "{}").Thrown
		require.Equal(t, "TypeError", th.Name)
		require.Equal(t, "no good", th.Message)
		require.Equal(t, "ext.ts", th.Stack[0].File)
		require.Equal(t, 13, th.Stack[0].Line)
		require.Equal(t, registry.KindNotFound, r.within(time.Minute, "absent", "{}").Thrown.Kind)
		require.Equal(t, "never_settles", r.within(time.Minute, "never", "{}").Thrown.Code)
	})
	t.Run("context", func(t *testing.T) {
		res := r.sb.Call(context.Background(), wire.CallRequest{ID: "id", Tool: "context", Args: json.RawMessage("{}"), Model: "m",
			Values: map[string]json.RawMessage{"k": json.RawMessage("[7]")}})
		require.NotNil(t, res.Value, "%+v", res.Thrown)
		require.Equal(t, "id context /project /ext 7", res.Value.Content[0].Text)
	})
	t.Run("deadline and cancel", func(t *testing.T) {
		for _, tool := range []string{"abortable", "ignores"} {
			res := r.stopped(wire.ErrDeadline, tool)
			require.Equal(t, registry.KindTimeout, res.Thrown.Kind, tool)
			require.False(t, res.Guilty, tool)
		}
		require.Contains(t, r.b.messages(), "info: bye", "what is logged at the end counts")
		require.Equal(t, registry.KindCancelled, r.stopped(context.Canceled, "ignores").Thrown.Kind)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		res := r.sb.Call(ctx, wire.CallRequest{ID: "x", Tool: "ignores", Args: json.RawMessage("{}")})
		require.Equal(t, registry.KindCancelled, res.Thrown.Kind, "it had ended before")
	})
	t.Run("logs keep their order", func(t *testing.T) {
		require.Equal(t, "logged", r.text("logs", "{}"))
		got := strings.Join(r.b.messages(), "\n")
		require.Contains(t, got, "warn: line 0\nwarn: line 1\nwarn: line 2")
		require.True(t, strings.HasSuffix(got, "warn: line 19\nerror: last"), got)
	})
	select {
	case <-r.sb.Done():
		t.Fatal("none of this ends the sandbox")
	default:
	}
}

func TestAnInterruptedCallIsGuiltyAndThoseBesideItAreLost(t *testing.T) {
	t.Parallel()
	f := newFactory(t, Options{})
	for _, tool := range []string{"busy", "overflow"} {
		r := mustLoad(t, f, "ext", contract)
		beside := make(chan wire.CallResult, 1)
		go func() { beside <- r.within(time.Minute, "wait", "{}") }()
		require.Eventually(t, func() bool { return r.running() == 1 }, 10*time.Second, time.Millisecond)
		res := r.stopped(wire.ErrDeadline, tool)
		require.True(t, res.Guilty)
		require.NotNil(t, res.Thrown)
		if tool == "busy" {
			require.Equal(t, registry.KindTimeout, res.Thrown.Kind)
			require.Equal(t, 16, res.Thrown.Stack[0].Line)
		} else {
			require.Equal(t, "stack_overflow", res.Thrown.Code)
		}
		require.Equal(t, wire.CallResult{Lost: true, Culprit: tool}, <-beside)
		<-r.sb.Done()
		require.Equal(t, wire.CallResult{Lost: true}, r.within(time.Minute, "echo", `{"text":"x"}`))
		again, fail := f.load(t, r.req, time.Minute)
		require.Nil(t, fail)
		require.Equal(t, r.link(), again.link(), "the worker is sound and goes on")
		require.Equal(t, "x", again.text("echo", `{"text":"x"}`))
	}
}

// running counts the calls of the rig's worker.
func (r *rig) running() int {
	l := r.link()
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.calls)
}

func TestRequestsReachTheBroker(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, newFactory(t, Options{}), "ext", contract)
	require.Equal(t, registry.KindPermissionDenied, r.within(time.Minute, "read", "{}").Thrown.Kind)

	big := strings.Repeat("x", 5<<20)
	body := []string{"first ", "second"}
	var mu sync.Mutex
	r.b.do = func(ctx context.Context, req wire.Request) (wire.Response, error) {
		switch req.Op {
		case wire.OpReadFile:
			require.Equal(t, "read", req.Tool)
			require.NotEmpty(t, req.Call)
			require.JSONEq(t, `{"path":"x.txt"}`, string(req.Data))
			return wire.Response{Payload: []byte(big)}, nil
		case wire.OpFetch:
			return wire.Response{Data: json.RawMessage(`{"status":200,"statusText":"OK","url":"https://example.org/","headers":[]}`), Stream: 7}, nil
		case wire.OpProgress:
			return wire.Response{}, nil
		}
		return wire.Response{}, errors.New("unexpected " + string(req.Op))
	}
	r.b.read = func(_ context.Context, s wire.Stream, max int) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		require.Equal(t, wire.Stream(7), s)
		require.Positive(t, max)
		if len(body) == 0 {
			return nil, io.EOF
		}
		piece := body[0]
		body = body[1:]
		return []byte(piece), nil
	}
	require.Equal(t, big, r.text("read", "{}"))
	require.Equal(t, "done", r.text("progress", "{}"))
	require.Equal(t, "200 first second", r.text("fetch", "{}"))
	require.Equal(t, "200", r.text("fetch_head", "{}"))
	require.Eventually(t, func() bool {
		r.b.mu.Lock()
		defer r.b.mu.Unlock()
		return len(r.b.closed) > 0
	}, 10*time.Second, time.Millisecond, "a stream that nobody read is closed")
}

func TestARequestEndsWithItsCall(t *testing.T) {
	t.Parallel()
	f := newFactory(t, Options{})
	for _, tool := range []string{"read", "fetch"} { // one blocks the loop, one does not
		r := mustLoad(t, f, "ext", contract)
		causes := make(chan error, 1)
		ctx, cancel := context.WithCancelCause(context.Background())
		r.b.do = func(ctx context.Context, _ wire.Request) (wire.Response, error) {
			cancel(wire.ErrDeadline)
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return wire.Response{}, ctx.Err()
		}
		res := r.sb.Call(ctx, wire.CallRequest{ID: tool, Tool: tool, Args: json.RawMessage("{}")})
		require.Equal(t, registry.KindTimeout, res.Thrown.Kind, tool)
		require.ErrorIs(t, <-causes, wire.ErrDeadline, tool)
	}
}

func TestCloseLosesCallsAtOnceAndTellsWhichHadActed(t *testing.T) {
	t.Parallel()
	f := newFactory(t, Options{})
	for _, tool := range []string{"busy", "write", "wait"} {
		r := mustLoad(t, f, "ext", contract)
		wrote := make(chan struct{}, 1)
		r.b.do = func(context.Context, wire.Request) (wire.Response, error) {
			wrote <- struct{}{}
			return wire.Response{Data: json.RawMessage(`{"status":200,"url":"https://example.org/"}`)}, nil
		}
		end := make(chan wire.CallResult, 1)
		go func() { end <- r.within(time.Minute, tool, "{}") }()
		if tool == "write" {
			<-wrote
		}
		require.Eventually(t, func() bool { return r.running() == 1 }, 10*time.Second, time.Millisecond)
		require.NoError(t, r.sb.Close())
		require.Equal(t, wire.CallResult{Lost: true, Acted: tool == "write"}, <-end)
		<-r.sb.Done()
		require.NoError(t, r.sb.Close())
		require.Eventually(t, r.link().fit, 10*time.Second, time.Millisecond, "the worker goes on")
	}
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	f := newFactory(t, Options{})
	_, err := f.Lockdown(context.Background()) // it has started then
	require.NoError(t, err)
	for _, c := range []struct {
		name, text, message string
		stage               wire.Stage
	}{
		{"a throw", "\nthrow new Error('at load'); export default {}", "at load", wire.StageEvaluate},
		{"no manifest", "export default 7", "", wire.StageManifest},
		{"a loop", "for (;;) {} export default {}", "did not finish loading in time", wire.StageEvaluate},
		{"an endless await", "await new Promise((r) => setTimeout(r, 1e6)); export default {}", "did not finish loading in time", wire.StageEvaluate},
	} {
		_, fail := f.load(t, bundled(t, "ext", c.text), 500*time.Millisecond)
		require.NotNil(t, fail, c.name)
		require.Equal(t, c.stage, fail.Stage, c.name)
		require.Contains(t, fail.Message, c.message, c.name)
	}
}

func TestTheTimeZoneIsTheHosts(t *testing.T) {
	t.Parallel()
	newYork, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "lib", "time", "zoneinfo.zip"))
	require.NoError(t, err)
	for _, c := range []struct {
		zone string
		data []byte
		want string
	}{
		{"America/New_York", nil, "300 240"}, {"Asia/Kolkata", nil, "-330 -330"}, {"UTC", nil, "0 0"}, {"", zoneData(t, newYork), "300 240"},
	} {
		f := newFactory(t, Options{NoStandby: true})
		f.zone, f.zoneData = c.zone, c.data
		require.Equal(t, c.want, mustLoad(t, f, "ext", contract).text("zone", "{}"), c.zone)
	}
	_, offset := time.Now().Zone()
	name, data := localZone()
	loc := time.UTC
	if name != "" {
		loc, err = time.LoadLocation(name)
	} else if data != nil {
		loc, err = time.LoadLocationFromTZData("Local", data)
	}
	require.NoError(t, err)
	_, got := time.Now().In(loc).Zone()
	require.Equal(t, offset, got)
}

// zoneData takes New York out of Go's archive, which stores its files as they
// are.
func zoneData(t *testing.T, archive []byte) []byte {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	require.NoError(t, err)
	f, err := r.Open("America/New_York")
	require.NoError(t, err)
	defer f.Close()
	data, err := io.ReadAll(f)
	require.NoError(t, err)
	return data
}
