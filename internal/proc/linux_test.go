//go:build linux

package proc

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func init() {
	acts["regroup"] = func([]string) {
		cmd := exec.Command("sleep", "600")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		_ = cmd.Start()
		fmt.Println("pid", cmd.Process.Pid)
		select {}
	}
	acts["storm"] = func([]string) {
		ignoreTerm()
		for range 200 {
			_ = exec.Command("sleep", "600").Start()
		}
		fmt.Println("pid", os.Getpid())
		select {}
	}
	acts["host"] = func([]string) { // a host that is killed in the middle of a run
		c := act("hang")
		c.OnOutput = func(Stream, []byte) {
			fmt.Println("pid", withVar(actVar + "=hang")[0])
		}
		_, _ = Run(context.Background(), c)
	}
}

func there(pid int) bool {
	q, ok := readStat(pid)
	return ok && !q.zombie
}

// withVar finds the living processes with this in their environment.
func withVar(text string) (found []int) {
	list, _ := processes()
	for _, q := range list {
		env, _ := os.ReadFile("/proc/" + strconv.Itoa(q.pid) + "/environ")
		if bytes.Contains(env, []byte(text)) && there(q.pid) {
			found = append(found, q.pid)
		}
	}
	return found
}

func zombies() (n int) {
	list, _ := processes()
	for _, q := range list {
		if q.zombie && q.ppid == os.Getpid() {
			n++
		}
	}
	return n
}

func descriptors(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(entries)
}

func TestCutShortReachesWhatLeftTheGroup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ about, script string }{
		{"setsid", `setsid sleep 600 & echo pid $!`},
		{"double fork and setsid, output closed", `(setsid sh -c 'echo pid $$; exec sleep 600 >/dev/null 2>&1' &)`},
		{"deaf as well", `(setsid sh -c 'trap "" TERM; echo pid $$; while :; do sleep 600; done' &)`},
		{"without environment, under its parent", `(env -i setsid sh -c 'echo pid $$; sleep 600; :' ; :) & `},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			ctx, watch := cancelAfter(t, 1)
			cmd := sh(c.script + "\nwait; while :; do sleep 600; done")
			cmd.OnOutput, cmd.Grace = watch, 50*time.Millisecond
			res, err := Run(ctx, cmd)
			require.NoError(t, err)
			assert.True(t, res.Cancelled)
			assertGone(t, pids(res.Stdout.String())...)
		})
	}
}

func TestCutShortReachesAnotherGroupOfTheSession(t *testing.T) {
	t.Parallel()
	ctx, watch := cancelAfter(t, 1)
	c := act("regroup")
	c.OnOutput, c.Grace = watch, 50*time.Millisecond
	res, err := Run(ctx, c)
	require.NoError(t, err)
	assertGone(t, pids(res.Stdout.String())...)
}

func TestDaemons(t *testing.T) {
	t.Parallel()
	t.Run("one that holds the output is ended", func(t *testing.T) {
		t.Parallel()
		res := run1(t, sh(`(setsid sh -c 'echo pid $$; exec sleep 600' &); :`))
		assert.Zero(t, res.ExitCode)
		assert.True(t, res.LeftBehind)
		assertGone(t, pids(res.Stdout.String())...)
	})
	const proper = `setsid sh -c 'echo pid $$; exec sleep 600 >/dev/null 2>&1' & wait_for=$!; while ! grep -q sleep /proc/$wait_for/comm; do :; done`
	t.Run("a proper one stays", func(t *testing.T) {
		t.Parallel()
		res := run1(t, sh(proper))
		assert.False(t, res.LeftBehind)
		found := pids(res.Stdout.String())
		require.Len(t, found, 1)
		assert.True(t, there(found[0]))
		require.NoError(t, syscall.Kill(found[0], syscall.SIGKILL))
	})
	t.Run("unless daemons are not wanted", func(t *testing.T) {
		t.Parallel()
		c := sh(proper)
		c.KillDaemons = true
		res := run1(t, c)
		assert.True(t, res.LeftBehind)
		assertGone(t, pids(res.Stdout.String())...)
	})
	t.Run("what has wiped its traces escapes, and holds nothing", func(t *testing.T) {
		t.Parallel()
		c := sh(`(env -i setsid sh -c 'echo pid $$; exec sleep 600' &); :`)
		res := run1(t, c)
		assert.Zero(t, res.ExitCode)
		found := pids(res.Stdout.String())
		require.Len(t, found, 1)
		assert.True(t, there(found[0]), "doc.go says so")
		require.NoError(t, syscall.Kill(found[0], syscall.SIGKILL))
	})
}

