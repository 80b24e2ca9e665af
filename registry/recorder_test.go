package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/redact"
	"github.com/rho-ext/rho-ext/internal/sessionlog"
	"github.com/rho-ext/rho-ext/registry"
)

var _ registry.Appender = (*sessionlog.Log)(nil)

const secret = "hunter2-topsecret"

func redactor(t testing.TB) registry.Redactor {
	t.Helper()
	red, err := redact.New(redact.Options{Secrets: []string{secret}})
	require.NoError(t, err)
	return red
}

// line is what a test looks at of an entry.
type line struct {
	CallID    string          `json:"callId"`
	Tool      string          `json:"tool"`
	Status    string          `json:"status"`
	Text      string          `json:"text"`
	Arguments json.RawMessage `json:"arguments"`
	Failure   *struct{ Kind, Message string }
	Details   json.RawMessage `json:"details"`
	Uses      []registry.Use  `json:"uses"`
	Omitted   []string        `json:"omitted"`
	Truncated bool            `json:"truncated"`
}

func TestSessionLogKeepsEveryOutcomeRedacted(t *testing.T) {
	dir := t.TempDir()
	log, err := sessionlog.Open(sessionlog.Options{Dir: dir})
	require.NoError(t, err)
	ctx := context.Background()
	red := redactor(t)
	big := strings.Repeat("0123456789", 10_000)

	require.NoError(t, registry.LogRequest(ctx, log, red, "my password is "+secret))
	require.NoError(t, registry.LogRequest(ctx, log, nil, big))
	outcomes := []*registry.Outcome{
		{CallID: "1", Tool: "a", Status: registry.StatusSuccess, Text: "it is " + secret, Arguments: json.RawMessage(`{"p":"` + secret + `"}`),
			Structured: json.RawMessage(`{"p":["` + secret + `",1.0]}`), Details: map[string]string{"d": secret},
			Uses: []registry.Use{{Kind: "run", Target: "login " + secret, Effect: "run"}}},
		{CallID: "2", Tool: secret, Status: registry.StatusError, Failure: &registry.Failure{Kind: registry.KindNetwork, Message: "no " + secret}},
		{CallID: "3", Tool: "a", Status: registry.StatusSuccess, Text: big, Arguments: json.RawMessage(`"` + big + `"`), Truncated: true,
			Details: registry.FullOutput{Size: 1, Text: big}},
		{CallID: "4", Tool: "a", Status: registry.StatusSuccess, Details: func() {}},
	}
	for _, o := range outcomes {
		h := registry.SessionLog(log, red, nil)(func(context.Context, registry.Request) *registry.Outcome { return o })
		assert.Same(t, o, h(ctx, registry.Request{}), "the outcome goes on unchanged")
	}
	require.NoError(t, log.Close())

	var lines []line
	broken, err := sessionlog.Read(dir, func(e sessionlog.Entry) error {
		require.NotContains(t, string(e.Data), secret)
		want := registry.LogKindOutcome
		if len(lines) < 2 {
			want = registry.LogKindRequest
		}
		assert.Equal(t, want, e.Kind)
		var l line
		require.NoError(t, json.Unmarshal(e.Data, &l))
		lines = append(lines, l)
		return nil
	})
	require.NoError(t, err)
	require.Zero(t, broken)
	require.Len(t, lines, 6)
	assert.Equal(t, "my password is [REDACTED:secret]", lines[0].Text)
	assert.True(t, lines[1].Truncated)
	assert.Len(t, lines[1].Text, 64<<10)
	assert.Equal(t, "it is [REDACTED:secret]", lines[2].Text)
	assert.JSONEq(t, `{"p":"[REDACTED:secret]"}`, string(lines[2].Arguments))
	assert.JSONEq(t, `{"d":"[REDACTED:secret]"}`, string(lines[2].Details))
	assert.Equal(t, "login [REDACTED:secret]", lines[2].Uses[0].Target)
	assert.Equal(t, "no [REDACTED:secret]", lines[3].Failure.Message)
	assert.NotNil(t, lines[3].Uses)
	assert.Equal(t, []string{"text", "arguments"}, lines[4].Omitted)
	assert.Nil(t, lines[4].Details)
	assert.Nil(t, lines[5].Details)
}

type brokenLog struct{}

func (brokenLog) Append(context.Context, string, any) error { return errors.New("disk full") }

func TestABrokenSessionLogIsReportedOnceAndStopsNothing(t *testing.T) {
	var mu sync.Mutex
	var heard []error
	h := registry.SessionLog(brokenLog{}, nil, func(err error) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, err)
	})(func(context.Context, registry.Request) *registry.Outcome { return &registry.Outcome{Text: "fine"} })
	for range 3 {
		assert.Equal(t, "fine", h(context.Background(), registry.Request{}).Text)
	}
	assert.Len(t, heard, 1)
	h = registry.SessionLog(brokenLog{}, nil, nil)(func(context.Context, registry.Request) *registry.Outcome { return &registry.Outcome{} })
	assert.NotNil(t, h(context.Background(), registry.Request{}))
}
