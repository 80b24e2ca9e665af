package sessionlog

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain doubles as the writing process of other tests.
func TestMain(m *testing.M) {
	if dir := os.Getenv("SESSIONLOG_WRITER"); dir != "" {
		writer(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

type record struct {
	Writer string `json:"writer"`
	N      int    `json:"n"`
	Filler string `json:"filler,omitempty"`
}

// writer appends until its count is reached or it is killed, and says on its
// standard output what it has appended.
func writer(dir string) {
	count, _ := strconv.Atoi(os.Getenv("SESSIONLOG_COUNT"))
	l, err := Open(options(dir))
	if err != nil {
		panic(err)
	}
	for n := 0; count == 0 || n < count; n++ {
		if err := l.Append(context.Background(), "outcome", record{os.Getenv("SESSIONLOG_NAME"), n, strings.Repeat("x", n*7%900)}); err != nil {
			panic(err)
		}
		fmt.Println(n)
	}
	if err := l.Close(); err != nil {
		panic(err)
	}
}

func options(dir string) Options {
	return Options{Dir: dir, MaxBytes: 16 << 10, Keep: 10_000}
}

func writerProcess(t *testing.T, dir, name string, count int) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "SESSIONLOG_WRITER="+dir, "SESSIONLOG_NAME="+name, "SESSIONLOG_COUNT="+strconv.Itoa(count))
	cmd.Stderr = os.Stderr
	return cmd
}

func open(t testing.TB, o Options) *Log {
	t.Helper()
	l, err := Open(o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, l.Close()) })
	return l
}

func read(t testing.TB, dir string) (entries []Entry, broken int) {
	t.Helper()
	broken, err := Read(dir, func(e Entry) error { entries = append(entries, e); return nil })
	require.NoError(t, err)
	return entries, broken
}

// counts is how often each record is in a log.
func counts(t testing.TB, dir string) (map[string]int, int) {
	entries, broken := read(t, dir)
	seen := map[string]int{}
	for _, e := range entries {
		var r record
		require.NoError(t, json.Unmarshal(e.Data, &r))
		seen[fmt.Sprint(r.Writer, " ", r.N)]++
	}
	return seen, broken
}

func TestWhatIsAppendedIsReadInOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	l := open(t, Options{Dir: dir})
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // a cancelled call is recorded as well
	before := time.Now()
	require.NoError(t, l.Append(ctx, "request", map[string]string{"text": "hi\nthere <é>"}))
	require.NoError(t, l.Append(ctx, "outcome", []int{1, 2}))
	require.NoError(t, l.Append(ctx, "other", nil))

	entries, broken := read(t, dir)
	assert.Zero(t, broken)
	require.Len(t, entries, 3)
	assert.Equal(t, "request", entries[0].Kind)
	assert.JSONEq(t, `{"text":"hi\nthere <é>"}`, string(entries[0].Data))
	assert.WithinRange(t, entries[0].Time, before.Add(-time.Second), time.Now())
	assert.Equal(t, `[1,2]`, string(entries[1].Data))

	raw, err := os.ReadFile(filepath.Join(dir, "000001.jsonl"))
	require.NoError(t, err)
	assert.Regexp(t, `^\{"time":"\d{4}-\d\d-\d\dT[\d:.]+Z","kind":"request","data":\{`, string(raw))

	if runtime.GOOS != "windows" {
		for path, want := range map[string]os.FileMode{filepath.Dir(dir): 0o700, dir: 0o700, filepath.Join(dir, "000001.jsonl"): 0o600} {
			info, err := os.Stat(path)
			require.NoError(t, err)
			assert.Equal(t, want, info.Mode().Perm(), path)
		}
	}
}

func TestReadingStopsAtAnErrorAndKnowsNoLog(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Options{Dir: dir})
	for range 3 {
		require.NoError(t, l.Append(context.Background(), "a", 1))
	}
	stop := errors.New("enough")
	n := 0
	_, err := Read(dir, func(Entry) error { n++; return stop })
	assert.Equal(t, stop, err)
	assert.Equal(t, 1, n)

	entries, _ := read(t, filepath.Join(dir, "none"))
	assert.Empty(t, entries)
}

func TestAPlaceThatCannotBeWrittenIsAnErrorOfOpen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Open(Options{Dir: filepath.Join(file, "log")})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "session log: ")

	taken := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(taken, "000001.jsonl"), 0o700))
	_, err = Open(Options{Dir: taken})
	require.Error(t, err)
}

func TestALogThatIsNoRegularFileIsAnErrorOfOpen(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(os.DevNull, filepath.Join(dir, name(1))); err != nil {
		t.Skip(err)
	}
	_, err := Open(options(dir))
	assert.ErrorContains(t, err, "not a regular file")
}

func TestWhatCannotBeEncodedIsAnErrorAndNoLine(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Options{Dir: dir})
	require.Error(t, l.Append(context.Background(), "a", func() {}))
	require.NoError(t, l.Append(context.Background(), "a", 1))
	require.NoError(t, l.Close())
	assert.Equal(t, ErrClosed, l.Append(context.Background(), "a", 1))
	entries, broken := read(t, dir)
	assert.Len(t, entries, 1)
	assert.Zero(t, broken)
}

func TestALongRecordLeavesAStub(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Options{Dir: dir, MaxLine: 1000})
	require.NoError(t, l.Append(context.Background(), "outcome", strings.Repeat("x", 5000)))
	entries, _ := read(t, dir)
	require.Len(t, entries, 1)
	assert.Equal(t, 5002, entries[0].Omitted)
	assert.Nil(t, entries[0].Data)
	assert.Equal(t, "outcome", entries[0].Kind)
}

