package builtin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
	"github.com/rho-ext/rho-ext/registry/registrytest"
)

func TestRunCommand(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	w := newWorkshop(t, map[string]string{"sub/a.txt": "deep\n"}, CommandOptions{}, nil)
	for _, c := range []struct {
		about, text string
		args        map[string]any
		failed      bool
	}{
		{"output and exit code", "exit_code: 0\nhello\n", map[string]any{"command": "echo hello"}, false},
		{"both streams of a failure", "exit_code: 3\nout\nstderr:\nerr\n", map[string]any{"command": "echo out; echo err >&2; exit 3"}, true},
		{"a directory of the project", "exit_code: 0\ndeep\n", map[string]any{"command": "cat a.txt", "cwd": "sub"}, false},
		{"input", "exit_code: 0\nABC", map[string]any{"command": "tr a-z A-Z", "input": "abc"}, false},
		{"no input is the end of input", "exit_code: 0\n", map[string]any{"command": "cat"}, false},
		{"another shell", "exit_code: 0\nsh\n", map[string]any{"command": "echo $0", "shell": "sh"}, false},
		{"a program that is missing", "exit_code: 127\nstderr:\n", map[string]any{"command": "no-such-program-here", "shell": "sh"}, true},
		{"bytes that are not UTF-8", "exit_code: 0\n\uFFFDx\n", map[string]any{"command": `printf '\377x\n'`}, false},
		{"a command that ends itself", "ended by signal ", map[string]any{"command": "kill -9 $$"}, true},
		{"a group that waits", "exit_code: 0\n", map[string]any{"command": "true & true & wait"}, false},
	} {
		t.Run(c.about, func(t *testing.T) {
			var a commandAnswer
			o := w.call(t, "run_command", c.args, &a)
			assert.True(t, strings.HasPrefix(o.Text, c.text), o.Text)
			assert.Equal(t, c.failed, o.IsError)
			require.NotEmpty(t, o.Uses)
			assert.Equal(t, "run", o.Uses[0].Kind)
		})
	}
}

func TestRunCommandRefuses(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	w := newWorkshop(t, map[string]string{"file": ""}, CommandOptions{DeniedCommands: []string{"touch"}}, nil)
	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(w.root, "link")))
	for _, c := range []struct {
		about, text string
		args        map[string]any
		status      registry.Status
	}{
		{"the denylist", "curl is on the denylist", map[string]any{"command": "true && curl x"}, registry.StatusDenied},
		{"the configuration's", "`touch` is on the denylist of the configuration", map[string]any{"command": "env touch made"}, registry.StatusDenied},
		{"what would run on", "set background to true", map[string]any{"command": "sleep 1 &"}, registry.StatusError},
		{"a directory outside", "outside the project root", map[string]any{"command": "true", "cwd": "../"}, registry.StatusDenied},
		{"a link that leads out", "outside the project root", map[string]any{"command": "true", "cwd": "link"}, registry.StatusDenied},
		{"a file as a directory", "is a file: name a directory", map[string]any{"command": "true", "cwd": "file"}, registry.StatusError},
		{"no such directory", `cwd: directory "nope" does not exist`, map[string]any{"command": "true", "cwd": "nope"}, registry.StatusError},
		{"nothing", "white space", map[string]any{"command": "  \n"}, registry.StatusError},
		{"a NUL", "NUL", map[string]any{"command": "echo \x00"}, registry.StatusError},
		{"an unknown shell", "shell", map[string]any{"command": "true", "shell": "perl"}, registry.StatusError},
		{"a shell that is not there", `there is no shell "pwsh"`, map[string]any{"command": "1", "shell": "pwsh"}, registry.StatusError},
	} {
		if _, err := exec.LookPath("pwsh"); err == nil && c.about == "a shell that is not there" {
			continue
		}
		t.Run(c.about, func(t *testing.T) {
			o := w.call(t, "run_command", c.args, nil)
			assert.Equal(t, c.status, o.Status, o.Text)
			assert.Contains(t, o.Text, c.text)
		})
	}
	assert.NoFileExists(t, filepath.Join(w.root, "made"))
}

func TestRunCommandKeepsSecretsOfTheEnvironment(t *testing.T) {
	needsPOSIX(t)
	t.Setenv("SOME_API_KEY", "do-not-show")
	w := newWorkshop(t, nil, CommandOptions{}, nil)
	assert.NotContains(t, w.call(t, "run_command", map[string]any{"command": "env"}, nil).Text, "do-not-show")
}

func TestRunCommandEndsInTimeWithAllItStarted(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	w := newWorkshop(t, nil, CommandOptions{}, nil)
	for about, command := range map[string]string{
		"a long sleep":                         "sleep 300",
		"a tree that ignores the signal":       `trap '' TERM; (trap '' TERM; sleep 300 & echo $! >> pids; wait) & echo $! >> pids; while :; do sleep 1; done; wait`,
		"output without end":                   "yes",
		"a grandchild in a session of its own": `setsid sleep 300 & echo $! >> pids; wait`,
	} {
		t.Run(about, func(t *testing.T) {
			if strings.Contains(command, "setsid") {
				if _, err := exec.LookPath("setsid"); err != nil {
					t.Skip("there is no setsid")
				}
			}
			var a commandAnswer
			start := time.Now()
			o := w.call(t, "run_command", map[string]any{"command": command, "timeout": 2}, &a)
			assert.Less(t, time.Since(start), 12*time.Second)
			assert.True(t, a.TimedOut)
			assert.Nil(t, a.ExitCode)
			assert.True(t, o.IsError)
			assert.Equal(t, registry.KindTimeout, o.Failure.Kind)
			assert.Contains(t, o.Text, "timed out: the command was ended after 2s")
		})
	}
	noneLive(t, filepath.Join(w.root, "pids"))
}

