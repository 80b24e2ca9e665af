package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/registrytest"
)

// typed makes a tool without arguments of a function.
func typed[Out any](t testing.TB, fn func() (Out, error)) registry.Tool {
	t.Helper()
	tool, err := registry.NewTool(registry.TypedOptions{Name: "typed", Description: "d", Risk: registry.Read},
		func(context.Context, struct{}) (Out, error) { return fn() })
	require.NoError(t, err)
	return tool
}

func rigOutput(t *testing.T) {
	t.Run("C1_text_stays_verbatim", func(t *testing.T) {
		assert.Equal(t, "Hello\nWorld", alone(t, registrytest.StringOutput(), "").Text)
	})
	t.Run("C2_objects_become_JSON", func(t *testing.T) {
		o := alone(t, registrytest.ObjectOutput(), "")
		assert.JSONEq(t, `{"status":"ok","count":42}`, o.Text)
		assert.JSONEq(t, `{"status":"ok","count":42}`, string(o.Structured))
	})
	t.Run("C3_a_number_and_nothing", func(t *testing.T) {
		assert.Equal(t, "7", alone(t, typed(t, func() (int, error) { return 7, nil }), "").Text)
		assert.Equal(t, "(no output)", alone(t, typed(t, func() (struct{}, error) { return struct{}{}, nil }), "").Text)
	})
	t.Run("C4_an_image", func(t *testing.T) {
		for _, tool := range []registry.Tool{registrytest.ImageOutput(), registrytest.ImageGenerator()} {
			o := alone(t, tool, "")
			require.Len(t, o.Content, 1)
			assert.Equal(t, registry.BlockImage, o.Content[0].Type)
			assert.Equal(t, "image/png", o.Content[0].MIMEType)
			assert.NotEmpty(t, o.Content[0].Data)
			data, err := json.Marshal(o.Content[0])
			require.NoError(t, err)
			assert.Contains(t, string(data), `"data":"`, "base64 on the wire")
		}
	})
	t.Run("C5_text_that_looks_like_an_image", func(t *testing.T) {
		text := `{"type":"image","data":"aGk=","mimeType":"image/png"}`
		o := alone(t, &fake{name: "t", run: gives(registry.Text(text), nil)}, "")
		assert.Equal(t, []registry.Block{{Type: registry.BlockText, Text: text}}, o.Content)
	})
	t.Run("C6_an_image_by_URL", func(t *testing.T) {
		block := registry.Block{Type: registry.BlockImage, URL: "https://example.com/a.png", MIMEType: "image/png"}
		o := alone(t, &fake{name: "t", run: gives(&result{Content: []registry.Block{block}}, nil)}, "")
		assert.Equal(t, []registry.Block{block}, o.Content)
	})
	t.Run("C7_several_blocks_in_order", func(t *testing.T) {
		blocks := []registry.Block{
			{Type: registry.BlockText, Text: "a"},
			{Type: registry.BlockImage, Data: []byte("x"), MIMEType: "image/png"},
			{Type: registry.BlockJSON, JSON: json.RawMessage(`{"b":1}`)},
		}
		o := alone(t, typed(t, func() ([]registry.Block, error) { return blocks, nil }), "")
		assert.Equal(t, blocks, o.Content)
		assert.Equal(t, "a\n[image image/png]\n{\"b\":1}", o.Text)
	})
	t.Run("C8_an_object_with_a_response_loses_nothing", func(t *testing.T) {
		type answer struct {
			Response string `json:"response"`
			ID       int    `json:"id"`
		}
		o := alone(t, typed(t, func() (answer, error) { return answer{"ok", 7}, nil }), "")
		assert.JSONEq(t, `{"response":"ok","id":7}`, o.Text)
	})
	t.Run("C9_no_blocks", func(t *testing.T) {
		o := alone(t, typed(t, func() ([]registry.Block, error) { return []registry.Block{}, nil }), "")
		assert.Equal(t, registry.StatusError, o.Status)
		assert.Equal(t, "no_content", o.Failure.Code)
		o = alone(t, &fake{name: "t", run: gives(registry.Text(""), nil)}, "")
		assert.Equal(t, registry.StatusSuccess, o.Status, "one empty text is an answer")
		assert.Empty(t, o.Text)
	})
	t.Run("C10_an_answer_that_cannot_be_serialised", func(t *testing.T) {
		o := alone(t, typed(t, func() (map[string]any, error) { return map[string]any{"f": func() {}}, nil }), "")
		assert.Equal(t, registry.KindOther, o.Failure.Kind)
		assert.Contains(t, o.Text, "could not be serialised")
	})
	broken := func(kind registry.Kind) registry.Tool {
		return &fake{name: "t", run: gives(&result{
			IsError: true, Structured: json.RawMessage(`{"half":`), Details: registry.NewFailure(kind, "why"), Metadata: map[string]any{"k": "v"},
		}, nil)}
	}
	t.Run("C11_a_handled_failure_that_cannot_be_serialised", func(t *testing.T) {
		o := alone(t, broken(registry.KindRateLimited), "")
		assert.Equal(t, registry.KindRateLimited, o.Failure.Kind)
		assert.Equal(t, registry.RetryYes, o.Failure.Retryable)
		assert.Equal(t, "v", o.Metadata["k"])
		assert.Empty(t, o.Structured)
		_, err := json.Marshal(o)
		assert.NoError(t, err)
	})
	t.Run("C12_a_denial_that_cannot_be_serialised", func(t *testing.T) {
		assert.Equal(t, registry.StatusDenied, alone(t, broken(registry.KindPermissionDenied), "").Status)
	})
	t.Run("C14_ten_megabytes", func(t *testing.T) {
		text := strings.Repeat("0123456789", 1<<20)
		o := alone(t, &fake{name: "t", run: gives(registry.Text(text), nil)}, "")
		assert.LessOrEqual(t, len(o.Text), registry.DefaultTextLimit)
		assert.True(t, o.Truncated)
		assert.Equal(t, text, o.FullText())
		assert.Equal(t, len(text), o.Details.(registry.FullOutput).Size)
	})
}

