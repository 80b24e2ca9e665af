package registry

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// The clock of pattern timeouts stops by itself, a while after its last use.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

type executeFunc func(ctx context.Context, args json.RawMessage) (*Result, error)

// fakeTool is a tool out of parts. Zero parts are harmless ones.
type fakeTool struct {
	name   string
	params string
	risk   Risk
	info   Info
	run    executeFunc
}

func (f *fakeTool) Name() string        { return f.name }
func (f *fakeTool) Description() string { return "does " + f.name }
func (f *fakeTool) Info() Info          { return f.info }

func (f *fakeTool) Parameters() json.RawMessage {
	if f.params == "" {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return json.RawMessage(f.params)
}

func (f *fakeTool) Risk() Risk {
	if f.risk == 0 {
		return Read
	}
	return f.risk
}

func (f *fakeTool) Execute(ctx context.Context, args json.RawMessage) (*Result, error) {
	if f.run == nil {
		return Text(string(args)), nil
	}
	return f.run(ctx, args)
}

// named makes harmless tools.
func named(names ...string) []Tool {
	tools := make([]Tool, len(names))
	for i, n := range names {
		tools[i] = &fakeTool{name: n}
	}
	return tools
}

// doorTo makes a door to one tool, called "tool".
func doorTo(t testing.TB, params string, run executeFunc, o *DoorOptions) *Door {
	t.Helper()
	r := New()
	require.NoError(t, r.Register("", &fakeTool{name: "tool", params: params, run: run}))
	return NewDoor(r, o)
}

// call makes a call of "tool".
func call(d *Door, args string) *Outcome {
	return d.Call(context.Background(), Request{Tool: "tool", Arguments: json.RawMessage(args)})
}
