package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

func versioned(tool, text string) string {
	return `export default { name: "live", tools: [{ name: "` + tool + `", description: "d", risk: "read", execute: () => "` + text + `" }] }`
}

func saveExtension(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, ".rho", "extensions", name)
	require.NoError(t, os.WriteFile(path+".tmp", []byte(text), 0o644))
	require.NoError(t, os.Rename(path+".tmp", path))
}

// rpcClient is the other end of serve --rpc.
type rpcClient struct {
	t     *testing.T
	in    io.Writer
	lines chan map[string]any
	last  int
}

// until gives the first message that is wanted.
func (c *rpcClient) until(want func(m map[string]any) bool) map[string]any {
	c.t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case m, ok := <-c.lines:
			require.True(c.t, ok, "the server has ended")
			if want(m) {
				return m
			}
		case <-late:
			c.t.Fatal("no such message came")
		}
	}
}

func (c *rpcClient) call(method, params string) map[string]any {
	c.t.Helper()
	c.last++
	id := float64(c.last)
	_, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.last, method, params)
	require.NoError(c.t, err)
	return c.until(func(m map[string]any) bool { return m["id"] == id })
}

func (c *rpcClient) changed() map[string]any {
	c.t.Helper()
	m := c.until(func(m map[string]any) bool { return m["method"] == "extensions/changed" })
	return m["params"].(map[string]any)
}

// serveRPC serves a project until the test ends.
func serveRPC(t *testing.T, root string, args ...string) *rpcClient {
	t.Helper()
	t.Setenv("RHO_HOME", trusting(t, root))
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan int, 1)
	var errs bytes.Buffer
	go func() {
		ended <- run(t.Context(), append([]string{"serve", "--rpc", "--root", root}, args...), streams{in: inR, out: outW, err: &errs})
		outW.Close()
	}()
	c := &rpcClient{t: t, in: inW, lines: make(chan map[string]any, 1000)}
	go func() {
		defer close(c.lines)
		scan := bufio.NewScanner(outR)
		scan.Buffer(nil, 1<<20)
		for scan.Scan() {
			var m map[string]any
			if json.Unmarshal(scan.Bytes(), &m) == nil {
				c.lines <- m
			}
		}
	}()
	t.Cleanup(func() {
		inW.Close()
		require.Equal(t, 0, <-ended, errs.String())
	})
	c.until(func(m map[string]any) bool { return m["method"] == "ready" })
	return c
}

func TestServeWatchTellsAnAgentOfSaves(t *testing.T) {
	root := project(t, map[string]string{"live.ts": versioned("now", "one")})
	c := serveRPC(t, root, "--watch")
	saveExtension(t, root, "live.ts", versioned("now", "two"))
	p := c.changed()
	require.Equal(t, 1.0, p["reloaded"])
	require.Equal(t, "extension live was reloaded (v2), tool now", p["text"])
	require.Equal(t, "two", c.call("callTool", `{"name":"now"}`)["result"].(map[string]any)["text"])

	saveExtension(t, root, "live.ts", "export default {")
	p = c.changed()
	require.Equal(t, 1.0, p["failed"])
	change := p["changes"].([]any)[0].(map[string]any)
	require.Equal(t, "failed", change["change"])
	require.Equal(t, 2.0, change["version"])
	require.Contains(t, change["message"], ".rho/extensions/live.ts:1:17: ")
	require.Contains(t, change["message"], "the last good version, v2, is still serving")
	require.Equal(t, "two", c.call("callTool", `{"name":"now"}`)["result"].(map[string]any)["text"])

	saveExtension(t, root, "live.ts", versioned("later", "three"))
	p = c.changed()
	require.Equal(t, "extension live was reloaded (v3), tool later; changed: +later, -now", p["text"])
	require.NotNil(t, c.call("callTool", `{"name":"now"}`)["result"].(map[string]any)["failure"])
}

func TestAnAgentReloadsAndDisablesSingleExtensions(t *testing.T) {
	root := project(t, map[string]string{"live.ts": versioned("now", "one")})
	c := serveRPC(t, root)
	result := func(method, params string) map[string]any {
		m := c.call(method, params)
		require.Nil(t, m["error"])
		return m["result"].(map[string]any)
	}
	saveExtension(t, root, "live.ts", versioned("now", "two"))
	require.Equal(t, "one", result("callTool", `{"name":"now"}`)["text"], "nobody watches")
	r := result("reloadExtensions", `{"names":["live"]}`)
	require.Equal(t, 1.0, r["reloaded"])
	require.Equal(t, "two", result("callTool", `{"name":"now"}`)["text"])
	r = result("disableExtension", `{"name":"live"}`)
	require.Equal(t, "extension live was disabled; changed: -now", r["text"])
	require.NotNil(t, result("callTool", `{"name":"now"}`)["failure"])
	bad := c.call("reloadExtensions", `{"names":["live"]}`)["error"].(map[string]any)
	require.Equal(t, -32602.0, bad["code"])
	require.Contains(t, bad["message"], "enable it first")
	require.Equal(t, 1.0, result("enableExtension", `{"name":"live"}`)["added"])
	require.Equal(t, "two", result("callTool", `{"name":"now"}`)["text"])
	bad = c.call("enableExtension", `{"name":"lives"}`)["error"].(map[string]any)
	require.Contains(t, bad["message"], "did you mean live?")
}

func TestServeWatchTellsAnMCPClientOfNewTools(t *testing.T) {
	t.Parallel()
	self := program(t)
	root := project(t, map[string]string{"live.ts": versioned("now", "one")})
	cmd := exec.Command(self)
	cmd.Args = []string{"rho-ext", "serve", "--mcp", "--watch", "--root", root}
	cmd.Env = append(os.Environ(), "RHO_HOME="+trusting(t, root))
	changed := make(chan struct{}, 10)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { changed <- struct{}{} },
	})
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	defer session.Close()
	saveExtension(t, root, "live.ts", versioned("later", "two"))
	select {
	case <-changed:
	case <-time.After(20 * time.Second):
		t.Fatal("the client was not told")
	}
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "later"})
	require.NoError(t, err)
	require.Equal(t, "two", res.Content[0].(*sdk.TextContent).Text)
}
