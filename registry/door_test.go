package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// returning makes a tool function of its two results.
func returning(res *Result, err error) executeFunc {
	return func(context.Context, json.RawMessage) (*Result, error) { return res, err }
}

func TestUnknownToolOffersCloseNames(t *testing.T) {
	r := New()
	require.NoError(t, r.Register("", named("read_file", "search", "list_dir")...))
	d := NewDoor(r, nil)
	for name, want := range map[string]string{
		"serach":                   `unknown tool: serach (did you mean "search"?)`,
		"readFile":                 `unknown tool: readFile (did you mean "read_file"?)`,
		"teleport":                 `unknown tool: teleport`,
		"":                         `unknown tool: `,
		strings.Repeat("x", 10000): `unknown tool: ` + strings.Repeat("x", 60) + "…",
	} {
		o := d.Call(context.Background(), Request{ID: "7", Tool: name})
		assert.Equal(t, want, o.Text)
		assert.Equal(t, KindNotFound, o.Failure.Kind)
		assert.Equal(t, StatusError, o.Status)
		assert.Equal(t, "7", o.CallID)
		assert.Equal(t, name, o.Tool)
	}
}

func TestOutcomeOfWhatAToolReturns(t *testing.T) {
	place := &Location{File: "a.ts", Line: 3, Column: 5}
	whole := &Failure{Kind: KindRateLimited, Message: "429 from api.example.com", ModelText: "try later", Retryable: RetryYes,
		Code: "slow_down", HTTPStatus: 429, Location: place}
	var none *Failure
	for _, c := range []struct {
		about  string
		res    *Result
		err    error
		status Status
		text   string
		want   Failure // zero: none; Cause is not compared
	}{
		{"text", Text("hi"), nil, StatusSuccess, "hi", Failure{}},
		{"nothing at all", nil, nil, StatusSuccess, "(no output)", Failure{}},
		{"an empty result", &Result{}, nil, StatusSuccess, "(no output)", Failure{}},
		{"empty text is text", Text(""), nil, StatusSuccess, "", Failure{}},
		{"several blocks", &Result{Content: []Block{text("a"), {Type: BlockJSON, JSON: json.RawMessage(`[1]`)}}}, nil, StatusSuccess, "a\n[1]", Failure{}},
		{"an error", nil, errors.New("disk full"), StatusError, "disk full", Failure{Kind: KindOther, Message: "disk full"}},
		{"an error beats a result", Text("hi"), errors.New("no"), StatusError, "no", Failure{Kind: KindOther, Message: "no"}},
		{"a failure", nil, whole, StatusError, "try later", *whole},
		{"a wrapped failure says more", nil, fmt.Errorf("fetching: %w", whole), StatusError, "try later",
			Failure{Kind: KindRateLimited, Message: "fetching: rate_limited: 429 from api.example.com", ModelText: "try later", Retryable: RetryYes,
				Code: "slow_down", HTTPStatus: 429, Location: place}},
		{"a failure without a kind", nil, &Failure{Message: "x"}, StatusError, "x", Failure{Kind: KindOther, Message: "x"}},
		{"a refusal", nil, &Failure{Kind: KindPermissionDenied, Message: "no net"}, StatusDenied, "no net", Failure{Kind: KindPermissionDenied, Message: "no net", Retryable: RetryNo}},
		{"a nil failure as error", nil, none, StatusError, genericText,
			Failure{Kind: KindOther, Message: "the tool returned a nil *registry.Failure as its error", ModelText: genericText}},
		{"a context error while the context is alive", nil, context.Canceled, StatusError, "context canceled", Failure{Kind: KindOther, Message: "context canceled"}},
		{"an error result", ErrorText("bad input"), nil, StatusError, "bad input", Failure{Kind: KindOther, Message: "bad input"}},
		{"an error result that says much", ErrorText(strings.Repeat("ü", 400)), nil, StatusError, strings.Repeat("ü", 400),
			Failure{Kind: KindOther, Message: strings.Repeat("ü", 250)}},
		{"an error result that says nothing", &Result{IsError: true}, nil, StatusError, "the tool failed and did not say why",
			Failure{Kind: KindOther, Message: "the tool failed and did not say why"}},
		{"an error result with a failure", &Result{IsError: true, Content: []Block{text("hm")}, Details: whole}, nil, StatusError, "hm", *whole},
		{"an error result with a refusal", &Result{IsError: true, Details: &Failure{Kind: KindPermissionDenied, Message: "no"}}, nil, StatusDenied, "no",
			Failure{Kind: KindPermissionDenied, Message: "no", Retryable: RetryNo}},
		{"structured content that is none", &Result{Structured: json.RawMessage(`{"a":`)}, nil, StatusError, genericText,
			Failure{Kind: KindOther, Code: "invalid_structured", ModelText: genericText,
				Message: "the structured content of the result is not valid JSON: unexpected end of JSON input"}},
	} {
		t.Run(c.about, func(t *testing.T) {
			o := call(doorTo(t, "", returning(c.res, c.err), nil), `{"x":1}`)
			assert.Equal(t, c.status, o.Status)
			assert.Equal(t, c.status != StatusSuccess, o.IsError)
			assert.Equal(t, c.text, o.Text)
			assert.Equal(t, `{"x":1}`, string(o.Arguments))
			assert.Positive(t, o.Duration)
			if c.want.Message == "" {
				assert.Nil(t, o.Failure)
				return
			}
			require.NotNil(t, o.Failure)
			got := *o.Failure
			got.Cause = nil
			assert.Equal(t, c.want, got)
			assert.NotSame(t, whole, o.Failure, "a tool may return one failure many times")
			_, err := json.Marshal(o)
			assert.NoError(t, err)
		})
	}
}

