package jsapi

import (
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
	_, err := r.g.CollectTests()
	require.NoError(t, err)
	require.Equal(t, "undefined", r.eval(`typeof __rho_test`).String())
}
