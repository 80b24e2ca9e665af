package builtin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/sessionlog"
	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/registrytest"
)

func TestSessionSummaryOfTheDoorsLog(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	w := newWorkshop(t, map[string]string{"a.txt": "first line\nsecond\n"}, CommandOptions{StateDir: state}, nil)
	assert.Equal(t, "Session is empty (no entries).", w.call(t, "session_summary", nil, nil).Text)

	log, err := sessionlog.Open(sessionlog.Options{Dir: filepath.Join(state, "log")})
	require.NoError(t, err)
	defer log.Close()
	require.NoError(t, registry.LogRequest(context.Background(), log, nil, "read\nthe file, "+strings.Repeat("please ", 100)))
	logged := newWorkshop(t, map[string]string{"a.txt": "first line\nsecond\n"}, CommandOptions{StateDir: state},
		&registry.DoorOptions{Middleware: []registry.Middleware{registry.SessionLog(log, nil, nil)}})
	logged.Call(context.Background(), registry.Request{ID: "one", Tool: "read_file", Arguments: []byte(`{"path":"a.txt"}`)})
	logged.Call(context.Background(), registry.Request{ID: "two", Tool: "read_file", Arguments: []byte(`{"path":"b.txt"}`)})
	require.NoError(t, log.Append(context.Background(), "note", 1))

	lines := strings.Split(w.call(t, "session_summary", nil, nil).Text, "\n")
	require.Len(t, lines, 5)
	assert.Equal(t, "Session history (4 entries, showing last 4):", lines[0])
	assert.True(t, strings.HasPrefix(lines[1], "   1. [user] read the file, please"), lines[1])
	assert.Less(t, len(lines[1]), 220)
	assert.Regexp(t, `^   2\. \[tool:one\] ok read_file {"path":"a\.txt",.*} → .*first line .*second`, lines[2])
	assert.Regexp(t, `^   3\. \[tool:two\] ERROR read_file {"path":"b\.txt",.*} → file "b\.txt" does not exist`, lines[3])
	assert.Equal(t, "   4. [note] entry", lines[4])

	for i := range 200 {
		require.NoError(t, registry.LogRequest(context.Background(), log, nil, fmt.Sprint("request ", i)))
	}
	text := w.call(t, "session_summary", map[string]any{"limit": 3}, nil).Text
	assert.Equal(t, "Session history (204 entries, showing last 3):\n 202. [user] request 197\n 203. [user] request 198\n 204. [user] request 199", text)
}

func TestSessionSummaryOfMessages(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "session.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(`{"id":"1","payload":{"SessionStart":{"model":"m"}}}
{"id":"2","payload":{"Message":{"role":"system","content":"be kind"}}}
{"id":"3","payload":{"Message":{"role":"user","content":"hello\nthere"}}}
{"id":"4","payload":{"Message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","name":"read_file"},{"function":{"name":"list_dir"}}]}}}
{"id":"5","payload":{"Message":{"role":"tool","tool_call_id":"c1","is_error":true,"content":"no such file"}}}
{"role":"assistant","content":[{"type":"text","text":"done"}]}

{"role":"critic"}
not json
{"payload":{"Message":7}}
`), 0o600))
	w := newWorkshop(t, nil, CommandOptions{SessionLog: file}, nil)
	assert.Equal(t, `Session history (9 entries, showing last 9):
   1. [SessionStart] entry
   2. [sys] system prompt
   3. [user] hello there
   4. [assistant] tool_calls: read_file, list_dir
   5. [tool:c1] ERROR no such file
   6. [assistant] done
   7. [critic] entry
   8. (parse error)
   9. (parse error)`, w.call(t, "session_summary", nil, nil).Text)
}

func TestSessionSummaryWithoutALog(t *testing.T) {
	t.Parallel()
	r := registry.New()
	require.NoError(t, Register(r, Options{Root: t.TempDir()}))
	o := (&workshop{Door: registry.NewDoor(r, nil)}).call(t, "session_summary", nil, nil)
	assert.Equal(t, "no_session_log", o.Failure.Code)
	registrytest.Run(t, newSessionSummary(CommandOptions{StateDir: t.TempDir()}), registrytest.Options{})
}
