package sandbox_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// asked is one request to the runner.
type asked struct {
	Do   string
	Data string
}

// runner answers the requests of a test file from a table, and keeps them.
type runner struct {
	mu      sync.Mutex
	asked   []asked
	answers map[string]string
	wait    func(context.Context) error
}

func (r *runner) do(ctx context.Context, q wire.Request) (wire.Response, error) {
	var t wire.TestRequest
	if q.Op == wire.OpEnv {
		return wire.Response{Data: json.RawMessage(`{"value":"","set":false}`)}, nil
	}
	if q.Op != wire.OpTest {
		return wire.Response{}, &wire.Error{Kind: registry.KindPermissionDenied, Name: "PermissionDenied", Message: "no " + string(q.Op)}
	}
	if err := json.Unmarshal(q.Data, &t); err != nil {
		return wire.Response{}, err
	}
	r.mu.Lock()
	r.asked = append(r.asked, asked{t.Do, string(t.Data)})
	answer := r.answers[t.Do]
	r.mu.Unlock()
	if r.wait != nil && t.Do == wire.TestCallTool {
		if err := r.wait(ctx); err != nil {
			return wire.Response{}, err
		}
	}
	return wire.Response{Data: json.RawMessage(answer)}, nil
}

func (r *runner) of(what string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, a := range r.asked {
		if a.Do == what {
			out = append(out, a.Data)
		}
	}
	return out
}

func withRunner(t *testing.T, r *runner, body string) *testFile {
	t.Helper()
	return tests(t, &broker{do: r.do}, body)
}

func (f *testFile) passes(names ...string) {
	f.t.Helper()
	for _, name := range names {
		r := f.run(name)
		require.Equal(f.t, "pass", r.State, "%s: %+v", name, r.Errors)
	}
}

func TestTestsAskTheRunner(t *testing.T) {
	t.Parallel()
	r := &runner{answers: map[string]string{
		wire.TestCallTool: `{"text":"hi","isError":false,"status":"success","uses":[]}`,
		wire.TestCallHook: `{"block":"no"}`,
		wire.TestCommand:  `{"text":"done","isError":false}`,
		wire.TestComplete: `["a","b"]`,
		wire.TestProject:  `{"base64":"` + base64.StdEncoding.EncodeToString([]byte("hällo")) + `","paths":["a","b/c"],"found":true,"root":"/p"}`,
	}}
	f := withRunner(t, r, `
test("tool", async () => {
  const r = await callTool("greet", { name: "x" }, { callId: "c1", values: { v: 1 }, timeoutMs: 9 });
  expect(r).toMatchObject({ text: "hi", isError: false, status: "success", uses: [] });
});
test("hook", async () => { expect(await callHook("onToolCall", { toolName: "t", args: {} })).toEqual({ block: "no" }); });
test("command", async () => { expect(await callCommand("c", "text")).toEqual({ text: "done", isError: false }); });
test("complete", async () => { expect(await completeCommand("c", "t")).toEqual(["a", "b"]); });
test("settings", () => { settings({ key: "v", gone: null }); });
test("env", () => { vi.stubEnv("A_KEY", "1"); expect(process.env.A_KEY).toBe("1"); });
test("env is still set", () => { expect(process.env.A_KEY).toBe("1"); vi.unstubAllEnvs(); expect(process.env.A_KEY).toBe(undefined); });
test("time", () => { 
  vi.useFakeTimers({ now: 1000 });
  vi.advanceTimersByTime(50);
  vi.setSystemTime(7);
  vi.useRealTimers();
  return callTool("greet");
});
test("project", async () => {
  await project.write("a.txt", "text");
  await project.write("b", new Uint8Array([1, 2]));
  expect(await project.read("a.txt")).toBe("hällo");
  expect((await project.readBytes("a.txt")).length).toBe(6);
  expect(await project.list()).toEqual(["a", "b/c"]);
  expect(project.root).toBe("/p");
  expect(await project.exists("a")).toBe(true);
  await project.remove("a");
});
test("wrong use", async () => {
  await expect(callTool(5 as any)).rejects.toThrow("callTool: expected a name, got number");
  await expect(callTool("t", "{}" as any)).resolves.toBeDefined();
  await expect(callTool("t", 5 as any)).rejects.toThrow("the arguments must be an object");
  await expect(callTool("t", {}, { timeout: 5 } as any)).rejects.toThrow("unknown option timeout; known are signal, callId, values and timeoutMs");
  await expect(callTool("t", { f() {} , n: 1n } as any)).rejects.toThrow("callTool: the arguments");
  await expect(callHook("onNothing" as any)).rejects.toThrow("expected onLoad, onToolCall, onToolResult, onBeforeModel");
  expect(() => settings([] as any)).toThrow("expected an object");
});
`)
	f.passes("tool", "hook", "command", "complete", "settings", "env", "env is still set", "time", "project", "wrong use")
	require.JSONEq(t, `{"name":"greet","args":{"name":"x"},"callId":"c1","values":{"v":1},"timeoutMs":9}`, r.of(wire.TestCallTool)[0])
	require.JSONEq(t, `{"hook":"onToolCall","event":{"toolName":"t","args":{}}}`, r.of(wire.TestCallHook)[0])
	require.JSONEq(t, `{"key":"v","gone":null}`, r.of(wire.TestSettings)[0])
	require.Equal(t, []string{`{"name":"A_KEY","value":"1"}`, `{"name":"A_KEY","value":"1"}`, `{"name":"A_KEY","value":null}`}, r.of(wire.TestEnv),
		"what is stubbed is told anew to the extension of the next test")
	require.Equal(t, []string{`{"fake":true,"nowMs":1000}`, `{"fake":true,"advanceMs":50}`, `{"fake":true,"nowMs":7}`, `{"fake":false}`}, r.of(wire.TestTime))
	require.Equal(t, `{"do":"write","path":"a.txt","base64":"dGV4dA=="}`, r.of(wire.TestProject)[0])
	require.Equal(t, `{"do":"write","path":"b","base64":"AQI="}`, r.of(wire.TestProject)[1])
}

