package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

// A storm is a registry of tools that behave in every way, and chance.
type storm struct {
	rnd      *rand.Rand
	release  chan struct{} // ends the tools that listen to nothing else
	registry *registry.Registry
	tools    []string
	starts   atomic.Int64
}

// behaviours are the ways in which a tool ends, or does not.
func (s *storm) behaviours() map[string]execute {
	return map[string]execute{
		"returns": gives(registry.Text("ok"), nil),
		"nothing": gives(nil, nil),
		"throws":  gives(nil, errors.New("no")),
		"fatal":   gives(nil, &registry.Failure{Kind: registry.KindOther, Message: "gone", Fatal: true}),
		"refuses": gives(nil, registry.NewFailure(registry.KindPermissionDenied, "no")),
		"panics":  func(context.Context, json.RawMessage) (*result, error) { panic("boom") },
		"exits":   func(context.Context, json.RawMessage) (*result, error) { runtime.Goexit(); return nil, nil },
		"sleeps":  func(context.Context, json.RawMessage) (*result, error) { time.Sleep(time.Millisecond); return nil, nil },
		"obeys":   func(ctx context.Context, _ json.RawMessage) (*result, error) { <-ctx.Done(); return nil, ctx.Err() },
		"late":    func(ctx context.Context, _ json.RawMessage) (*result, error) { <-ctx.Done(); panic("late") },
		"deaf": func(context.Context, json.RawMessage) (*result, error) {
			<-s.release
			return registry.Text("much later"), nil
		},
		"reentrant": func(ctx context.Context, _ json.RawMessage) (*result, error) {
			out := registry.NewDoor(s.registry, &registry.DoorOptions{Timeout: time.Millisecond}).Call(ctx, request{Tool: "nothing_0"})
			return registry.Text(out.Text), nil
		},
	}
}

func newStorm(seed uint64) *storm {
	s := &storm{rnd: rand.New(rand.NewPCG(seed, 0)), release: make(chan struct{}), registry: registry.New()}
	kinds := []registry.ToolKind{registry.KindRead, registry.KindWrite, registry.KindShell, registry.KindOtherTool}
	risks := []registry.Risk{registry.Read, registry.Write, registry.Network, registry.Destructive}
	for name, run := range s.behaviours() {
		for i := range 3 {
			f := &fake{
				name: name + "_" + strconv.Itoa(i), risk: risks[s.rnd.IntN(4)], run: s.watched(run),
				params: `{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false}`,
				info:   registry.Info{Kind: kinds[s.rnd.IntN(4)]},
			}
			var tool registry.Tool = f
			if i > 0 { // the others go by their kind
				tool = &printed{f, writes}
			}
			s.registry.MustRegister("", tool)
			s.tools = append(s.tools, f.name)
		}
	}
	s.tools = append(s.tools, "unknown")
	return s
}

// writes is the footprint of a call that writes its path; without one it is
// harmless.
func writes(args json.RawMessage) registry.Footprint {
	var a struct{ Path string }
	_ = json.Unmarshal(args, &a)
	if a.Path == "" {
		return registry.Footprint{}
	}
	return registry.Footprint{Writes: []string{a.Path}}
}

// watched counts runs.
func (s *storm) watched(run execute) execute {
	return func(ctx context.Context, args json.RawMessage) (*result, error) {
		s.starts.Add(1)
		return run(ctx, args)
	}
}

// hooks do everything that hooks can do, now and then.
func (s *storm) hooks() []registry.Hook {
	var mu sync.Mutex
	rnd := rand.New(rand.NewPCG(s.rnd.Uint64(), 1)) // some hooks are left behind
	chance := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return rnd.IntN(n)
	}
	return []registry.Hook{{
		Name:   "storm",
		Budget: 5 * time.Millisecond,
		Before: func(ctx context.Context, e registry.BeforeEvent) (registry.Decision, error) {
			switch chance(20) {
			case 0:
				return registry.BlockCall("blocked"), nil
			case 1:
				return registry.RewriteArgs(json.RawMessage(`{"path":"rewritten"}`)), nil
			case 2:
				return registry.RewriteArgs(json.RawMessage(`{"pth":1}`)), nil
			case 3:
				if chance(3) == 0 {
					return registry.StopBatch("stopped"), nil
				}
			case 4:
				return registry.Decision{}, errors.New("broken hook")
			case 5:
				panic("hook")
			case 6:
				runtime.Goexit()
			case 7:
				<-ctx.Done()
			case 8:
				return registry.AnswerWith(registry.Text("from a cache")), nil
			}
			return registry.Continue(), nil
		},
		After: func(ctx context.Context, e registry.AfterEvent) (registry.Revision, error) {
			switch chance(20) {
			case 0:
				return registry.ReviseText("revised"), nil
			case 1:
				return registry.Revision{}, errors.New("broken hook")
			case 2:
				panic("hook")
			case 3:
				<-ctx.Done()
			case 4:
				if chance(3) == 0 {
					return registry.Revision{Stop: "stopped after"}, nil
				}
			}
			return registry.Keep(), nil
		},
	}}
}

