package otel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/rho-ext/rho-ext/internal/redact"
	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/otel"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

const secret = "hunter2-topsecret"

func redactor(t testing.TB) registry.Redactor {
	t.Helper()
	red, err := redact.New(redact.Options{Secrets: []string{secret}})
	require.NoError(t, err)
	return red
}

// tool is one that does run.
type tool struct {
	name string
	run  func(ctx context.Context, args json.RawMessage) (*registry.Result, error)
}

func (t tool) Name() string        { return t.name }
func (t tool) Description() string { return "does " + t.name }
func (t tool) Risk() registry.Risk { return registry.Read }
func (t tool) Parameters() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"p":{"type":"string"}}}`)
}
func (t tool) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	return t.run(ctx, args)
}

// world is a door whose spans and logs a test can see.
type world struct {
	spans    *tracetest.SpanRecorder
	provider *sdk.TracerProvider
	logs     bytes.Buffer
	door     *registry.Door
}

func newWorld(t testing.TB, o otel.Options, hooks []registry.Hook, tools ...registry.Tool) *world {
	t.Helper()
	w := &world{spans: tracetest.NewSpanRecorder()}
	w.provider = sdk.NewTracerProvider(sdk.WithSpanProcessor(w.spans))
	t.Cleanup(func() { _ = w.provider.Shutdown(context.Background()) })
	r := registry.New()
	require.NoError(t, r.Register("", tools...))
	o.TracerProvider, o.Registry = w.provider, r
	w.door = registry.NewDoor(r, &registry.DoorOptions{
		Middleware: []registry.Middleware{otel.Middleware(o)},
		Hooks:      hooks,
		Redactor:   o.Redactor,
		Logger:     slog.New(slog.NewTextHandler(&w.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	return w
}

func (w *world) call(name, args string) *registry.Outcome {
	return w.door.Call(context.Background(), registry.Request{ID: "c1", Tool: name, Arguments: json.RawMessage(args)})
}

// only is the one span that has ended.
func (w *world) only(t testing.TB) sdk.ReadOnlySpan {
	t.Helper()
	require.Len(t, w.spans.Ended(), 1)
	return w.spans.Ended()[0]
}

func value(s sdk.ReadOnlySpan, key attribute.Key) string {
	for _, kv := range s.Attributes() {
		if kv.Key == key {
			return kv.Value.Emit()
		}
	}
	return ""
}

// all is everything that was recorded or logged.
func (w *world) all() string {
	var b strings.Builder
	for _, s := range w.spans.Ended() {
		fmt.Fprintln(&b, s.Name(), s.Status(), s.Attributes(), s.Events())
	}
	return b.String() + w.logs.String()
}

func echo(_ context.Context, args json.RawMessage) (*registry.Result, error) {
	return registry.Text("got " + string(args)), nil
}

func TestRig(t *testing.T) {
	t.Run("H7_spans of a tool run", func(t *testing.T) {
		var w *world
		inner := tool{"inner", echo}
		outer := tool{"outer", func(ctx context.Context, _ json.RawMessage) (*registry.Result, error) {
			w.door.Call(ctx, registry.Request{ID: "c2", Tool: "inner"})
			return registry.Text("done"), nil
		}}
		w = newWorld(t, otel.Options{}, nil, outer, inner)
		ctx, agent := w.provider.Tracer("agent").Start(context.Background(), "invoke_agent")
		w.door.Call(ctx, registry.Request{ID: "c1", Tool: "outer"})
		agent.End()

		ended := w.spans.Ended()
		require.Len(t, ended, 3)
		nested, span := ended[0], ended[1]
		assert.Equal(t, "execute_tool inner", nested.Name())
		assert.Equal(t, span.SpanContext().SpanID(), nested.Parent().SpanID())
		assert.Equal(t, agent.SpanContext().SpanID(), span.Parent().SpanID())
		assert.Equal(t, "execute_tool outer", span.Name())
		assert.Equal(t, trace.SpanKindInternal, span.SpanKind())
		assert.Equal(t, "execute_tool", value(span, otel.OperationName))
		assert.Equal(t, "outer", value(span, otel.ToolName))
		assert.Equal(t, "c1", value(span, otel.ToolCallID))
		assert.Equal(t, "function", value(span, otel.ToolType))
		assert.Equal(t, "does outer", value(span, otel.ToolDescription))
		assert.Equal(t, "success", value(span, otel.ToolOutcome))
		assert.Equal(t, "", value(span, otel.ErrorType))
		assert.Equal(t, codes.Unset, span.Status().Code)
		assert.Equal(t, otel.Scope, span.InstrumentationScope().Name)
		assert.True(t, span.EndTime().After(span.StartTime()))
	})

	t.Run("H8_a failing tool", func(t *testing.T) {
		for _, c := range []struct {
			err        error
			kind, ends string
		}{
			{registry.Failuref(registry.KindRateLimited, "slow down"), "rate_limited", "error"},
			{registry.Failuref(registry.KindPermissionDenied, "no"), "permission_denied", "denied"},
			{errors.New("anything"), "other", "error"},
		} {
			w := newWorld(t, otel.Options{}, nil, tool{"fails", func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, c.err }})
			w.call("fails", "{}")
			span := w.only(t)
			assert.Equal(t, c.ends, value(span, otel.ToolOutcome))
			assert.Equal(t, c.kind, value(span, otel.ErrorType))
			assert.Equal(t, sdk.Status{Code: codes.Error, Description: c.kind}, span.Status())
		}
	})

	t.Run("H9_a secret in the output", func(t *testing.T) {
		w := newWorld(t, otel.Options{RecordContent: true, Redactor: redactor(t)}, nil, tool{"leaks", func(context.Context, json.RawMessage) (*registry.Result, error) {
			return registry.Text("the password is " + secret), nil
		}})
		w.call("leaks", "{}")
		assert.Equal(t, "the password is [REDACTED:secret]", value(w.only(t), otel.ToolResult))
		assert.NotContains(t, w.all(), secret)

		// As the seed has it: a hook does it.
		hook := registry.Hook{Name: "redactor", After: func(context.Context, registry.AfterEvent) (registry.Revision, error) {
			return registry.ReviseText("[REDACTED]"), nil
		}}
		w = newWorld(t, otel.Options{RecordContent: true, Redactor: nothing{}}, []registry.Hook{hook}, tool{"leaks", func(context.Context, json.RawMessage) (*registry.Result, error) {
			return registry.Text(secret), nil
		}})
		w.call("leaks", "{}")
		assert.Equal(t, "[REDACTED]", value(w.only(t), otel.ToolResult))
		assert.NotContains(t, w.all(), secret)
	})

	t.Run("H10_redaction of arguments", func(t *testing.T) {
		// The redactor does it.
		w := newWorld(t, otel.Options{RecordContent: true, Redactor: redactor(t)}, nil, tool{"echo", echo})
		w.call("echo", `{"p":"`+secret+`"}`)
		assert.Equal(t, `{"p":"[REDACTED:secret]"}`, value(w.only(t), otel.ToolArguments))
		assert.NotContains(t, w.all(), secret)

		// A hook does it, and no redactor knows the secret.
		hook := registry.Hook{Name: "scrubber", Before: func(context.Context, registry.BeforeEvent) (registry.Decision, error) {
			return registry.RewriteArgs(json.RawMessage(`{"p":"[REDACTED]"}`)), nil
		}}
		w = newWorld(t, otel.Options{RecordContent: true, Redactor: nothing{}}, []registry.Hook{hook}, tool{"echo", echo})
		w.call("echo", `{"p":"`+secret+`"}`)
		assert.Equal(t, `{"p":"[REDACTED]"}`, value(w.only(t), otel.ToolArguments))
		assert.NotContains(t, w.all(), secret)

		// Arguments that are refused, and names.
		for _, args := range []string{`{"p":["` + secret + `"]}`, secret, `{"` + secret + `":1}`} {
			w = newWorld(t, otel.Options{RecordContent: true, Redactor: redactor(t)}, nil, tool{"echo", echo})
			w.call("echo", args)
			assert.NotContains(t, w.all(), secret, args)
		}
		w = newWorld(t, otel.Options{Redactor: redactor(t)}, nil, tool{"echo", echo})
		w.call(secret, `{"p":"`+secret+`"}`)
		assert.NotContains(t, w.all(), secret)
	})

	t.Run("H11_content recording is off", func(t *testing.T) {
		for name, tl := range map[string]tool{
			"success": {"t", func(context.Context, json.RawMessage) (*registry.Result, error) {
				return registry.Text("result-content"), nil
			}},
			"error": {"t", func(context.Context, json.RawMessage) (*registry.Result, error) {
				return nil, errors.New("result-content")
			}},
		} {
			w := newWorld(t, otel.Options{Redactor: redactor(t)}, nil, tl)
			w.call("t", `{"p":"argument-content"}`)
			span := w.only(t)
			assert.Equal(t, name, value(span, otel.ToolOutcome))
			assert.Empty(t, value(span, otel.ToolArguments))
			assert.Empty(t, value(span, otel.ToolResult))
			assert.NotContains(t, w.all(), "-content")
		}
	})
}

// nothing is a redactor that knows no secret.
type nothing struct{}

func (nothing) Redact(s string) string { return s }
func (nothing) Mask(s string) (string, func(string) string) {
	return s, func(s string) string { return s }
}

func TestEveryEndHasItsSpan(t *testing.T) {
	w := newWorld(t, otel.Options{}, nil, tool{"panics", func(context.Context, json.RawMessage) (*registry.Result, error) { panic("boom") }})
	w.call("panics", `{}`)
	w.call("panics", `{"p":1}`)
	w.call("unknown", `{}`)
	w.call("no name\nat all", `{}`)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w.door.Call(ctx, registry.Request{Tool: "panics"})

	var got []string
	for _, s := range w.spans.Ended() {
		got = append(got, s.Name()+" "+value(s, otel.ToolOutcome)+" "+value(s, otel.ErrorType))
		assert.NotEmpty(t, value(s, otel.ToolCallID))
	}
	assert.Equal(t, []string{
		"execute_tool panics error other", "execute_tool panics error invalid_args", "execute_tool unknown error not_found",
		"execute_tool error not_found", "execute_tool panics error cancelled",
	}, got)
}

func TestACallThatWasStoppedIsNoError(t *testing.T) {
	hook := registry.Hook{Name: "guard", Before: func(context.Context, registry.BeforeEvent) (registry.Decision, error) {
		return registry.BlockCall("not today"), nil
	}}
	w := newWorld(t, otel.Options{}, []registry.Hook{hook}, tool{"echo", echo})
	w.call("echo", "{}")
	span := w.only(t)
	assert.Equal(t, "skipped", value(span, otel.ToolOutcome))
	assert.Equal(t, codes.Unset, span.Status().Code)
	assert.Empty(t, value(span, otel.ErrorType))
}

func TestContentIsBounded(t *testing.T) {
	w := newWorld(t, otel.Options{RecordContent: true, Redactor: redactor(t), MaxBytes: 100}, nil, tool{"echo", echo})
	w.call("echo", `{"p":"`+strings.Repeat("é", 500)+`"}`)
	for _, key := range []attribute.Key{otel.ToolArguments, otel.ToolResult} {
		v := value(w.only(t), key)
		assert.LessOrEqual(t, len(v), 100)
		assert.Greater(t, len(v), 90)
		assert.True(t, utf8.ValidString(v))
	}
}

type panicky struct{ nothing }

func (panicky) Redact(string) string { panic("redactor") }

func TestPanicsAroundIt(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(spans))
	defer func() { _ = provider.Shutdown(context.Background()) }()

	m := otel.Middleware(otel.Options{TracerProvider: provider})
	assert.PanicsWithValue(t, "inner", func() {
		m(func(context.Context, registry.Request) *registry.Outcome { panic("inner") })(context.Background(), registry.Request{Tool: "t"})
	})
	require.Len(t, spans.Ended(), 1)
	assert.Equal(t, "panic", value(spans.Ended()[0], otel.ErrorType))
	assert.Equal(t, codes.Error, spans.Ended()[0].Status().Code)

	m = otel.Middleware(otel.Options{TracerProvider: provider, RecordContent: true, Redactor: panicky{}})
	out := m(func(context.Context, registry.Request) *registry.Outcome {
		return &registry.Outcome{Status: registry.StatusSuccess, Text: secret, Arguments: json.RawMessage(`"` + secret + `"`)}
	})(context.Background(), registry.Request{Tool: "t"})
	assert.NotNil(t, out)
	require.Len(t, spans.Ended(), 2)
	assert.NotContains(t, fmt.Sprint(spans.Ended()[1].Attributes()), secret)

	assert.Panics(t, func() { otel.Middleware(otel.Options{RecordContent: true}) })
}

func TestTheGlobalProviderIsTheDefault(t *testing.T) {
	h := otel.Middleware(otel.Options{})(func(context.Context, registry.Request) *registry.Outcome { return &registry.Outcome{Text: "x"} })
	assert.Equal(t, "x", h(context.Background(), registry.Request{}).Text)
}

func BenchmarkMiddleware(b *testing.B) {
	out := &registry.Outcome{CallID: "c", Tool: "t", Status: registry.StatusSuccess, Text: "x", Arguments: json.RawMessage(`{}`)}
	next := func(context.Context, registry.Request) *registry.Outcome { return out }
	for name, provider := range map[string]trace.TracerProvider{"no-op": nil, "sampled": sdk.NewTracerProvider()} {
		b.Run(name, func(b *testing.B) {
			h := otel.Middleware(otel.Options{TracerProvider: provider})(next)
			b.ReportAllocs()
			for b.Loop() {
				h(context.Background(), registry.Request{ID: "c", Tool: "t"})
			}
		})
	}
}
