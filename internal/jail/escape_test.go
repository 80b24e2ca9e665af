//go:build unix

package jail

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// escapes are ways out. @ stands for the directory outside, = for the root and
// ^ for the one that holds both. A path that ends in a link may be removed, and
// moved within the root, since that means the link.
var escapes = []struct {
	path string
	link bool
}{
	// Up.
	{path: ".."}, {path: "../"}, {path: "../outside"}, {path: "../outside/secret"}, {path: "../outside/new"},
	{path: "./../outside/secret"}, {path: "sub/../../outside/secret"}, {path: "sub/c/../../../outside/secret"},
	{path: "missing/../../outside/secret"}, {path: "..//outside//secret"}, {path: "../../../../../../../../etc/passwd"},
	{path: "a.txt/../../outside/secret"}, {path: "../project/a.txt"}, {path: "../project2/f"}, {path: ".//.././outside/secret"},
	{path: "sub/.././../outside/./secret"}, {path: "..dots/../../outside/secret"}, {path: "sub/../.."},
	// Absolute.
	{path: "/"}, {path: "//"}, {path: "/etc/passwd"}, {path: "/etc/new"}, {path: "@/secret"}, {path: "@/new"}, {path: "@"}, {path: "^"},
	{path: "=/../outside/secret"}, {path: "=2/f"}, {path: "=2"}, {path: "=/sub/../../outside/secret"}, {path: "//etc/passwd"}, {path: "/./etc/passwd"},
	{path: "/../etc/passwd"}, {path: "^/outside/secret"}, {path: "^/./project/../outside/secret"},
	// The process's own view of things.
	{path: "/proc/self/root/etc/passwd"}, {path: "/proc/self/cwd/a"}, {path: "/proc/self/fd/0"}, {path: "/proc/self/exe"}, {path: "/dev/fd/0"},
	{path: "/dev/stdin"}, {path: "/dev/null"}, {path: "/proc/1/root/etc/passwd"}, {path: "/proc/thread-self/root@/secret"},
	// Home.
	{path: "~/secret"}, {path: "~"}, {path: "~/new"}, {path: "~/../outside/secret"}, {path: "~/"},
	// Links to files.
	{"rel", true}, {"abs", true}, {"hop1", true}, {"sub/up", true}, {"absroot", true}, {"absup", true}, {"slashes", true}, {"dots", true},
	// Links to directories.
	{"dir", true}, {"dir/", true}, {"absdir", true}, {"parent", true}, {"sub/parent", true}, {"top", true}, {path: "dir/secret"}, {path: "dir/new"},
	{path: "dir/deep/new"}, {path: "dir/./secret"}, {path: "dir/../outside/secret"}, {path: "absdir/secret"}, {path: "absdir/new"}, {path: "parent/outside/secret"},
	{path: "top/etc/passwd"}, {path: "sub/parent/secret"}, {path: "in/../dir/secret"}, {"in/up", true}, {path: "twice/secret"}, {path: "=/dir/secret"},
	{path: "dir/sub/../secret"}, {path: "namesake/f"}, {path: "dir/.."},
	// Dangling links.
	{"dangling", true}, {"absdangling", true}, {"hopdangling", true}, {"deepdangling", true}, {path: "dirdangling/new"},
	// Links into /proc and /dev.
	{"procroot", true}, {path: "procroot/etc/passwd"}, {"proccwd", true}, {path: "proccwd/jail.go"}, {"procfd", true}, {"procexe", true}, {"devnull", true},
	{path: "procroot@/secret"},
}

// trap makes a tree with all those links.
func trap(t testing.TB, base string) (root, outside string) {
	root, outside = filepath.Join(base, "project"), filepath.Join(base, "outside")
	links := map[string]string{
		"rel": "../outside/secret", "abs": outside + "/secret", "hop1": "hop2", "hop2": "sub/hop3", "sub/hop3": "../../outside/secret",
		"sub/up": "../../outside/secret", "absroot": root + "/../outside/secret", "absup": "/../../.." + outside + "/secret",
		"slashes": "..///outside//secret", "dots": "./sub/./../../outside/secret",
		"dir": "../outside", "absdir": outside, "parent": "..", "sub/parent": "../../outside", "top": "/", "in": "sub", "twice": "in/parent", "namesake": root + "2",
		"dangling": "../outside/none", "absdangling": outside + "/none", "hopdangling": "dangling", "deepdangling": outside + "/no/ne", "dirdangling": "../outside/none",
		"procroot": "/proc/self/root", "proccwd": "/proc/self/cwd", "procfd": "/proc/self/fd/0", "procexe": "/proc/self/exe", "devnull": "/dev/null",
	}
	for _, d := range []string{"project/sub/c", "project/..dots", "outside/sub", "project2"} {
		require.NoError(t, os.MkdirAll(filepath.Join(base, d), 0o755))
	}
	for name, text := range map[string]string{"project/a.txt": "a", "project/sub/b.txt": "b", "outside/secret": "secret", "outside/sub/x": "secret", "project2/f": "secret"} {
		require.NoError(t, os.WriteFile(filepath.Join(base, name), []byte(text), 0o644))
	}
	for name, target := range links {
		require.NoError(t, os.Symlink(target, filepath.Join(root, name)))
	}
	return root, outside
}

