package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

func TestListTools(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}}`
	reg := newRegistry(t, &fakeTool{name: "second", parameters: schema})
	require.NoError(t, reg.Register("ext", &fakeTool{name: "first", info: registry.Info{Title: "The first", OutputSchema: json.RawMessage(`{"type":"object"}`)}}))
	c := start(t, reg, nil)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"listTools"}`)
	line, err := c.lines.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"tools":[`+
		`{"name":"second","title":"second","description":"Does second.","risk":"read","effects":["read"],"owner":"","parameters":`+schema+`},`+
		`{"name":"first","title":"The first","description":"Does first.","risk":"read","effects":["read"],"owner":"ext","parameters":{"type":"object"},"output":{"type":"object"}}]}}`+"\n", line)
}

func TestVersion(t *testing.T) {
	t.Parallel()
	c := start(t, newRegistry(t), &Options{Version: "1.2.3"})
	require.Equal(t, map[string]any{"name": "rho-ext", "version": "1.2.3", "protocol": 1.0}, c.call("version", "{}"))
}

func TestRequestErrors(t *testing.T) {
	t.Parallel()
	c := start(t, newRegistry(t, &fakeTool{name: "echo"}), nil)
	for _, tt := range []struct {
		method, params string
		code           int
		want           string
	}{
		{"calTool", `{}`, -32601, `unknown method "calTool" (did you mean callTool?)`},
		{"rpc.serverInfo", `{}`, -32601, `unknown method "rpc.serverInfo"`},
		{"listExtensions", `{}`, -32601, "this server has no extensions"},
		{"reloadExtensions", `{}`, -32601, "this server has no extensions"},
		{"setModel", `{"model":"m"}`, -32601, "this server has no extensions"},
		{"version", `{"x":1}`, -32602, "x: unknown field; version takes no params"},
		{"listTools", `[1]`, -32602, "params of listTools: expected an object"},
		{"callTool", `{}`, -32602, "name: required, but missing"},
		{"callTool", `{"name":null}`, -32602, "name: required, but missing"},
		{"callTool", `{"name":7}`, -32602, "name: expected a string, got number"},
		{"callTool", `{"name":"echo","argument":{}}`, -32602, "argument: unknown field (did you mean arguments?); callTool takes name, arguments, id, timeoutMs, values"},
		{"callTool", `{"name":"echo","timeoutMs":"1s"}`, -32602, "timeoutMs: expected a number, got string"},
		{"callTool", `{"name":"echo","timeoutMs":-1}`, -32602, "timeoutMs: expected milliseconds up to 24h0m0s, got -1"},
		{"callTool", `{"name":"echo","timeoutMs":1e300}`, -32602, "timeoutMs: expected milliseconds"},
		{"callTool", `{"name":"echo","values":[]}`, -32602, "values: expected an object, got array"},
		{"cancelCall", `{}`, -32602, "id: required, but missing"},
		{"cancelCall", `{"callId":"x"}`, -32602, "id: required, but missing"},
	} {
		code, message := c.fail(tt.method, tt.params)
		require.Equal(t, tt.code, code, message)
		require.Contains(t, message, tt.want)
	}
}

func TestMalformedLines(t *testing.T) {
	t.Parallel()
	c := start(t, newRegistry(t), nil)
	for _, tt := range []struct {
		line string
		code int
		want string
	}{
		{`{"jsonrpc":"2.0","id":1,`, -32700, "the line is not valid JSON: unexpected end of JSON input, at byte 25"},
		{`hello`, -32700, "the line is not valid JSON: invalid character 'h'"},
		{strings.Repeat("[", 100_000), -32700, "exceeded max depth"},
		{`[]`, -32600, "empty request batch"},
		{`{"id":1,"method":"version"}`, -32600, "invalid version marker"},
		{`{"jsonrpc":"2.0","id":{},"method":"version"}`, -32600, "invalid request ID"},
		{`{"jsonrpc":"2.0","id":1,"method":"version","params":3}`, -32600, "parameters must be array or object"},
	} {
		c.send("%s", tt.line)
		code, message := errorOf(t, c.next())
		require.Equal(t, tt.code, code, message)
		require.Contains(t, message, tt.want)
	}
	c.send("\n  \r\n")
	c.call("version", "{}")

	c.send(`[{"jsonrpc":"2.0","id":1,"method":"version"},{"jsonrpc":"2.0","method":"version"},{"jsonrpc":"2.0","id":2,"method":"nope"}]`)
	line, err := c.lines.ReadBytes('\n')
	require.NoError(t, err)
	var batch []map[string]any
	require.NoError(t, json.Unmarshal(line, &batch))
	require.Len(t, batch, 2)
}

func TestOversizedLine(t *testing.T) {
	t.Parallel()
	c := start(t, newRegistry(t, &fakeTool{name: "echo", run: func(context.Context, json.RawMessage) (*registry.Result, error) {
		return registry.Text("small"), nil
	}}), nil)
	go func() {
		_, _ = io.Copy(c.in, io.MultiReader(
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"callTool","params":{"name":"`),
			io.LimitReader(zeros{}, maxLine), strings.NewReader("\n"),
		))
		c.send(`{"jsonrpc":"2.0","id":2,"method":"callTool","params":{"name":"echo","arguments":{"a":"%s"}}}`, strings.Repeat("x", 1<<20))
	}()
	code, message := errorOf(t, c.next())
	require.Equal(t, -32600, code)
	require.Equal(t, "the message is longer than 16 MiB", message)
	require.EqualValues(t, 2, c.next()["id"])
}