func TestCauseIsKept(t *testing.T) {
	cause := errors.New("disk full")
	o := call(doorTo(t, "", returning(nil, fmt.Errorf("saving: %w", cause)), nil), "")
	assert.ErrorIs(t, o.Failure, cause)
	o = call(doorTo(t, "", returning(nil, Failuref(KindNetwork, "dial: %w", cause)), nil), "")
	assert.ErrorIs(t, o.Failure, cause)
}

func TestDetailsAndMetadataReachTheHost(t *testing.T) {
	o := call(doorTo(t, "", returning(&Result{Details: 42, Metadata: map[string]any{"k": "v"}}, nil), nil), "")
	assert.Equal(t, 42, o.Details)
	assert.Equal(t, map[string]any{"k": "v"}, o.Metadata)
	o = call(doorTo(t, "", returning(&Result{IsError: true, Details: "why"}, nil), nil), "")
	assert.Equal(t, "why", o.Details)
}

func TestLargeStructuredContentIsMarkedForModels(t *testing.T) {
	small := json.RawMessage(`"` + strings.Repeat("x", 98) + `"`)
	large := json.RawMessage(`"` + strings.Repeat("x", 99) + `"`)
	o := &DoorOptions{StructuredLimit: 100}
	got := call(doorTo(t, "", returning(&Result{Structured: small}, nil), o), "")
	assert.False(t, got.StructuredOmitted)
	got = call(doorTo(t, "", returning(&Result{Structured: large}, nil), o), "")
	assert.True(t, got.StructuredOmitted)
	assert.Equal(t, large, got.Structured, "programs get it whole")
	assert.Equal(t, StatusSuccess, got.Status)
}

func TestPanicBecomesAFailure(t *testing.T) {
	var log bytes.Buffer
	o := &DoorOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	explode := func(v any) executeFunc {
		return func(context.Context, json.RawMessage) (*Result, error) { panic(v) }
	}
	got := call(doorTo(t, "", explode("secret"), o), "")
	assert.Equal(t, StatusError, got.Status)
	assert.Equal(t, genericText, got.Text, "the model learns nothing of it")
	assert.Equal(t, KindOther, got.Failure.Kind)
	assert.Equal(t, "panic", got.Failure.Code)
	assert.Equal(t, `tool "tool" panicked: secret`, got.Failure.Message)
	var p *PanicError
	require.ErrorAs(t, got.Failure, &p)
	assert.Equal(t, "secret", p.Value)
	first, _, _ := strings.Cut(p.Stack, "\n")
	assert.Contains(t, first, "TestPanicBecomesAFailure", "the stack starts where it happened")
	assert.Contains(t, log.String(), "secret")

	for about, f := range map[string]executeFunc{
		"an error": explode(errors.New("x")),
		"nil":      explode(nil),
		"a runtime error": func(context.Context, json.RawMessage) (*Result, error) {
			var m map[string]int
			m["x"]++
			return nil, nil
		},
		"a value that does": explode(panicker{}),
	} {
		t.Run(about, func(t *testing.T) {
			assert.Equal(t, "panic", call(doorTo(t, "", f, nil), "").Failure.Code)
		})
	}
	t.Run("in the error's own method", func(t *testing.T) {
		got := call(doorTo(t, "", returning(nil, panicker{}), nil), "")
		assert.Equal(t, "panic", got.Failure.Code)
		assert.Equal(t, genericText, got.Text)
	})
}

