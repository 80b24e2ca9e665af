//go:build unix

package proc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sh is a shell script as a command.
func sh(script string, args ...string) Command {
	return Command{Path: "sh", Args: append([]string{"-c", script, "sh"}, args...), Timeout: time.Minute}
}

func init() {
	acts["tty"] = func([]string) {
		_, err := os.Open("/dev/tty")
		fmt.Print(err != nil)
	}
	acts["ignore"] = func([]string) { // a leader, a child and a grandchild that ignore SIGTERM
		ignoreTerm()
		startSelf("ignore-child")
		select {}
	}
	acts["ignore-child"] = func([]string) {
		ignoreTerm()
		startSelf("ignore-grandchild")
		fmt.Println("pid", os.Getppid(), os.Getpid())
		select {}
	}
	acts["ignore-grandchild"] = func([]string) {
		ignoreTerm()
		fmt.Println("pid", os.Getpid())
		select {}
	}
}

func ignoreTerm() { signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT) }

func startSelf(act string) {
	self, _ := os.Executable()
	os.Setenv(actVar, act)
	_, err := os.StartProcess(self, []string{self}, &os.ProcAttr{Files: []*os.File{nil, os.Stdout, os.Stderr}})
	if err != nil {
		panic(err)
	}
}

// pids reads the numbers behind the word pid.
func pids(out string) (list []int) {
	for line := range strings.Lines(out) {
		if numbers, ok := strings.CutPrefix(strings.TrimSpace(line), "pid "); ok {
			for n := range strings.FieldsSeq(numbers) {
				if pid, err := strconv.Atoi(n); err == nil {
					list = append(list, pid)
				}
			}
		}
	}
	return list
}

// assertGone probes the processes until none is there.
func assertGone(t *testing.T, pids ...int) {
	t.Helper()
	require.NotEmpty(t, pids)
	for _, pid := range pids {
		assert.Eventually(t, func() bool { return !there(pid) }, 5*time.Second, time.Millisecond, "process %d is still there", pid)
	}
}

// cancelAfter gives a context and a callback that cancels it when so many lines
// with pids have come.
func cancelAfter(t *testing.T, n int) (context.Context, func(Stream, []byte)) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	all := ""
	return ctx, func(s Stream, b []byte) {
		if s == Stderr {
			return
		}
		if all += string(b); len(pids(all)) >= n && strings.HasSuffix(all, "\n") {
			cancel()
		}
	}
}

func TestSignals(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"TERM", "KILL", "SEGV", "ABRT"} {
		res := run1(t, sh("ulimit -c 0; kill -"+name+" $$"))
		assert.Equal(t, "SIG"+name, res.Signal)
		assert.Equal(t, -1, res.ExitCode)
		assert.False(t, res.TimedOut || res.Cancelled)
	}
}

func TestTimeoutKillsATreeThatIgnoresTerm(t *testing.T) {
	t.Parallel()
	ctx, watch := cancelAfter(t, 3)
	c := act("ignore")
	c.OnOutput, c.Grace = watch, 100*time.Millisecond
	res, err := Run(ctx, c)
	require.NoError(t, err)
	assert.Equal(t, "SIGKILL", res.Signal)
	assert.True(t, res.Cancelled)
	found := pids(res.Stdout.String())
	require.Len(t, found, 3)
	assertGone(t, found...)
}

func TestGraceLetsATreeEndInGoodOrder(t *testing.T) {
	t.Parallel()
	ctx, watch := cancelAfter(t, 1)
	// The leader goes at once; its child tidies up first.
	c := sh(`(trap 'echo tidied; exit 0' TERM; echo pid $$; while :; do sleep 0.02; done) & trap 'exit 5' TERM; wait`)
	c.OnOutput, c.Grace = watch, time.Minute
	res, err := Run(ctx, c)
	require.NoError(t, err)
	assert.Equal(t, 5, res.ExitCode)
	assert.True(t, res.Cancelled)
	assert.Contains(t, res.Stdout.String(), "tidied")
}

func TestStoppedTreeIsEnded(t *testing.T) {
	t.Parallel()
	ctx, watch := cancelAfter(t, 1)
	c := sh(`trap 'echo woke; exit 6' TERM; echo pid $$; kill -STOP $$; while :; do sleep 0.02; done`)
	c.OnOutput, c.Grace = watch, time.Minute
	res, err := Run(ctx, c)
	require.NoError(t, err)
	assert.Equal(t, 6, res.ExitCode)
	assert.Contains(t, res.Stdout.String(), "woke")
}

func TestBackgroundChildrenHoldNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ about, script string }{
		{"a child that holds the output", `sleep 600 & echo pid $!; exit 3`},
		{"one that ignores signals", `(trap '' TERM HUP INT; while :; do sleep 600; done) & echo pid $!; exit 3`},
		{"one that has closed the output", `sleep 600 >/dev/null 2>&1 & echo pid $!; exit 3`},
		{"nohup", `nohup sleep 600 & echo pid $!; exit 3`},
		{"a double fork", `(sleep 600 & echo pid $!); exit 3`},
		{"one that writes for ever", `(while :; do echo x; done) & echo pid $!; exit 3`},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			res := run1(t, sh(c.script))
			assert.Equal(t, 3, res.ExitCode)
			assert.True(t, res.LeftBehind)
			assert.False(t, res.TimedOut)
			assert.Less(t, time.Since(began), 20*time.Second)
			assertGone(t, pids(string(res.Stdout.Head))...)
		})
	}
}

func TestLastWordsOfABackgroundChildAreHeard(t *testing.T) {
	t.Parallel()
	res := run1(t, sh(`(echo late) & exit 0`))
	assert.Equal(t, "late\n", res.Stdout.String())
}

func TestNoTerminal(t *testing.T) {
	t.Parallel()
	res := run1(t, act("tty"))
	assert.Equal(t, "true", res.Stdout.String())
	res = run1(t, sh(`read answer < /dev/tty || exit 9`))
	assert.NotZero(t, res.ExitCode)
	assert.False(t, res.TimedOut)
}

func TestScripts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
		return path
	}
	for name, c := range map[string]struct{ text, says string }{
		"interpreter": {"#!/no/such/interpreter\n", "interpreter that its first line names"},
		"bare":        {"echo hello\n", "nor a script with a #! line"},
	} {
		_, err := Run(t.Context(), Command{Path: write(name, c.text)})
		require.ErrorIs(t, err, ErrNotExecutable)
		require.ErrorContains(t, err, c.says)
	}
	res := run1(t, Command{Path: write("a good one", "#!/bin/sh\nprintf %s \"$1\"\n"), Args: []string{"a  b"}})
	assert.Equal(t, "a  b", res.Stdout.String())

	_, err := Run(t.Context(), Command{Path: "sh", Args: []string{strings.Repeat("x", 8<<20)}})
	require.ErrorIs(t, err, ErrBadArgument)
	require.ErrorContains(t, err, "stdin")
}

// TestFreshScripts starts files while other starts hold them open for writing,
// which the system refuses at first.
func TestFreshScripts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	errs := make(chan error)
	for i := range 4 {
		go func() {
			var err error
			for j := 0; j < 25 && err == nil; j++ {
				path := filepath.Join(dir, fmt.Sprint(i, "-", j))
				err = os.WriteFile(path, []byte("#!/bin/sh\nexit 2\n"), 0o700)
				if err == nil {
					var res *Result
					if res, err = Run(t.Context(), Command{Path: path}); err == nil && res.ExitCode != 2 {
						err = fmt.Errorf("exit code %d", res.ExitCode)
					}
				}
			}
			errs <- err
		}()
	}
	for range 4 {
		assert.NoError(t, <-errs)
	}
}

func TestCancelAtRandom(t *testing.T) {
	t.Parallel()
	script := `trap '' TERM; sleep 600 & sleep 600 & (sleep 600 & sleep 600) & wait; wait`
	for i := range 200 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(15000))*time.Microsecond)
		c := sh(script)
		c.Grace = time.Duration(rand.IntN(4)-1) * time.Millisecond
		if c.Grace == 0 {
			c.Grace = -1
		}
		c.Env.Set = map[string]string{"PROC_TEST_RANDOM": fmt.Sprintf("%d-%d.", os.Getpid(), i)}
		res, err := Run(ctx, c)
		cancel()
		if start := (*StartError)(nil); errors.As(err, &start) {
			t.Fatal(err)
		}
		require.NoError(t, err)
		require.True(t, res.TimedOut)
		require.Equal(t, -1, res.ExitCode)
		require.Empty(t, withVar("PROC_TEST_RANDOM="+fmt.Sprintf("%d-%d.", os.Getpid(), i)))
	}
}
