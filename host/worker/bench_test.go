package worker

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/sandbox"
	"github.com/rho-ext/rho-ext/host/wire"
)

const benchTools = `const tool = (name: string, execute: any) => ({ name, description: "d", risk: "read", parameters: { a: { type: "string", description: "d" } }, execute });
export default { name: "bench", tools: [tool("echo", (x: any) => x.a)] }`

// quantiles reports the median and the 99th percentile of what it measures.
func quantiles(b *testing.B, f func()) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		f()
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "p99-µs")
}

// BenchmarkStart measures from nothing to the first answer, hardened.
func BenchmarkStart(b *testing.B) {
	req := bundled(b, "bench", benchTools)
	quantiles(b, func() {
		f, err := NewFactory(Options{NoStandby: true})
		require.NoError(b, err)
		sb, err := f.NewSandbox(&broker{})
		require.NoError(b, err)
		res, err := sb.Load(context.Background(), req)
		require.NoError(b, err)
		require.Nil(b, res.Failure)
		got := sb.Call(context.Background(), wire.CallRequest{ID: "c", Tool: "echo", Args: json.RawMessage(`{"a":"x"}`)})
		require.NotNil(b, got.Value)
		b.StopTimer()
		require.NoError(b, f.Close())
		b.StartTimer()
	})
}

// BenchmarkCall compares a call in a worker with one in this process and with
// the bare pipe.
func BenchmarkCall(b *testing.B) {
	req := bundled(b, "bench", benchTools)
	f := newFactory(b, Options{NoStandby: true})
	r, fail := f.load(b, req, time.Minute)
	require.Nil(b, fail)
	here, err := (&sandbox.Factory{}).NewSandbox(&broker{})
	require.NoError(b, err)
	defer here.Close()
	_, err = here.Load(context.Background(), req)
	require.NoError(b, err)
	b.Run("ping", func(b *testing.B) {
		quantiles(b, func() { require.NoError(b, r.link().ping()) })
	})
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Hour, wire.ErrDeadline)
	defer cancel()
	for name, size := range map[string]int{"100B": 80, "100KB": 100 << 10} {
		args := json.RawMessage(`{"a":"` + strings.Repeat("x", size) + `"}`)
		for where, sb := range map[string]wire.Sandbox{"process": r.sb, "in-process": here} {
			b.Run(where+"_"+name, func(b *testing.B) {
				quantiles(b, func() {
					if res := sb.Call(ctx, wire.CallRequest{ID: "c", Tool: "echo", Args: args}); res.Value == nil {
						b.Fatal(res.Thrown)
					}
				})
			})
		}
	}
	b.Run("parallel_100B", func(b *testing.B) {
		args := json.RawMessage(`{"a":"` + strings.Repeat("x", 80) + `"}`)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				r.sb.Call(ctx, wire.CallRequest{ID: "c", Tool: "echo", Args: args})
			}
		})
	})
}

// rested gives the memory of a worker that has been idle for a while.
func rested(b *testing.B, m *meter) (resident int64) {
	time.Sleep(2 * restAfter) // what is measured is a worker that rests
	resident, _, err := m.read()
	require.NoError(b, err)
	return resident
}

// BenchmarkIdle tells what an idle worker and each further sandbox in it cost.
func BenchmarkIdle(b *testing.B) {
	req := bundled(b, "bench", benchTools)
	f := newFactory(b, Options{NoStandby: true})
	r, fail := f.load(b, req, time.Minute)
	require.Nil(b, fail)
	m, err := r.link().proc.newMeter()
	if err != nil {
		b.Skip(err)
	}
	defer m.close()
	first := rested(b, m)
	const more = 1000
	for range more {
		_, fail := f.load(b, req, time.Minute)
		require.Nil(b, fail)
	}
	for b.Loop() { // what is measured is memory
	}
	last := rested(b, m)
	b.ReportMetric(float64(first)/(1<<20), "MB/worker")
	b.ReportMetric(float64(last-first)/more/1024, "KB/sandbox")
}