// zeros is an endless run of digits.
type zeros struct{}

var block = bytes.Repeat([]byte("0"), 64<<10)

func (zeros) Read(p []byte) (int, error) { return copy(p, block), nil }

func TestEndOfInput(t *testing.T) {
	t.Parallel()
	t.Run("answers what came before", func(t *testing.T) {
		t.Parallel()
		c := start(t, newRegistry(t, &fakeTool{name: "echo"}), &Options{Drain: time.Hour})
		go func() {
			// The last line has no newline, as printf leaves it.
			_, _ = io.WriteString(c.in, `{"jsonrpc":"2.0","id":1,"method":"callTool","params":{"name":"echo"}}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"version"}`)
			_ = c.in.Close()
		}()
		got := map[any]bool{c.next()["id"]: true, c.next()["id"]: true}
		require.Equal(t, map[any]bool{1.0: true, 2.0: true}, got)
		require.NoError(t, <-c.ended)
	})
	t.Run("cancels what runs", func(t *testing.T) {
		t.Parallel()
		wait := newWaiter()
		c := start(t, newRegistry(t, wait), nil)
		c.send(`{"jsonrpc":"2.0","id":1,"method":"callTool","params":{"name":"wait"}}`)
		<-wait.started
		require.NoError(t, c.in.Close())
		out := c.next()["result"].(map[string]any)
		require.Equal(t, "cancelled", out["failure"].(map[string]any)["kind"])
		require.NoError(t, <-c.ended)
	})
}

func TestContextEnds(t *testing.T) {
	t.Parallel()
	wait := newWaiter()
	ctx, cancel := context.WithCancel(context.Background())
	c := startContext(t, ctx, newRegistry(t, wait), nil)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"callTool","params":{"name":"wait"}}`)
	<-wait.started
	go func() { _, _ = io.Copy(io.Discard, c.lines) }()
	cancel()
	require.ErrorIs(t, <-c.ended, context.Canceled)
}

func TestClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	reg := newRegistry(t, &fakeTool{name: "echo"})
	server := NewServer(registry.NewDoor(reg, nil), reg, nil)
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"callTool","params":{"name":"echo"}}`)
	require.NoError(t, server.Serve(t.Context(), in, brokenWriter{}))
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestToolsChanged(t *testing.T) {
	t.Parallel()
	reg := newRegistry(t)
	c := start(t, reg, nil)
	c.call("version", "{}") // the subscription stands
	require.NoError(t, reg.Register("ext", &fakeTool{name: "new"}))
	m := c.next()
	require.Equal(t, "tools/changed", m["method"])
	require.Equal(t, map[string]any{"generation": 1.0}, m["params"])

	// New code behind the same face is no news, a new schema is.
	require.NoError(t, reg.Swap("ext", []registry.Tool{&fakeTool{name: "new"}}))
	require.NoError(t, reg.Swap("ext", []registry.Tool{&fakeTool{name: "new", parameters: `{"type":"object","properties":{}}`}}))
	m = c.next()
	require.Equal(t, "tools/changed", m["method"])
	require.Equal(t, map[string]any{"generation": 3.0}, m["params"])
}

