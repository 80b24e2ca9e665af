package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/sandbox"
	"github.com/rho-ext/rho-ext/host/wire"
)

// testFile is a test file in a sandbox.
type testFile struct {
	t    testing.TB
	sb   wire.Sandbox
	b    *broker
	root *wire.TestNode
	n    int
}

func openTests(t testing.TB, b *broker, o wire.TestOptions, files map[string]string) (*testFile, *wire.Failure) {
	t.Helper()
	req := source(t, files)
	if o.TimeoutMS == 0 {
		o.TimeoutMS, o.HookTimeoutMS = 5000, 10000
	}
	o.File = "ext.ts"
	req.Test = &o
	f := &testFile{t: t, b: b}
	var err error
	f.sb, err = (&sandbox.Factory{}).NewSandbox(b)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.sb.Close() })
	ctx, cancel := context.WithTimeoutCause(context.Background(), 2*time.Second, wire.ErrDeadline)
	defer cancel()
	res, err := f.sb.Load(ctx, req)
	require.NoError(t, err)
	f.root = res.Tests
	return f, res.Failure
}

// tests opens a file of this text, with everything imported.
func tests(t testing.TB, b *broker, body string) *testFile {
	t.Helper()
	f, fail := openTests(t, b, wire.TestOptions{}, map[string]string{"ext.ts": importAll + body})
	if fail != nil {
		t.Fatalf("did not load: %+v", *fail)
	}
	return f
}

const importAll = `import { test, it, describe, expect, vi, beforeAll, afterAll, beforeEach, afterEach, onTestFinished, onTestFailed, assert, callTool, callHook, callCommand, completeCommand, mockFetch, project, settings } from "rho-ext/test"; `

// part runs a part of the file.
func (f *testFile) part(part string, args any) wire.CallResult {
	f.t.Helper()
	raw, err := json.Marshal(args)
	require.NoError(f.t, err)
	f.n++
	ctx, cancel := context.WithTimeoutCause(context.Background(), 10*time.Second, wire.ErrDeadline)
	defer cancel()
	return f.sb.Call(ctx, wire.CallRequest{ID: fmt.Sprint("t", f.n), Run: wire.RunTest, Tool: part, Args: raw})
}

func (f *testFile) result(part string, id int) wire.TestResult {
	f.t.Helper()
	res := f.part(part, wire.TestRef{ID: id})
	require.Nil(f.t, res.Thrown, "%+v", res.Thrown)
	require.NotNil(f.t, res.Value)
	var r wire.TestResult
	require.NoError(f.t, json.Unmarshal(res.Value.Structured, &r))
	return r
}

// named finds a node by its name.
func (f *testFile) named(name string) *wire.TestNode {
	f.t.Helper()
	var find func(*wire.TestNode) *wire.TestNode
	find = func(n *wire.TestNode) *wire.TestNode {
		if n.Name == name {
			return n
		}
		for i := range n.Children {
			if found := find(&n.Children[i]); found != nil {
				return found
			}
		}
		return nil
	}
	n := find(f.root)
	require.NotNil(f.t, n, name)
	return n
}

func (f *testFile) run(name string) wire.TestResult {
	f.t.Helper()
	return f.result(wire.TestBody, f.named(name).ID)
}

// message is that of the only error of a test.
func (f *testFile) message(name string) string {
	f.t.Helper()
	r := f.run(name)
	require.Equal(f.t, "fail", r.State, name)
	require.Len(f.t, r.Errors, 1, "%+v", r.Errors)
	return r.Errors[0].Name + ": " + r.Errors[0].Message
}

func TestFileOfTestsIsCollectedAndRun(t *testing.T) {
	t.Parallel()
	f := tests(t, &broker{}, `
test("adds", () => { expect(1 + 1).toBe(2); expect({ a: [1] }).toEqual({ a: [1] }); });
describe("inner", () => {
  test.skip("left out", () => {});
  test("differs", () => {
    expect({ a: 1 }).toEqual({ a: 2 });
  });
  it.todo("later");
});
test("waits", async () => { await new Promise((r) => setTimeout(r, 5)); expect(1).toBe(2); });
test("slow", async () => { await new Promise((r) => setTimeout(r, 500)); }, 30);
test("stuck", async () => { await new Promise(() => {}); });
test("calls", async () => { const r = await callTool("greet", { a: 1 }); expect(r.text).toBe("hi"); });
`)
	f.b.do = func(_ context.Context, r wire.Request) (wire.Response, error) {
		var q wire.TestRequest
		require.NoError(t, json.Unmarshal(r.Data, &q))
		require.Equal(t, wire.TestCallTool, q.Do)
		require.JSONEq(t, `{"name":"greet","args":{"a":1}}`, string(q.Data))
		return wire.Response{Data: json.RawMessage(`{"text":"hi"}`)}, nil
	}
	require.Equal(t, wire.TestResult{State: "pass", Assertions: 2}, f.run("adds"))
	inner := f.named("inner")
	require.True(t, inner.Suite)
	require.Equal(t, "skip", inner.Children[0].Mode)
	require.Equal(t, "todo", inner.Children[2].Mode)
	require.Equal(t, wire.Position{File: "ext.ts", Line: 5, Column: 3}, inner.Children[1].Location)

	r := f.run("differs")
	require.Equal(t, "fail", r.State)
	e := r.Errors[0]
	require.Equal(t, "AssertionError", e.Name)
	require.Equal(t, "expected { a: 1 } to deeply equal { a: 2 }", e.Message)
	require.Equal(t, 6, e.Stack[0].Line, "%+v", e.Stack)

	require.Equal(t, "AssertionError: expected 1 to be 2 // Object.is equality", f.message("waits"))
	require.Contains(t, f.message("slow"), "Error: Test timed out in 30ms.\n")
	r = f.run("stuck")
	require.Contains(t, r.Errors[0].Message, "Test timed out in 5000ms.")
	require.Contains(t, r.Errors[0].Hint, "can never come")
	require.Equal(t, "pass", f.run("calls").State, "%+v", f.b.requests())
}
