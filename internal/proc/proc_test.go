package proc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// acts are what the test binary does when it is started as a program.
var acts = map[string]func(args []string){
	"exit": func(args []string) {
		code, _ := strconv.Atoi(args[0])
		fmt.Print("out")
		fmt.Fprint(os.Stderr, "err")
		syscall.Exit(code)
	},
	"args": func(args []string) { fmt.Printf("%q", args) },
	"env":  func([]string) { fmt.Print(strings.Join(os.Environ(), "\n")) },
	"cwd":  func([]string) { dir, _ := os.Getwd(); fmt.Print(dir) },
	"cat":  func([]string) { _, _ = io.Copy(os.Stdout, os.Stdin) },
	"line": func([]string) { s, _ := bufio.NewReader(os.Stdin).ReadString('\n'); fmt.Print(s) },
	"hang": func([]string) { fmt.Println("ready"); select {} },
	"raw":  func(args []string) { s, _ := strconv.Unquote(args[0]); fmt.Print(s) },
	"flood": func(args []string) {
		left, _ := strconv.Atoi(args[0])
		fmt.Print("first")
		piece := bytes.Repeat([]byte("x"), 1<<20)
		for ; left > 0; left -= len(piece) {
			_, _ = os.Stdout.Write(piece)
		}
		fmt.Print("last")
	},
	"turns": func([]string) {
		for i := range 20 {
			fmt.Fprintf([]io.Writer{os.Stdout, os.Stderr}[i%2], "%d,", i)
		}
	},
}

const actVar = "PROC_TEST_ACT"

func TestMain(m *testing.M) {
	if act, ok := acts[os.Getenv(actVar)]; ok {
		act(os.Args[1:])
		syscall.Exit(0) // os.Exit would write a line about coverage

	}
	goleak.VerifyTestMain(m)
}

// act is the command that lets the test binary play a program.
func act(name string, args ...string) Command {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Command{Path: self, Args: args, Env: Environment{Set: map[string]string{actVar: name}}, Timeout: time.Minute}
}

func run1(t *testing.T, c Command) *Result {
	t.Helper()
	res, err := Run(t.Context(), c)
	require.NoError(t, err)
	return res
}

func TestExitCodesAndStreams(t *testing.T) {
	t.Parallel()
	for _, code := range []int{0, 1, 3, 255} {
		res := run1(t, act("exit", strconv.Itoa(code)))
		assert.Equal(t, code, res.ExitCode)
		assert.Equal(t, "out", res.Stdout.String())
		assert.Equal(t, "err", res.Stderr.String())
		assert.False(t, res.TimedOut || res.Cancelled || res.LeftBehind)
		assert.Positive(t, res.Duration)
	}
}

