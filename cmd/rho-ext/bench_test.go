package main

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAnInterruptedBenchTellsWhatItHas(t *testing.T) {
	root := project(t, map[string]string{"counts.ts": `let n = 0;
export default { name: "counts", tools: [{ name: "counts", description: "d", risk: "read", execute: () => { if (++n === 50) console.log("fifty"); return n; } }] };`})
	for _, flags := range [][]string{nil, {"--json"}} {
		t.Setenv("RHO_HOME", trusting(t, root))
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		out, errs := &page{}, &page{}
		ended := make(chan int, 1)
		go func() {
			ended <- run(ctx, append([]string{"bench", "counts", "--duration", "1h", "--warmup", "0", "--root", root}, flags...), streams{in: strings.NewReader(""), out: out, err: errs})
		}()
		errs.expect(t, "fifty")
		stop()
		require.Equal(t, exitInterrupted, <-ended, errs.String())
		if flags == nil {
			require.Contains(t, out.String(), "interrupted; what was measured until then:")
			require.Regexp(t, `(?m)^\d\d+ calls in `, out.String())
			continue
		}
		validate(t, "bench", out.String())
		var r benchReport
		require.NoError(t, json.Unmarshal([]byte(out.String()), &r))
		require.True(t, r.Interrupted)
		require.GreaterOrEqual(t, r.Calls, 48, "the first one is apart, and one may be under way")
		require.Zero(t, r.Failed, "a call that was cut short is none that failed")
	}
}

func TestABenchPrintsWhatItsSchemaSays(t *testing.T) {
	root := project(t, nil)
	for _, args := range []string{"types --count 3", "types --count 3 --concurrency 3 --isolation in-process", "fails --count 2 --warmup 0", "think --arg thought=x --count 2"} {
		got := rhoExt(t, root, "", append(append([]string{"bench"}, strings.Fields(args)...), "--json")...)
		validate(t, "bench", got.out)
	}
	got := rhoExt(t, root, "", "bench", "greet", "--json")
	require.Equal(t, exitFailed, got.code)
	validate(t, "outcome", got.out)
}

func TestAHistogramCountsEveryCallOnce(t *testing.T) {
	t.Parallel()
	for name, times := range map[string][]time.Duration{
		"one":       {5},
		"none":      {0},
		"the same":  {7, 7, 7, 7},
		"two":       {1, 1e9},
		"far apart": {0, 1, 2, 3e3, 4e6, 5e9, 6e12},
	} {
		var s sample
		for _, d := range times {
			s.add(d)
		}
		sum := 0
		last := -1.0
		for _, b := range histogram(s.times) {
			sum += b.Calls
			require.LessOrEqual(t, last, b.From, name)
			last = b.From
		}
		require.Equal(t, len(times), sum, name)
		require.Equal(t, times[len(times)-1], quantile(s.times, 1), name)
		require.Equal(t, times[0], quantile(s.times, 0), name)
	}
	var hundred []time.Duration
	for i := range 100 {
		hundred = append(hundred, time.Duration(i+1))
	}
	require.Equal(t, []time.Duration{50, 90, 99}, []time.Duration{quantile(hundred, 0.5), quantile(hundred, 0.9), quantile(hundred, 0.99)})
}

func TestABenchFitsEightyColumns(t *testing.T) {
	t.Parallel()
	var s sample
	for i := range 100000 {
		s.add(time.Duration(i * i))
	}
	var out bytes.Buffer
	a := &app{streams: streams{out: &out}}
	require.NoError(t, a.printBench(&benchReport{Tool: "x", Isolation: "process", Extension: "y", Concurrency: 1, LoadMS: 123456, FirstMS: 12345.6, Calls: 123456789,
		DurationMS: 1e7, PerSecond: 12345678.9, Latency: &latency{}, Histogram: histogram(s.times), Errors: map[string]int{"other (runtime_lost)": 3}}))
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 80, line)
	}
	require.Len(t, regexp.MustCompile(`(?m)^ +\S+ \S+ \|`).FindAllString(out.String(), -1), maxBuckets)
}
