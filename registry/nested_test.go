package registry

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// invoker calls another tool and answers with what that said.
func invoker(name, other string) *fakeTool {
	return &fakeTool{name: name, run: func(ctx context.Context, _ json.RawMessage) (*Result, error) {
		out := CallFrom(ctx).Invoke(ctx, Request{Tool: other})
		return Text(string(out.Status) + ": " + out.Text), nil
	}}
}

func nestedDoor(t *testing.T, o *DoorOptions, tools ...Tool) *Door {
	t.Helper()
	r := New()
	for _, tool := range tools {
		require.NoError(t, r.Register("", tool))
	}
	return NewDoor(r, o)
}

func TestAToolCallsAnotherThroughTheSameDoor(t *testing.T) {
	t.Parallel()
	var seen []Request
	parents := map[string]string{}
	d := nestedDoor(t, &DoorOptions{Middleware: []Middleware{func(next Handler) Handler {
		return func(ctx context.Context, req Request) *Outcome {
			seen = append(seen, req)
			out := next(ctx, req)
			parents[out.Tool] = out.ParentID
			return out
		}
	}}}, invoker("outer", "inner"), &fakeTool{name: "inner", run: func(ctx context.Context, _ json.RawMessage) (*Result, error) {
		return Text("parent " + CallFrom(ctx).ParentID()), nil
	}})
	out := d.Call(t.Context(), Request{ID: "o", Tool: "outer", Values: Values{"k": json.RawMessage("1")}})
	assert.Equal(t, "success: parent o", out.Text)
	require.Len(t, seen, 2)
	assert.Empty(t, seen[1].Values)
	assert.Equal(t, map[string]string{"outer": "", "inner": "o"}, parents)
}

func TestToolsThatCallEachOtherForEverAreStopped(t *testing.T) {
	t.Parallel()
	runs := 0
	d := nestedDoor(t, nil, &fakeTool{name: "again", run: func(ctx context.Context, _ json.RawMessage) (*Result, error) {
		runs++
		out := CallFrom(ctx).Invoke(ctx, Request{Tool: "again"})
		return Text(out.Text), nil
	}})
	out := d.Call(t.Context(), Request{Tool: "again"})
	assert.Equal(t, "tools call each other more than 8 levels deep", out.Text)
	assert.Equal(t, MaxNesting+1, runs)
}

func TestNoToolIsCalledOutsideADoor(t *testing.T) {
	t.Parallel()
	out := CallFrom(t.Context()).Invoke(t.Context(), Request{Tool: "x"})
	assert.ErrorIs(t, out.Failure, ErrNoDoor)
	assert.True(t, out.IsError)
}

func TestAnApprovalOfACallDoesNotHoldForWhatItCalls(t *testing.T) {
	t.Parallel()
	risky := &fakeTool{name: "inner", risk: Destructive}
	policy, err := NewPolicy(PolicyOptions{})
	require.NoError(t, err)
	for about, c := range map[string]struct {
		gate Gate
		want string
	}{
		"a caller that asked about its own call": {AllowDirect, "skipped: "},
		"the same, with somebody to ask besides": {AllowDirectElse(AllowAll), "success: {}"},
		"--yes":                                  {AllowAll, "success: {}"},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			d := nestedDoor(t, &DoorOptions{Policy: policy, Gate: c.gate}, invoker("outer", "inner"), risky)
			assert.Contains(t, d.Call(t.Context(), Request{Tool: "outer"}).Text, c.want)
			assert.Equal(t, StatusSuccess, d.Call(t.Context(), Request{Tool: "inner"}).Status)
		})
	}
}

func TestTheOuterClockStandsStillWhileANestedCallAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy, err := NewPolicy(PolicyOptions{})
		require.NoError(t, err)
		d := nestedDoor(t, &DoorOptions{Timeout: time.Second, Policy: policy,
			Gate: AllowDirectElse(GateFunc(func(_ context.Context, q Question) (Answer, error) {
				time.Sleep(time.Hour)
				return Answer{ID: q.ID, Allow: true}, nil
			}))}, invoker("outer", "inner"), &fakeTool{name: "inner", risk: Destructive, run: func(ctx context.Context, _ json.RawMessage) (*Result, error) {
			defer CallFrom(ctx).PauseDeadline()()
			time.Sleep(time.Hour)
			return Text("done"), nil
		}})
		assert.Equal(t, "success: done", d.Call(context.Background(), Request{Tool: "outer"}).Text)
	})
}

func TestAPersonWhoSaysNoIsNotAskedOnAndOnByOneCall(t *testing.T) {
	t.Parallel()
	asked, answer := 0, false
	gate := GateFunc(func(_ context.Context, q Question) (Answer, error) {
		if q.ParentID == "" {
			return Answer{ID: q.ID, Allow: true}, nil
		}
		asked++
		return Answer{ID: q.ID, Allow: answer}, nil
	})
	many := &fakeTool{name: "many", risk: Destructive, run: func(ctx context.Context, _ json.RawMessage) (*Result, error) {
		for range 50 {
			CallFrom(ctx).Invoke(ctx, Request{Tool: "inner"})
		}
		return Text("done"), nil
	}}
	d := nestedDoor(t, &DoorOptions{Policy: &Policy{}, Gate: gate}, many, &fakeTool{name: "inner", risk: Write})
	require.Equal(t, "done", d.Call(t.Context(), Request{Tool: "many"}).Text)
	assert.Equal(t, maxNestedNos, asked)
	answer, asked = true, 0
	d.Call(t.Context(), Request{Tool: "many"})
	assert.Equal(t, 50, asked, "one who says yes is asked about each")
}

func TestCallsThatOneCallHasUnderWayHaveABound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		wait := &fakeTool{name: "wait", run: func(context.Context, json.RawMessage) (*Result, error) {
			<-release
			return Text("x"), nil
		}}
		var got sync.Map
		fan := &fakeTool{name: "fan", run: func(ctx context.Context, _ json.RawMessage) (*Result, error) {
			var wg sync.WaitGroup
			for i := range maxNestedLive + 50 {
				wg.Go(func() {
					out := CallFrom(ctx).Invoke(ctx, Request{Tool: "wait"})
					if out.Failure != nil {
						got.Store(i, out.Failure.Code)
					}
				})
			}
			synctest.Wait()
			close(release)
			wg.Wait()
			return Text("done"), nil
		}}
		d := nestedDoor(t, nil, wait, fan)
		require.Equal(t, "done", d.Call(t.Context(), Request{Tool: "fan"}).Text)
		n := 0
		got.Range(func(_, code any) bool { n++; assert.Equal(t, "nested_too_many", code); return true })
		assert.Equal(t, 50, n)
	})
}
