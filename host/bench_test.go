package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

const benchTools = `import { defineTool, s } from "rho-ext";
const tool = (name: string, execute: any) => defineTool({ name, description: "d", risk: "read", parameters: { a: s.string(), b: s.integer().optional(), items: s.array(s.json({})).optional() }, execute });
export default { name: "bench", tools: [
  tool("sync", ({ a }: any) => a),
  tool("async", async ({ a }: any) => { await null; return a }),
  tool("object", ({ a, b }: any) => ({ a, b })),
  tool("count", ({ items }: any) => items.length),
] }`

// BenchmarkCall measures one call through the door: validation, the way to the
// runtime and back, and the result.
func BenchmarkCall(b *testing.B) {
	p := newProject(b, map[string]string{"bench.ts": benchTools})
	require.Empty(b, p.host.Failures())
	small := json.RawMessage(`{"a":"` + strings.Repeat("x", 80) + `","b":1}`)
	var items []string
	for i := range 1000 {
		items = append(items, fmt.Sprintf(`{"id":%d,"name":"item %d","tags":["a","b"],"price":%d.5}`, i, i, i))
	}
	large := json.RawMessage(`{"a":"x","items":[` + strings.Join(items, ",") + `]}`)
	text := json.RawMessage(`{"a":"` + strings.Repeat("y", 100<<10) + `"}`)
	for _, bc := range []struct {
		name, tool string
		args       json.RawMessage
	}{
		{"sync_100B", "sync", small}, {"async_100B", "async", small}, {"object_100B", "object", small},
		{"text_100KB", "sync", text}, {"objects_60KB", "count", large},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if o := p.door.Call(context.Background(), registry.Request{Tool: bc.tool, Arguments: bc.args}); o.Failure != nil {
					b.Fatal(o.Failure)
				}
			}
		})
	}
	b.Run("parallel_100B", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				p.door.Call(context.Background(), registry.Request{Tool: "sync", Arguments: small})
			}
		})
	})
}

// BenchmarkLoad measures finding, bundling, compiling and evaluating a project
// with one simple extension.
func BenchmarkLoad(b *testing.B) {
	root, err := filepath.EvalSymlinks(b.TempDir())
	require.NoError(b, err)
	dir := filepath.Join(root, ".rho", "extensions")
	require.NoError(b, os.MkdirAll(dir, 0o755))
	require.NoError(b, os.WriteFile(filepath.Join(dir, "bench.ts"), []byte(benchTools), 0o644))
	for b.Loop() {
		h, err := host.New(context.Background(), host.Options{Isolation: isolation, Root: root, Trusted: true, UserDir: "-"})
		require.NoError(b, err)
		require.Empty(b, h.Failures())
		require.NoError(b, h.Close())
	}
}

// What hooks cost a call: none, one that lets it be, and ten.
func BenchmarkHookedCall(b *testing.B) {
	for _, n := range []int{0, 1, 10} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			files := map[string]string{"z_echo.ts": echo}
			for i := range n {
				files[fmt.Sprintf("g%d.ts", i)] = guard(`onToolCall: (e) => (e.args.text === "bad" ? { block: "no" } : undefined)`)
			}
			p := newProject(b, files, allowHooks)
			b.ReportAllocs()
			for b.Loop() {
				if o := p.door.Call(context.Background(), registry.Request{Tool: "echo", Arguments: json.RawMessage(`{"text":"good"}`)}); o.Failure != nil {
					b.Fatal(o.Failure)
				}
			}
		})
	}
}