func TestCallToolRejectsWhenItsSignalFires(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	r := &runner{wait: func(ctx context.Context) error { <-ctx.Done(); close(ended); return ctx.Err() }}
	f := withRunner(t, r, `
test("cancels", async () => {
  const c = new AbortController();
  const p = callTool("slow", {}, { signal: c.signal });
  setTimeout(() => c.abort(), 1);
  await expect(p).rejects.toThrow(/cancel/i);
  await expect(p).rejects.toMatchObject({ name: "AbortError" });
});
test("at once", async () => { await expect(callTool("slow", {}, { signal: AbortSignal.abort() })).rejects.toThrow("the call of slow was cancelled"); });
`)
	f.passes("cancels", "at once")
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Fatal("the runner was not told that the call is given up")
	}
}

func TestPhasesAreToldWhereThereAreHooks(t *testing.T) {
	t.Parallel()
	r := &runner{}
	f := withRunner(t, r, `
test("alone", () => {}, 77);
describe("suite", () => {
  beforeAll(() => {}, 1);
  beforeEach(() => {}, 11);
  afterEach(() => {});
  test("with hooks", () => {}, 33);
});
`)
	require.Equal(t, 77.0, f.named("alone").TimeoutMS)
	f.passes("alone")
	require.Empty(t, r.of(wire.TestPhase))
	suite := f.named("suite")
	require.True(t, suite.BeforeAll)
	f.result(wire.TestBeforeAll, suite.ID)
	f.passes("with hooks")
	require.Equal(t, []string{`{"name":"beforeAll","timeoutMs":1}`, `{"name":"beforeEach","timeoutMs":11}`, `{"name":"test","timeoutMs":33}`,
		`{"name":"afterEach","timeoutMs":10000}`}, r.of(wire.TestPhase))
}

// fetch asks the mocks of the file.
func (f *testFile) fetch(q wire.TestFetchRequest) wire.TestFetchResponse {
	res := f.part(wire.TestFetch, q)
	require.NotNil(f.t, res.Value, "%+v", res.Thrown)
	var out wire.TestFetchResponse
	require.NoError(f.t, json.Unmarshal(res.Value.Structured, &out))
	return out
}

