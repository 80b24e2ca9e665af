package registry_test

// TestRig holds the registry against the acceptance cases of Rig's tool
// contract; the first word of a subtest is its number there. H7 to H11 are in
// registry/otel, and B16 is in host as well, with a tool in JavaScript.
//
// Where this registry means to do something else:
//
//	A6, A7  Register refuses a name that is taken. Replace says that another
//	        implementation is meant, so there is nothing to warn about.
//	A13     For the same reason: however a tool comes in, it is there once, and
//	        a second Register is an error.
//	A22     A refresh that names a tool which another owner holds by now is an
//	        error and changes nothing, rather than being applied in part.
//	C3      "Nothing" is the text "(no output)": providers refuse empty content.
//	C9      The same goes for a Result without blocks. A typed tool that returns
//	        an empty list of blocks has made a mistake, and fails.
//	F4      Hooks are one flat list; stacks are joined by append, and nested
//	        doors by a tool that calls another.
//	F10     The door knows no history; the outcome has the reason.
//	F11     The result of a call that a hook stopped the batch after stays in
//	        its outcome, for its side effects have happened (the case's own
//	        improvement, G9).
//	G2, G4  A batch runs one call at a time unless told otherwise.

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/builtin"
	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/registrytest"
)

type (
	outcome = registry.Outcome
	request = registry.Request
	result  = registry.Result
	execute = func(context.Context, json.RawMessage) (*result, error)
)

// fake is a tool out of parts; what is left out is harmless.
type fake struct {
	name, description, params string
	risk                      registry.Risk
	info                      registry.Info
	run                       execute
}

func (f *fake) Name() string        { return f.name }
func (f *fake) Info() registry.Info { return f.info }

func (f *fake) Description() string {
	if f.description == "" {
		return "does " + f.name
	}
	return f.description
}

func (f *fake) Parameters() json.RawMessage {
	if f.params == "" {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return json.RawMessage(f.params)
}

func (f *fake) Risk() registry.Risk {
	if f.risk == 0 {
		return registry.Read
	}
	return f.risk
}

func (f *fake) Execute(ctx context.Context, args json.RawMessage) (*result, error) {
	if f.run == nil {
		return registry.Text(string(args)), nil
	}
	return f.run(ctx, args)
}

// printed is a tool that tells what a call touches.
type printed struct {
	*fake
	print func(json.RawMessage) registry.Footprint
}

func (p *printed) FootprintOf(args json.RawMessage) registry.Footprint { return p.print(args) }

// harmless is a tool whose calls do not disturb each other.
func harmless(name string, run execute) registry.Tool {
	return &printed{&fake{name: name, run: run}, func(json.RawMessage) registry.Footprint { return registry.Footprint{} }}
}

func gives(res *result, err error) execute {
	return func(context.Context, json.RawMessage) (*result, error) { return res, err }
}

func filled(t testing.TB, tools ...registry.Tool) *registry.Registry {
	t.Helper()
	r := registry.New()
	require.NoError(t, r.Register("", tools...))
	return r
}

func doorTo(t testing.TB, o *registry.DoorOptions, tools ...registry.Tool) *registry.Door {
	t.Helper()
	return registry.NewDoor(filled(t, tools...), o)
}

func hooked(hooks ...registry.Hook) *registry.DoorOptions { return &registry.DoorOptions{Hooks: hooks} }

func ask(d *registry.Door, tool, args string) *outcome {
	return d.Call(context.Background(), request{Tool: tool, Arguments: json.RawMessage(args)})
}

// alone runs one tool once.
func alone(t testing.TB, tool registry.Tool, args string) *outcome {
	t.Helper()
	return ask(doorTo(t, nil, tool), tool.Name(), args)
}

// turn is the calls of one turn: tool names, each with its arguments after a
// space.
func turn(calls ...string) []request {
	list := make([]request, len(calls))
	for i, c := range calls {
		name, args, _ := strings.Cut(c, " ")
		list[i] = request{ID: fmt.Sprint("id", i), Tool: name, Arguments: json.RawMessage(args)}
	}
	return list
}

func batch(d *registry.Door, concurrency int, calls ...string) []*outcome {
	return d.Batch(context.Background(), turn(calls...), &registry.BatchOptions{Concurrency: concurrency})
}

func texts(list []*outcome) []string {
	out := make([]string, len(list))
	for i, o := range list {
		out[i] = o.Text
	}
	return out
}

func names(s *registry.Snapshot) []string {
	out := []string{}
	for _, spec := range registry.Specs(s) {
		out = append(out, spec.Name)
	}
	return out
}

func fakes(names ...string) []registry.Tool {
	out := make([]registry.Tool, len(names))
	for i, n := range names {
		out[i] = &fake{name: n}
	}
	return out
}

// before and after make hooks of one function.
func before(f func(registry.BeforeEvent) registry.Decision) registry.Hook {
	return registry.Hook{Before: func(_ context.Context, e registry.BeforeEvent) (registry.Decision, error) { return f(e), nil }}
}

func after(f func(registry.AfterEvent) registry.Revision) registry.Hook {
	return registry.Hook{After: func(_ context.Context, e registry.AfterEvent) (registry.Revision, error) { return f(e), nil }}
}

// counter counts the runs of a tool, and how many of them overlap.
type counter struct{ runs, now, most atomic.Int32 }

func (c *counter) wrap(run execute) execute {
	return func(ctx context.Context, args json.RawMessage) (*result, error) {
		c.runs.Add(1)
		n := c.now.Add(1)
		defer c.now.Add(-1)
		for m := c.most.Load(); n > m && !c.most.CompareAndSwap(m, n); m = c.most.Load() {
		}
		return run(ctx, args)
	}
}

// within fails the test if f takes longer than a second.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(time.Second):
		t.Fatal("it took longer than a second")
	}
}

