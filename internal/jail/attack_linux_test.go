package jail

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// An attacker inside the root swaps files and directories for links, pipes and
// each other, as fast as it can, while every operation runs. What it may not
// achieve: that anything outside, or anything protected, is read or changed, or
// that an operation waits for ever.
func TestConcurrentSwaps(t *testing.T) {
	// Few workers and more threads than cores, so that the attacker gets its turn
	// at any point of an operation.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.NumCPU() + 2))
	root, outside := trap(t, memory(t))
	for name, text := range map[string]string{
		"d/x": "fine", "d/y/z": "fine", "flip": "fine", ".env": "secret", ".git/hooks/x": "secret", ".git/x": "secret", ".git/y/z": "secret",
		"vendor/x": "fine", "vendor/y/z": "fine",
	} {
		p := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
	}
	for name := range map[string]bool{"x": true, "y/z": true, "flip": true} {
		p := filepath.Join(outside, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte("secret"), 0o644))
	}
	// What the swaps put in place.
	stash := filepath.Join(root, "stash")
	require.NoError(t, os.Mkdir(stash, 0o755))
	// As seen from the root, where they will be. Those that stay inside come
	// often: os.Root follows them, and only the jail's own look does not.
	dirs := []string{".git", "../outside", "vendor", ".git", outside, root + "/.git", "vendor", ".git", "stash/../.git", "/proc/self/cwd"}
	files := []string{".git/x", "../outside/x", ".env", "vendor/x", outside + "/x", root + "/.git/x", ".git/x", ".env"}
	for i, target := range dirs {
		require.NoError(t, os.Symlink(target, filepath.Join(stash, fmt.Sprint("d", i))))
	}
	for i, target := range files {
		require.NoError(t, os.Symlink(target, filepath.Join(stash, fmt.Sprint("f", i))))
	}
	require.NoError(t, syscall.Mkfifo(filepath.Join(stash, "f8"), 0o644))
	require.NoError(t, syscall.Mkfifo(filepath.Join(stash, "d10"), 0o644))

	j := with(t, root, Options{ReadOnly: []string{"vendor"}})
	guarded := []string{outside, root + "2", filepath.Join(root, ".git"), filepath.Join(root, "vendor")}
	digests := func() (all []string) {
		for _, d := range guarded {
			all = append(all, digest(t, d))
		}
		return append(all, content(t, root, ".env"))
	}
	before := digests()

	lasting := 2 * time.Second
	if long() {
		lasting = 10 * time.Second
	}
	end := time.Now().Add(lasting)
	var wg sync.WaitGroup
	var swaps atomic.Int64
	// By handle, since the attacker must not fall into its own traps: it stays
	// inside as well.
	handle := func(dir string) int {
		f, err := os.Open(filepath.Join(root, dir))
		require.NoError(t, err)
		t.Cleanup(func() { f.Close() })
		return int(f.Fd())
	}
	top, inD, inStash := handle("."), handle("d"), handle("stash")
	swap := func(dirA int, a string, dirB int, b string) {
		if unix.Renameat2(dirA, a, dirB, b, unix.RENAME_EXCHANGE) == nil {
			swaps.Add(1)
		}
	}
	put := func(name, text string) {
		_ = os.WriteFile(filepath.Join(stash, "new"), []byte(text), 0o644)
		_ = unix.Renameat(inStash, "new", top, name)
	}
	for n := range 2 {
		wg.Go(func() {
			runtime.LockOSThread()
			for i := 0; time.Now().Before(end); i++ {
				d, f := fmt.Sprint("d", i%11), fmt.Sprint("f", i%9)
				if n == 0 {
					swap(top, "d", inStash, d)
					swap(top, "d", inStash, d)
				} else {
					swap(top, "flip", inStash, f)
					swap(top, "flip", inStash, f)
				}
				if i%8 == 0 {
					swap(inD, "x", top, "flip")
					swap(inD, "y", inStash, d)
					swap(inD, "y", inStash, d)
				}
				if i%16 == 0 { // so that there is something to work on
					put("flip", "fine")
					put("a.txt", "a")
					_ = unix.Mkdirat(top, "d", 0o755)
					_ = unix.Mkdirat(inD, "y", 0o755)
					runtime.Gosched()
				}
			}
		})
	}

	var done, succeeded sync.Map
	count := func(m *sync.Map, name string) {
		n, _ := m.LoadOrStore(name, new(atomic.Int64))
		n.(*atomic.Int64).Add(1)
	}
	steal := func(data []byte) {
		if bytes.Contains(data, []byte("secret")) {
			t.Error("a secret was read")
		}
	}
	ops := map[string]func(*Jail, string) error{
		"read": func(j *Jail, p string) error {
			data, _, err := j.ReadFile(p, 1<<20)
			steal(data)
			return err
		},
		"open": func(j *Jail, p string) error {
			f, _, err := j.OpenFile(p)
			if err == nil {
				data, _ := io.ReadAll(f)
				f.Close()
				steal(data)
			}
			return err
		},
		"names": func(j *Jail, p string) error {
			names, err := j.Names(filepath.Dir(p), 0)
			for _, n := range names {
				if n == "hooks" || n == "secret" {
					t.Error("a name was read")
				}
			}
			return err
		},
		"readdir": func(j *Jail, p string) error {
			entries, _, _, err := j.ReadDir(filepath.Dir(p), 0)
			for _, e := range entries {
				if e.Name() == "hooks" || e.Name() == "secret" {
					t.Error("a name was read")
				}
			}
			return err
		},
		"glob": func(j *Jail, p string) error {
			found, _, err := j.Glob(p[:1]+"*/**", 50)
			for _, n := range found {
				if strings.HasSuffix(n, "hooks") || strings.HasSuffix(n, "secret") {
					t.Error("a name was found")
				}
			}
			return err
		},
		"rename across": func(j *Jail, p string) error { _, _, err := j.Rename(p, "d/y/z"); return err },
		"rename up":     func(j *Jail, p string) error { _, _, err := j.Rename("d/y/z", p); return err },
	}
	for name, op := range operations {
		if ops[name] == nil {
			ops[name] = op
		}
	}
	paths := []string{"d/x", "flip", "d/y/z", "d/new", "d/y/new", "d/y", "a.txt", filepath.Join(root, "d", "x")}
	names := slices.Sorted(maps.Keys(ops))
	for worker, some := range [][]string{names, names, {"names", "read", "append", "glob"}} { // the last are quick and see much
		paths := paths
		if worker == 2 {
			paths = []string{"d/x", "flip"}
		}
		wg.Go(func() {
			runtime.LockOSThread()
			for i := worker; time.Now().Before(end); i++ {
				name := some[i%len(some)]
				count(&done, name)
				if ops[name](j, paths[i/len(some)%len(paths)]) == nil {
					count(&succeeded, name)
				}
			}
		})
	}
	finished := make(chan struct{})
	go func() { wg.Wait(); close(finished) }()
	select {
	case <-finished:
	case <-time.After(lasting + 30*time.Second):
		t.Fatal("an operation waits")
	}
	assert.Equal(t, before, digests())
	var sum []string
	for _, name := range names {
		d, _ := done.Load(name)
		s, ok := succeeded.Load(name)
		if !ok {
			s = new(atomic.Int64)
		}
		sum = append(sum, fmt.Sprintf("%s %d/%d", name, s.(*atomic.Int64).Load(), d.(*atomic.Int64).Load()))
	}
	t.Logf("%d swaps; succeeded of tried: %s", swaps.Load(), strings.Join(sum, ", "))
}