func body(r wire.TestFetchResponse) string {
	raw, _ := base64.StdEncoding.DecodeString(r.Body)
	return string(raw)
}

func TestMockFetchAnswersByMethodAddressQueryHeadersAndBody(t *testing.T) {
	t.Parallel()
	f := withRunner(t, &runner{}, `
beforeAll(() => {
  const m = mockFetch();
  m.get("https://a.org/search?kind=all", { query: { q: /goja/, n: 1 } }).reply(200, { items: [1] });
  m.get("https://a.org/prefix/*").reply(200, (r) => r.url.slice(-3), { "X-A": "b" });
  m.post(/\/post$/, { body: { a: 1 }, headers: { "content-type": /json/ } }).reply(201, (r) => ({ got: r.json() }));
  m.put("https://a.org/once").reply(204).times(1);
  m.any("https://a.org/more").reply(200, "first").reply(429, "second", { "retry-after": "1" });
  m.get("https://a.org/down").replyError("connection reset");
  m.get("https://a.org/made").reply(async (r) => new Response("made", { status: 202, headers: { "x-q": r.query.x } }));
  m.get("https://a.org/bytes").reply(200, new Uint8Array([1, 2]));
  m.delete("https://a.org/fails").reply(200, () => { throw new Error("in the mock"); });
});
test("x", () => {});
`)
	require.Equal(t, "pass", f.result(wire.TestBeforeAll, 0).State)
	get := func(url string) wire.TestFetchResponse {
		return f.fetch(wire.TestFetchRequest{Method: "GET", URL: url})
	}

	r := get("https://a.org/search?q=about+goja&n=1&kind=all")
	require.Equal(t, 200, r.Status)
	require.JSONEq(t, `{"items":[1]}`, body(r))
	require.Equal(t, [][2]string{{"content-type", "application/json"}}, r.Headers)
	require.Equal(t, `nothing answers GET https://a.org/search?q=v8&n=1&kind=all; closest is GET https://a.org/search?kind=all: the query's q is "v8", expected /goja/`,
		get("https://a.org/search?q=v8&n=1&kind=all").Unmatched)
	require.Contains(t, get("https://a.org/search?q=goja&n=1").Unmatched, `the query's kind is missing, expected "all"`)

	r = get("https://a.org/prefix/abc")
	require.Equal(t, "abc", body(r))
	require.Contains(t, r.Headers, [2]string{"x-a", "b"})

	post := wire.TestFetchRequest{Method: "POST", URL: "https://b.org/post", Headers: [][2]string{{"Content-Type", "application/json"}}, Body: base64.StdEncoding.EncodeToString([]byte(`{"a":1}`))}
	r = f.fetch(post)
	require.Equal(t, 201, r.Status)
	require.JSONEq(t, `{"got":{"a":1}}`, body(r))
	post.Body = base64.StdEncoding.EncodeToString([]byte(`{"a":2}`))
	require.Contains(t, f.fetch(post).Unmatched, `closest is POST /\/post$/: the body is "{\"a\":2}", expected "{\"a\":1}"`)
	post.Method = "GET"
	require.Contains(t, f.fetch(post).Unmatched, "the method is GET, expected POST")

	once := wire.TestFetchRequest{Method: "PUT", URL: "https://a.org/once"}
	require.Equal(t, 204, f.fetch(once).Status)
	require.Contains(t, f.fetch(once).Unmatched, "it has answered 1 time, and answers no more")

	require.Equal(t, "first", body(get("https://a.org/more")))
	require.Equal(t, 429, get("https://a.org/more").Status)
	require.Equal(t, "second", body(get("https://a.org/more")))
	require.Equal(t, "connection reset", get("https://a.org/down").Error)
	r = get("https://a.org/made?x=7")
	require.Equal(t, 202, r.Status)
	require.Contains(t, r.Headers, [2]string{"x-q", "7"})
	require.Equal(t, "\x01\x02", body(get("https://a.org/bytes")))
	res := f.part(wire.TestFetch, wire.TestFetchRequest{Method: "DELETE", URL: "https://a.org/fails"})
	require.Equal(t, "in the mock", res.Thrown.Message)
	require.Contains(t, get("https://other.org/").Unmatched, "nothing answers GET https://other.org/; closest is ")
}