func TestRig(t *testing.T) {
	rigRegistry(t)
	rigArguments(t)
	rigOutput(t)
	rigFailures(t)
	rigValues(t)
	rigHooks(t)
	rigBatches(t)
	t.Run("H3_think_gives_the_same_text_back", func(t *testing.T) {
		r := registry.New()
		require.NoError(t, builtin.Register(r, builtin.Options{Root: t.TempDir()}))
		o := ask(registry.NewDoor(r, nil), "think", `{"thought":"first\nthe tests"}`)
		assert.Equal(t, registry.StatusSuccess, o.Status)
		assert.Equal(t, "first\nthe tests", o.Text)
	})
}

func rigRegistry(t *testing.T) {
	t.Run("A1_definitions_in_order", func(t *testing.T) {
		specs := registry.Specs(filled(t, registrytest.Math()...).Snapshot())
		require.Len(t, specs, 2)
		for i, name := range []string{"add", "subtract"} {
			assert.Equal(t, name, specs[i].Name)
			assert.NotEmpty(t, specs[i].Description)
			var schema struct{ Type string }
			require.NoError(t, json.Unmarshal(specs[i].Input.Parameters, &schema))
			assert.Equal(t, "object", schema.Type)
		}
	})
	t.Run("A2_many_tools_keep_their_order", func(t *testing.T) {
		var want []string
		for i := range 32 {
			want = append(want, fmt.Sprintf("tool_%02d", i))
		}
		s := filled(t, fakes(want...)...).Snapshot()
		assert.Equal(t, want, names(s))
		for i, d := range registry.Documents(s) {
			assert.Equal(t, want[i], d.ID)
			assert.Contains(t, d.Text, want[i])
		}
	})
	t.Run("A3_remove", func(t *testing.T) {
		r := filled(t, registrytest.Math()...)
		assert.True(t, r.Remove("add"))
		assert.Equal(t, []string{"subtract"}, names(r.Snapshot()))
	})
	t.Run("A4_remove_keeps_the_order_of_the_rest", func(t *testing.T) {
		r := filled(t, fakes("alpha", "beta", "gamma", "delta")...)
		r.Remove("beta")
		assert.Equal(t, []string{"alpha", "gamma", "delta"}, names(r.Snapshot()))
	})
	t.Run("A5_removing_an_unknown_name_tells_so", func(t *testing.T) {
		r := filled(t, fakes("alpha")...)
		generation := r.Snapshot().Generation()
		assert.False(t, r.Remove("beta"))
		assert.Equal(t, generation, r.Snapshot().Generation())
	})
	t.Run("A6_replace_keeps_the_place", func(t *testing.T) {
		r := filled(t, fakes("alpha", "beta")...)
		var dup *registry.DuplicateError
		require.ErrorAs(t, r.Register("", &fake{name: "alpha"}), &dup)
		require.NoError(t, r.Replace("", &fake{name: "alpha", description: "the new one", run: gives(registry.Text("new"), nil)}, false))
		assert.Equal(t, []string{"alpha", "beta"}, names(r.Snapshot()))
		assert.Equal(t, "the new one", registry.Specs(r.Snapshot())[0].Description)
		assert.Equal(t, "new", ask(registry.NewDoor(r, nil), "alpha", "").Text)
	})
	t.Run("A7_merge", func(t *testing.T) {
		r := filled(t, fakes("alpha", "beta")...)
		for _, tool := range []registry.Tool{&fake{name: "gamma"}, &fake{name: "alpha", description: "another"}} {
			require.NoError(t, r.Replace("", tool, false))
		}
		assert.Equal(t, []string{"alpha", "beta", "gamma"}, names(r.Snapshot()))
		assert.Equal(t, "another", registry.Specs(r.Snapshot())[0].Description)
	})
	t.Run("A8_a_tool_that_renames_itself_keeps_its_registered_name", func(t *testing.T) {
		tool := &fake{name: "first"}
		r := filled(t, tool)
		tool.name, tool.description, tool.params = "second", "changed", `{"type":"object","title":"changed"}`
		s := r.Snapshot()
		assert.Equal(t, []string{"first"}, names(s))
		assert.Equal(t, "first", registry.Documents(s)[0].ID)
		assert.NotContains(t, registry.Documents(s)[0].Text, "second")
		assert.Equal(t, "does first", registry.Specs(s)[0].Description)
		assert.NotContains(t, string(registry.Specs(s)[0].Input.Parameters), "changed")
		_, found := s.Lookup("second")
		assert.False(t, found)
		o := ask(registry.NewDoor(r, nil), "first", "")
		assert.Equal(t, registry.StatusSuccess, o.Status)
		assert.Equal(t, "first", o.Tool)
	})
	t.Run("A11_add_list_call_remove_list", func(t *testing.T) {
		r := registry.New()
		require.NoError(t, r.Register("", registrytest.Add()))
		assert.Equal(t, 1, r.Snapshot().Len())
		assert.Equal(t, "7", ask(registry.NewDoor(r, nil), "add", `{"x":2,"y":5}`).Text)
		r.Remove("add")
		assert.Zero(t, r.Snapshot().Len())
	})
	t.Run("A12_a_set_or_one_by_one", func(t *testing.T) {
		set, single := filled(t, registrytest.Math()...), registry.New()
		for _, tool := range registrytest.Math() {
			require.NoError(t, single.Register("", tool))
		}
		assert.Equal(t, registry.Specs(set.Snapshot()), registry.Specs(single.Snapshot()))
	})
	t.Run("A13_one_definition_however_it_came_in", func(t *testing.T) {
		add := registrytest.Add()
		r := filled(t, add)
		assert.Error(t, r.Register("", add))
		require.NoError(t, r.Replace("", add, false))
		require.NoError(t, r.Swap("", []registry.Tool{add}))
		assert.Equal(t, []string{"add"}, names(r.Snapshot()))
	})
	t.Run("A19_register_while_a_tool_runs", func(t *testing.T) {
		tool := registrytest.Controlled()
		r := filled(t, tool)
		d := registry.NewDoor(r, nil)
		done := make(chan *outcome, 1)
		go func() { done <- ask(d, "controlled", "") }()
		<-tool.Started()
		within(t, func() { assert.NoError(t, r.Register("", registrytest.Add())) })
		tool.Release()
		assert.Equal(t, "42", (<-done).Text)
	})
	t.Run("A20_a_snapshot_pins_the_tools_of_a_turn", func(t *testing.T) {
		r := filled(t, &fake{name: "alpha", params: `{"type":"object","required":["old"]}`, run: gives(registry.Text("old"), nil)})
		d := registry.NewDoor(r, nil)
		pinned := r.Snapshot()
		require.NoError(t, r.Replace("", &fake{name: "alpha", params: `{"type":"object","required":["new"]}`, run: gives(registry.Text("new"), nil)}, false))
		call := func(s *registry.Snapshot, args string) *outcome {
			return d.Call(context.Background(), request{Tool: "alpha", Snapshot: s, Arguments: json.RawMessage(args)})
		}
		assert.Equal(t, "old", call(pinned, `{"old":1}`).Text)
		assert.Equal(t, registry.KindInvalidArgs, call(pinned, `{"new":1}`).Failure.Kind)
		assert.Equal(t, "new", call(r.Snapshot(), `{"new":1}`).Text)
		assert.Equal(t, "new", call(nil, `{"new":1}`).Text)
		assert.Contains(t, string(registry.Specs(pinned)[0].Input.Parameters), "old")
		assert.Contains(t, string(registry.Specs(r.Snapshot())[0].Input.Parameters), "new")
	})
	t.Run("A22_a_refresh_leaves_what_another_owner_took", func(t *testing.T) {
		r := registry.New()
		require.NoError(t, r.Register("a", fakes("x", "y")...))
		require.NoError(t, r.Replace("b", &fake{name: "x", description: "of b"}, true))
		var dup *registry.DuplicateError
		require.ErrorAs(t, r.Swap("a", fakes("x", "z")), &dup)
		assert.Equal(t, []string{"x", "y"}, names(r.Snapshot()), "nothing is half done")
		require.NoError(t, r.Swap("a", fakes("z")))
		assert.Equal(t, []string{"x", "z"}, names(r.Snapshot()))
		x, _ := r.Snapshot().Lookup("x")
		assert.Equal(t, "b", x.Owner)
		assert.Equal(t, "of b", x.Description())
	})
	t.Run("A24_bad_names", func(t *testing.T) {
		for _, name := range []string{"", strings.Repeat("a", 65), "1abc", "a b", "ä"} {
			var invalid *registry.InvalidToolError
			require.ErrorAs(t, registry.New().Register("", &fake{name: name}), &invalid, name)
			assert.Equal(t, registry.RuleName, invalid.Rule)
		}
		assert.NoError(t, registry.New().Register("", fakes("a", strings.Repeat("a", 64), "A_b-9")...))
	})
	t.Run("A25_a_name_of_another_owner", func(t *testing.T) {
		r := registry.New()
		require.NoError(t, r.Register("a", fakes("x")...))
		err := r.Register("b", fakes("x")...)
		assert.ErrorContains(t, err, `"a"`)
		assert.ErrorContains(t, err, `"b"`)
		assert.Error(t, r.Replace("b", &fake{name: "x"}, false))
		assert.NoError(t, r.Replace("b", &fake{name: "x"}, true))
	})
}

