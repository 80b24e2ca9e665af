package sandbox_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/rho-ext/rho-ext/host/sandbox"
	"github.com/rho-ext/rho-ext/host/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCloseStopsACallThatIsJustStarting(t *testing.T) {
	t.Parallel()
	req := source(t, tools(`tool("spin", () => { for (;;) {} })`))
	f := &sandbox.Factory{}
	for i := range 400 {
		sb, err := f.NewSandbox(&broker{})
		require.NoError(t, err)
		res, err := sb.Load(context.Background(), req)
		require.NoError(t, err)
		require.Nil(t, res.Failure)
		lost := make(chan wire.CallResult, 1)
		go func() {
			lost <- sb.Call(context.Background(), wire.CallRequest{ID: "c", Tool: "spin", Args: json.RawMessage("{}")})
		}()
		for start := time.Now(); time.Since(start) < time.Duration(i)*200*time.Nanosecond; { // no sleep is as short
		}
		require.NoError(t, sb.Close())
		require.Equal(t, wire.CallResult{Lost: true}, <-lost)
	}
	// A loop that went on would be found by TestMain.
}

func TestLoadEndsOverSourceThatTheParserTriesEndlessly(t *testing.T) {
	t.Parallel()
	files := map[string]string{"ext.ts": "export default " + strings.Repeat("(a = ", 20) + "b" + strings.Repeat(") => c", 20)}
	sb, err := (&sandbox.Factory{}).NewSandbox(&broker{})
	require.NoError(t, err)
	req := source(t, files)
	ctx, cancel := context.WithTimeoutCause(context.Background(), 20*time.Millisecond, wire.ErrDeadline)
	defer cancel()
	start := time.Now()
	res, err := sb.Load(ctx, req)
	require.NoError(t, err)
	require.Less(t, time.Since(start), time.Second)
	require.Equal(t, wire.StageBundle, res.Failure.Stage)
	require.Contains(t, res.Failure.Message, "could not be parsed in time")
}

func TestAPollutedPrototypeIsNoFailureOfTheManifest(t *testing.T) {
	t.Parallel()
	r := mustLoad(t, map[string]string{"ext.ts": `(Object.prototype as any).bad = {};
		export default { name: "x", tools: [{ name: "a", description: "d", risk: "read", execute: () => "ran" }] }`})
	require.Equal(t, "ran", r.text("a", "{}"))
}

func TestExamplesArePlainJSON(t *testing.T) {
	t.Parallel()
	with := func(examples string) map[string]string {
		return map[string]string{"ext.ts": `let deep: any = {}; for (let i = 0; i < 1000; i++) deep = { deep };
			export default { name: "x", tools: [{ name: "a", description: "d", risk: "read", execute: () => "ran", examples: ` + examples + ` }] }`}
	}
	_, f := load(t, with(`[{ args: deep }]`))
	require.NotNil(t, f)
	require.Equal(t, wire.StageManifest, f.Stage)
	require.Contains(t, f.Message, "nested more than 200 levels deep")
	require.Equal(t, 2, f.Position.Line)

	r := mustLoad(t, with(`[{ args: { b: 1, a: 2 }, note: "n" }]`))
	require.Equal(t, `{"b":1,"a":2}`, string(r.man.Tools[0].Examples[0].Args))
}