func TestMocksEndWithTheirTestAndMayBeStrict(t *testing.T) {
	t.Parallel()
	r := &runner{}
	f := withRunner(t, r, `
test("uses", async () => {
  const net = mockFetch({ strict: true }).get("http://a/x").reply(200, "yes");
  await callTool("t");
  expect(net.calls).toHaveLength(1);
  expect(net.calls[0].method).toBe("GET");
});
test("does not", () => { mockFetch({ strict: true }).get("http://a/x").reply(200).post("http://a/y"); });
test("odd", () => {
  expect(() => mockFetch({ tape: "x" } as any)).toThrow("unknown option tape; known are strict and cassette");
  expect(() => mockFetch().get(5 as any)).toThrow("the address must be a text, a RegExp or a function, got 5");
  expect(() => mockFetch().get("http://a", { cookies: {} } as any)).toThrow("cannot match cookies; known are query, headers and body");
  expect(() => mockFetch().get("http://a").reply("ok" as any)).toThrow("the status must be a number from 100 to 599");
});
`)
	r.wait = func(context.Context) error {
		require.Equal(t, "yes", body(f.fetch(wire.TestFetchRequest{Method: "GET", URL: "http://a/x"})))
		return nil
	}
	r.answers = map[string]string{wire.TestCallTool: `{}`}
	f.passes("uses", "odd")
	require.Equal(t, "nothing answers GET http://a/x: the test has no mockFetch() for it", f.fetch(wire.TestFetchRequest{Method: "GET", URL: "http://a/x"}).Unmatched)
	require.Equal(t, "Error: mockFetch: the test ended, and these were expected but did not come: GET http://a/x, POST http://a/y", f.message("does not"))
}

func TestMocksOfBeforeAllEndWithTheirSuite(t *testing.T) {
	t.Parallel()
	f := withRunner(t, &runner{}, `
describe("suite", () => {
  beforeAll(() => { mockFetch({ strict: true }).get("http://a/x").reply(200).get("http://a/y").reply(200); });
  test("inside", () => { expect(() => rho.fetchUrl({ url: "http://a/x" })).toThrow("rho.fetchUrl blocks the test file"); });
});
`)
	get := func(path string) wire.TestFetchResponse {
		return f.fetch(wire.TestFetchRequest{Test: 9, Method: "GET", URL: "http://a/" + path})
	}
	id := f.named("suite").ID
	require.Equal(t, "pass", f.result(wire.TestBeforeAll, id).State)
	require.Equal(t, 200, get("x").Status)
	f.passes("inside")
	r := f.result(wire.TestAfterAll, id)
	require.Contains(t, r.Errors[0].Message, "did not come: GET http://a/y")
	require.NotEmpty(t, get("x").Unmatched)
}

func TestTestsSideBySideHaveTheirOwnMocks(t *testing.T) {
	t.Parallel()
	f := withRunner(t, &runner{}, `
test("one", async () => { mockFetch().get("http://a/").reply(200, "one"); await new Promise((r) => setTimeout(r, 5000)); });
test("two", async () => { mockFetch().get("http://a/").reply(200, "two"); await new Promise((r) => setTimeout(r, 5000)); });
`)
	ctx, cancel := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	for _, name := range []string{"one", "two"} {
		id := f.named(name).ID
		wait.Go(func() {
			raw, _ := json.Marshal(wire.TestRef{ID: id})
			f.sb.Call(ctx, wire.CallRequest{ID: name, Run: wire.RunTest, Tool: wire.TestBody, Args: raw})
		})
	}
	for _, name := range []string{"one", "two"} {
		q := wire.TestFetchRequest{Test: f.named(name).ID, Method: "GET", URL: "http://a/"}
		require.Eventually(t, func() bool { return body(f.fetch(q)) == name }, 5*time.Second, time.Millisecond)
	}
	cancel()
	wait.Wait()
}