type panicker struct{}

func (panicker) Error() string { panic("in Error") }

func TestGoexitBecomesAFailure(t *testing.T) {
	o := call(doorTo(t, "", func(context.Context, json.RawMessage) (*Result, error) {
		runtime.Goexit()
		return nil, nil
	}, nil), "")
	assert.Equal(t, "goexit", o.Failure.Code)
	assert.Equal(t, genericText, o.Text)
}

func TestToolSeesItsCall(t *testing.T) {
	var seen *Call
	var reports []Progress
	d := doorTo(t, "", func(ctx context.Context, _ json.RawMessage) (*Result, error) {
		seen = CallFrom(ctx)
		seen.Report(Progress{Message: "half", Done: 1, Total: 2})
		for range 3 {
			seen.RecordUse(Use{Kind: "file", Target: "a", Effect: "read", Grant: "default"})
		}
		seen.SetAttempts(2)
		return nil, nil
	}, &DoorOptions{ProjectRoot: "/project", TextLimit: 1000})
	values := Values{"k": json.RawMessage(`1`)}
	o := d.Call(context.Background(), Request{Tool: "tool", ID: "id", Values: values, Progress: func(p Progress) { reports = append(reports, p) }})
	assert.Equal(t, "id", seen.ID)
	assert.Equal(t, "tool", seen.Tool)
	assert.Equal(t, values, seen.Values)
	assert.Equal(t, 1000, seen.Budget)
	assert.Equal(t, "/project", seen.ProjectRoot)
	assert.Equal(t, []Progress{{Message: "half", Done: 1, Total: 2}}, reports)
	assert.Equal(t, []Use{{Kind: "file", Target: "a", Effect: "read", Grant: "default"}}, o.Uses)
	assert.Equal(t, 2, o.Attempts)

	seen.Report(Progress{Message: "late"})
	seen.RecordUse(Use{Target: "late"})
	assert.Len(t, reports, 1, "nothing is reported after the outcome")
	assert.Len(t, o.Uses, 1)

	outside := CallFrom(context.Background())
	outside.Report(Progress{})
	outside.PauseDeadline()()
}

func TestIdsAreUniqueAmongLiveCalls(t *testing.T) {
	inside := make(chan string, 2)
	release := make(chan struct{})
	d := doorTo(t, "", func(ctx context.Context, _ json.RawMessage) (*Result, error) {
		inside <- CallFrom(ctx).ID
		<-release
		return nil, nil
	}, nil)
	outcomes := make(chan *Outcome, 2)
	for range 2 {
		go func() { outcomes <- d.Call(context.Background(), Request{Tool: "tool", ID: "1"}) }()
	}
	assert.ElementsMatch(t, []string{"1", "1~2"}, []string{<-inside, <-inside})
	close(release)
	for range 2 {
		assert.Equal(t, "1", (<-outcomes).CallID, "the caller sees the id it gave")
	}
	a, b := call(d, ""), call(d, "")
	assert.NotEmpty(t, a.CallID)
	assert.NotEqual(t, a.CallID, b.CallID)
}

func TestArgumentsOfTheCallerAreCopied(t *testing.T) {
	raw := json.RawMessage(`{"a":"b"}`)
	d := doorTo(t, "", func(_ context.Context, args json.RawMessage) (*Result, error) {
		raw[2] = 'X'
		args[3] = 'Y'
		return nil, nil
	}, nil)
	o := d.Call(context.Background(), Request{Tool: "tool", Arguments: raw})
	assert.Equal(t, `{"a":"b"}`, string(o.Arguments))
}

func TestOptionsAreCopied(t *testing.T) {
	o := &DoorOptions{TextLimit: 100}
	d := NewDoor(New(), o)
	o.TextLimit = 5
	assert.Equal(t, 100, d.opts.TextLimit)
	assert.Equal(t, DefaultTimeout, NewDoor(New(), nil).opts.Timeout)
	assert.Equal(t, DefaultGrace, NewDoor(New(), &DoorOptions{Grace: -1}).opts.Grace)
}