// gate allows, denies, fails, lies and hangs.
func (s *storm) gate() registry.Gate {
	var mu sync.Mutex
	rnd := rand.New(rand.NewPCG(s.rnd.Uint64(), 1))
	return registry.GateFunc(func(ctx context.Context, q registry.Question) (registry.Answer, error) {
		mu.Lock()
		n := rnd.IntN(20)
		mu.Unlock()
		switch n {
		case 0, 1:
			return registry.Answer{ID: q.ID, Reason: "no"}, nil
		case 2:
			return registry.Answer{}, errors.New("nobody there")
		case 3:
			panic("gate")
		case 4:
			return registry.Answer{ID: "ask-1", Allow: true}, nil
		case 5:
			<-ctx.Done()
			return registry.Answer{ID: q.ID, Allow: true}, nil
		case 6:
			return registry.Answer{ID: q.ID, Allow: true, Arguments: json.RawMessage(`{"path":"edited"}`)}, nil
		case 7:
			return registry.Answer{ID: q.ID, Allow: true, Scope: registry.Session}, nil
		case 8:
			return registry.Answer{ID: q.ID, Stop: true, Reason: "stop"}, nil
		default:
			return registry.Answer{ID: q.ID, Allow: true}, nil
		}
	})
}

// TestBatchesGiveOneOutcomePerCall throws batches of random calls at doors with
// random hooks, gates and bounds. TestMain sees that nobody is left behind.
func TestBatchesGiveOneOutcomePerCall(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s := newStorm(seed)
	defer close(s.release)
	policy, err := registry.NewPolicy(registry.PolicyOptions{Rules: []registry.Rule{{Action: registry.Deny, Tool: "throws_2"}}})
	require.NoError(t, err)
	arguments := []string{``, `{}`, `{"path":"a"}`, `{"path":"a/b"}`, `{"path":"b"}`, `nonsense`, `{"no":1}`}
	known := map[registry.Status]bool{registry.StatusSuccess: true, registry.StatusError: true, registry.StatusDenied: true, registry.StatusSkipped: true}
	seen := map[registry.Status]int{}
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	for i := 0; i < rounds || len(seen) < len(known) && i < 100*rounds; i++ { // until every end was seen
		o := &registry.DoorOptions{Grace: 2 * time.Millisecond, TextLimit: 60}
		if s.rnd.IntN(2) == 0 {
			o.Hooks = s.hooks()
		}
		if s.rnd.IntN(3) > 0 {
			o.Policy = policy
			if s.rnd.IntN(4) > 0 {
				o.Gate = s.gate()
			}
		}
		if s.rnd.IntN(3) == 0 {
			o.Middleware = []registry.Middleware{again}
		}
		d := registry.NewDoor(s.registry, o)
		calls := make([]request, s.rnd.IntN(12))
		for i := range calls {
			calls[i] = request{
				ID:        fmt.Sprintf("call-%d", i),
				Tool:      s.tools[s.rnd.IntN(len(s.tools))],
				Arguments: json.RawMessage(arguments[s.rnd.IntN(len(arguments))]),
				Timeout:   time.Duration(1+s.rnd.IntN(4000)) * time.Microsecond,
			}
			if s.rnd.IntN(8) == 0 && i > 0 {
				calls[i].ID = calls[i-1].ID
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		switch s.rnd.IntN(4) {
		case 0:
			cancel()
		case 1:
			time.AfterFunc(time.Duration(s.rnd.IntN(5000))*time.Microsecond, cancel)
		}
		start := time.Now()
		list := d.Batch(ctx, calls, &registry.BatchOptions{Concurrency: s.rnd.IntN(9)})
		assert.Less(t, time.Since(start), 10*time.Second)
		cancel()
		require.Len(t, list, len(calls))
		for i, out := range list {
			require.NotNil(t, out, calls[i].Tool)
			assert.Equal(t, calls[i].ID, out.CallID)
			assert.Equal(t, calls[i].Tool, out.Tool)
			assert.True(t, known[out.Status], out.Status)
			assert.Equal(t, out.Status == registry.StatusSuccess, out.Failure == nil)
			assert.LessOrEqual(t, len(out.Text), 60)
			assert.NotEmpty(t, out.Content)
			_, err := json.Marshal(out)
			assert.NoError(t, err)
			if o.Policy != nil && out.Tool == "throws_2" {
				assert.NotEqual(t, "no", out.Text, "a denied tool never runs")
			}
			seen[out.Status]++
		}
	}
	for status := range known {
		assert.Positive(t, seen[status], status)
	}
	assert.Positive(t, s.starts.Load())
}

// TestBatchKeepsConflictingCallsApart watches what runs beside what.
func TestBatchKeepsConflictingCallsApart(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	var mu sync.Mutex
	running := map[string]int{} // by path
	var order []string
	worker := &printed{&fake{name: "write", params: `{"type":"object"}`, run: func(ctx context.Context, args json.RawMessage) (*result, error) {
		var a struct{ Path string }
		_ = json.Unmarshal(args, &a)
		mu.Lock()
		running[a.Path]++
		assert.Equal(t, 1, running[a.Path], "two calls write one path")
		order = append(order, a.Path+registry.CallFrom(ctx).ID)
		mu.Unlock()
		time.Sleep(time.Duration(rand.N(500)) * time.Microsecond)
		mu.Lock()
		running[a.Path]--
		mu.Unlock()
		return nil, nil
	}}, writes}
	d := doorTo(t, nil, worker)
	for range 30 {
		order = nil
		calls := make([]request, 20)
		for i := range calls {
			calls[i] = request{ID: fmt.Sprintf("%02d", i), Tool: "write", Arguments: json.RawMessage(fmt.Sprintf(`{"path":"p%d"}`, rnd.IntN(4)))}
		}
		d.Batch(context.Background(), calls, &registry.BatchOptions{Concurrency: 1 + rnd.IntN(8)})
		last := map[string]string{}
		for _, o := range order {
			path, id := o[:2], o[2:]
			assert.Less(t, last[path], id, "calls on one path come in order")
			last[path] = id
		}
		assert.Len(t, order, len(calls))
	}
}

// TestBatchOutlivesImpatientMiddleware has middleware that gives up on a call
// which then comes to its turn: nothing may wait for it.
func TestBatchOutlivesImpatientMiddleware(t *testing.T) {
	var left sync.WaitGroup
	impatient := func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, req request) *outcome {
			if req.ID != "id1" {
				return next(ctx, req)
			}
			left.Go(func() {
				time.Sleep(5 * time.Millisecond)
				assert.Equal(t, registry.StatusSkipped, next(ctx, req).Status)
			})
			return &outcome{Status: registry.StatusSuccess, Text: "instead"}
		}
	}
	d := doorTo(t, &registry.DoorOptions{Middleware: []registry.Middleware{impatient}}, &fake{name: "t", run: pausing})
	within(t, func() {
		for _, bound := range []int{1, 4} {
			assert.Equal(t, []string{"ok", "instead", "ok"}, texts(batch(d, bound, "t", "t", "t")))
			left.Wait()
		}
	})
}

// TestMiddlewareThatEndsItsGoroutineCostsOneCall needs no more of a batch than
// that its outcome is told.
func TestMiddlewareThatEndsItsGoroutineCostsOneCall(t *testing.T) {
	exits := func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, req request) *outcome {
			switch req.ID {
			case "id0":
				runtime.Goexit()
			case "id1":
				panic("boom")
			case "id2":
				return nil
			}
			return next(ctx, req)
		}
	}
	d := doorTo(t, &registry.DoorOptions{Middleware: []registry.Middleware{exits}}, harmless("t", pausing))
	list := batch(d, 4, "t", "t", "t", "t")
	for i, code := range []string{"no_outcome", "panic", "no_outcome"} {
		require.NotNil(t, list[i])
		assert.Equal(t, code, list[i].Failure.Code)
		assert.Equal(t, fmt.Sprint("id", i), list[i].CallID)
	}
	assert.Equal(t, "ok", list[3].Text)
}
