package keyfile

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The test program is also the process that is killed: see writer.
const writerName = "KEYFILE_WRITER"

func TestMain(m *testing.M) {
	if arg := os.Getenv(writerName); arg != "" {
		writer(arg)
		return
	}
	os.Exit(m.Run())
}

// writer counts its own key up for ever, and a shared one, and prints what is
// kept for sure.
func writer(arg string) {
	path, name, _ := strings.Cut(arg, "|")
	f := New(Options{Path: path, Wait: time.Minute})
	ctx := context.Background()
	n := 0
	if v, err := f.Get(ctx, name); err == nil && v != nil {
		_ = json.Unmarshal(v, &n)
	}
	for {
		n++
		if err := f.Set(ctx, name, json.RawMessage(strconv.Itoa(n))); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println(n)
		if err := f.Set(ctx, "shared", json.RawMessage(strconv.Quote(name+strings.Repeat("x", n%5000)))); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
}

func newFile(t *testing.T, o Options) *File {
	o.Path = filepath.Join(t.TempDir(), "deep", "er", "state.json")
	return New(o)
}

func TestWhatWasSetIsThereForEverybody(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	f := newFile(t, Options{})
	v, err := f.Get(ctx, "absent")
	require.NoError(t, err)
	require.Nil(t, v)
	_, err = os.Stat(filepath.Dir(f.opts.Path))
	require.ErrorIs(t, err, fs.ErrNotExist, "reading makes nothing")

	for key, value := range map[string]string{"a": `1`, "__proto__": `{"x":[null]}`, "": `"<&>"`, "ключ": `9007199254740993`, "constructor": `true`} {
		require.NoError(t, f.Set(ctx, key, json.RawMessage(value)))
		v, err := New(f.opts).Get(ctx, key)
		require.NoError(t, err)
		require.Equal(t, value, string(v), "to the byte: %s", key)
	}
	keys, err := f.Keys(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"", "__proto__", "a", "constructor", "ключ"}, keys)
	found, err := f.Delete(ctx, "a")
	require.NoError(t, err)
	require.True(t, found)
	found, err = f.Delete(ctx, "a")
	require.NoError(t, err)
	require.False(t, found)
	st, err := os.Stat(f.opts.Path)
	require.NoError(t, err)
	if os.PathSeparator == '/' {
		require.Equal(t, fs.FileMode(0o600), st.Mode().Perm())
	}
}

func TestAChangeThatIsRefusedChangesNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	f := newFile(t, Options{Max: 100})
	require.NoError(t, f.Set(ctx, "kept", json.RawMessage(`"here"`)))
	var size *SizeError
	require.ErrorAs(t, f.Set(ctx, "large", json.RawMessage(`"`+strings.Repeat("x", 200)+`"`)), &size)
	require.ErrorAs(t, f.Set(ctx, "more", json.RawMessage(`"`+strings.Repeat("x", 85)+`"`)), &size)
	require.Error(t, f.Set(ctx, "bad", json.RawMessage(`{"a":`)))
	require.Error(t, f.Set(ctx, "bad\xff", json.RawMessage(`1`)))
	keys, err := f.Keys(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"kept"}, keys)
}

func TestABrokenFileIsKeptAsideAndTold(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, text := range map[string]string{"half": `{"a":1`, "null": `null`, "an array": `[1]`, "huge": strings.Repeat(" ", 5000)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told string
			f := newFile(t, Options{Max: 1000, SetAside: func(path string, _ error) { told = path }})
			require.NoError(t, f.Set(ctx, "x", json.RawMessage(`1`)))
			require.NoError(t, os.WriteFile(f.opts.Path, []byte(text), 0o600))
			v, err := f.Get(ctx, "x")
			require.NoError(t, err)
			require.Nil(t, v)
			data, err := os.ReadFile(told)
			require.NoError(t, err)
			require.Equal(t, text, string(data))
			require.NoError(t, f.Set(ctx, "x", json.RawMessage(`2`)))
		})
	}
}

