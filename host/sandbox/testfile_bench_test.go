package sandbox_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rho-ext/rho-ext/host/sandbox"
	"github.com/rho-ext/rho-ext/host/wire"
)

// What a test file costs: to load and collect ten trivial tests, and to run one.
func BenchmarkTestFile(b *testing.B) {
	var text strings.Builder
	text.WriteString(`import { test, expect } from "vitest";` + "\n")
	for i := range 10 {
		fmt.Fprintf(&text, "test(\"adds %d\", () => { expect(%d + 1).toBe(%d); });\n", i, i, i+1)
	}
	req := source(b, map[string]string{"ext.ts": text.String()})
	req.Test = &wire.TestOptions{File: "ext.ts", TimeoutMS: 5000, HookTimeoutMS: 10000}
	f := &sandbox.Factory{}
	load := func(b *testing.B) wire.Sandbox {
		sb, err := f.NewSandbox(&broker{})
		if err != nil {
			b.Fatal(err)
		}
		res, err := sb.Load(b.Context(), req)
		if err != nil || res.Failure != nil || len(res.Tests.Children) != 10 {
			b.Fatal(err, res.Failure)
		}
		return sb
	}
	b.Run("load", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = load(b).Close()
		}
	})
	b.Run("load, not compiled", func(b *testing.B) {
		hash := req.Hash
		defer func() { req.Hash = hash }()
		for i := 0; b.Loop(); i++ {
			req.Hash = fmt.Sprint(i)
			_ = load(b).Close()
		}
	})
	b.Run("test", func(b *testing.B) {
		sb := load(b)
		defer sb.Close()
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			res := sb.Call(b.Context(), wire.CallRequest{ID: "1", Run: wire.RunTest, Tool: wire.TestBody, Args: json.RawMessage(fmt.Sprintf(`{"id":%d}`, i%10+1))})
			if res.Value == nil || !strings.Contains(string(res.Value.Structured), "pass") {
				b.Fatalf("%+v", res)
			}
		}
	})
}