func TestEscapes(t *testing.T) {
	require.GreaterOrEqual(t, len(escapes), 60)
	t.Logf("%d paths, %d operations", len(escapes), len(operations)+2)
	ops := map[string]func(*Jail, string) error{
		"rename within": func(j *Jail, p string) error { _, _, err := j.Rename(p, "sub/renamed"); return err },
		"glob":          func(j *Jail, p string) error { _, _, err := j.Glob(p+"/*", 10); return err },
	}
	for name, op := range operations {
		ops[name] = op
	}
	for _, e := range escapes {
		t.Run(e.path, func(t *testing.T) {
			base, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			root, outside := trap(t, base)
			t.Setenv("HOME", outside)
			given := strings.NewReplacer("@", outside, "=", root, "^", base).Replace(e.path)
			j := open(t, root)
			before := [2]string{digest(t, outside), digest(t, root+"2")}
			for name, op := range ops {
				err := op(j, given)
				itself := e.link && (name == "remove" || name == "rename from" || name == "rename within")
				if itself {
					// Put the link back for the others.
					if err == nil {
						_ = os.RemoveAll(root)
						trap(t, filepath.Dir(root))
						j = open(t, root)
						before = [2]string{digest(t, outside), digest(t, root+"2")}
					}
					continue
				}
				require.Error(t, err, name)
				var irregular *NotRegularError
				if e.link && name == "rename to" && errors.As(err, &irregular) {
					continue // a link is not replaced
				}
				var escape *EscapeError
				require.ErrorAs(t, err, &escape, name)
			}
			assert.Equal(t, before, [2]string{digest(t, outside), digest(t, root+"2")})
			assert.Equal(t, "a", content(t, root, "a.txt"))
		})
	}
}

func TestSpecialFilesAreNeverWritten(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "a.txt"), []byte("a"), 0o644))
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644))
	require.NoError(t, os.Symlink("pipe", filepath.Join(root, "link")))
	device := syscall.Mknod(filepath.Join(root, "null"), syscall.S_IFCHR|0o666, 1<<8|3) == nil
	j := open(t, root)
	for _, p := range []string{"pipe", "link", "null"} {
		if p == "null" && !device {
			continue
		}
		for name, op := range operations {
			if name == "remove" || name == "stat" || p == "link" && name == "rename from" {
				continue
			}
			start := time.Now()
			assert.Error(t, op(j, p), "%s %s", name, p)
			assert.Less(t, time.Since(start), time.Second, "%s %s", name, p)
		}
	}
	_, err := j.Remove("pipe")
	assert.NoError(t, err)
}

// A directory that becomes a pipe while it is entered must not hold anybody.
func TestSubdirectoryThatIsAPipe(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644))
	r, err := os.OpenRoot(root)
	require.NoError(t, err)
	defer r.Close()
	done := make(chan error, 1)
	go func() { _, err := openSub(r, "pipe"); done <- err }()
	select {
	case err := <-done:
		assert.Error(t, err)
	case <-time.After(5 * time.Second):
		t.Fatal("waits for the pipe")
	}
}

// What was looked at is what must be opened: the swaps at the worst moment.
func TestSwapBetweenLookAndOpen(t *testing.T) {
	root, _ := place(t)
	tree(t, root, map[string]string{".git/x": "secret", "d/x": "fine", "flip": "fine"})
	swap := func(name, target string) {
		require.NoError(t, os.RemoveAll(filepath.Join(root, name)))
		require.NoError(t, os.Symlink(target, filepath.Join(root, name)))
	}
	j := open(t, root)
	before := digest(t, filepath.Join(root, ".git"))

	dir, err := j.walk("d", way{op: "list"})
	require.NoError(t, err)
	defer dir.close()
	entered, err := j.walk(".", way{op: "open"})
	require.NoError(t, err)
	defer entered.close()
	info, err := entered.dir().Lstat("d")
	require.NoError(t, err)
	swap("d", ".git")
	_, err = dir.openDir()
	assert.ErrorIs(t, err, errChanged)
	assert.ErrorIs(t, entered.down("d", info), errChanged)

	file, err := j.walk("flip", way{op: "append", change: true})
	require.NoError(t, err)
	defer file.close()
	swap("flip", ".git/x")
	assert.ErrorIs(t, file.append([]byte("!")), errChanged)
	f, err := file.dir().Open("flip") // os.Root follows it
	require.NoError(t, err)
	defer f.Close()
	_, err = file.same(f)
	assert.ErrorIs(t, err, errChanged)
	assert.NoError(t, file.replace(WriteOptions{}, func(io.Writer) error { return nil })) // takes the link's place
	assert.Equal(t, before, digest(t, filepath.Join(root, ".git")))
}

func TestLitterOfOthersIsLeftAndOfTheDeadRemoved(t *testing.T) {
	root, _ := place(t)
	j := open(t, root)
	for slot := range tempSlots {
		require.NoError(t, os.WriteFile(filepath.Join(root, tempName("a.txt", slot)), []byte("half"), 0o644))
	}
	live := filepath.Join(root, tempName("a.txt", 2))
	f, err := os.OpenFile(live, os.O_RDWR, 0)
	require.NoError(t, err)
	defer f.Close()
	if err := lock(f); err != nil {
		t.Skip(err)
	}
	_, err = j.WriteFile("a.txt", []byte("new"), WriteOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{live}, litter(t, root))
	f.Close()
	// A link in the place of a temporary file is not followed.
	victim := filepath.Join(root, "sub", "b.txt")
	require.NoError(t, os.Remove(live))
	for slot := range tempSlots {
		require.NoError(t, os.Symlink(victim, filepath.Join(root, tempName("a.txt", slot))))
	}
	_, err = j.WriteFile("a.txt", []byte("newer"), WriteOptions{})
	require.NoError(t, err)
	assert.Equal(t, "b", content(t, victim))
	assert.Equal(t, "newer", content(t, root, "a.txt"))
	assert.Empty(t, litter(t, root))
}