type fakeExtensions struct {
	err   error
	model *string
	heard chan func(ReloadReport)
}

func (f fakeExtensions) SetModel(name string) { *f.model = name }

func (f fakeExtensions) List(context.Context) (any, error) {
	return map[string]any{"extensions": []string{"a"}}, f.err
}

func (f fakeExtensions) Reload(_ context.Context, names []string) (ReloadReport, error) {
	for _, n := range names {
		if n != "a" {
			return ReloadReport{}, &NameError{Message: "there is no extension " + n}
		}
	}
	return ReloadReport{Added: 1, Failed: 1, Text: "a was added", Changes: []Change{
		{Extension: "a", Change: "added", Version: 1, Tools: []string{"t"}}, {Extension: "b", Change: "failed", Message: "b.ts:1:2: no"},
	}}, f.err
}

func (f fakeExtensions) Control(_ context.Context, a Action, name string) (ReloadReport, error) {
	if name != "a" {
		return ReloadReport{}, &NameError{Message: "there is no extension " + name}
	}
	return ReloadReport{Changes: []Change{{Extension: name, Change: string(a)}}}, f.err
}

func (f fakeExtensions) Subscribe(heard func(ReloadReport)) func() {
	if f.heard != nil {
		f.heard <- heard
	}
	return func() {}
}

func TestExtensions(t *testing.T) {
	t.Parallel()
	model := "none"
	c := start(t, newRegistry(t), &Options{Extensions: fakeExtensions{model: &model}})
	c.call("setModel", `{"model":"m-1"}`)
	require.Equal(t, "m-1", model)
	code, _ := c.fail("setModel", `{"model":1}`)
	require.Equal(t, -32602, code)
	require.Equal(t, map[string]any{"extensions": []any{"a"}}, c.call("listExtensions", "{}"))
	report, err := json.Marshal(c.call("reloadExtensions", "{}"))
	require.NoError(t, err)
	require.JSONEq(t, `{"added":1,"reloaded":0,"removed":0,"failed":1,"text":"a was added","changes":[
		{"extension":"a","change":"added","version":1,"tools":["t"]},{"extension":"b","change":"failed","message":"b.ts:1:2: no"}]}`, string(report))
	c.call("reloadExtensions", `{"names":["a"]}`)
	for _, a := range []string{"enable", "disable", "unload"} {
		report, err := json.Marshal(c.call(a+"Extension", `{"name":"a"}`))
		require.NoError(t, err)
		require.JSONEq(t, `{"added":0,"reloaded":0,"removed":0,"failed":0,"text":"","changes":[{"extension":"a","change":"`+a+`"}]}`, string(report))
		for _, bad := range []string{`{}`, `{"name":"z"}`, `{"name":["a"]}`} {
			code, _ := c.fail(a+"Extension", bad)
			require.Equal(t, -32602, code)
		}
	}
	code, message := c.fail("reloadExtensions", `{"names":["z"]}`)
	require.Equal(t, -32602, code)
	require.Contains(t, message, "names: there is no extension z")
	code, message = c.fail("reloadExtensions", `{"names":"a"}`)
	require.Equal(t, -32602, code)
	require.Contains(t, message, "expected a list of texts")

	c = start(t, newRegistry(t), &Options{Extensions: fakeExtensions{err: errors.New("disk on fire")}})
	for _, method := range []string{"listExtensions", "reloadExtensions"} {
		code, message := c.fail(method, "{}")
		require.Equal(t, -32603, code)
		require.Contains(t, message, "disk on fire")
	}
}

func TestAClientHearsOfExtensionsThatChangeByThemselves(t *testing.T) {
	t.Parallel()
	heard := make(chan func(ReloadReport), 1)
	c := start(t, newRegistry(t), &Options{Extensions: fakeExtensions{heard: heard}})
	tell := <-heard
	tell(ReloadReport{Reloaded: 1, Text: "a was reloaded", Changes: []Change{{Extension: "a", Change: "reloaded", Version: 2}}})
	m := c.next()
	require.Equal(t, "extensions/changed", m["method"])
	got, err := json.Marshal(m["params"])
	require.NoError(t, err)
	require.JSONEq(t, `{"added":0,"reloaded":1,"removed":0,"failed":0,"text":"a was reloaded","changes":[{"extension":"a","change":"reloaded","version":2}]}`, string(got))
}
