package jsapi

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/dop251/goja"

	"github.com/rho-ext/rho-ext/host/wire"
)

// TestEnv is what the scripts of a test file need of the sandbox besides [Env].
// All of it is called on the goroutine that owns the runtime.
type TestEnv interface {
	// TestState gives what SetTestState kept for the call whose code runs, or
	// undefined.
	TestState() goja.Value
	SetTestState(goja.Value)
	// Place is where the author's code calls, or the zero value.
	Place() wire.Position
	// Explain makes a thrown value plain.
	Explain(goja.Value) wire.TestError
	// SetDeadline is like [Env.SetTimer], but the timer is nothing that a call
	// can wait for: see [Globals.TestStuck].
	SetDeadline(fn goja.Callable, delay time.Duration) int64
}

// testRealm is what a test file needs of its runtime.
type testRealm struct {
	env     TestEnv
	options wire.TestOptions
}

// testEntry is the global through which the module rho-ext/test gets its
// functions. It stays: a module that is imported in a test is evaluated then.
const testEntry = "__rho_test"

// StartTests makes the runtime one for a test file, before its code runs.
func (g *Globals) StartTests(env TestEnv, o wire.TestOptions) error {
	g.tests = &testRealm{env: env, options: o}
	v, err := g.call(testModuleScript, "entry")
	if err != nil {
		return fmt.Errorf("prepare for a test file: %w", err)
	}
	return g.vm.GlobalObject().DefineDataProperty(testEntry, v, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
}

// CollectTests runs the callbacks of describe, once the test file's modules have
// been evaluated. It gives the JSON text of a [wire.TestNode], or a promise of it.
func (g *Globals) CollectTests() (goja.Value, error) {
	return g.call(testSuitesScript, "collect")
}

// RunTest runs a part of the test file. It gives the JSON text of its answer, or
// a promise of it.
func (g *Globals) RunTest(part string, args json.RawMessage) (goja.Value, error) {
	return g.call(testRunScript, "run", g.vm.ToValue(part), g.vm.ToValue(string(args)))
}

// TestStuck ends what the part of a test of this state waits for: it will not
// come. waits says that something waits on all the same, and has a deadline.
func (g *Globals) TestStuck(state goja.Value) (ended, waits bool, err error) {
	v, err := g.call(testRunScript, "stuck", state)
	if err != nil {
		return false, false, err
	}
	return v.String() == "ended", v.String() == "waits", nil
}

// FailTest fails the part of a test of this state with an exception that nobody
// caught. It reports false when nothing waits.
func (g *Globals) FailTest(state, thrown goja.Value) (bool, error) {
	v, err := g.call(testRunScript, "crash", state, thrown)
	return err == nil && v.ToBoolean(), err
}

// testState gives the state of the test whose code runs.
func testState(g *Globals, _ goja.FunctionCall) goja.Value { return g.tests.env.TestState() }

// setTestState keeps a state for the call whose code runs: (state).
func setTestState(g *Globals, c goja.FunctionCall) goja.Value {
	g.tests.env.SetTestState(c.Argument(0))
	return goja.Undefined()
}

// testPlace gives the JSON text of where the author's code calls.
func testPlace(g *Globals, _ goja.FunctionCall) goja.Value {
	return g.vm.ToValue(string(g.encode(g.tests.env.Place())))
}

// explainThrown gives the JSON text of a [wire.TestError]: (thrown).
func explainThrown(g *Globals, c goja.FunctionCall) goja.Value {
	return g.vm.ToValue(string(g.encode(g.tests.env.Explain(c.Argument(0)))))
}

// setDeadline starts a timer that no call waits for: (fn, milliseconds) → id.
func setDeadline(g *Globals, c goja.FunctionCall) goja.Value {
	fn, ok := goja.AssertFunction(c.Argument(0))
	if !ok {
		panic(g.vm.NewTypeError("a deadline needs a function"))
	}
	delay := time.Duration(min(c.Argument(1).ToFloat(), maxDelay) * float64(time.Millisecond))
	return g.vm.ToValue(g.tests.env.SetDeadline(fn, delay))
}

// testOptions gives the JSON text of the options.
func testOptions(g *Globals, _ goja.FunctionCall) goja.Value {
	return g.vm.ToValue(string(g.encode(g.tests.options)))
}

// tellRunner tells the runner something and waits until it knows: (what, JSON
// text or undefined) → JSON text or undefined.
func tellRunner(g *Globals, c goja.FunctionCall) goja.Value {
	res := g.do(wire.Request{Op: wire.OpTest, As: c.Argument(0).String()}, testRequest(c.Arguments))
	return textOr(g, res.Data)
}

// askRunner asks the runner for something: (what, JSON text or undefined, name
// for messages) → [promise of JSON text or undefined, function that gives up].
func askRunner(g *Globals, c goja.FunctionCall) goja.Value {
	p, cancel := g.ask(g.env, wire.Request{Op: wire.OpTest, As: c.Argument(2).String()}, testRequest(c.Arguments),
		func(g *Globals, res wire.Response) (goja.Value, error) { return textOr(g, res.Data), nil })
	return g.vm.NewArray(p, func(goja.FunctionCall) goja.Value {
		cancel()
		return goja.Undefined()
	})
}

func testRequest(args []goja.Value) wire.TestRequest {
	r := wire.TestRequest{Do: args[0].String()}
	if len(args) > 1 && !goja.IsUndefined(args[1]) {
		r.Data = json.RawMessage(args[1].String())
	}
	return r
}

func textOr(g *Globals, data json.RawMessage) goja.Value {
	if len(data) == 0 {
		return goja.Undefined()
	}
	return g.vm.ToValue(string(data))
}

// encodeBase64 gives base64 of a text, as UTF-8, or of a Uint8Array: (data).
func encodeBase64(g *Globals, c goja.FunctionCall) goja.Value {
	return g.vm.ToValue(base64.StdEncoding.EncodeToString(payload(c.Argument(0))))
}

// decodeBase64 gives an ArrayBuffer: (base64).
func decodeBase64(g *Globals, c goja.FunctionCall) goja.Value {
	raw, err := base64.StdEncoding.DecodeString(c.Argument(0).String())
	if err != nil {
		panic(g.vm.NewTypeError("the bytes are no base64: " + err.Error()))
	}
	return g.vm.ToValue(g.vm.NewArrayBuffer(raw))
}
