package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

func TestList(t *testing.T) {
	t.Parallel()
	reg := newRegistry(t,
		&fakeTool{name: "look", description: "Looks.", parameters: `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}},"required":["z"]}`},
		&fakeTool{name: "change", risk: registry.Write, info: registry.Info{Title: "Change a file", OutputSchema: json.RawMessage(`{"type":"object"}`)}},
		&fakeTool{name: "call_out", risk: registry.Network, info: registry.Info{OutputSchema: json.RawMessage(`{"type":"string"}`)}},
		&fakeTool{name: "start", risk: registry.Destructive},
	)
	session := inMemory(t, reg, nil)
	res, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	tools := map[string]string{}
	for _, tool := range res.Tools {
		tools[tool.Name] = asJSON(t, tool)
	}
	require.Len(t, tools, 4)
	require.JSONEq(t, `{"name":"look","description":"Looks.",
		"inputSchema":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}},"required":["z"]},
		"annotations":{"readOnlyHint":true,"idempotentHint":false,"openWorldHint":false},
		"_meta":{"rho-ext/risk":"read","rho-ext/effects":["read"]}}`, tools["look"])
	require.JSONEq(t, `{"name":"change","title":"Change a file","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},
		"annotations":{"readOnlyHint":false,"idempotentHint":false,"destructiveHint":false,"openWorldHint":false},
		"_meta":{"rho-ext/risk":"write","rho-ext/effects":["read","write"]}}`, tools["change"])
	require.JSONEq(t, `{"name":"call_out","inputSchema":{"type":"object"},
		"annotations":{"readOnlyHint":false,"idempotentHint":false,"openWorldHint":true},
		"_meta":{"rho-ext/risk":"network","rho-ext/effects":["net"]}}`, tools["call_out"])
	require.JSONEq(t, `{"name":"start","inputSchema":{"type":"object"},
		"annotations":{"readOnlyHint":false,"idempotentHint":false,"destructiveHint":true,"openWorldHint":true},
		"_meta":{"rho-ext/risk":"destructive","rho-ext/effects":["run"]}}`, tools["start"])
}

func TestListChanged(t *testing.T) {
	t.Parallel()
	reg := registry.New()
	require.NoError(t, reg.Register("ext", &fakeTool{name: "one", description: "v1"}))
	changes := make(chan struct{}, 10)
	session := inMemory(t, reg, &sdk.ClientOptions{
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { changes <- struct{}{} },
	})
	names := func() (list []string) {
		res, err := session.ListTools(t.Context(), nil)
		require.NoError(t, err)
		for _, tool := range res.Tools {
			list = append(list, tool.Name+" "+tool.Description)
		}
		return list
	}
	require.Equal(t, []string{"one v1"}, names())

	require.NoError(t, reg.Swap("ext", []registry.Tool{&fakeTool{name: "one", description: "v2"}, &fakeTool{name: "two"}}))
	<-changes
	require.Equal(t, []string{"one v2", "two "}, names())

	// New code under the same description: clients need not ask again.
	require.NoError(t, reg.Swap("ext", []registry.Tool{
		&fakeTool{name: "one", description: "v2", run: returns(registry.Text("new"), nil)}, &fakeTool{name: "two"},
	}))
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "one"})
	require.NoError(t, err)
	require.Equal(t, "new", res.Content[0].(*sdk.TextContent).Text)

	require.NoError(t, reg.Swap("ext", nil))
	<-changes
	require.Empty(t, names())
}

func TestToolThatTheSDKRefusesIsLeftOut(t *testing.T) {
	t.Parallel()
	reg := newRegistry(t,
		&fakeTool{name: "odd", parameters: `{"type":"object","properties":{"a":{"type":"array","x-mcp-header":"A"}}}`},
		&fakeTool{name: "fine"},
	)
	session := inMemory(t, reg, nil)
	res, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, res.Tools, 1)
	require.Equal(t, "fine", res.Tools[0].Name)
}

func TestUnknownTool(t *testing.T) {
	t.Parallel()
	_, err := inMemory(t, newRegistry(t), nil).CallTool(t.Context(), &sdk.CallToolParams{Name: "nope"})
	var wire *jsonrpc.Error
	require.True(t, errors.As(err, &wire))
	require.EqualValues(t, jsonrpc.CodeInvalidParams, wire.Code)
}

// Over a real pair of pipes every line of the server is the protocol's.
func TestStdio(t *testing.T) {
	t.Parallel()
	inR, inW, err := os.Pipe()
	require.NoError(t, err)
	outR, outW, err := os.Pipe()
	require.NoError(t, err)
	reg := newRegistry(t, &fakeTool{name: "greet", run: returns(registry.Text("hello"), nil)})
	server := NewServer(registry.NewDoor(reg, nil), reg, nil)
	ended := make(chan error, 1)
	go func() {
		ended <- server.Run(context.Background(), &sdk.IOTransport{Reader: inR, Writer: outW})
	}()
	lines := bufio.NewScanner(outR)
	send := func(s string) {
		_, err := io.WriteString(inW, s+"\n")
		require.NoError(t, err)
	}
	next := func() map[string]any {
		require.True(t, lines.Scan(), lines.Err())
		var m map[string]any
		require.NoError(t, json.Unmarshal(lines.Bytes(), &m), lines.Text())
		require.Equal(t, "2.0", m["jsonrpc"])
		return m
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	hello := next()["result"].(map[string]any)
	require.Equal(t, map[string]any{"name": "rho-ext", "version": "dev"}, hello["serverInfo"])
	require.Equal(t, map[string]any{"tools": map[string]any{"listChanged": true}}, hello["capabilities"])
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{}}}`)
	answer := next()
	require.EqualValues(t, 2, answer["id"])
	require.Contains(t, asJSON(t, answer["result"]), `"text":"hello"`)
	require.NoError(t, inW.Close())
	require.NoError(t, <-ended)
	require.NoError(t, outR.Close())
}

func TestSchemaKeyOrderIsTheAuthors(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"},"m":{}}}`
	reg := newRegistry(t, &fakeTool{name: "ordered", parameters: schema})
	var transcript strings.Builder
	clientEnd, serverEnd := sdk.NewInMemoryTransports()
	session := connect(t, reg, &sdk.LoggingTransport{Transport: clientEnd, Writer: &transcript}, serverEnd, nil)
	_, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Contains(t, transcript.String(), schema)
}

// The operator's log has no line for each step of an ordinary session.
func TestOrdinarySessionsAreNotLogged(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	reg := newRegistry(t, &fakeTool{name: "quick"})
	server := NewServer(registry.NewDoor(reg, nil), reg, &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	clientEnd, serverEnd := sdk.NewInMemoryTransports()
	ended := make(chan error, 1)
	go func() { ended <- server.Run(context.Background(), serverEnd) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "1"}, nil).Connect(t.Context(), clientEnd, nil)
	require.NoError(t, err)
	_, err = session.CallTool(t.Context(), &sdk.CallToolParams{Name: "quick"})
	require.NoError(t, err)
	require.NoError(t, session.Close())
	require.NoError(t, <-ended)
	require.Empty(t, log.String())
}

// An interrupt is how a server ends when its client does not end it.
func TestContextEndsARun(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	reg := newRegistry(t, &fakeTool{name: "quick"})
	server := NewServer(registry.NewDoor(reg, nil), reg, &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	clientEnd, serverEnd := sdk.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx, serverEnd) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "1"}, nil).Connect(t.Context(), clientEnd, nil)
	require.NoError(t, err)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.Empty(t, log.String())
	_ = session.Close() // the server has closed it
}
