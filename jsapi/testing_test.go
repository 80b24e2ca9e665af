package jsapi

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
)

// testRig is the environment of a test file that tests steer by hand.
type testRig struct {
	*realm
	state goja.Value
}

var _ TestEnv = (*testRig)(nil)

func (r *testRig) TestState() goja.Value     { return r.state }
func (r *testRig) SetTestState(v goja.Value) { r.state = v }
func (r *testRig) Place() wire.Position      { return wire.Position{File: "x.test.ts", Line: 1, Column: 2} }

func (r *testRig) Explain(v goja.Value) wire.TestError {
	name, message, found := strings.Cut(v.String(), ": ")
	if !found {
		name, message = "", v.String()
	}
	return wire.TestError{Name: name, Message: message}
}

func (r *testRig) SetDeadline(fn goja.Callable, delay time.Duration) int64 {
	return r.SetTimer(fn, nil, delay, false)
}

// newTestRig makes a runtime for a test file, in which use gives a script of
// the library.
func newTestRig(t testing.TB) *testRig {
	t.Helper()
	r := &testRig{realm: newRealm(t), state: goja.Undefined()}
	require.NoError(t, r.g.StartTests(r, wire.TestOptions{File: "x.test.ts", TimeoutMS: 5000, HookTimeoutMS: 10000}))
	require.NoError(t, r.vm.Set("use", r.g.Use()))
	return r
}

func TestTheTestLibraryIsOnlyThereForTestFiles(t *testing.T) {
	t.Parallel()
	require.Equal(t, "undefined", newRealm(t).eval(`typeof __rho_test`).String())
	r := newTestRig(t)
	require.Equal(t, "function", r.eval(`typeof __rho_test`).String())
	require.Equal(t, "false", r.eval(`Object.keys(globalThis).includes("__rho_test")`).String())
}

// testExports lists what the module rho-ext/test exports, but for what it only
// refuses, sorted.
func testExports(t *testing.T) []string {
	t.Helper()
	r := newTestRig(t)
	var refused []string
	require.NoError(t, json.Unmarshal([]byte(r.eval(`JSON.stringify(use("testing/module").absent())`).String()), &refused))
	names := []string{}
	for _, m := range exportRE.FindAllStringSubmatch(Modules()["rho-ext/test"], -1) {
		if slices.Contains(refused, m[1]) {
			continue
		}
		names = append(names, m[1])
	}
	slices.Sort(names)
	return names
}

func TestTypesOfTheTestModuleDeclareExactlyWhatExists(t *testing.T) {
	t.Parallel()
	require.Equal(t, testExports(t), declaredBy("rho-ext/test"))
	r := newTestRig(t)
	for _, name := range testExports(t) {
		require.NotEqual(t, "undefined", r.eval(`typeof __rho_test("`+name+`")`).String(), name)
	}

	list := func(js string) []string {
		var names []string
		require.NoError(t, json.Unmarshal([]byte(r.eval(`JSON.stringify(`+js+`)`).String()), &names))
		return names
	}
	block := func(head string) []string {
		body, _ := typeBlock(head)
		require.NotEmpty(t, body, head)
		names := membersOf(body)
		slices.Sort(names)
		return slices.Compact(names)
	}
	require.ElementsMatch(t, list(`use("testing/vi").names()`), block(`  export interface VI \{`))
	for _, name := range block(`  export interface VI \{`) {
		require.Equal(t, "function", r.eval(`typeof __rho_test("vi").`+name).String(), name)
	}
	for _, name := range block(`  type Matchers<R, T = unknown> = \{`) {
		require.Equal(t, "function", r.eval(`typeof __rho_test("expect")(1).`+name).String(), name)
	}
	for _, name := range list(`use("testing/matchers").names()`) {
		require.Contains(t, block(`  type Matchers<R, T = unknown> = \{`), name)
	}
	for _, name := range block(`  export interface Expect extends AsymmetricMatchers \{`) {
		require.NotEqual(t, "undefined", r.eval(`typeof __rho_test("expect").`+name).String(), name)
	}
	for _, name := range block(`  interface AsymmetricMatchers \{`) {
		require.Equal(t, "function", r.eval(`typeof __rho_test("expect").`+name).String(), name)
		require.Equal(t, "function", r.eval(`typeof __rho_test("expect").not.`+name).String(), name)
	}
	for _, name := range block(`  export interface MockInstance<F extends Procedure = Procedure> \{`) {
		require.NotEqual(t, "undefined", r.eval(`typeof __rho_test("vi").fn().`+name).String(), name)
	}
	for _, name := range block(`  export interface FetchRoute extends FetchRoutes \{`) {
		require.Equal(t, "function", r.eval(`typeof __rho_test("mockFetch")().get("http://a").`+name).String(), name)
	}
	for _, name := range block(`  export interface FetchRoutes \{`) {
		require.NotEqual(t, "undefined", r.eval(`typeof __rho_test("mockFetch")().`+name).String(), name)
		require.NotEqual(t, "undefined", r.eval(`typeof __rho_test("mockFetch")().get("http://a").`+name).String(), name)
	}
	for _, api := range []string{"SuiteAPI", "TestAPI<Extra = {}>"} {
		for _, name := range block(`  export interface ` + strings.ReplaceAll(api, "{}", `\{\}`) + ` \{`) {
			what := map[bool]string{true: "describe", false: "test"}[api == "SuiteAPI"]
			require.NotEqual(t, "undefined", r.eval(`typeof __rho_test("`+what+`").`+name).String(), what+"."+name)
		}
	}
}

func TestWhatVitestHasAndRhoExtHasNotSaysWhatToDoInstead(t *testing.T) {
	t.Parallel()
	r := newTestRig(t)
	for js, want := range map[string]string{
		`__rho_test("vi").mock("./a")`:                     "vi.mock is not supported by rho-ext test: modules are bundled",
		`__rho_test("vi").importActual("./a")`:             "vi.importActual is not supported",
		`__rho_test("expectTypeOf")(1).toBeNumber()`:       "types are checked by tsc",
		`__rho_test("bench")("x", () => {})`:               "rho-ext bench TOOL measures a tool",
		`new (__rho_test("chai").Assertion)()`:             "use expect",
		`__rho_test("expect")(1).to.equal(1)`:              "chai's assertions are not supported",
		`__rho_test("expect")(1).toBeNice()`:               "has no matcher toBeNice; expect.extend adds one",
		`__rho_test("describe").shuffle`:                   "use rho-ext test --seed",
		`__rho_test("expect")(1).toMatchFileSnapshot("x")`: "use toMatchSnapshot",
	} {
		_, err := r.vm.RunString(js)
		require.ErrorContains(t, err, want, js)
	}
}