// unprivileged runs a test as somebody without rights, on a thread of its own
// that ends with it.
func unprivileged(t *testing.T, f func()) {
	if os.Getuid() != 0 {
		f()
		return
	}
	done := make(chan bool)
	go func() {
		runtime.LockOSThread()
		defer close(done)
		_, _, no := syscall.RawSyscall(syscall.SYS_SETRESUID, ^uintptr(0), 65534, ^uintptr(0))
		if no != 0 {
			t.Error(no)
			return
		}
		f()
	}()
	<-done
}

func TestPermissionErrorsAreClear(t *testing.T) {
	root, _ := place(t)
	require.NoError(t, os.Chmod(filepath.Dir(filepath.Dir(root)), 0o755))
	require.NoError(t, os.Chmod(filepath.Dir(root), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "mine"), []byte("x"), 0o444))
	require.NoError(t, os.Mkdir(filepath.Join(root, "free"), 0o755))
	require.NoError(t, os.Chmod(filepath.Join(root, "free"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(root, "free", "kept"), []byte("x"), 0o444))
	require.NoError(t, os.Mkdir(filepath.Join(root, "shut"), 0o700))
	require.NoError(t, os.Chmod(filepath.Join(root, "sub"), 0o555))
	if os.Getuid() != 0 {
		require.NoError(t, os.Chmod(filepath.Join(root, "shut"), 0))
	}
	j := open(t, root)
	unprivileged(t, func() {
		for p, text := range map[string]string{
			"sub/new":   "write sub/new: permission denied",
			"sub/b.txt": "write sub/b.txt: permission denied",
			"free/kept": "write free/kept: permission denied", // the directory would allow it
			"shut/x":    "write shut/x: permission denied",
		} {
			_, err := j.WriteFile(p, []byte("y"), WriteOptions{})
			assert.ErrorIs(t, err, os.ErrPermission, p)
			assert.EqualError(t, err, text)
		}
		_, err := j.Append("free/kept", nil, WriteOptions{})
		assert.EqualError(t, err, "append free/kept: permission denied")
		_, err = j.Mkdir("sub/d")
		assert.EqualError(t, err, "mkdir sub/d: permission denied")
		_, err = j.Remove("sub/b.txt")
		assert.EqualError(t, err, "remove sub/b.txt: permission denied")
		_, _, err = j.Rename("sub/b.txt", "free/b.txt")
		assert.ErrorIs(t, err, os.ErrPermission)
		_, err = j.WriteFile("free/new", []byte("y"), WriteOptions{})
		assert.NoError(t, err)
	})
	assert.Empty(t, litter(t, root))
}
