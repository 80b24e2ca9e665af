package sessionlog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// looked is what a look tells of a log of texts.
func looked(f *Follower) (texts []string, broken int) {
	broken = f.Look(func(e Entry) {
		var s string
		_ = json.Unmarshal(e.Data, &s)
		texts = append(texts, s)
	})
	return texts, broken
}

func TestAFollowerHearsOfWhatOthersAppend(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "log")
	f := NewFollower(dir)
	got, broken := looked(f)
	require.Empty(t, got, "there is no log yet")
	require.Zero(t, broken)
	open := func() *Log {
		l, err := Open(Options{Dir: dir, MaxBytes: 200}) // a few lines per file
		require.NoError(t, err)
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	first := open()
	require.NoError(t, first.Append(t.Context(), "old", "before"))
	all := NewFollower(dir)
	f.Skip()
	second := open()
	want := []string{}
	for i := range 20 {
		l := first
		if i%2 == 0 {
			l = second
		}
		s := string(rune('a' + i))
		require.NoError(t, l.Append(t.Context(), "new", s))
		want = append(want, s)
		if i == 7 {
			got, broken = looked(f)
			require.Equal(t, want, got)
			require.Zero(t, broken)
			want = nil
		}
	}
	got, _ = looked(f)
	require.Equal(t, want, got)
	got, _ = looked(f)
	require.Empty(t, got)
	got, _ = looked(all)
	require.Greater(t, len(got), len(want))
}

func TestAFollowerGoesOnAfterAFileWasCutReplacedOrTorn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "000001.jsonl")
	line := func(s string) string {
		return `{"time":"2026-01-02T03:04:05Z","kind":"k","data":"` + s + `"}` + "\n"
	}
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	f := NewFollower(dir)
	write(line("one") + line("two") + line("three"))
	got, _ := looked(f)
	require.Equal(t, []string{"one", "two", "three"}, got)

	write(line("four")) // cut short
	got, _ = looked(f)
	require.Equal(t, []string{"four"}, got)

	whole := line("five")
	write(line("four") + whole[:20]) // being written
	got, broken := looked(f)
	require.Empty(t, got)
	require.Zero(t, broken)
	write(line("four") + whole)
	got, _ = looked(f)
	require.Equal(t, []string{"five"}, got)

	write(line("four") + whole + "{\"torn\n\x00\xff\n\n" + `{"kind":""}` + "\n" + line("six"))
	got, broken = looked(f)
	require.Equal(t, []string{"six"}, got)
	require.Equal(t, 3, broken)

	// Another file of that name, and as long.
	require.NoError(t, os.WriteFile(path+".new", []byte(line("four")+whole+"{\"torn\n\x00\xff\n\n"+`{"kind":""}`+"\n"+line("new")), 0o600))
	require.NoError(t, os.Rename(path+".new", path))
	got, _ = looked(f)
	require.Equal(t, []string{"four", "five", "new"}, got)

	require.NoError(t, os.RemoveAll(dir))
	got, _ = looked(f)
	require.Empty(t, got)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	write(line("seven"))
	got, _ = looked(f)
	require.Equal(t, []string{"seven"}, got)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "000002.jsonl"), 0o700)) // no file at all
	got, _ = looked(f)
	require.Empty(t, got)
}