func TestStdin(t *testing.T) {
	t.Parallel()
	t.Run("without input a reader sees the end at once", func(t *testing.T) {
		t.Parallel()
		res := run1(t, act("cat"))
		assert.Zero(t, res.Stdout.Total)
		assert.Less(t, res.Duration, 30*time.Second)
	})
	t.Run("input arrives whole", func(t *testing.T) {
		t.Parallel()
		text := strings.Repeat("0123456789abcdef", 1<<16)
		c := act("cat")
		c.Stdin, c.MaxOutput = strings.NewReader(text), 2<<20
		res := run1(t, c)
		assert.Equal(t, text, string(res.Stdout.Head))
	})
	t.Run("a program that wants only a part of it", func(t *testing.T) {
		t.Parallel()
		c := act("line")
		c.Stdin = io.MultiReader(strings.NewReader("one\n"), strings.NewReader(strings.Repeat("x", 4<<20)))
		assert.Equal(t, "one\n", run1(t, c).Stdout.String())
	})
	t.Run("input that never ends or comes holds nothing", func(t *testing.T) {
		t.Parallel()
		r, w := io.Pipe()
		defer w.Close()
		c := act("exit", "4")
		c.Stdin = r
		assert.Equal(t, 4, run1(t, c).ExitCode)
	})
	t.Run("input that fails stops the program, which never sees its end", func(t *testing.T) {
		t.Parallel()
		c := act("cat")
		c.Stdin = io.MultiReader(strings.NewReader("half"), iotest.ErrReader(errors.New("disk on fire")))
		res, err := Run(t.Context(), c)
		require.ErrorContains(t, err, "disk on fire")
		require.NotNil(t, res)
		assert.NotEqual(t, 0, res.ExitCode)
	})
	t.Run("input that panics", func(t *testing.T) {
		t.Parallel()
		c := act("cat")
		c.Stdin = readerFunc(func([]byte) (int, error) { panic("boom") })
		_, err := Run(t.Context(), c)
		require.ErrorContains(t, err, "Stdin panicked: boom")
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestArguments(t *testing.T) {
	t.Parallel()
	args := []string{"", " ", "a b", `"quoted"`, `'single'`, "line\nbreak", "tab\t", "$HOME", "`id`", "$(id)", "; echo hi", "| cat", "&& x", "*", "~", `\`, `a\`, `a\"b`, "-", "--", "--flag=x y", "%PATH%", "ünï", "\U0001F600", "\r\n", "<in", ">out", "!!", "#no", "{a,b}"}
	assert.Equal(t, fmt.Sprintf("%q", args), run1(t, act("args", args...)).Stdout.String())
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	c := act("cwd")
	c.Dir = dir
	assert.Equal(t, dir, run1(t, c).Stdout.String())
	if runtime.GOOS != "windows" {
		c = act("env")
		c.Dir = dir
		assert.Contains(t, strings.Split(run1(t, c).Stdout.String(), "\n"), "PWD="+dir)
	}
}

func TestStartErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, []byte("hello"), 0o600))
	self, err := os.Executable()
	require.NoError(t, err)
	for _, c := range []struct {
		about  string
		cmd    Command
		reason error
		says   string
	}{
		{"no name", Command{}, ErrNotFound, "no program was named"},
		{"unknown name", Command{Path: "no-such-program-xyz"}, ErrNotFound, "in PATH"},
		{"a whole command line as the name", Command{Path: "echo hi; id"}, ErrNotFound, "in PATH"},
		{"unknown path", Command{Path: filepath.Join(dir, "nothing")}, ErrNotFound, "no such file"},
		{"no PATH", Command{Path: "sh", Env: Environment{From: []string{}}}, ErrNotFound, "PATH is empty"},
		{"a directory", Command{Path: dir + string(filepath.Separator)}, ErrNotExecutable, "a directory"},
		{"not executable", Command{Path: file}, ErrNotExecutable, "not executable"},
		{"not executable, in PATH", Command{Path: "file", Env: Environment{Set: map[string]string{"PATH": dir}}}, ErrNotExecutable, "not executable"},
		{"directory missing", Command{Path: self, Dir: filepath.Join(dir, "gone")}, ErrBadDir, "no such directory"},
		{"directory is a file", Command{Path: self, Dir: file}, ErrBadDir, "that is a file"},
		{"directory with NUL", Command{Path: self, Dir: "a\x00b"}, ErrBadDir, "NUL"},
		{"argument with NUL", Command{Path: self, Args: []string{"ok", "a\x00b"}}, ErrBadArgument, "argument 2 holds a NUL"},
		{"name with NUL", Command{Path: "a\x00b"}, ErrBadArgument, "its name holds a NUL"},
		{"variable with =", Command{Path: self, Env: Environment{Set: map[string]string{"A=B": "c"}}}, ErrBadArgument, `"A=B"`},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			res, err := Run(t.Context(), c.cmd)
			assert.Nil(t, res)
			require.ErrorIs(t, err, c.reason)
			require.ErrorContains(t, err, c.says)
			var start *StartError
			require.ErrorAs(t, err, &start)
			assert.Equal(t, c.cmd.Path, start.Program)
		})
	}
}