// TestMarksNest: a host inside a run keeps the mark of the outer one.
func TestMarksNest(t *testing.T) {
	t.Setenv(markName, "outer")
	res := run1(t, sh(`echo "$RHO_EXT_RUN"`))
	assert.Regexp(t, `^outer,[A-Z2-7]{26}\n$`, res.Stdout.String())
}

func TestNoDescriptorIsInherited(t *testing.T) {
	// Not parallel: the descriptor must not reach other tests' programs.
	fd, err := unix.Open("/dev/zero", unix.O_RDONLY, 0) // without O_CLOEXEC
	require.NoError(t, err)
	defer unix.Close(fd)
	res := run1(t, Command{Path: "ls", Args: []string{"-l", "/proc/self/fd"}})
	assert.NotContains(t, res.Stdout.String(), "/dev/zero")
	assert.Equal(t, 4, strings.Count(res.Stdout.String(), " -> "), "the streams, and the directory that ls reads:\n%s", res.Stdout)
}

func TestForkStorm(t *testing.T) {
	t.Parallel()
	const mark = "PROC_TEST_STORM=1"
	ctx, watch := cancelAfter(t, 1)
	c := act("storm")
	c.Env.Set["PROC_TEST_STORM"] = "1"
	c.OnOutput = func(s Stream, b []byte) {
		assert.Greater(t, len(withVar(mark)), 150)
		watch(s, b)
	}
	c.Grace = 20 * time.Millisecond
	_, err := Run(ctx, c)
	require.NoError(t, err)
	assert.Empty(t, withVar(mark), "gone when Run returns")
}

// TestNothingIsKept is not parallel: it counts what the process holds.
func TestNothingIsKept(t *testing.T) {
	run1(t, sh("exit 0"))
	fds, others := descriptors(t), goleak.IgnoreCurrent()
	for i := range 200 {
		c := sh([]string{"exit 1", "cat", "kill -9 $$"}[i%3])
		if i%10 == 0 {
			c = sh("sleep 600 & exit 0")
		}
		if i%4 == 0 {
			c.Stdin = strings.NewReader("x")
		}
		if i%5 == 0 {
			c.Timeout = 5 * time.Millisecond
		}
		run1(t, c)
	}
	_, err := Run(t.Context(), Command{Path: "/dev/null"})
	require.Error(t, err)
	assert.LessOrEqual(t, descriptors(t), fds)
	assert.Zero(t, zombies())
	goleak.VerifyNone(t, others)
}

func TestLeaderEndsWithItsHost(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	host := exec.Command(self)
	host.Env = []string{actVar + "=host", "PATH=" + os.Getenv("PATH")}
	out, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	var pid int
	_, err = fmt.Fscanf(out, "pid %d\n", &pid)
	require.NoError(t, err)
	require.NoError(t, host.Process.Kill())
	_ = host.Wait()
	assertGone(t, pid)
}

// TestWithoutPidfd is how it goes on a kernel before 6.9.
func TestWithoutPidfd(t *testing.T) {
	t.Parallel()
	p, err := (&Command{Path: "sh", Args: []string{"-c", "sleep 600 & sleep 600"}}).prepare()
	require.NoError(t, err)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	require.NoError(t, err)
	defer null.Close()
	p.files = [3]*os.File{null, null, null}
	proc, err := startProcess(p)
	require.NoError(t, err)
	defer proc.close()
	proc.wide.close()
	assert.True(t, proc.signal(probe, false))
	assert.True(t, proc.signal(kill, false))
	<-proc.exited
	_, name := status(proc.reap())
	assert.Equal(t, "SIGKILL", name)
	assert.Eventually(t, func() bool { return !proc.signal(probe, true) }, 5*time.Second, time.Millisecond)
}
