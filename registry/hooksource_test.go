package registry_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

func TestEveryDoorAsksTheRegistryForHooksThatComeAndGo(t *testing.T) {
	t.Parallel()
	reg := registry.New()
	reg.MustRegister("", &fake{name: "t"})
	doors := []*registry.Door{registry.NewDoor(reg, nil), registry.NewDoor(reg, &registry.DoorOptions{Hooks: []registry.Hook{{Name: "own"}}})}
	var list []registry.Hook
	removeFirst := reg.AddHooks(func() []registry.Hook { return list })
	blocked := func(d *registry.Door) bool { return ask(d, "t", `{}`).Status == registry.StatusSkipped }
	require.False(t, blocked(doors[0]))
	list = []registry.Hook{blocking("no")}
	require.True(t, blocked(doors[0]))
	require.True(t, blocked(doors[1]))
	list = nil
	require.False(t, blocked(doors[0]))
	removeSecond := reg.AddHooks(func() []registry.Hook { return []registry.Hook{blocking("second")} })
	list = []registry.Hook{blocking("first")}
	require.Equal(t, "first", ask(doors[0], "t", `{}`).Text)
	removeFirst()
	require.Equal(t, "second", ask(doors[0], "t", `{}`).Text)
	removeSecond()
	removeSecond()
	require.False(t, blocked(doors[1]))
}

func TestAHookKnowsTheCallAndWhatTheModelIsTold(t *testing.T) {
	t.Parallel()
	var id string
	var told []bool
	no := false
	h := registry.Hook{
		Before: func(ctx context.Context, e registry.BeforeEvent) (registry.Decision, error) {
			id = registry.CallFrom(ctx).ID
			return registry.Continue(), nil
		},
		After: func(_ context.Context, e registry.AfterEvent) (registry.Revision, error) {
			told = append(told, e.IsError)
			return registry.Revision{IsError: &no}, nil
		},
	}
	d := doorTo(t, hooked(h, h), &fake{name: "t", run: gives(registry.ErrorText("broken"), nil)})
	o := d.Call(context.Background(), registry.Request{Tool: "t", ID: "mine"})
	require.Equal(t, "mine", id)
	require.Equal(t, []bool{true, false}, told)
	require.Equal(t, registry.StatusError, o.Status)
}

func TestAHookThatRunsOutOfTimeHasACallsDeadline(t *testing.T) {
	t.Parallel()
	cause := make(chan error, 1)
	h := registry.Hook{Budget: time.Millisecond, Before: func(ctx context.Context, _ registry.BeforeEvent) (registry.Decision, error) {
		<-ctx.Done()
		cause <- context.Cause(ctx)
		return registry.Continue(), nil
	}}
	o := ask(doorTo(t, hooked(h), &fake{name: "t"}), "t", "")
	require.Equal(t, registry.StatusSkipped, o.Status)
	err := <-cause
	require.ErrorIs(t, err, registry.ErrDeadline)
	require.EqualError(t, err, "it took longer than 1ms")
}
