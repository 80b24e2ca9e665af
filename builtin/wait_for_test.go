package builtin

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rho-ext/rho-ext/registry"
)

func TestWaitFor(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	for _, c := range []struct {
		about, command, until string
		timeout, pollTimeout  float64
		satisfied             bool
		text                  string
	}{
		{"success at once", "echo up", "success", 5, 5, true, "up\n[wait_for: 1 poll(s), "},
		{"success at last", "echo x >> n; test $(wc -l < n) -ge 3", "success", 10, 5, true, "3 poll(s)"},
		{"an exit code", "exit 7", "exit_code: 7", 5, 5, true, "exit 7]"},
		{"a regular expression", "echo x >> n; echo state=$(wc -l < n)", `regex: state=[ ]*[2-9]$`, 10, 5, false, "timed out"},
		{"one that is not a substring", "echo x >> n; echo state=$(wc -l < n)", `regex: (?m)^state=\s*[2-9]$`, 10, 5, true, "state="},
		{"capitals count", "echo UP", `regex: up`, 1, 5, false, "UP\n[wait_for: timed out after"},
		{"on the other stream", "echo up >&2; exit 1", `regex: u.`, 5, 5, true, "up\n"},
		{"a run that takes too long does not end the wait", "echo x >> n; test $(wc -l < n) -ge 2 || sleep 60", "success", 20, 0.3, true, "1 run(s) took too long"},
		{"nor does it satisfy", "sleep 60", "success", 1, 0.3, false, "without satisfying the condition]"},
		{"though its output can", "echo ready; sleep 60", "regex: ready", 20, 0.3, true, "ready\n[wait_for: 1 poll(s)"},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			w := newWorkshop(t, nil, CommandOptions{}, nil)
			timeout := c.timeout
			if !c.satisfied {
				timeout = 1
			}
			var a waitForAnswer
			start := time.Now()
			o := w.call(t, "wait_for", map[string]any{"command": c.command, "until": c.until, "timeout_secs": timeout, "poll_secs": 0.1, "poll_timeout_secs": c.pollTimeout}, &a)
			assert.Equal(t, c.satisfied, a.Satisfied, o.Text)
			assert.Equal(t, !c.satisfied, o.IsError)
			assert.Contains(t, o.Text, c.text)
			assert.Less(t, time.Since(start), 15*time.Second)
		})
	}
}

func TestWaitForRefuses(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	w := newWorkshop(t, nil, CommandOptions{}, nil)
	for until, text := range map[string]string{
		"regex: (":       "is no regular expression",
		"regex: x*":      "matches an empty text",
		"exit_code: one": "expected a number behind exit_code:",
		"done":           "expected success, exit_code: N or regex: P",
		"success: 1":     "expected success, exit_code: N or regex: P",
	} {
		o := w.call(t, "wait_for", map[string]any{"command": "true", "until": until}, nil)
		assert.Equal(t, registry.KindInvalidArgs, o.Failure.Kind, until)
		assert.Contains(t, o.Text, text)
	}
	o := w.call(t, "wait_for", map[string]any{"command": "curl localhost"}, nil)
	assert.Equal(t, registry.StatusDenied, o.Status)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	start := time.Now()
	o = w.callIn(t, ctx, "wait_for", map[string]any{"command": "false", "poll_secs": 60}, nil)
	assert.Equal(t, registry.KindCancelled, o.Failure.Kind)
	assert.Less(t, time.Since(start), 5*time.Second)
}