// optional has arguments that may all be left out.
type optional struct {
	Name string `json:"name" default:"world"`
}

func greeter(t testing.TB) registry.Tool {
	t.Helper()
	tool, err := registry.NewTool(registry.TypedOptions{Name: "greet", Description: "Greets.", Risk: registry.Read},
		func(_ context.Context, a optional) (string, error) { return "Hello " + a.Name, nil })
	require.NoError(t, err)
	return tool
}

func rigArguments(t *testing.T) {
	t.Run("B1_the_order_of_arguments", func(t *testing.T) {
		d := doorTo(t, nil, registrytest.Math()...)
		assert.Equal(t, "7", ask(d, "add", `{"x":2,"y":5}`).Text)
		assert.Equal(t, "-3", ask(d, "subtract", `{"x":2,"y":5}`).Text)
	})
	t.Run("B2_a_wrong_type", func(t *testing.T) {
		d := doorTo(t, nil, registrytest.Math()...)
		list := batch(d, 1, `add {"x":"not-a-number","y":1}`, `add {"x":1,"y":1}`)
		f := list[0].Failure
		assert.Equal(t, registry.KindInvalidArgs, f.Kind)
		assert.Equal(t, registry.RetryNo, f.Retryable)
		assert.Contains(t, list[0].Text, `x: expected`)
		assert.Contains(t, list[0].Text, `"not-a-number"`)
		assert.Equal(t, "2", list[1].Text, "the run goes on")
	})
	t.Run("B3_not_JSON", func(t *testing.T) {
		assert.Equal(t, registry.KindInvalidArgs, alone(t, registrytest.Add(), `{not json`).Failure.Kind)
	})
	t.Run("B4_null_to_a_tool_without_arguments", func(t *testing.T) {
		assert.Equal(t, "Example answer", alone(t, registrytest.Example(), `null`).Text)
	})
	t.Run("B5_null_where_everything_is_optional", func(t *testing.T) {
		assert.Equal(t, "Hello world", alone(t, greeter(t), `null`).Text)
	})
	t.Run("B6_null_where_something_is_required", func(t *testing.T) {
		o := alone(t, registrytest.Add(), `null`)
		assert.Equal(t, registry.KindInvalidArgs, o.Failure.Kind)
		assert.Contains(t, o.Text, "x: ")
		assert.Contains(t, o.Text, "missing")
	})
	t.Run("B7_an_empty_object", func(t *testing.T) {
		assert.Equal(t, "Example answer", alone(t, registrytest.Example(), `{}`).Text)
	})
	t.Run("B8_an_empty_string", func(t *testing.T) {
		for _, args := range []string{"", " ", `""`} {
			o := alone(t, registrytest.Example(), args)
			assert.Equal(t, "Example answer", o.Text)
			assert.JSONEq(t, `{}`, string(o.Arguments))
		}
	})
	t.Run("B9_an_optional_field_left_out", func(t *testing.T) {
		assert.Equal(t, "Hello world", alone(t, greeter(t), `{}`).Text)
		assert.Equal(t, "Hello Ada", alone(t, greeter(t), `{"name":"Ada"}`).Text)
	})
	t.Run("B10_values_arrive_exactly", func(t *testing.T) {
		type inner struct {
			Text string            `json:"text"`
			List []float64         `json:"list"`
			Map  map[string]string `json:"map"`
		}
		type args struct {
			Inner inner `json:"inner"`
		}
		var got args
		tool := registry.MustTool(registry.TypedOptions{Name: "nested", Description: "d", Risk: registry.Read},
			func(_ context.Context, a args) (string, error) { got = a; return "", nil })
		want := args{inner{Text: "a\"b\\c\n\t\u0000é😀</script>", List: []float64{1, -2.5, 1e300}, Map: map[string]string{"ключ": "ü", "": "x"}}}
		raw, err := json.Marshal(want)
		require.NoError(t, err)
		o := alone(t, tool, string(raw))
		assert.Equal(t, registry.StatusSuccess, o.Status, o.Text)
		assert.Equal(t, want, got)
	})
	t.Run("B11_an_object_in_a_string", func(t *testing.T) {
		assert.Equal(t, "7", alone(t, registrytest.Add(), `"{\"x\":2,\"y\":5}"`).Text)
	})
	t.Run("B12_an_unknown_property", func(t *testing.T) {
		o := alone(t, registrytest.Add(), `{"x":1,"y":2,"z":3}`)
		assert.Equal(t, registry.KindInvalidArgs, o.Failure.Kind)
		var problems *registry.ArgumentError
		require.ErrorAs(t, o.Failure, &problems)
		assert.Equal(t, "z", problems.Problems[0].Path)
		assert.Equal(t, []string{`"x"`, `"y"`}, problems.Problems[0].Allowed, "the allowed names are listed")
	})
	t.Run("B13_five_problems_and_two_more", func(t *testing.T) {
		var props []string
		var args []string
		for i := range 7 {
			props = append(props, fmt.Sprintf(`"p%d":{"type":"integer"}`, i))
			args = append(args, fmt.Sprintf(`"p%d":"x"`, i))
		}
		o := alone(t, &fake{name: "seven", params: `{"type":"object","properties":{` + strings.Join(props, ",") + `}}`}, `{`+strings.Join(args, ",")+`}`)
		assert.Equal(t, 5, strings.Count(o.Text, "expected"))
		assert.Contains(t, o.Text, "(and 2 more)")
	})
	t.Run("B16_a_fraction_for_an_integer", func(t *testing.T) {
		var c counter
		tool := &fake{name: "whole", params: `{"type":"object","properties":{"n":{"type":"integer"}}}`, run: c.wrap(gives(nil, nil))}
		assert.Equal(t, registry.KindInvalidArgs, alone(t, tool, `{"n":1.5}`).Failure.Kind)
		assert.Zero(t, c.runs.Load())
	})
}