func TestCassettesReplayInOrderAndRecord(t *testing.T) {
	t.Parallel()
	r := &runner{answers: map[string]string{
		wire.TestCallTool: `{}`,
		wire.TestCassette: `{"mode":"replay","found":true,"path":"__fixtures__/x.http.json","entries":[
			{"match":{"method":"GET","url":"http://a/x","query":{"q":"1"}},"response":{"status":200,"body_json":{"n":1}}},
			{"match":{"method":"GET","url":"http://a/x","query":{"q":"1"}},"response":{"status":500,"body":"two"},"times":2}]}`,
	}}
	f := withRunner(t, r, `
test("replays", async () => { mockFetch({ cassette: "x", strict: true }); await callTool("t"); });
test("records", async () => { mockFetch({ cassette: "x" }); await callTool("t"); });
test("missing", () => { mockFetch({ cassette: "x" }); });
`)
	var got []wire.TestFetchResponse
	r.wait = func(context.Context) error {
		for range 4 {
			got = append(got, f.fetch(wire.TestFetchRequest{Method: "GET", URL: "http://a/x?q=1"}))
		}
		return nil
	}
	f.passes("replays")
	require.JSONEq(t, `{"n":1}`, body(got[0]))
	require.Equal(t, []int{200, 500, 500, 0}, []int{got[0].Status, got[1].Status, got[2].Status, got[3].Status})
	require.Contains(t, got[3].Unmatched, "GET http://a/x (entry 1 of __fixtures__/x.http.json)")

	got = nil
	r.answers[wire.TestCassette] = `{"mode":"record","found":false,"path":"p"}`
	f.passes("records")
	require.Equal(t, "x", got[0].Pass)
	r.answers[wire.TestCassette] = `{"mode":"replay","found":false,"path":"__fixtures__/x.http.json"}`
	require.Equal(t, "Error: mockFetch: there is no recording __fixtures__/x.http.json: make it with rho-ext test --record", f.message("missing"))
}

func TestABusyLoopEndsWithItsDeadlineAndTheFileIsLost(t *testing.T) {
	t.Parallel()
	f := tests(t, &broker{}, `test("busy", () => { for (;;); });`)
	ctx, cancel := context.WithTimeoutCause(context.Background(), 50*time.Millisecond, wire.ErrDeadline)
	defer cancel()
	res := f.sb.Call(ctx, wire.CallRequest{ID: "1", Run: wire.RunTest, Tool: wire.TestBody, Args: json.RawMessage(`{"id":1}`)})
	require.True(t, res.Guilty)
	require.Equal(t, registry.KindTimeout, res.Thrown.Kind)
	require.Equal(t, "ext.ts", res.Thrown.Stack[0].File)
	<-f.sb.Done()
}

func TestWhatNobodyCatchesFailsItsTestAndHooksRunAllTheSame(t *testing.T) {
	t.Parallel()
	f := withRunner(t, &runner{}, `
let after = 0;
afterEach(() => { after++; });
test("timer", async () => { setTimeout(() => { throw new RangeError("in a timer"); }, 1); await new Promise((r) => setTimeout(r, 1000)); });
test("stuck in a hook", async () => { await new Promise(() => {}); });
test("after", () => { expect(after).toBe(2); });
`)
	require.Equal(t, "RangeError: in a timer", f.message("timer"))
	require.Contains(t, f.message("stuck in a hook"), "Test timed out in 5000ms.")
	f.passes("after")
}

