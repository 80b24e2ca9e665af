package host_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

// soak is a project whose files change while its tools are called.
type soak struct {
	*watched
	t *testing.T

	saved   atomic.Int64 // the newest version of steady that was begun to be saved
	live    atomic.Int64 // the newest one that is known to have been live
	calls   atomic.Int64
	missing atomic.Int64 // calls of the other tool that was not there
}

// A call answers once, from a version that was live when it began, whatever
// happens to the files meanwhile. RHO_LONG=1 makes it 100,000 calls and 500
// changes.
func TestSoakEveryCallHasOneOutcomeFromALiveVersion(t *testing.T) {
	calls, changes := int64(3000), 30
	if os.Getenv("RHO_LONG") != "" {
		calls, changes = 100_000, 500
	}
	var log notes
	s := &soak{t: t, watched: watchProject(t, map[string]string{
		"steady.ts": steadyVersion(0), "_steady/n.ts": "export const n = 0;", "other.ts": answers("other", "here"),
	}, host.WatchOptions{}, func(o *host.Options) { o.DrainTimeout = 5 * time.Second }, logTo(&log))}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	called := make(chan struct{}, 1)
	var changed sync.WaitGroup
	var early uint64
	var descriptors int
	changed.Go(func() {
		for i := range changes {
			s.change(i)
			// Calls and changes are to end at about the same time.
			for s.calls.Load() < calls*int64(i)/int64(changes) && ctx.Err() == nil {
				select {
				case <-called:
				case <-ctx.Done():
				}
			}
			if i == changes/5 {
				early, descriptors = heap(), open()
			}
		}
	})
	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			for s.calls.Add(1) <= calls {
				select {
				case called <- struct{}{}:
				default:
				}
				s.call1(i)
			}
		})
	}
	callers.Wait()
	stop()
	changed.Wait()
	s.save("steady.ts", steadyVersion(-1))
	s.eventually("steady", "-1")
	late := heap()
	t.Logf("%d calls, %d changes, %d loads of steady, %d calls of a tool that was gone; heap %.1f MB early, %.1f MB at the end; descriptors %d, %d",
		calls, changes, len(s.changes("steady")), s.missing.Load(), float64(early)/1e6, float64(late)/1e6, descriptors, open())
	require.Less(t, late, early+30<<20, "memory grows")
	if descriptors > 0 {
		require.LessOrEqual(t, open(), descriptors+20, "descriptors are left open")
	}
	require.NotContains(t, log.String(), "a worker process ended")
}

func steadyVersion(n int) string {
	return fmt.Sprintf(`import { n } from "./_steady/n";
export default { name: "steady", tools: [{ name: "steady", description: "d", risk: "read",
  execute: async () => { const before = n; if (Math.random() < 0.2) await new Promise((r) => setTimeout(r, 2)); if (before !== n) throw new Error("two versions"); return %s } }],
  dispose() {} }`, map[bool]string{true: strconv.Itoa(n), false: "n || 0"}[n < 0])
}

func (s *soak) save(name, text string) {
	path := filepath.Join(s.dir, name)
	require.NoError(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
	if rand.N(2) == 0 {
		require.NoError(s.t, os.WriteFile(path, []byte(text), 0o644))
		return
	}
	tmp := filepath.Join(s.dir, ".tmp")
	require.NoError(s.t, os.WriteFile(tmp, []byte(text), 0o644))
	require.NoError(s.t, os.Rename(tmp, path))
}

// change does one thing to the files.
func (s *soak) change(i int) {
	other := filepath.Join(s.dir, "other.ts")
	switch i % 10 {
	default: // a good version
		n := s.saved.Add(1)
		s.save("_steady/n.ts", fmt.Sprintf("export const n = %d;", n))
		if rand.N(2) == 0 {
			s.until(n)
		}
	case 1:
		s.save("steady.ts", "export default { name: ")
	case 2:
		s.save("steady.ts", "")
	case 3:
		s.save("steady.ts", steadyVersion(0))
	case 4: // half of it, the rest a little later
		text := steadyVersion(0)
		s.save("steady.ts", text[:len(text)/2])
		time.Sleep(rand.N(20 * time.Millisecond))
		s.save("steady.ts", text)
	case 5:
		_ = os.Rename(other, filepath.Join(s.dir, "moved.ts"))
	case 6:
		_ = os.Remove(filepath.Join(s.dir, "moved.ts"))
		time.Sleep(rand.N(250 * time.Millisecond))
	case 7:
		s.save("other.ts", answers("other", fmt.Sprint("here again ", i)))
	}
}

// until waits until a version is live.
func (s *soak) until(n int64) {
	assert.Eventually(s.t, func() bool {
		got, err := strconv.ParseInt(s.says("steady"), 10, 64)
		if err == nil && got >= n {
			s.reached(got)
			return true
		}
		return false
	}, 20*time.Second, time.Millisecond, "version %d was never live: %v", n, s.host.Failures())
}

func (s *soak) reached(n int64) {
	for {
		was := s.live.Load()
		if n <= was || s.live.CompareAndSwap(was, n) {
			return
		}
	}
}

func (s *soak) call1(i int) {
	if i == 7 && rand.N(4) > 0 {
		switch o := s.call("other", "{}"); {
		case o.Status == registry.StatusSuccess && strings.HasPrefix(o.Text, "here"):
		case o.Failure != nil && o.Failure.Kind == registry.KindNotFound:
			s.missing.Add(1)
		default:
			s.t.Errorf("other: %+v %+v", o, o.Failure)
		}
		return
	}
	least := s.live.Load()
	o := s.call("steady", "{}")
	most := s.saved.Load()
	n, err := strconv.ParseInt(o.Text, 10, 64)
	if o.Status != registry.StatusSuccess || err != nil {
		s.t.Errorf("steady: %+v %+v", o, o.Failure)
		return
	}
	if n < least || n > most {
		s.t.Errorf("steady answered from version %d, where %d to %d were live", n, least, most)
	}
	s.reached(n)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// open counts the descriptors that are open; 0 where that cannot be told.
func open() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}
