package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// begin watches places and gives what is heard.
func begin(t *testing.T, o Options, places ...Place) (*Watcher, chan Batch) {
	t.Helper()
	heard := make(chan Batch, 1000)
	o.Places = func() []Place { return places }
	if o.Changed == nil {
		o.Changed = func(b Batch) time.Duration { heard <- b; return 0 }
	}
	w := Start(o)
	t.Cleanup(w.Close)
	return w, heard
}

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// until waits for a batch that names a path, or one that is about everything.
func until(t *testing.T, heard chan Batch, path string) Batch {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case b := <-heard:
			for _, p := range b.Paths {
				if p == path {
					return b
				}
			}
			if b.Lost {
				return b
			}
		case <-late:
			t.Fatalf("nothing was heard of %s", path)
		}
	}
}

// A place need not exist, nor the folders above it, and may come and go: who
// looks when it is told has seen the last of everything.
func TestAFolderIsWatchedWheneverItExists(t *testing.T) {
	t.Parallel()
	for _, poll := range []bool{false, true} {
		t.Run(fmt.Sprint("polled ", poll), func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			dir := filepath.Join(root, "a", "b", "c")
			files := []string{filepath.Join(dir, "x.txt"), filepath.Join(dir, "deep", "er", "y.txt")}
			var mu sync.Mutex
			seen := map[string]string{}
			begin(t, Options{Poll: poll, Every: 10 * time.Millisecond, Changed: func(Batch) time.Duration {
				mu.Lock()
				defer mu.Unlock()
				for _, path := range files {
					text, _ := os.ReadFile(path)
					seen[path] = string(text)
				}
				return 0
			}}, Place{Dir: dir, Tree: true})
			sees := func(path, text string) {
				t.Helper()
				require.Eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return seen[path] == text }, 20*time.Second, time.Millisecond)
			}
			for i := range 5 {
				for _, path := range files {
					for j := range 3 {
						put(t, path, fmt.Sprint(i, j))
						sees(path, fmt.Sprint(i, j))
					}
				}
				if i%2 == 0 {
					require.NoError(t, os.RemoveAll(filepath.Join(root, "a")))
				} else {
					require.NoError(t, os.Rename(filepath.Join(root, "a"), filepath.Join(root, fmt.Sprint("was", i))))
				}
				sees(files[0], "")
			}
		})
	}
}

func TestOnlyNamesThatCountAreHeard(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, heard := begin(t, Options{}, Place{Dir: dir, Names: []string{"wanted"}})
	for i := range 20 {
		put(t, filepath.Join(dir, fmt.Sprint("noise", i)), "x")
	}
	put(t, filepath.Join(dir, "wanted"), "x")
	b := until(t, heard, filepath.Join(dir, "wanted"))
	require.Equal(t, []string{filepath.Join(dir, "wanted")}, b.Paths)
	require.True(t, b.Named)
}

func TestLostEventsMeanThatAnythingMayHaveChanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, heard := begin(t, Options{}, Place{Dir: dir, Tree: true})
	w.fs.Errors <- fsnotify.ErrEventOverflow
	b := <-heard
	require.True(t, b.Lost)
	put(t, filepath.Join(dir, "x"), "after") // it is still watched
	until(t, heard, filepath.Join(dir, "x"))
}

func TestWhatCannotBeWatchedIsLookedAtAndThatIsSaid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	said := make(chan Status, 10)
	_, heard := begin(t, Options{Poll: true, Every: 5 * time.Millisecond, Status: func(s Status) { said <- s }}, Place{Dir: dir})
	s := <-said
	require.Positive(t, s.Polled)
	require.NotEmpty(t, s.Why)
	path := filepath.Join(dir, "x")
	put(t, path, "one")
	require.True(t, until(t, heard, path).Named)
	put(t, path, "two")
	until(t, heard, path)
	require.NoError(t, os.Remove(path))
	require.True(t, until(t, heard, path).Named)
}

func TestSavesInARowAreToldTogetherAndNotForeverLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, heard := begin(t, Options{Quiet: 40 * time.Millisecond, Longest: 200 * time.Millisecond}, Place{Dir: dir})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
				_ = os.WriteFile(filepath.Join(dir, "x"), []byte(fmt.Sprint(i)), 0o644)
			}
		}
	}()
	// Nothing is ever quiet, and yet it is heard.
	for range 3 {
		select {
		case <-heard:
		case <-time.After(10 * time.Second):
			t.Fatal("nothing was heard")
		}
	}
	close(stop)
	<-stopped
	require.Less(t, len(heard), 50, "not each of them alone")
}

func TestWhoeverAsksIsCalledAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var calls atomic.Int32
	done := make(chan struct{})
	begin(t, Options{Changed: func(Batch) time.Duration {
		if calls.Add(1) == 3 {
			close(done)
			return 0
		}
		return time.Millisecond
	}}, Place{Dir: dir})
	put(t, filepath.Join(dir, "x"), "one")
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("it was not called again")
	}
}