func TestSnapshotsAreTold(t *testing.T) {
	t.Parallel()
	text := importAll + `
test("new", () => { expect({ a: 1 }).toMatchSnapshot(); expect(1).toMatchSnapshot("hint"); });
test("same", () => { expect({ a: 1 }).toMatchSnapshot(); });
test("other", () => { expect({ a: 2 }).toMatchSnapshot(); });
test("inline", () => {
  expect({ a: 1 }).toMatchInlineSnapshot();
  expect(1).toMatchInlineSnapshot("2");
});
test("inline of a promise", async () => {
  await expect(Promise.resolve(1)).resolves.toMatchInlineSnapshot();
});
`
	saved := map[string]string{"same 1": "\n{\n  \"a\": 1,\n}\n", "other 1": "\n{\n  \"a\": 1,\n}\n"}
	open := func(update string) *testFile {
		f, fail := openTests(t, &broker{}, wire.TestOptions{Update: update, Snapshots: saved}, map[string]string{"ext.ts": text})
		require.Nil(t, fail)
		return f
	}
	object := "\n{\n  \"a\": 1,\n}\n"
	f := open("")
	r := f.run("new")
	require.Equal(t, []wire.TestSnapshot{{Key: "new 1", Status: "added", Text: object}, {Key: "new > hint 1", Status: "added", Text: "1"}}, r.Snapshots)
	require.Equal(t, []wire.TestSnapshot{{Key: "same 1", Status: "matched"}}, f.run("same").Snapshots)
	r = f.run("other")
	require.Equal(t, []wire.TestSnapshot{{Key: "other 1", Status: "failed"}}, r.Snapshots)
	require.Equal(t, "- Expected\n+ Received\n\n  {\n-   \"a\": 1,\n+   \"a\": 2,\n  }", r.Errors[0].Diff)
	r = f.run("inline")
	require.Equal(t, wire.TestSnapshot{Status: "added", Text: object, Place: &wire.Position{File: "ext.ts", Line: 6, Column: 20}}, r.Snapshots[0])
	require.Equal(t, "failed", r.Snapshots[1].Status)
	r = f.run("inline of a promise")
	require.Equal(t, "pass", r.State, "%+v", r.Errors)
	require.Equal(t, 10, r.Snapshots[0].Place.Line)

	f = open("all")
	require.Equal(t, "updated", f.run("other").Snapshots[0].Status)
	require.Equal(t, "updated", f.run("inline").Snapshots[1].Status)
	f = open("none")
	require.Equal(t, "fail", f.run("new").State)
}

func TestDifferencesAreLikeThoseOfVitest(t *testing.T) {
	t.Parallel()
	f := tests(t, &broker{}, `
test("object", () => { expect({ a: 1, b: [1, 2], id: 7 }).toEqual({ a: 1, b: [1, 3], id: expect.any(Number) }); });
test("text", () => { expect("abc").toBe("abd"); });
test("lines", () => { expect("a\nb\nc").toBe("a\nx\nc"); });
test("kinds", () => { expect("1").toBe(1); });
test("far apart", () => { const list = Array.from({ length: 30 }, (_, i) => i); expect(list).toEqual(list.map((n) => (n === 15 ? 99 : n))); });
test("cause", () => { throw new Error("outer", { cause: new TypeError("inner") }); });
`)
	diff := func(name string) string { return f.run(name).Errors[0].Diff }
	require.Equal(t, "- Expected\n+ Received\n\n  {\n    \"a\": 1,\n    \"b\": [\n      1,\n-     3,\n+     2,\n    ],\n    \"id\": 7,\n  }", diff("object"))
	require.Equal(t, "Expected: \"abd\"\nReceived: \"abc\"", diff("text"))
	require.Equal(t, "- Expected\n+ Received\n\n  a\n- x\n+ b\n  c", diff("lines"))
	require.Equal(t, "- Expected:\n1\n\n+ Received:\n\"1\"", diff("kinds"))
	far := diff("far apart")
	require.Contains(t, far, "@@ -12,11 +12,11 @@")
	require.Contains(t, far, "-   99,\n+   15,")
	require.Less(t, strings.Count(far, "\n"), 20)
	e := f.run("cause").Errors[0]
	require.Equal(t, "inner", e.Cause.Message)
	require.Equal(t, 7, e.Cause.Stack[0].Line)
}

