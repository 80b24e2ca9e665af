package registry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

// TestNoSecretLeavesTheDoor puts a secret into everything that a call can carry,
// and looks at everything that others get to see of it.
func TestNoSecretLeavesTheDoor(t *testing.T) {
	const secret = "hunter2"
	for about, details := range map[string]any{
		"text": secret, "JSON": json.RawMessage(`{"a":"hunter2"}`), "a map": map[string]any{"a": []any{secret}},
		"a struct": struct{ A string }{secret}, "full text": registry.FullOutput{Size: 7, Text: secret},
		"both": registry.Details{FullOutput: &registry.FullOutput{Size: 7, Text: secret}, Value: []string{secret}},
	} {
		t.Run(about, func(t *testing.T) {
			var seen []any
			var log bytes.Buffer
			hook := registry.Hook{Name: "h", After: func(_ context.Context, e registry.AfterEvent) (registry.Revision, error) {
				seen = append(seen, e.Details)
				return registry.Revision{}, errors.New("no " + secret)
			}}
			gate := registry.GateFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
				return registry.Answer{ID: q.ID, Reason: "not with " + secret}, nil
			})
			tool := &fake{name: "t", run: func(ctx context.Context, _ json.RawMessage) (*result, error) {
				c := registry.CallFrom(ctx)
				c.Report(registry.Progress{Message: "with " + secret})
				c.RecordUse(registry.Use{Kind: "run", Target: "login " + secret, Effect: "run"})
				return &result{Details: details}, nil
			}}
			panics := &fake{name: "panics", run: func(context.Context, json.RawMessage) (*result, error) { panic(secret) }}
			asks := &fake{name: "asks", risk: registry.Write}
			d := doorTo(t, &registry.DoorOptions{
				Policy: policy(t, registry.PolicyOptions{}), Gate: gate, Hooks: []registry.Hook{hook}, Redactor: hider{secret},
				Logger: slog.New(slog.NewJSONHandler(&log, nil)),
			}, tool, panics, asks)
			for _, name := range []string{"t", "panics", "asks"} {
				o := d.Call(context.Background(), registry.Request{Tool: name, Arguments: json.RawMessage(`{"x":"hunter2"}`),
					Progress: func(p registry.Progress) { seen = append(seen, p) }})
				seen = append(seen, o)
				assert.Equal(t, `{"x":"[REDACTED]"}`, string(o.Arguments))
				assert.Equal(t, `{"x":"hunter2"}`, string(o.Sent), "what was sent is the caller's own")
			}
			require.Len(t, seen, 7)
			text, err := json.Marshal(seen)
			require.NoError(t, err)
			assert.NotContains(t, string(text), secret)
			assert.Contains(t, log.String(), "no [REDACTED]")
			assert.NotContains(t, log.String(), secret)
		})
	}
}

func TestDetailsWithoutASecretStayWhatTheyAre(t *testing.T) {
	type own struct{ A int }
	d := doorTo(t, &registry.DoorOptions{Redactor: hider{"hunter2"}}, &fake{name: "t", run: func(context.Context, json.RawMessage) (*result, error) {
		return &result{Details: own{1}}, nil
	}})
	assert.Equal(t, own{1}, ask(d, "t", `{}`).Details)
}
