package jsapi

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
)

// newEnvironment makes a realm whose host has granted HOME and EMPTY.
func newEnvironment(t *testing.T) *realm {
	t.Helper()
	r := newRealm(t)
	r.answer = func(req wire.Request) (wire.Response, error) {
		var e wire.EnvRequest
		require.Equal(t, wire.OpEnv, req.Op)
		require.Equal(t, "process.env", req.As)
		require.NoError(t, json.Unmarshal(req.Data, &e))
		switch e.Name {
		case "HOME":
			return wire.Response{Data: json.RawMessage(`{"value":"/home/é","set":true}`)}, nil
		case "EMPTY":
			return wire.Response{Data: json.RawMessage(`{"value":"","set":true}`)}, nil
		case "BROKEN":
			return wire.Response{}, &wire.Error{Name: "Error", Message: "no answer"}
		}
		return wire.Response{Data: json.RawMessage(`{"value":"","set":false}`)}, nil
	}
	return r
}

func TestEnvironmentGivesWhatWasGrantedAndKeepsWhatWasAssigned(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body, want string }{
		{"granted", `const { env } = process; return [env.HOME, env["EMPTY"], env.NOT_GRANTED === undefined]`, `["/home/é","",true]`},
		{"in", `return ["HOME" in process.env, "NOT" in process.env, Object.hasOwn(process.env, "HOME"), "toString" in process.env]`, `[true,false,true,true]`},
		{"not listed", `let n = 0; for (const k in process.env) n++; return [n, Object.keys(process.env), { ...process.env }, JSON.stringify(process.env)]`, `[0,[],{},"{}"]`},
		{"assigned", `process.env.A = 1; process.env.B = undefined; process.env.HOME = null; const { A, B, HOME } = process.env; return [A, B, HOME, Object.keys(process.env)]`, `["1","undefined","null",["A","B","HOME"]]`},
		{"any name can be assigned", `process.env["a b"] = "x"; process.env[""] = 2; return [process.env["a b"], process.env[""]]`, `["x","2"]`},
		{"deleted", `process.env.A = 1; delete process.env.A; delete process.env.HOME; return [process.env.A === undefined, "HOME" in process.env, process.env.HOME === undefined]`, `[true,false,true]`},
		{"assigned after it was deleted", `delete process.env.HOME; process.env.HOME = "x"; return process.env.HOME`, `"x"`},
		{"a symbol is no value", `process.env.A = Symbol("s")`, `TypeError: Cannot convert a Symbol value to a string`},
		{"a value that throws", `process.env.A = { toString() { throw new RangeError("mine") } }`, `RangeError: mine`},
		{"a failure of the host", `process.env.BROKEN`, `Error: no answer`},
		{"replaced as a whole", `process.env = { A: "1" }; return process.env.A`, `"1"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, newEnvironment(t).async(tt.body))
		})
	}
}

func TestEnvironmentAsksEachTimeAndOnlyForNames(t *testing.T) {
	t.Parallel()
	r := newEnvironment(t)
	r.async(`process.env.HOME; process.env.HOME`)
	require.Len(t, r.requests, 2)
	r.requests = nil
	r.async(`const { env } = process; env[Symbol.iterator]; env[""]; env["a b"]; env["1A"]; env[0]; env["A-B"]; env["é"]; env.toString; env.then; String(env); JSON.stringify(env); await env`)
	require.Empty(t, r.requests)
	r.async(`process.env._; process.env.a1`)
	require.Len(t, r.requests, 2)
}

// Libraries look for Node in these ways; taken for it, they use what is absent.
func TestProcessIsNotTakenForNode(t *testing.T) {
	t.Parallel()
	runChecks(t, []check{
		{"members", `return Object.getOwnPropertyNames(process)`, `["env"]`},
		{"versions", `return typeof process !== "undefined" && process.versions != null && process.versions.node != null`, `false`},
		{"detect-node, axios", `return Object.prototype.toString.call(process) === "[object process]"`, `false`},
		{"release", `return process.release?.name === "node"`, `false`},
		{"parts", `return [process.nextTick, process.platform, process.argv, process.stdout, process.cwd].map(v => v === undefined)`, `[true,true,true,true,true]`},
	})
}