func TestErrorsWhileCollectingAreLoadFailures(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body, want string
		line       int
	}{
		"top level":    {"\n\nthrow new Error('no');", "no", 3},
		"describe":     {"\ndescribe('x', () => {\n  throw new TypeError('in a suite');\n});", "TypeError: in a suite", 3},
		"await":        {"\nawait Promise.reject(new Error('late'));", "late", 2},
		"async suite":  {"\ndescribe('x', async () => { await null;\n throw new Error('later'); });", "later", 3},
		"wrong use":    {"\ntest('x', 5, 6 as any, 7);\ntest(5 as any, () => {});", "TypeError: test: expected a name, got number", 3},
		"two hooks":    {"\nbeforeEach(5 as any);", "TypeError: beforeEach: expected a function", 2},
		"never ending": {"\ndescribe('x', () => new Promise(() => {}));", "top-level await waits for a promise that can never settle", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, fail := openTests(t, &broker{}, wire.TestOptions{}, map[string]string{"ext.ts": importAll + tt.body})
			require.NotNil(t, fail)
			require.Equal(t, tt.want, fail.Message)
			require.Equal(t, tt.line, fail.Position.Line, "%+v", fail)
		})
	}
}

func TestForgottenImportsAndLaterDeadlinesAreTold(t *testing.T) {
	t.Parallel()
	_, fail := openTests(t, &broker{}, wire.TestOptions{}, map[string]string{"ext.ts": `test("x", () => {});`})
	require.Equal(t, `import it: import { test } from "rho-ext/test"`, fail.Hint)
	r := &runner{}
	f := withRunner(t, r, `
vi.setConfig({ testTimeout: 7000 });
test("top", () => {});
test("own", () => {}, 50);
test("inside", async () => { vi.setConfig({ testTimeout: 20 }); });
test("after", async () => { await new Promise((r) => setTimeout(r, 500)); });
`)
	require.Equal(t, 7000.0, f.named("top").TimeoutMS)
	require.Equal(t, 50.0, f.named("own").TimeoutMS)
	f.passes("inside")
	require.Contains(t, f.message("after"), "Test timed out in 20ms.")
	require.Contains(t, r.of(wire.TestPhase), `{"name":"test","timeoutMs":20}`)
}

func TestTestModulesAreRefusedOutsideOfTestFiles(t *testing.T) {
	t.Parallel()
	for _, module := range []string{"rho-ext/test", "vitest"} {
		_, fail := load(t, map[string]string{"ext.ts": `import { test } from "` + module + `"; test("x", () => {}); export default { name: "x", tools: [] };`})
		require.NotNil(t, fail)
		require.Equal(t, `"rho-ext/test" and "vitest" are for test files, whose names end in .test.ts; the command rho-ext test runs those`, fail.Message)
	}
}

func TestTestFilesImportTheExtensionsModules(t *testing.T) {
	t.Parallel()
	f, fail := openTests(t, &broker{}, wire.TestOptions{}, map[string]string{
		"ext.ts":   `import { expect, test } from "vitest"; import { double } from "./lib"; import ext from "./index"; test("x", () => { expect(double(2)).toBe(4); expect(ext.name).toBe("mine"); });`,
		"lib.ts":   `export const double = (n: number) => n * 2;`,
		"index.ts": `import { defineExtension } from "rho-ext"; export default defineExtension({ name: "mine", tools: [] });`,
	})
	require.Nil(t, fail)
	f.passes("x")
}

func TestTheLibraryOutlivesWhatTestsDoToGlobals(t *testing.T) {
	t.Parallel()
	f := tests(t, &broker{}, `
test("clobbers", () => {
  Object.keys = Array.isArray = JSON.stringify = JSON.parse = Object.is = Promise.resolve = null as any;
  (globalThis as any).Date = (globalThis as any).setTimeout = null;
});
test("fails as before", async () => { await null; expect({ a: 1 }).toBe(5); });
test("passes as before", async () => { await null; expect(5).toBe(5); });
`)
	f.passes("clobbers", "passes as before")
	require.Contains(t, f.message("fails as before"), "to be 5 // Object.is equality")
}