func rigFailures(t *testing.T) {
	t.Run("D1_kinds_and_retries", func(t *testing.T) {
		for want, kinds := range map[registry.Retryable][]registry.Kind{
			registry.RetryYes:     {registry.KindTimeout, registry.KindRateLimited, registry.KindNetwork},
			registry.RetryNo:      {registry.KindInvalidArgs, registry.KindNotFound, registry.KindPermissionDenied, registry.KindCancelled},
			registry.RetryUnknown: {registry.KindProvider, registry.KindOther},
		} {
			for _, k := range kinds {
				assert.Equal(t, want, registry.NewFailure(k, "m").Retryable, k)
				assert.Equal(t, k, registry.NewFailure(k, "m").Kind)
				o := alone(t, registrytest.Failing(k), "")
				assert.Equal(t, want, o.Failure.Retryable, k)
			}
		}
	})
	t.Run("D2_everything_of_a_failure_is_kept", func(t *testing.T) {
		f := registry.NewFailure(registry.KindRateLimited, "slow down")
		f.HTTPStatus, f.Code, f.Retryable, f.RetryAfter = 429, "quota", registry.RetryNo, time.Minute
		o := alone(t, &fake{name: "t", run: gives(nil, f)}, "")
		assert.Equal(t, *f, *o.Failure)
		assert.Equal(t, "rate_limited: slow down", f.Error())
	})
	t.Run("D3_a_timeout_is_no_end", func(t *testing.T) {
		d := doorTo(t, nil, registrytest.Failing(registry.KindTimeout), registrytest.StringOutput())
		list := batch(d, 1, "flaky_tool", "string_output")
		assert.Equal(t, "flaky_tool id0: error:timeout", list[0].String())
		assert.Equal(t, "mock tool call failed", list[0].Text)
		assert.True(t, list[0].IsError)
		assert.Equal(t, registry.StatusSuccess, list[1].Status)
	})
	t.Run("D4_not_found", func(t *testing.T) {
		d := doorTo(t, nil, registrytest.Failing(registry.KindNotFound), registrytest.StringOutput())
		list := batch(d, 1, "flaky_tool", "string_output")
		assert.Equal(t, 404, list[0].Failure.HTTPStatus)
		assert.Equal(t, registry.StatusSuccess, list[1].Status)
	})
	t.Run("D5_rate_limited", func(t *testing.T) {
		f := alone(t, registrytest.Failing(registry.KindRateLimited), "").Failure
		assert.Equal(t, 429, f.HTTPStatus)
		assert.Equal(t, registry.RetryYes, f.Retryable)
	})
	t.Run("D6_an_error_of_no_kind", func(t *testing.T) {
		assert.Equal(t, registry.KindOther, alone(t, &fake{name: "t", run: gives(nil, errors.New("x"))}, "").Failure.Kind)
	})
	t.Run("D7_a_handled_failure", func(t *testing.T) {
		o := alone(t, registrytest.HandledFailure(), "")
		assert.Equal(t, registry.StatusError, o.Status)
		assert.Equal(t, registry.KindNotFound, o.Failure.Kind)
		assert.Equal(t, 404, o.Failure.HTTPStatus)
		assert.Equal(t, "Nothing found. Try a broader query.", o.Text)
	})
	t.Run("D8_a_denial", func(t *testing.T) {
		o := alone(t, registrytest.Denied(), "")
		assert.Equal(t, registry.StatusDenied, o.Status)
		assert.Equal(t, "You may not read this record.", o.Text)
	})
	t.Run("D9_a_service_that_says_no_is_not_a_refusal", func(t *testing.T) {
		f := registry.NewFailure(registry.KindPermissionDenied, "the service answered 403")
		f.HTTPStatus = 403
		o := alone(t, &fake{name: "t", run: gives(nil, f)}, "")
		assert.Equal(t, registry.StatusError, o.Status)
		assert.Equal(t, registry.KindPermissionDenied, o.Failure.Kind)
		assert.Equal(t, registry.StatusDenied, alone(t, registrytest.Denied(), "").Status)
	})
	t.Run("D10_metadata_is_for_the_host", func(t *testing.T) {
		var seen map[string]any
		d := doorTo(t, hooked(after(func(e registry.AfterEvent) registry.Revision { seen = e.Metadata; return registry.Keep() })), registrytest.Metadata())
		o := ask(d, "with_meta", "")
		assert.Equal(t, "done", o.Text)
		assert.Equal(t, "req-7", seen[registrytest.RequestIDKey])
		assert.Equal(t, "req-7", o.Metadata[registrytest.RequestIDKey])
		data, err := json.Marshal(o)
		require.NoError(t, err)
		assert.NotContains(t, string(data), "req-7")
	})
	t.Run("D11_an_unknown_tool", func(t *testing.T) {
		o := ask(doorTo(t, nil), "does_not_exist", "")
		assert.Equal(t, registry.KindNotFound, o.Failure.Kind)
		assert.Contains(t, o.Text, "does_not_exist")
	})
	t.Run("D12_an_error_with_a_secret", func(t *testing.T) {
		foreign := errors.New("dial https://user:hunter2@db")
		o := alone(t, &fake{name: "t", run: gives(nil, registry.Hide(foreign))}, "")
		assert.Contains(t, o.Failure.Message, "hunter2", "the operator sees all of it")
		assert.ErrorIs(t, o.Failure, foreign)
		assert.NotContains(t, o.Text, "hunter2")
		assert.NotEmpty(t, o.Text)
		limited := registry.Hide(fmt.Errorf("hunter2: %w", registry.NewFailure(registry.KindRateLimited, "hunter2")))
		o = alone(t, &fake{name: "t", run: gives(nil, limited)}, "")
		assert.Equal(t, registry.KindRateLimited, o.Failure.Kind)
		assert.Contains(t, o.Text, "fewer requests")
		assert.NotContains(t, o.Text, "hunter2")
	})
	t.Run("D13_an_error_with_text_and_an_image", func(t *testing.T) {
		blocks := []registry.Block{{Type: registry.BlockText, Text: "it looks so"}, {Type: registry.BlockImage, Data: []byte("x"), MIMEType: "image/png"}}
		o := alone(t, &fake{name: "t", run: gives(&result{IsError: true, Content: blocks, Details: registry.NewFailure(registry.KindProvider, "m")}, nil)}, "")
		assert.Equal(t, blocks, o.Content)
		assert.Equal(t, registry.KindProvider, o.Failure.Kind)
		assert.True(t, o.IsError)
	})
	t.Run("D14_panics_stay_with_their_call", func(t *testing.T) {
		d := doorTo(t, nil,
			harmless("panics", func(context.Context, json.RawMessage) (*result, error) { panic("hunter2") }),
			harmless("exits", func(context.Context, json.RawMessage) (*result, error) { runtime.Goexit(); return nil, nil }),
			registrytest.StringOutput())
		list := batch(d, 3, "panics", "exits", "string_output")
		for _, o := range list[:2] {
			assert.Equal(t, registry.KindOther, o.Failure.Kind)
			assert.NotContains(t, o.Text, "hunter2")
			assert.NotContains(t, o.Text, "rig_output_test.go")
			var p *registry.PanicError
			require.ErrorAs(t, o.Failure, &p)
			assert.Contains(t, p.Stack, "rig_output_test.go", "the stack is the operator's")
		}
		assert.Equal(t, registry.StatusSuccess, list[2].Status)
	})
	t.Run("D15_a_deadline", func(t *testing.T) {
		tool := &fake{name: "t", info: registry.Info{Timeout: 20 * time.Millisecond}, run: func(ctx context.Context, _ json.RawMessage) (*result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		o := alone(t, tool, "")
		assert.Equal(t, registry.KindTimeout, o.Failure.Kind)
		assert.Equal(t, registry.RetryYes, o.Failure.Retryable)
		release := make(chan struct{})
		defer close(release)
		busy := &fake{name: "t", run: func(context.Context, json.RawMessage) (*result, error) { <-release; return nil, nil }}
		d := doorTo(t, &registry.DoorOptions{Timeout: 20 * time.Millisecond, Grace: 20 * time.Millisecond}, busy)
		within(t, func() {
			assert.Equal(t, registry.KindTimeout, ask(d, "t", "").Failure.Kind, "also of one that does not listen")
		})
	})
	t.Run("D16_a_cancelled_call", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		observed := make(chan error, 1)
		d := doorTo(t, nil, &fake{name: "t", run: func(ctx context.Context, _ json.RawMessage) (*result, error) {
			cancel()
			<-ctx.Done()
			observed <- context.Cause(ctx)
			return nil, ctx.Err()
		}})
		o := d.Call(ctx, request{Tool: "t"})
		assert.Equal(t, registry.KindCancelled, o.Failure.Kind)
		assert.ErrorIs(t, <-observed, context.Canceled)
	})
	t.Run("D17_printing_tells_no_secret", func(t *testing.T) {
		const secret = "hunter2"
		res := registry.Text(secret)
		res.Metadata, res.Details = map[string]any{"k": secret}, secret
		o := alone(t, &fake{name: "t", run: gives(res, nil)}, `{"password":"hunter2"}`)
		failed := alone(t, &fake{name: "t", run: gives(nil, errors.New(secret))}, "")
		values := registry.Values{"token": json.RawMessage(`"hunter2"`)}
		for _, v := range []any{res, o, failed, values} {
			for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
				assert.NotContains(t, fmt.Sprintf(verb, v), secret)
			}
		}
		assert.NotContains(t, fmt.Sprintf("%#v", failed.Failure), secret)
	})
}