// noneLive checks that the processes whose numbers are in a file are gone.
func noneLive(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, f := range strings.Fields(string(data)) {
		pid, err := strconv.Atoi(f)
		require.NoError(t, err)
		assert.Eventually(t, func() bool { return !alive(pid) }, 5*time.Second, 10*time.Millisecond, "process %d lives", pid)
	}
}

// alive reports whether a process is there and no zombie.
func alive(pid int) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
}

func TestRunCommandIsNotHeldByWhatItLeavesBehind(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	w := newWorkshop(t, nil, CommandOptions{}, nil)
	var a commandAnswer
	start := time.Now()
	w.call(t, "run_command", map[string]any{"command": `sh -c 'sleep 300 & echo $! > pids'; echo done`}, &a)
	assert.Less(t, time.Since(start), 10*time.Second)
	assert.Equal(t, "done\n", a.Stdout)
	assert.True(t, a.LeftBehind)
	noneLive(t, filepath.Join(w.root, "pids"))
}

func TestRunCommandHasNoTerminal(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	w := newWorkshop(t, nil, CommandOptions{}, nil)
	start := time.Now()
	o := w.call(t, "run_command", map[string]any{"command": "read line < /dev/tty; test -t 0 || echo none"}, nil)
	assert.Contains(t, o.Text, "none")
	assert.Less(t, time.Since(start), 10*time.Second)
}

func TestRunCommandCutsOutputAndKeepsAllOfItInAFile(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	w := newWorkshop(t, nil, CommandOptions{}, &registry.DoorOptions{TextLimit: 4000})
	var a commandAnswer
	o := w.call(t, "run_command", map[string]any{"command": "seq 1 40000; echo end >&2"}, &a)
	assert.False(t, o.Truncated, "the tool cuts before the door has to")
	assert.LessOrEqual(t, len(o.Text), 4000)
	assert.True(t, a.Truncated)
	assert.True(t, strings.HasPrefix(a.Stdout, "1\n2\n"), "the first line is there")
	assert.True(t, strings.HasSuffix(a.Stdout, "\n40000\n"), "and the last")
	assert.Equal(t, "end\n", a.Stderr)
	assert.EqualValues(t, 228894, a.StdoutBytes)
	require.NotEmpty(t, a.OutputFile)
	assert.Contains(t, o.Text, a.OutputFile)
	info, err := os.Stat(a.OutputFile)
	require.NoError(t, err)
	assert.EqualValues(t, 228894+4, info.Size())
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	a = commandAnswer{}
	w.call(t, "run_command", map[string]any{"command": "echo tiny"}, &a)
	assert.Empty(t, a.OutputFile)
	assert.False(t, a.Truncated)
}

func TestRunCommandWithMuchOutput(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	size := int64(20 << 20)
	if long() {
		size = 1 << 30
	}
	w := newWorkshop(t, nil, CommandOptions{}, nil)
	var a commandAnswer
	o := w.call(t, "run_command", map[string]any{"command": fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x", size), "timeout": 300}, &a)
	assert.Equal(t, registry.StatusSuccess, o.Status, "one line without an end")
	assert.Equal(t, size, a.StdoutBytes)
	info, err := os.Stat(a.OutputFile)
	require.NoError(t, err)
	assert.Equal(t, size, info.Size())
}

func TestRunCommandCancelledAtRandom(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	w := newWorkshop(t, nil, CommandOptions{}, nil)
	n := 20
	if long() {
		n = 500
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range n / 4 {
				ctx, cancel := context.WithCancel(context.Background())
				time.AfterFunc(time.Duration(rand.N(60))*time.Millisecond, cancel)
				start := time.Now()
				o := w.callIn(t, ctx, "run_command", map[string]any{"command": "sleep 300 & echo $! >> pids; echo x; wait"}, nil)
				assert.Equal(t, registry.KindCancelled, o.Failure.Kind, o.Text)
				assert.Less(t, time.Since(start), 10*time.Second)
				cancel()
			}
		})
	}
	wg.Wait()
	if _, err := os.Stat(filepath.Join(w.root, "pids")); err == nil {
		noneLive(t, filepath.Join(w.root, "pids"))
	}
}

func TestRunCommandTimeouts(t *testing.T) {
	t.Parallel()
	assert.Equal(t, commandTimeout, within(0, commandTimeout, commandMaxTimeout))
	assert.Equal(t, 1500*time.Millisecond, within(1.5, commandTimeout, commandMaxTimeout))
	assert.Equal(t, commandMaxTimeout, within(1e300, commandTimeout, commandMaxTimeout))
}

func TestRunCommandReportsProgress(t *testing.T) {
	needsPOSIX(t)
	t.Parallel()
	w := newWorkshop(t, nil, CommandOptions{}, nil)
	var mu sync.Mutex
	var seen []string
	w.Call(context.Background(), registry.Request{Tool: "run_command", Arguments: []byte(`{"command":"echo one; sleep 0.4; echo two"}`),
		Progress: func(p registry.Progress) { mu.Lock(); defer mu.Unlock(); seen = append(seen, p.Message) }})
	mu.Lock()
	defer mu.Unlock()
	assert.Equal(t, []string{"one", "two"}, seen)
}

func TestRunCommandConforms(t *testing.T) {
	needsPOSIX(t)
	w := newWorkshop(t, nil, CommandOptions{}, nil)
	p := &programs{jail: jailOf(t, w.root)}
	registrytest.Run(t, newRunCommand(p, newJobs(p)), registrytest.Options{Args: []byte(`{"command":"echo x"}`)})
}
