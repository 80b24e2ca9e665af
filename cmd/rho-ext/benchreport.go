package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// logKindBench is the kind of the session log's line about a bench.
const logKindBench = "bench"

// sample keeps times of calls, and a fair choice of them where there are too
// many.
type sample struct {
	times    []time.Duration
	n        int
	sum      time.Duration
	min, max time.Duration
}

// maxSample is more than any reader of percentiles needs: 16 MB.
const maxSample = 2 << 20

func (s *sample) add(d time.Duration) {
	if s.n == 0 || d < s.min {
		s.min = d
	}
	s.max = max(s.max, d)
	s.n++
	s.sum += d
	if len(s.times) < maxSample {
		s.times = append(s.times, d)
	} else if i := rand.IntN(s.n); i < maxSample {
		s.times[i] = d
	}
}

// benchReport is the document that bench prints.
type benchReport struct {
	Tool        string         `json:"tool"`
	Extension   string         `json:"extension,omitempty"` // empty for a built-in tool
	Isolation   string         `json:"isolation"`
	Concurrency int            `json:"concurrency"`
	LoadMS      float64        `json:"loadMs"`
	FirstMS     float64        `json:"firstMs"`
	Calls       int            `json:"calls"`
	Failed      int            `json:"failed"`
	Errors      map[string]int `json:"errors"`
	DurationMS  float64        `json:"durationMs"`
	PerSecond   float64        `json:"perSecond"`
	Latency     *latency       `json:"latency,omitempty"` // absent where no call ended
	Histogram   []bucket       `json:"histogram"`
	Interrupted bool           `json:"interrupted"`
}

// latency is in milliseconds.
type latency struct {
	Min  float64 `json:"minMs"`
	Mean float64 `json:"meanMs"`
	P50  float64 `json:"p50Ms"`
	P90  float64 `json:"p90Ms"`
	P99  float64 `json:"p99Ms"`
	Max  float64 `json:"maxMs"`
}

// bucket counts the calls that took from From to below To, in milliseconds; the
// last one holds To as well.
type bucket struct {
	From  float64 `json:"fromMs"`
	To    float64 `json:"toMs"`
	Calls int     `json:"calls"`
}

func (b *benching) report(t *openedTool, f benchFlags, first time.Duration) *benchReport {
	s := &b.taken
	r := &benchReport{
		Tool: b.req.Tool, Extension: t.entry.Owner, Isolation: t.w.host.Isolation().String(), Concurrency: f.concurrency,
		LoadMS: fine(t.loaded), FirstMS: fine(first), Calls: s.n, Errors: b.errors, DurationMS: fine(b.spent), Histogram: []bucket{},
	}
	for _, n := range b.errors {
		r.Failed += n
	}
	if s.n == 0 {
		return r
	}
	r.PerSecond = math.Round(float64(s.n)/b.spent.Seconds()*10) / 10
	slices.Sort(s.times)
	r.Latency = &latency{Min: fine(s.min), Mean: fine(s.sum / time.Duration(s.n)), P50: fine(quantile(s.times, 0.5)),
		P90: fine(quantile(s.times, 0.9)), P99: fine(quantile(s.times, 0.99)), Max: fine(s.max)}
	r.Histogram = histogram(s.times)
	return r
}

// fine is a time in milliseconds with the nanoseconds.
func fine(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// quantile is the smallest time that so many of all do not exceed.
func quantile(sorted []time.Duration, q float64) time.Duration {
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[max(i, 0)]
}

// maxBuckets is how many rows the histogram has at most.
const maxBuckets = 12

// histogram puts times into buckets, each as many times as long as the one
// before: calls are spread so. What lies above the slowest in a thousand goes
// into the last.
func histogram(sorted []time.Duration) []bucket {
	low, high := max(sorted[0], time.Nanosecond), max(quantile(sorted, 0.999), sorted[0]+1)
	n := min(maxBuckets, max(1, len(sorted)))
	step := math.Pow(float64(high)/float64(low), 1/float64(n))
	var out []bucket
	i := 0
	for k := range n {
		from, to := time.Duration(float64(low)*math.Pow(step, float64(k))), time.Duration(float64(low)*math.Pow(step, float64(k+1)))
		b := bucket{From: fine(from), To: fine(to)}
		if k == n-1 {
			b.To, b.Calls = fine(sorted[len(sorted)-1]), len(sorted)-i
		} else {
			for i < len(sorted) && sorted[i] < to {
				i++
				b.Calls++
			}
		}
		out = append(out, b)
	}
	return out
}

// barWidth is the longest bar.
const barWidth = 44

func (a *app) printBench(r *benchReport) error {
	var b strings.Builder
	from := "built-in"
	if r.Extension != "" {
		from = cleanLine(r.Extension) + ", " + r.Isolation
	}
	fmt.Fprintf(&b, "%s (%s), %s\n", r.Tool, from, counted(r.Concurrency, "call at once", "calls at once"))
	if r.Interrupted {
		b.WriteString("interrupted; what was measured until then:\n")
	}
	fmt.Fprintf(&b, "\nload    %12s   (with the first call: %s)\n", exact(r.LoadMS), exact(r.LoadMS+r.FirstMS))
	fmt.Fprintf(&b, "first   %12s\n", exact(r.FirstMS))
	if l := r.Latency; l != nil {
		for _, row := range []struct {
			name string
			ms   float64
		}{{"min", l.Min}, {"mean", l.Mean}, {"p50", l.P50}, {"p90", l.P90}, {"p99", l.P99}, {"max", l.Max}} {
			fmt.Fprintf(&b, "%-7s %12s\n", row.name, exact(row.ms))
		}
	}
	fmt.Fprintf(&b, "\n%s in %s, %.4g per second\n", counted(r.Calls, "call", "calls"), short(toDuration(r.DurationMS)), r.PerSecond)
	for _, kind := range slices.Sorted(maps.Keys(r.Errors)) {
		fmt.Fprintf(&b, "%d failed: %s\n", r.Errors[kind], cleanLine(kind))
	}
	if len(r.Histogram) > 0 {
		b.WriteByte('\n')
		most := 1
		for _, h := range r.Histogram {
			most = max(most, h.Calls)
		}
		for _, h := range r.Histogram {
			bar := strings.Repeat("#", (h.Calls*barWidth+most-1)/most)
			fmt.Fprintf(&b, "%s\n", strings.TrimRight(fmt.Sprintf("%12s | %-*s %d", exact(h.From), barWidth, bar, h.Calls), " "))
		}
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

// exact is a time with three digits that count.
func exact(ms float64) string {
	switch {
	case ms < 1:
		return fmt.Sprintf("%.1f µs", ms*1000)
	case ms < 1000:
		return fmt.Sprintf("%.3g ms", ms)
	}
	return fmt.Sprintf("%.3g s", ms/1000)
}
