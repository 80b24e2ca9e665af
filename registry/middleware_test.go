package registry_test

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

func around(m registry.Middleware) *registry.DoorOptions {
	return &registry.DoorOptions{Middleware: []registry.Middleware{m}}
}

// again runs every call until it succeeds, at most three times.
func again(next registry.Handler) registry.Handler {
	return func(ctx context.Context, req registry.Request) *registry.Outcome {
		var out *registry.Outcome
		for range 3 {
			if out = next(ctx, req); out.Status == registry.StatusSuccess {
				break
			}
		}
		return out
	}
}

func numbered(tool string, n int) []registry.Request {
	calls := make([]registry.Request, n)
	for i := range calls {
		calls[i] = registry.Request{ID: strconv.Itoa(i), Tool: tool}
	}
	return calls
}

func TestMiddlewareThatTriesAgainKeepsTheCallsPlaceInItsBatch(t *testing.T) {
	var running, most, runs atomic.Int32
	writes := &fake{name: "t", run: func(context.Context, json.RawMessage) (*result, error) { // its footprint is unknown: it runs alone
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		if runs.Add(1)%3 != 0 {
			return registry.ErrorText("not yet"), nil
		}
		return registry.Text("ok"), nil
	}}
	for _, bound := range []int{1, 4} {
		runs.Store(0)
		d := doorTo(t, around(again), writes)
		out := d.Batch(t.Context(), numbered("t", 6), &registry.BatchOptions{Concurrency: bound})
		for i, o := range out {
			assert.Equal(t, registry.StatusSuccess, o.Status, o.Text)
			assert.Equal(t, strconv.Itoa(i), o.CallID)
		}
		assert.EqualValues(t, 18, runs.Load())
		assert.EqualValues(t, 1, most.Load())
	}
}

func TestMiddlewareCannotRunACallAfterItsBatchWasStopped(t *testing.T) {
	var c counter
	for _, bound := range []int{1, 4} {
		stopped := false
		o := around(again)
		o.Hooks = []registry.Hook{{Before: func(context.Context, registry.BeforeEvent) (registry.Decision, error) {
			if stopped {
				return registry.Continue(), nil
			}
			stopped = true
			return registry.StopBatch("enough"), nil
		}}}
		d := doorTo(t, o, &fake{name: "t", run: c.wrap(gives(nil, nil))})
		for _, o := range d.Batch(t.Context(), numbered("t", 4), &registry.BatchOptions{Concurrency: bound}) {
			assert.NotEqual(t, registry.StatusSuccess, o.Status)
		}
		assert.Zero(t, c.runs.Load())
	}
}

func TestTwoRunsOfOneCallAtOnceTakeTurns(t *testing.T) {
	twice := func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, req registry.Request) *registry.Outcome {
			first := make(chan *registry.Outcome)
			go func() { first <- next(ctx, req) }()
			out := next(ctx, req)
			<-first
			return out
		}
	}
	var running atomic.Int32
	d := doorTo(t, around(twice), &fake{name: "t", run: func(context.Context, json.RawMessage) (*result, error) {
		defer running.Add(-1)
		if running.Add(1) > 1 {
			return registry.ErrorText("two at once"), nil
		}
		return pausing(context.Background(), nil)
	}})
	for _, o := range d.Batch(t.Context(), numbered("t", 4), &registry.BatchOptions{Concurrency: 4}) {
		assert.Equal(t, registry.StatusSuccess, o.Status, o.Text)
	}
}

func TestALockAroundNextDoesNotHoldUpABatchOneByOne(t *testing.T) {
	var mu sync.Mutex
	locked := func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, req registry.Request) *registry.Outcome {
			mu.Lock()
			defer mu.Unlock()
			return next(ctx, req)
		}
	}
	for range 20 {
		for _, o := range doorTo(t, around(locked), &fake{name: "t"}).Batch(t.Context(), numbered("t", 8), nil) {
			require.Equal(t, registry.StatusSuccess, o.Status)
		}
	}
}

func TestAnOutcomeThatMiddlewareGivesTwiceIsTwoOutcomes(t *testing.T) {
	kept := &registry.Outcome{Status: registry.StatusSuccess, Text: "kept"}
	d := doorTo(t, around(func(registry.Handler) registry.Handler {
		return func(context.Context, registry.Request) *registry.Outcome { return kept }
	}), &fake{name: "t"})
	for i, o := range d.Batch(t.Context(), numbered("t", 8), &registry.BatchOptions{Concurrency: 8}) {
		assert.Equal(t, strconv.Itoa(i), o.CallID)
		assert.Equal(t, "kept", o.Text)
	}
	assert.Empty(t, kept.CallID)
}