func rigValues(t *testing.T) {
	session := registry.Values{registrytest.SessionKey: json.RawMessage(`"abc-123"`)}
	ask := func(d *registry.Door, tool string, v registry.Values) *outcome {
		return d.Call(context.Background(), request{Tool: tool, Values: v})
	}
	t.Run("E1_a_value_arrives", func(t *testing.T) {
		p := registrytest.ValuesProbe()
		ask(doorTo(t, nil, p), p.Name(), session)
		assert.Equal(t, []string{"session:abc-123"}, p.Seen())
	})
	t.Run("E2_no_value", func(t *testing.T) {
		p := registrytest.ValuesProbe()
		ask(doorTo(t, nil, p), p.Name(), nil)
		assert.Equal(t, []string{"no-session"}, p.Seen())
	})
	t.Run("E3_two_rounds", func(t *testing.T) {
		p := registrytest.ValuesProbe()
		d := doorTo(t, nil, p)
		ask(d, p.Name(), session)
		ask(d, p.Name(), session)
		assert.Equal(t, []string{"session:abc-123", "session:abc-123"}, p.Seen())
	})
	t.Run("E4_the_wrapped_body_is_no_second_way_in", func(t *testing.T) {
		inner := &fake{name: "t", run: gives(registry.Text("sentinel"), nil)}
		d := doorTo(t, nil, &wrapper{Tool: inner, run: gives(registry.Text("outer"), nil)})
		for range 3 {
			o := d.Call(context.Background(), request{Tool: "t", Values: session})
			assert.Equal(t, "outer", o.Text)
		}
	})
	t.Run("E5_values_that_nobody_reads", func(t *testing.T) {
		assert.Equal(t, "Hello\nWorld", ask(doorTo(t, nil, registrytest.StringOutput()), "string_output", session).Text)
	})
	t.Run("E7_set_twice", func(t *testing.T) {
		v := registry.Values{}
		old, err := v.Set("k", 1)
		require.NoError(t, err)
		assert.Nil(t, old)
		old, err = v.Set("k", 2)
		require.NoError(t, err)
		assert.JSONEq(t, `1`, string(old))
		assert.JSONEq(t, `2`, string(v["k"]))
		_, err = v.Set("bad", func() {})
		assert.Error(t, err)
	})
	t.Run("E8_a_value_that_is_required", func(t *testing.T) {
		var s string
		assert.ErrorContains(t, registry.Values{}.Require("authToken", &s), "authToken")
		assert.NoError(t, session.Require(registrytest.SessionKey, &s))
		assert.Equal(t, "abc-123", s)
		var n int
		assert.ErrorContains(t, session.Require(registrytest.SessionKey, &n), registrytest.SessionKey)
	})
	t.Run("E9_a_copy_is_a_copy", func(t *testing.T) {
		v := registry.Values{"k": json.RawMessage(`1`)}
		c := v.Clone()
		c["k"][0] = '2'
		c["new"] = json.RawMessage(`3`)
		assert.Equal(t, registry.Values{"k": json.RawMessage(`1`)}, v)
	})
	t.Run("E11_a_tool_cannot_change_the_callers_values", func(t *testing.T) {
		v := registry.Values{"k": json.RawMessage(`1`)}
		d := doorTo(t, nil, &fake{name: "t", run: func(ctx context.Context, _ json.RawMessage) (*result, error) {
			own := registry.CallFrom(ctx).Values
			own["k"][0] = '9'
			own["new"] = json.RawMessage(`1`)
			return nil, nil
		}})
		ask(d, "t", v)
		assert.Equal(t, registry.Values{"k": json.RawMessage(`1`)}, v)
	})
	t.Run("E12_no_stale_metadata", func(t *testing.T) {
		first := true
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		d := doorTo(t, nil, &fake{name: "t", run: func(callCtx context.Context, args json.RawMessage) (*result, error) {
			switch {
			case string(args) == `{"wait":1}`:
				cancel()
				<-callCtx.Done()
				return &result{Metadata: map[string]any{"late": true}}, nil
			case first:
				first = false
				return &result{Metadata: map[string]any{"k": "v"}}, nil
			}
			return nil, nil
		}})
		assert.NotEmpty(t, ask(d, "t", nil).Metadata)
		assert.Empty(t, ask(d, "t", nil).Metadata)
		assert.Empty(t, d.Call(ctx, request{Tool: "t", Arguments: json.RawMessage(`{"wait":1}`)}).Metadata)
	})
	t.Run("E13_a_value_without_a_grant", func(t *testing.T) {
		p := registrytest.ValuesProbe()
		d := doorTo(t, nil, p)
		call := func(grants map[string][]string) string {
			return d.Call(context.Background(), request{Tool: p.Name(), Values: session, ValueGrants: grants}).Text
		}
		assert.Equal(t, "no-session", call(map[string][]string{registrytest.SessionKey: {"trusted_*"}}))
		assert.Equal(t, "no-session", call(map[string][]string{registrytest.SessionKey: nil}))
		assert.Equal(t, "session:abc-123", call(map[string][]string{registrytest.SessionKey: {"context_*"}}))
		assert.Equal(t, "session:abc-123", call(nil))
	})
}

// wrapper is a tool around another.
type wrapper struct {
	registry.Tool
	run execute
}

func (w *wrapper) Unwrap() registry.Tool { return w.Tool }

func (w *wrapper) Execute(ctx context.Context, args json.RawMessage) (*result, error) {
	return w.run(ctx, args)
}