func TestALinkInItsPlaceIsNotFollowed(t *testing.T) {
	t.Parallel()
	f := newFile(t, Options{})
	victim := filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.WriteFile(victim, []byte(`{"secret":1}`), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Dir(f.opts.Path), 0o700))
	if err := os.Symlink(victim, f.opts.Path); err != nil {
		t.Skip(err)
	}
	_, err := f.Get(context.Background(), "secret")
	require.ErrorContains(t, err, "no regular file")
	require.Error(t, f.Set(context.Background(), "secret", json.RawMessage(`2`)))
	data, err := os.ReadFile(victim)
	require.NoError(t, err)
	require.Equal(t, `{"secret":1}`, string(data))
}

func TestAChangeWaitsNoLongerThanItsContext(t *testing.T) {
	t.Parallel()
	f := newFile(t, Options{})
	unlock, err := f.lock(context.Background())
	require.NoError(t, err)
	defer unlock()
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(gone)
	require.ErrorIs(t, f.Set(ctx, "x", json.RawMessage(`1`)), gone)
	require.ErrorIs(t, New(Options{Path: f.opts.Path, Wait: time.Millisecond}).Set(context.Background(), "x", json.RawMessage(`1`)), errBusy)
}

func TestWritersOfOneProcessLoseNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	f := newFile(t, Options{Wait: time.Minute})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			own := New(f.opts)
			for j := range 10 {
				if err := own.Set(ctx, fmt.Sprintf("%d-%d", i, j), json.RawMessage(strconv.Itoa(j))); err != nil {
					t.Error(err)
				}
				if v, err := own.Get(ctx, fmt.Sprintf("%d-%d", i, j)); err != nil || string(v) != strconv.Itoa(j) {
					t.Errorf("%s %v", v, err)
				}
			}
		})
	}
	wg.Wait()
	keys, err := f.Keys(ctx)
	require.NoError(t, err)
	require.Len(t, keys, 80)
}

// Two processes write and are killed at any moment, again and again: the file is
// always whole, what a process was told is kept is there, and neither takes the
// other's keys away. With RHO_LONG=1 it is repeated for a minute.
func TestProcessesThatAreKilledLoseNothing(t *testing.T) {
	t.Parallel()
	kills := 6
	if os.Getenv("RHO_LONG") != "" {
		kills = 400
	}
	self, err := os.Executable()
	require.NoError(t, err)
	f := newFile(t, Options{Wait: time.Minute})
	ctx := context.Background()
	require.NoError(t, f.Set(ctx, "bystander", json.RawMessage(`"here"`)))
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		wg.Go(func() {
			last := 0
			for i := range kills {
				cmd := exec.Command(self)
				cmd.Env = append(os.Environ(), writerName+"="+f.opts.Path+"|"+name)
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Error(err)
					return
				}
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				// It has written something once, and is killed in the middle of more.
				lines := bufio.NewScanner(out)
				var kill *time.Timer
				for lines.Scan() {
					if kill == nil {
						kill = time.AfterFunc(time.Duration(17*i%90)*time.Millisecond, func() { _ = cmd.Process.Kill() })
					}
					n, err := strconv.Atoi(lines.Text())
					if err != nil {
						t.Error(lines.Text())
					}
					last = max(last, n)
				}
				_ = cmd.Wait()
				v, err := f.Get(ctx, name)
				if err != nil {
					t.Error(err)
				}
				if kept, _ := strconv.Atoi(string(v)); kept < last {
					t.Errorf("%s: %d was kept, but there is %s", name, last, v)
				}
				if v, err := f.Get(ctx, "bystander"); err != nil || string(v) != `"here"` {
					t.Errorf("%s %v", v, err)
				}
			}
			if last == 0 {
				t.Error("nothing was written")
			}
		})
	}
	wg.Wait()
	matches, err := filepath.Glob(f.opts.Path + ".broken*")
	require.NoError(t, err)
	require.Empty(t, matches)
}
