package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/registrytest"
)

// pausing is a tool that takes a moment.
func pausing(ctx context.Context, _ json.RawMessage) (*result, error) {
	select {
	case <-time.After(5 * time.Millisecond):
	case <-ctx.Done():
	}
	return registry.Text("ok"), nil
}

// gated is a tool whose calls tell that they started, and wait for their sign.
type gated struct {
	mu      sync.Mutex
	started map[string]chan struct{}
	release map[string]chan struct{}
}

func newGated() *gated {
	return &gated{started: map[string]chan struct{}{}, release: map[string]chan struct{}{}}
}

func (g *gated) at(m map[string]chan struct{}, id string) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if m[id] == nil {
		m[id] = make(chan struct{})
	}
	return m[id]
}

func (g *gated) run(ctx context.Context, _ json.RawMessage) (*result, error) {
	id := registry.CallFrom(ctx).ID
	close(g.at(g.started, id))
	select {
	case <-g.at(g.release, id):
		return registry.Text("ran " + id), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// await reports whether the call starts soon.
func (g *gated) await(id string) bool {
	select {
	case <-g.at(g.started, id):
		return true
	case <-time.After(2 * time.Second):
		return false
	}
}

// idle reports whether the call does not start for a while.
func (g *gated) idle(id string) bool {
	select {
	case <-g.at(g.started, id):
		return false
	case <-time.After(20 * time.Millisecond):
		return true
	}
}

func (g *gated) let(id string) { close(g.at(g.release, id)) }

// in the background runs a batch.
func background(d *registry.Door, concurrency int, calls ...string) <-chan []*outcome {
	done := make(chan []*outcome, 1)
	go func() { done <- batch(d, concurrency, calls...) }()
	return done
}

func rigBatches(t *testing.T) {
	t.Run("G1_three_calls_at_once", func(t *testing.T) {
		d := doorTo(t, nil, registrytest.Barrier(3))
		within(t, func() {
			assert.Equal(t, []string{"done", "done", "done"}, texts(batch(d, 3, "barrier_tool", "barrier_tool", "barrier_tool")))
		})
	})
	t.Run("G2_one_at_a_time_by_default", func(t *testing.T) {
		var c counter
		d := doorTo(t, nil, harmless("t", c.wrap(pausing)))
		d.Batch(context.Background(), turn("t", "t", "t"), nil)
		assert.EqualValues(t, 1, c.most.Load())
		assert.EqualValues(t, 3, c.runs.Load())
	})
	t.Run("G3_never_more_than_the_bound", func(t *testing.T) {
		var c counter
		d := doorTo(t, nil, harmless("t", c.wrap(pausing)))
		batch(d, 2, "t", "t", "t", "t", "t")
		assert.LessOrEqual(t, c.most.Load(), int32(2))
		assert.EqualValues(t, 5, c.runs.Load())
	})
	t.Run("G4_a_bound_of_nothing_is_one", func(t *testing.T) {
		for _, bound := range []int{0, -3} {
			var c counter
			d := doorTo(t, nil, harmless("t", c.wrap(pausing)))
			within(t, func() { batch(d, bound, "t", "t", "t") })
			assert.EqualValues(t, 1, c.most.Load())
			assert.EqualValues(t, 3, c.runs.Load())
		}
	})
	t.Run("G5_the_first_call_ends_last", func(t *testing.T) {
		g := newGated()
		d := doorTo(t, nil, harmless("t", g.run))
		done := background(d, 3, "t", "t", "t")
		for _, id := range []string{"id2", "id1", "id0"} {
			assert.True(t, g.await(id))
			g.let(id)
		}
		assert.Equal(t, []string{"ran id0", "ran id1", "ran id2"}, texts(<-done))
	})
	t.Run("G6_a_failure_beside_a_success", func(t *testing.T) {
		list := batch(doorTo(t, nil, registrytest.Add(), registrytest.Failing(registry.KindTimeout)), 2, `add {"x":2,"y":5}`, "flaky_tool")
		assert.Equal(t, []string{"7", "mock tool call failed"}, texts(list))
		assert.Equal(t, registry.KindTimeout, list[1].Failure.Kind)
	})
	stopper := func(g *gated) *registry.DoorOptions {
		return hooked(after(func(e registry.AfterEvent) registry.Revision {
			return registry.Revision{Stop: "by " + e.CallID}
		}))
	}
	t.Run("G7_the_reason_of_the_earliest_call", func(t *testing.T) {
		g := newGated()
		done := background(doorTo(t, stopper(g), harmless("t", g.run)), 2, "t", "t", "t")
		assert.True(t, g.await("id0"))
		assert.True(t, g.await("id1"))
		g.let("id1")
		time.Sleep(10 * time.Millisecond) // the later call stops the batch first
		g.let("id0")
		list := <-done
		assert.Equal(t, registry.StatusSkipped, list[2].Status)
		assert.Contains(t, list[2].Text, "by id0")
	})
	t.Run("G8_a_running_call_is_waited_for", func(t *testing.T) {
		g := newGated()
		done := background(doorTo(t, stopper(g), harmless("t", g.run)), 2, "t", "t", "t")
		assert.True(t, g.await("id0"))
		assert.True(t, g.await("id1"))
		g.let("id0")
		assert.True(t, g.idle("id2"))
		g.let("id1")
		list := <-done
		assert.Equal(t, "ran id1", list[1].Text)
		assert.Equal(t, registry.StatusSkipped, list[2].Status)
		assert.True(t, g.idle("id2"), "it never starts")
	})
	t.Run("G12_effective_arguments", func(t *testing.T) {
		var w watching
		o := ask(doorTo(t, hooked(rewriting(`{"a":1}`), w.hook()), &fake{name: "t"}), "t", `{"a":0}`)
		assert.JSONEq(t, `{"a":1}`, string(w.before[0].Arguments))
		assert.JSONEq(t, `{"a":1}`, string(o.Arguments))
	})
	t.Run("G13_the_same_id_twice", func(t *testing.T) {
		d := doorTo(t, nil, registrytest.Add())
		calls := turn(`add {"x":1,"y":1}`, `add {"x":2,"y":2}`)
		calls[0].ID, calls[1].ID = "same", "same"
		for _, bound := range []int{1, 2} {
			list := d.Batch(context.Background(), calls, &registry.BatchOptions{Concurrency: bound})
			assert.Equal(t, []string{"2", "4"}, texts(list))
			assert.Equal(t, "same", list[0].CallID)
			assert.Equal(t, "same", list[1].CallID)
		}
	})
	t.Run("G14_writes_to_one_path_are_serial", func(t *testing.T) {
		g := newGated()
		touch := func(name string, write bool) registry.Tool {
			return &printed{&fake{name: name, run: g.run}, func(args json.RawMessage) registry.Footprint {
				var a struct{ Path string }
				_ = json.Unmarshal(args, &a)
				if write {
					return registry.Footprint{Writes: []string{a.Path}}
				}
				return registry.Footprint{Reads: []string{a.Path}}
			}}
		}
		d := doorTo(t, nil, touch("write", true), touch("read", false))
		done := background(d, 8, `write {"path":"a/b"}`, `write {"path":"./a/b"}`, `read {"path":"c"}`, `read {"path":"a"}`)
		assert.True(t, g.await("id0"))
		assert.True(t, g.await("id2"), "a read elsewhere runs beside it")
		assert.True(t, g.idle("id1"))
		assert.True(t, g.idle("id3"), "and a read of the folder above waits")
		g.let("id0")
		assert.True(t, g.await("id1"))
		assert.True(t, g.idle("id3"))
		g.let("id1")
		assert.True(t, g.await("id3"))
		g.let("id2")
		g.let("id3")
		for i, o := range <-done {
			assert.Equal(t, fmt.Sprintf("ran id%d", i), o.Text)
		}
	})
}