func TestTestsSideBySideMayWaitForOneAnother(t *testing.T) {
	t.Parallel()
	f := tests(t, &broker{}, `
let open = () => {};
const passed = new Promise<void>((r) => { open = r; });
test.concurrent("waits", async () => { await passed; });
test.concurrent("opens", () => { open(); });
test.concurrent("never", { timeout: 30 }, async () => { await new Promise(() => {}); });
`)
	done := make(chan wire.CallResult)
	go func() {
		raw, _ := json.Marshal(wire.TestRef{ID: f.named("waits").ID})
		done <- f.sb.Call(context.Background(), wire.CallRequest{ID: "w", Run: wire.RunTest, Tool: wire.TestBody, Args: raw})
	}()
	require.Contains(t, f.message("never"), "Test timed out in 30ms.")
	f.passes("opens")
	require.Contains(t, string((<-done).Value.Structured), "pass")
}

func TestExpectKnowsItsTestWhenTestsRunTogether(t *testing.T) {
	t.Parallel()
	f := tests(t, &broker{}, `
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
test("one", async () => { expect.assertions(2); expect(1).toBe(1); await sleep(10); expect(2).toBe(2); });
test("two", async () => { await sleep(5); expect(1).toBe(1); expect.soft(1).toBe(2); await sleep(10); expect(1).toBe(1); });
`)
	var wait sync.WaitGroup
	results := map[string]wire.TestResult{}
	var mu sync.Mutex
	for _, name := range []string{"one", "two"} {
		id := f.named(name).ID
		wait.Go(func() {
			raw, _ := json.Marshal(wire.TestRef{ID: id})
			res := f.sb.Call(context.Background(), wire.CallRequest{ID: name, Run: wire.RunTest, Tool: wire.TestBody, Args: raw})
			var r wire.TestResult
			_ = json.Unmarshal(res.Value.Structured, &r)
			mu.Lock()
			results[name] = r
			mu.Unlock()
		})
	}
	wait.Wait()
	require.Equal(t, wire.TestResult{State: "pass", Assertions: 2}, results["one"])
	require.Equal(t, "fail", results["two"].State)
	require.Equal(t, 3, results["two"].Assertions)
}

func TestOddValuesFailATestAndNothingElse(t *testing.T) {
	t.Parallel()
	f := tests(t, &broker{}, `
const deep = (n: number, end: unknown) => { let v: any = end; for (let i = 0; i < n; i++) v = i % 2 ? [v] : { v }; return v; };
const lines = (word: string) => Array.from({ length: 2500 }, (_, i) => word + i).join("\n");
test("deep", () => { expect(deep(3000, 1)).toEqual(deep(3000, 2)); });
test("deep snapshot", () => { expect(deep(3000, 1)).toMatchSnapshot(); });
test("deep display", () => { expect(deep(3000, 1)).toBeNull(); });
test("traps", () => { expect(new Proxy({}, { get() { throw new Error("trap"); }, ownKeys() { throw new Error("trap"); } })).toEqual({ a: 1 }); });
test("getters", () => { expect({ get a() { throw new Error("getter"); } }).toEqual({ a: 1 }); });
test("long", () => { expect(lines("a")).toBe(lines("b")); });
test("many", () => { expect(Array.from({ length: 1500 }, (_, i) => i)).toEqual(Array.from({ length: 1500 }, (_, i) => -i)); });
test("large", () => { expect("x".repeat(3e6)).toBe("y".repeat(3e6)); });
test("thrown trap", () => { throw new Proxy({}, { get() { throw new Error("trap"); } }); });
test("revoked", () => { const r = Proxy.revocable({}, {}); r.revoke(); expect(r.proxy).toBe(1); });
test("circles", () => { const a: any = {}; a.a = a; const b: any = { b: 1 }; b.a = b; expect(a).toEqual(b); });
test("still there", () => { expect(1).toBe(1); });
test("without a deadline", { timeout: 0 }, async () => { await new Promise((r) => setTimeout(r, 1)); });
test("imports later", async () => { const v = await import("vitest"); v.expect(1).toBe(1); });
`)
	for _, name := range []string{"deep", "deep display", "traps", "getters", "long", "many", "large", "thrown trap", "revoked", "circles"} {
		require.Equal(t, "fail", f.run(name).State, name) // and soon enough, see part
	}
	f.run("deep snapshot")
	f.passes("still there", "without a deadline", "imports later")
	require.Equal(t, 864e5, f.named("without a deadline").TimeoutMS)
}
