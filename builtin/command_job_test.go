package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/jail"
	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/registrytest"
)

func jailOf(t testing.TB, root string) *jail.Jail {
	t.Helper()
	j, err := jail.Open(root)
	require.NoError(t, err)
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func TestJob(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	w := newWorkshop(t, nil, CommandOptions{}, nil)
	assert.Equal(t, "no jobs", w.call(t, "command_job", map[string]any{"action": "list"}, nil).Text)

	var started commandAnswer
	o := w.call(t, "run_command", map[string]any{"background": true, "command": "echo ready; while [ ! -e go ]; do sleep 0.05; done; echo done; exit 4"}, &started)
	require.Equal(t, registry.StatusSuccess, o.Status, o.Text)
	require.Equal(t, "job-1", started.Job)

	var a jobAnswer
	w.call(t, "command_job", map[string]any{"action": "wait", "job": "job-1", "seconds": 60}, &a)
	assert.Equal(t, "running", a.Jobs[0].State)
	w.call(t, "command_job", map[string]any{"action": "output", "job": "job-1"}, &a)
	assert.Equal(t, "ready\n", a.Output)
	assert.EqualValues(t, 6, a.Next)

	w.write(t, map[string]string{"go": ""})
	a = jobAnswer{}
	w.call(t, "command_job", map[string]any{"action": "wait", "job": "job-1", "offset": 6, "seconds": 60}, &a)
	assert.Equal(t, "done\n", a.Output)
	require.Eventually(t, func() bool {
		a = jobAnswer{}
		w.call(t, "command_job", map[string]any{"action": "status", "job": "job-1"}, &a)
		return a.Jobs[0].State == "exited"
	}, time.Minute, 10*time.Millisecond)
	assert.Equal(t, 4, *a.Jobs[0].ExitCode)

	o = w.call(t, "command_job", map[string]any{"action": "status", "job": "job-7"}, nil)
	assert.Equal(t, `there is no job "job-7" (did you mean job-1?); the action list names all`, o.Text)
}

// written waits until a file has that many lines.
func written(t *testing.T, file string, lines int) {
	t.Helper()
	require.Eventually(t, func() bool {
		data, err := os.ReadFile(file)
		return err == nil && strings.Count(string(data), "\n") == lines
	}, time.Minute, 10*time.Millisecond)
}

func TestJobIsKilledWithItsTree(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	w := newWorkshop(t, nil, CommandOptions{}, nil)
	w.call(t, "run_command", map[string]any{"background": true, "command": "sleep 300 & echo $! > pids; trap '' TERM; wait; sleep 300"}, nil)
	written(t, filepath.Join(w.root, "pids"), 1)
	var a jobAnswer
	w.call(t, "command_job", map[string]any{"action": "kill", "job": "job-1"}, &a)
	assert.Equal(t, "killed", a.Jobs[0].State)
	noneLive(t, filepath.Join(w.root, "pids"))
}

func TestJobThatFailsAtOnceSaysSo(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	w := newWorkshop(t, nil, CommandOptions{}, nil)
	require.Eventually(t, func() bool { // a busy machine may take longer to start it than is waited for
		o := w.call(t, "run_command", map[string]any{"background": true, "command": "echo no port >&2; exit 1"}, nil)
		return o.IsError && strings.Contains(o.Text, "exited, exit code 1") && strings.Contains(o.Text, "no port")
	}, time.Minute, 10*time.Millisecond)
}

func TestJobsEndWithTheProgram(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	root := t.TempDir()
	r := registry.New()
	require.NoError(t, Register(r, Options{Root: root}))
	w := &workshop{Door: registry.NewDoor(r, nil), root: root}
	w.call(t, "run_command", map[string]any{"background": true, "command": "echo $$ > pids; sleep 300"}, nil)
	w.call(t, "run_command", map[string]any{"background": true, "command": "setsid sleep 300 & echo $! >> pids; wait"}, nil)
	written(t, filepath.Join(root, "pids"), 2)
	require.NoError(t, r.Swap("", nil))
	noneLive(t, filepath.Join(root, "pids"))
}

func TestJobsAreBounded(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	w := newWorkshop(t, nil, CommandOptions{}, nil)
	for range maxRunning {
		o := w.call(t, "run_command", map[string]any{"background": true, "command": "sleep 300"}, nil)
		require.False(t, o.IsError, o.Text)
	}
	o := w.call(t, "run_command", map[string]any{"background": true, "command": "sleep 300"}, nil)
	assert.Contains(t, o.Text, "16 jobs are running already")
}

func TestTailKeepsTheEnd(t *testing.T) {
	t.Parallel()
	tl := newTail(10)
	for _, s := range []string{"0123456789", "abc\n", "defg\n", strings.Repeat("x", 40), "\nend\n"} {
		tl.add([]byte(s))
	}
	text, next, lost := tl.read(0, 100)
	assert.Equal(t, "xxxxx\nend\n", text)
	assert.EqualValues(t, 64, next)
	assert.EqualValues(t, 54, lost)
	text, next, lost = tl.read(60, 3)
	assert.Equal(t, "end", text)
	assert.EqualValues(t, 63, next)
	assert.Zero(t, lost)
	text, _, _ = tl.read(1000, 3)
	assert.Empty(t, text)
}

func TestCommandJobConforms(t *testing.T) {
	p := &programs{jail: jailOf(t, t.TempDir())}
	registrytest.Run(t, newCommandJob(newJobs(p)), registrytest.Options{})
}