func TestLookupUsesThePathOfTheProgram(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	c := act("exit", "7")
	c.Path = filepath.Base(self)
	c.Env.Set["PATH"] = "relative" + string(filepath.ListSeparator) + string(filepath.ListSeparator) + filepath.Dir(self)
	assert.Equal(t, 7, run1(t, c).ExitCode)

	c.Path, c.Dir = "./"+filepath.Base(self), filepath.Dir(self)
	assert.Equal(t, 7, run1(t, c).ExitCode, "a relative path counts from Dir")

	c.Path, c.Dir = filepath.Base(self), filepath.Dir(self)
	c.Env.Set["PATH"] = "."
	_, err = Run(t.Context(), c)
	assert.ErrorIs(t, err, ErrNotFound, "the current directory is not searched, even if PATH says so")
}

func TestTimeoutAndCancel(t *testing.T) {
	t.Parallel()
	t.Run("timeout", func(t *testing.T) {
		t.Parallel()
		c := act("hang")
		c.Timeout = 200 * time.Millisecond
		res := run1(t, c)
		assert.True(t, res.TimedOut)
		assert.False(t, res.Cancelled)
		assert.Equal(t, -1, res.ExitCode)
		assert.Less(t, res.Duration, 5*time.Second)
	})
	t.Run("deadline of the context", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		res, err := Run(ctx, act("hang"))
		require.NoError(t, err)
		assert.True(t, res.TimedOut)
	})
	t.Run("cancel", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c := act("hang")
		c.OnOutput = func(Stream, []byte) { cancel() }
		res, err := Run(ctx, c)
		require.NoError(t, err)
		assert.True(t, res.Cancelled)
		assert.False(t, res.TimedOut)
		assert.Equal(t, "ready", strings.TrimSpace(res.Stdout.String()), "what was written before stays")
	})
	t.Run("cancelled before it begins", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		res, err := Run(ctx, act("hang"))
		require.NoError(t, err)
		assert.Equal(t, &Result{ExitCode: -1, Cancelled: true}, res)
	})
}

func TestOutputIsBounded(t *testing.T) {
	t.Parallel()
	c := act("flood", strconv.Itoa(200_000))
	c.MaxOutput = 1000
	res := run1(t, c)
	assert.True(t, res.Stdout.Truncated)
	assert.Equal(t, int64(1<<20+9), res.Stdout.Total)
	assert.Equal(t, res.Stdout.Total-1000, res.Stdout.Dropped())
	assert.True(t, bytes.HasPrefix(res.Stdout.Head, []byte("firstx")))
	assert.True(t, bytes.HasSuffix(res.Stdout.Tail, []byte("xlast")))
	assert.Contains(t, res.Stdout.String(), "\n[... 1047585 of 1048585 bytes left out ...]\n")

	c.MaxOutput = -1
	res = run1(t, c)
	assert.Empty(t, res.Stdout.Head)
	assert.Empty(t, res.Stdout.Tail)
	assert.Equal(t, res.Stdout.Total, res.Stdout.Dropped())
}

func TestInvalidUTF8AndNoNewline(t *testing.T) {
	t.Parallel()
	res := run1(t, act("raw", strconv.Quote("a\xffb\xc3(end")))
	assert.Equal(t, "a\uFFFDb\uFFFD(end", res.Stdout.String())
	assert.Equal(t, []byte("a\xffb\xc3(end"), res.Stdout.Head, "the bytes stay as they are")
}

