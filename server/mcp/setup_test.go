package mcp

import (
	"context"
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/rho-ext/rho-ext/internal/redact"
	"github.com/rho-ext/rho-ext/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeTool is a tool whose every part a test can set.
type fakeTool struct {
	name        string
	description string
	parameters  string
	risk        registry.Risk
	info        registry.Info
	run         func(ctx context.Context, args json.RawMessage) (*registry.Result, error)
}

func (f *fakeTool) Name() string        { return f.name }
func (f *fakeTool) Description() string { return f.description }
func (f *fakeTool) Risk() registry.Risk { return max(f.risk, registry.Read) }
func (f *fakeTool) Info() registry.Info { return f.info }

func (f *fakeTool) Parameters() json.RawMessage {
	if f.parameters == "" {
		return json.RawMessage(`{"type":"object"}`)
	}
	return json.RawMessage(f.parameters)
}

func (f *fakeTool) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	if f.run == nil {
		return registry.Text("ok"), nil
	}
	return f.run(ctx, args)
}

// returns is a tool's function with a fixed answer.
func returns(r *registry.Result, err error) func(context.Context, json.RawMessage) (*registry.Result, error) {
	return func(context.Context, json.RawMessage) (*registry.Result, error) { return r, err }
}

// connect serves tools to the SDK's own client over t, which is the client's
// end of what serverEnd is the other one of.
func connect(t *testing.T, reg *registry.Registry, clientEnd, serverEnd sdk.Transport, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	red, err := redact.New(redact.Options{})
	require.NoError(t, err)
	server := NewServer(registry.NewDoor(reg, &registry.DoorOptions{Policy: &registry.Policy{}, Gate: &Elicitor{}, Redactor: red}), reg, &Options{Name: "test", Version: "1"})
	ended := make(chan error, 1)
	go func() { ended <- server.Run(context.Background(), serverEnd) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "1"}, o).Connect(t.Context(), clientEnd, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = session.Close()
		require.NoError(t, <-ended)
	})
	return session
}

// inMemory connects over the SDK's in-memory transports.
func inMemory(t *testing.T, reg *registry.Registry, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	clientEnd, serverEnd := sdk.NewInMemoryTransports()
	return connect(t, reg, clientEnd, serverEnd, o)
}

func newRegistry(t *testing.T, tools ...registry.Tool) *registry.Registry {
	t.Helper()
	reg := registry.New()
	require.NoError(t, reg.Register("", tools...))
	return reg
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}