func TestTornAndForeignLinesAreSkippedAndCounted(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "000001.jsonl")
	whole := `{"time":"2026-01-02T03:04:05Z","kind":"a","data":1}` + "\n"
	require.NoError(t, os.WriteFile(path, []byte(whole+"nonsense\n\n{}\n"+whole+`{"time":"2026-01-02T03:0`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("x"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "1.jsonl"), []byte(whole), 0o600))
	entries, broken := read(t, dir)
	assert.Len(t, entries, 2)
	assert.Equal(t, 3, broken)

	l := open(t, Options{Dir: dir}) // goes on behind the torn line
	require.NoError(t, l.Append(context.Background(), "b", 2))
	require.NoError(t, l.Append(context.Background(), "c", 3))
	entries, broken = read(t, dir)
	assert.Equal(t, 3, broken)
	require.Len(t, entries, 4)
	assert.Equal(t, "b", entries[2].Kind)
}

func TestFullFilesAreLeftAndOldOnesRemoved(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Options{Dir: dir, MaxBytes: 1000, Keep: 3})
	for n := range 100 {
		require.NoError(t, l.Append(context.Background(), "outcome", record{"w", n, ""}))
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	assert.Len(t, names, 3)
	for _, n := range names {
		info, err := os.Stat(n)
		require.NoError(t, err)
		assert.LessOrEqual(t, info.Size(), int64(1000))
	}
	entries, broken := read(t, dir)
	assert.Zero(t, broken)
	var last record
	require.NoError(t, json.Unmarshal(entries[len(entries)-1].Data, &last))
	assert.Equal(t, 99, last.N)

	again := open(t, Options{Dir: dir, MaxBytes: 1000, Keep: 3}) // goes on in the last file
	require.NoError(t, again.Append(context.Background(), "outcome", 1))
	after, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	assert.LessOrEqual(t, len(after), 3)
}

func TestALineLongerThanAFileStillGoesIn(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Options{Dir: dir, MaxBytes: 100})
	for range 3 {
		require.NoError(t, l.Append(context.Background(), "outcome", strings.Repeat("x", 500)))
	}
	entries, _ := read(t, dir)
	assert.Len(t, entries, 3)
}

func TestAFileThatIsGoneIsMadeAgain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be removed")
	}
	dir := filepath.Join(t.TempDir(), "log")
	l := open(t, Options{Dir: dir})
	require.NoError(t, l.Append(context.Background(), "a", 1))
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, l.Append(context.Background(), "b", 2))
	require.NoError(t, l.Append(context.Background(), "c", 3))
	entries, _ := read(t, dir)
	require.Len(t, entries, 2)
	assert.Equal(t, "b", entries[0].Kind)
}

func TestManyWritersInOneProcess(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	const each = 200
	for w := range 4 {
		l := open(t, options(dir))
		for g := range 4 {
			wg.Go(func() {
				for n := range each {
					assert.NoError(t, l.Append(context.Background(), "outcome", record{fmt.Sprint(w, g), n, strings.Repeat("y", n)}))
				}
			})
		}
	}
	wg.Go(func() { // reading meanwhile never sees half a line
		for range 20 {
			_, broken := read(t, dir)
			assert.Zero(t, broken)
		}
	})
	wg.Wait()
	seen, broken := counts(t, dir)
	assert.Zero(t, broken)
	assert.Len(t, seen, 16*each)
	for k, n := range seen {
		assert.Equal(t, 1, n, k)
	}
}

func TestTwoProcessesLoseAndSplitNothing(t *testing.T) {
	dir := t.TempDir()
	const each = 1500
	a, b := writerProcess(t, dir, "a", each), writerProcess(t, dir, "b", each)
	require.NoError(t, a.Start())
	require.NoError(t, b.Start())
	require.NoError(t, a.Wait())
	require.NoError(t, b.Wait())
	seen, broken := counts(t, dir)
	assert.Zero(t, broken)
	assert.Len(t, seen, 2*each)
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	assert.Greater(t, len(names), 20, "the log has gone on many times")
}

func TestWhatWasAppendedOutlivesAKill(t *testing.T) {
	dir := t.TempDir()
	want := map[string]bool{}
	for round := range 5 {
		name := fmt.Sprint("r", round)
		cmd := writerProcess(t, dir, name, 0)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			want[name+" "+lines.Text()] = true
			if n == 100+round*37 {
				require.NoError(t, cmd.Process.Kill()) // in the middle of the next one
			}
		}
		require.Error(t, cmd.Wait())
	}
	seen, broken := counts(t, dir)
	for k := range want {
		assert.Equal(t, 1, seen[k], k)
	}
	assert.LessOrEqual(t, broken, 5)
	assert.LessOrEqual(t, len(seen), len(want)+5*2000)
}

func BenchmarkAppend(b *testing.B) {
	l := open(b, Options{Dir: b.TempDir()})
	r := record{"w", 1, strings.Repeat("x", 500)}
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Append(context.Background(), "outcome", r); err != nil {
			b.Fatal(err)
		}
	}
}

// The line after the directory was removed may be the one that fills the file.
func TestAFullFileGoesOnInADirectoryThatWasRemoved(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "log")
	l, err := Open(Options{Dir: dir, MaxBytes: 1})
	require.NoError(t, err)
	defer l.Close()
	for range 3 {
		require.NoError(t, l.Append(t.Context(), "k", "text"))
		require.NoError(t, os.RemoveAll(filepath.Dir(dir)))
	}
	require.NoError(t, l.Append(t.Context(), "k", "last"))
	n := 0
	_, err = Read(dir, func(Entry) error { n++; return nil })
	require.NoError(t, err)
	require.Equal(t, 1, n)
}