func TestSpillAndProgress(t *testing.T) {
	t.Parallel()
	var spill bytes.Buffer
	var mu sync.Mutex
	seen := map[Stream]string{}
	c := act("exit", "0")
	c.Spill = &spill
	c.OnOutput = func(s Stream, b []byte) {
		mu.Lock()
		defer mu.Unlock()
		seen[s] += string(b)
	}
	res := run1(t, c)
	assert.Equal(t, map[Stream]string{Stdout: "out", Stderr: "err"}, seen)
	assert.ElementsMatch(t, []byte("outerr"), spill.Bytes())
	assert.Equal(t, int64(3), res.Stdout.Total)

	t.Run("everything is spilled", func(t *testing.T) {
		t.Parallel()
		var spill bytes.Buffer
		c := act("flood", strconv.Itoa(4<<20))
		c.MaxOutput, c.Spill = 100, &spill
		res := run1(t, c)
		assert.Equal(t, res.Stdout.Total, int64(spill.Len()))
		assert.True(t, bytes.HasSuffix(spill.Bytes(), []byte("xlast")))
	})
	t.Run("a spill that fails is told and stops nothing", func(t *testing.T) {
		t.Parallel()
		for name, w := range map[string]io.Writer{
			"no space left": writerFunc(func([]byte) (int, error) { return 0, errors.New("no space left") }),
			"short write":   writerFunc(func([]byte) (int, error) { return 0, nil }),
			"panicked: oh":  writerFunc(func([]byte) (int, error) { panic("oh") }),
		} {
			c := act("exit", "3")
			c.Spill = w
			res, err := Run(t.Context(), c)
			require.ErrorContains(t, err, name)
			assert.Equal(t, 3, res.ExitCode)
			assert.Equal(t, "out", res.Stdout.String())
		}
	})
	t.Run("a callback that panics ends the run", func(t *testing.T) {
		t.Parallel()
		c := act("hang")
		c.OnOutput = func(Stream, []byte) { panic("oh") }
		res, err := Run(t.Context(), c)
		require.ErrorContains(t, err, "OnOutput panicked: oh")
		assert.Equal(t, -1, res.ExitCode)
	})
	t.Run("a callback that leaves its goroutine ends the run", func(t *testing.T) {
		t.Parallel()
		c := act("hang")
		c.OnOutput = func(Stream, []byte) { runtime.Goexit() }
		_, err := Run(t.Context(), c)
		require.ErrorContains(t, err, "ended its goroutine")
	})
	t.Run("a slow callback loses nothing", func(t *testing.T) {
		t.Parallel()
		n := 0
		c := act("flood", strconv.Itoa(1<<20))
		c.OnOutput = func(_ Stream, b []byte) {
			n += len(b)
			<-time.After(20 * time.Millisecond) // longer together than all bounds after the end
		}
		res := run1(t, c)
		assert.Equal(t, 1<<20+9, n)
		assert.True(t, bytes.HasSuffix(res.Stdout.Tail, []byte("last")))
	})
}

func TestMerge(t *testing.T) {
	t.Parallel()
	c := act("turns")
	c.Merge = true
	res := run1(t, c)
	assert.Equal(t, "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,", res.Stdout.String())
	assert.Zero(t, res.Stderr.Total)
}

// TestFloodInBoundedMemory is not parallel: it looks at the memory of the
// process.
func TestFloodInBoundedMemory(t *testing.T) {
	const size = 256 << 20
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	res := run1(t, act("flood", strconv.Itoa(size)))
	runtime.ReadMemStats(&after)
	assert.Equal(t, int64(size+9), res.Stdout.Total)
	assert.LessOrEqual(t, len(res.Stdout.Head)+len(res.Stdout.Tail), DefaultMaxOutput)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), "bytes allocated while %d MiB went through", size>>20)
}

func BenchmarkTrue(b *testing.B) {
	path, err := exec.LookPath("true")
	require.NoError(b, err)
	b.Run("proc", func(b *testing.B) {
		for b.Loop() {
			if res, err := Run(b.Context(), Command{Path: path}); err != nil || res.ExitCode != 0 {
				b.Fatal(res, err)
			}
		}
	})
	b.Run("exec", func(b *testing.B) {
		for b.Loop() {
			var out, errs bytes.Buffer
			cmd := exec.CommandContext(b.Context(), path)
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
