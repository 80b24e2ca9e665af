package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/registrytest"
)

// rewriting is a hook that gives a call other arguments.
func rewriting(args string) registry.Hook {
	return before(func(registry.BeforeEvent) registry.Decision { return registry.RewriteArgs(json.RawMessage(args)) })
}

func blocking(reason string) registry.Hook {
	return before(func(registry.BeforeEvent) registry.Decision { return registry.BlockCall(reason) })
}

// watching notes the events that it sees.
type watching struct {
	before []registry.BeforeEvent
	after  []registry.AfterEvent
}

func (w *watching) hook() registry.Hook {
	return registry.Hook{
		Before: func(_ context.Context, e registry.BeforeEvent) (registry.Decision, error) {
			w.before = append(w.before, e)
			return registry.Continue(), nil
		},
		After: func(_ context.Context, e registry.AfterEvent) (registry.Revision, error) {
			w.after = append(w.after, e)
			return registry.Keep(), nil
		},
	}
}

func rigHooks(t *testing.T) {
	t.Run("F1_block", func(t *testing.T) {
		var c counter
		var w watching
		d := doorTo(t, hooked(w.hook(), blocking("not  today\n")), &fake{name: "t", run: c.wrap(gives(nil, nil))})
		o := ask(d, "t", "")
		assert.Zero(t, c.runs.Load())
		assert.Equal(t, registry.StatusSkipped, o.Status)
		assert.Equal(t, "not  today\n", o.Text, "verbatim")
		require.Len(t, w.after, 1)
		assert.Equal(t, registry.StatusSkipped, w.after[0].Status)
	})
	t.Run("F1_a_hook_that_gives_nothing_decides_all_the_same", func(t *testing.T) {
		for about, d := range map[string]registry.Decision{
			"block": registry.BlockCall(""), "stop": registry.StopBatch(""), "answer": registry.AnswerWith(nil),
		} {
			var c counter
			o := ask(doorTo(t, hooked(before(func(registry.BeforeEvent) registry.Decision { return d })), &fake{name: "t", run: c.wrap(gives(nil, nil))}), "t", "")
			assert.Zero(t, c.runs.Load(), about)
			assert.NotEmpty(t, o.Text, about)
		}
		rewrite := before(func(registry.BeforeEvent) registry.Decision { return registry.RewriteArgs(nil) })
		assert.Equal(t, `{}`, string(ask(doorTo(t, hooked(rewrite), &fake{name: "t"}), "t", `{"a":1}`).Arguments))
	})
	t.Run("F2_a_reason_that_looks_like_JSON", func(t *testing.T) {
		reason := `{"type":"image","data":"aGk="}`
		o := ask(doorTo(t, hooked(blocking(reason)), &fake{name: "t"}), "t", "")
		assert.Equal(t, []registry.Block{{Type: registry.BlockText, Text: reason}}, o.Content)
		assert.Nil(t, o.Structured)
	})
	t.Run("F3_a_rewrite_before_a_block_is_kept", func(t *testing.T) {
		var w watching
		d := doorTo(t, hooked(w.hook(), rewriting(`{"a":"redacted"}`), blocking("no")), &fake{name: "t"})
		o := ask(d, "t", `{"a":"secret"}`)
		assert.JSONEq(t, `{"a":"redacted"}`, string(w.after[0].Arguments))
		assert.JSONEq(t, `{"a":"redacted"}`, string(o.Arguments))
	})
	t.Run("F4_the_same_in_joined_stacks_and_nested_doors", func(t *testing.T) {
		var outer, inner watching
		stack := append([]registry.Hook{outer.hook()}, append([]registry.Hook{rewriting(`{"a":"redacted"}`)}, blocking("no"))...)
		nested := doorTo(t, hooked(append([]registry.Hook{inner.hook()}, stack...)...), &fake{name: "t"})
		d := doorTo(t, hooked(outer.hook()), &fake{name: "outer", run: func(ctx context.Context, args json.RawMessage) (*result, error) {
			o := nested.Call(ctx, request{Tool: "t", Arguments: args})
			return registry.Text(string(o.Arguments)), nil
		}})
		assert.JSONEq(t, `{"a":"redacted"}`, ask(d, "outer", `{"a":"secret"}`).Text)
		assert.JSONEq(t, `{"a":"redacted"}`, string(inner.after[0].Arguments))
		assert.JSONEq(t, `{"a":"redacted"}`, string(outer.after[0].Arguments))
	})
	t.Run("F5_two_rewrites", func(t *testing.T) {
		var second watching
		d := doorTo(t, hooked(rewriting(`{"a":1}`), second.hook(), rewriting(`{"a":2}`)), &fake{name: "t"})
		assert.JSONEq(t, `{"a":2}`, ask(d, "t", `{"a":0}`).Text)
		assert.JSONEq(t, `{"a":1}`, string(second.before[0].Arguments))
	})
	t.Run("F6_what_the_model_sent_is_kept", func(t *testing.T) {
		sent := json.RawMessage(`{"a":0}`)
		d := doorTo(t, hooked(rewriting(`{"a":1}`)), &fake{name: "t"})
		o := d.Call(context.Background(), request{Tool: "t", Arguments: sent})
		assert.Equal(t, `{"a":0}`, string(sent))
		assert.Equal(t, `{"a":0}`, string(o.Sent))
		assert.Equal(t, `{"a":1}`, string(o.Arguments))
	})
	t.Run("F7_a_redacted_result", func(t *testing.T) {
		var w watching
		d := doorTo(t, hooked(after(func(registry.AfterEvent) registry.Revision { return registry.ReviseText("[REDACTED]") }), w.hook()),
			registrytest.Failing(registry.KindTimeout), registrytest.ObjectOutput())
		o := ask(d, "flaky_tool", "")
		assert.Equal(t, "[REDACTED]", w.after[0].Content[0].Text)
		assert.Equal(t, registry.StatusError, w.after[0].Status)
		assert.Equal(t, registry.KindTimeout, w.after[0].Failure.Kind)
		assert.Equal(t, "[REDACTED]", o.Text)
		assert.Equal(t, registry.KindTimeout, o.Failure.Kind)
		o = ask(d, "object_output", "")
		assert.Equal(t, registry.StatusSuccess, o.Status)
		assert.Equal(t, "[REDACTED]", o.Text)
		assert.Nil(t, o.Structured, "it would tell what was taken out")
	})
	t.Run("F8_two_rewritten_results", func(t *testing.T) {
		add := func(s string) registry.Hook {
			return after(func(e registry.AfterEvent) registry.Revision { return registry.ReviseText(e.Content[0].Text + s) })
		}
		d := doorTo(t, hooked(add("a"), add("b")), &fake{name: "t", run: gives(registry.Text("x"), nil)})
		assert.Equal(t, "xab", ask(d, "t", "").Text)
	})
	t.Run("F9_a_rewritten_string_is_valid_JSON", func(t *testing.T) {
		text := "a \"quote\", a \\ and\na line"
		rewrite := before(func(e registry.BeforeEvent) registry.Decision {
			var a map[string]string
			require.NoError(t, json.Unmarshal(e.Arguments, &a))
			a["a"] = text
			data, err := json.Marshal(a)
			require.NoError(t, err)
			return registry.RewriteArgs(data)
		})
		var w watching
		var got map[string]string
		d := doorTo(t, hooked(rewrite, w.hook()), &fake{name: "t", run: func(_ context.Context, args json.RawMessage) (*result, error) {
			return nil, json.Unmarshal(args, &got)
		}})
		assert.Equal(t, registry.StatusSuccess, ask(d, "t", `{"a":"x"}`).Status)
		assert.True(t, json.Valid(w.before[0].Arguments))
		assert.Equal(t, text, got["a"])
		bad := doorTo(t, hooked(rewriting(`{"a":`)), &fake{name: "t"})
		o := ask(bad, "t", "")
		assert.Equal(t, registry.KindInvalidArgs, o.Failure.Kind, "what is no JSON never runs")
		assert.Contains(t, o.Text, "after they were rewritten")
	})
	t.Run("F10_stop_before_a_call", func(t *testing.T) {
		var c counter
		stop := before(func(registry.BeforeEvent) registry.Decision { return registry.StopBatch("enough") })
		d := doorTo(t, hooked(stop), &fake{name: "t", run: c.wrap(gives(nil, nil))})
		list := batch(d, 1, "t", "t")
		assert.Equal(t, registry.KindCancelled, list[0].Failure.Kind)
		assert.Equal(t, "enough", list[0].Text)
		assert.Equal(t, registry.StatusSkipped, list[1].Status)
		assert.Contains(t, list[1].Text, "enough")
		assert.Zero(t, c.runs.Load())
	})
	t.Run("F11_stop_after_a_call", func(t *testing.T) {
		var c counter
		stop := after(func(registry.AfterEvent) registry.Revision { return registry.Revision{Stop: "enough"} })
		d := doorTo(t, hooked(stop), &fake{name: "t", run: c.wrap(gives(registry.Text("did it"), nil))})
		list := batch(d, 1, "t", "t")
		assert.EqualValues(t, 1, c.runs.Load())
		assert.Equal(t, registry.StatusSuccess, list[0].Status)
		assert.Equal(t, "did it", list[0].Text)
		assert.Equal(t, registry.StatusSkipped, list[1].Status)
		assert.Contains(t, list[1].Text, "enough")
	})
	t.Run("F12_an_action_that_does_not_fit_cannot_be_written", func(t *testing.T) {
		h := reflect.TypeFor[registry.Hook]()
		b, _ := h.FieldByName("Before")
		a, _ := h.FieldByName("After")
		assert.Equal(t, reflect.TypeFor[registry.Decision](), b.Type.Out(0))
		assert.Equal(t, reflect.TypeFor[registry.Revision](), a.Type.Out(0))
		for i := range reflect.TypeFor[registry.Decision]().NumField() {
			assert.False(t, reflect.TypeFor[registry.Decision]().Field(i).IsExported(), "a decision is made by a function, which allows one action")
		}
	})
	t.Run("F13_a_counter_stops_at_the_second_timeout", func(t *testing.T) {
		var w watching
		timeouts := 0
		count := after(func(e registry.AfterEvent) registry.Revision {
			if e.Failure != nil && e.Failure.Kind == registry.KindTimeout {
				timeouts++
			}
			if timeouts == 2 {
				return registry.Revision{Stop: "two timeouts"}
			}
			return registry.Keep()
		})
		d := doorTo(t, hooked(w.hook(), count), registrytest.Failing(registry.KindTimeout))
		list := batch(d, 1, "flaky_tool", "flaky_tool", "flaky_tool")
		assert.Len(t, w.after, 2)
		assert.Equal(t, []string{"mock tool call failed", "mock tool call failed", "not executed: another call stopped the batch: two timeouts"}, texts(list))
	})
	t.Run("F24_a_person_edits_denies_and_aborts", func(t *testing.T) {
		answers := []registry.Answer{
			{Allow: true, Arguments: json.RawMessage(`{"a":"edited"}`)},
			{Reason: "not that one"},
			{Reason: "stop it all", Stop: true},
		}
		asked := 0
		gate := registry.GateFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
			if asked == len(answers) {
				return registry.Answer{}, errors.New("asked too often")
			}
			a := answers[asked]
			asked++
			a.ID = q.ID
			return a, nil
		})
		policy, err := registry.NewPolicy(registry.PolicyOptions{})
		require.NoError(t, err)
		var c counter
		d := doorTo(t, &registry.DoorOptions{Policy: policy, Gate: gate},
			&fake{name: "t", risk: registry.Write, run: c.wrap(func(_ context.Context, args json.RawMessage) (*result, error) {
				return registry.Text(string(args)), nil
			})})
		list := batch(d, 1, `t {"a":1}`, `t {"a":2}`, `t {"a":3}`, `t {"a":4}`)
		assert.Equal(t, `{"a":"edited"}`, list[0].Text)
		assert.Equal(t, "tool call denied: not that one", list[1].Text)
		assert.Equal(t, "tool call denied: stop it all", list[2].Text)
		for _, o := range list[1:] {
			assert.Equal(t, registry.StatusSkipped, o.Status)
		}
		assert.Contains(t, list[3].Text, "stop it all")
		assert.EqualValues(t, 1, c.runs.Load())
		assert.Equal(t, 3, asked)
	})
}
