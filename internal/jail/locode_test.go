package jail

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLocode has the seed's acceptance tests of its path jail by number.
func TestLocode(t *testing.T) {
	escapes := func(t *testing.T, j *Jail, paths ...string) {
		t.Helper()
		for _, p := range paths {
			for name, op := range operations {
				var escape *EscapeError
				assert.ErrorAs(t, op(j, p), &escape, "%s %s", name, p)
			}
		}
	}
	t.Run("L39_paths_that_lead_out", func(t *testing.T) {
		root, outside := place(t)
		before := digest(t, outside)
		escapes(t, open(t, root), "../etc/passwd", "/etc/passwd", "a/../../b", "../outside/secret")
		assert.Equal(t, before, digest(t, outside))
	})
	t.Run("L40_missing_parents_and_a_namesake", func(t *testing.T) {
		root, _ := place(t)
		j := open(t, root)
		c, err := j.WriteFile("new/dir/file", []byte("x"), WriteOptions{Parents: true})
		require.NoError(t, err)
		assert.Equal(t, Change{"new/dir/file", true}, c)
		before := digest(t, root+"2")
		escapes(t, j, root+"2/f", "../project2/f", root+"2")
		assert.Equal(t, before, digest(t, root+"2"))
	})
	t.Run("L41_directory_links", func(t *testing.T) {
		root, outside := place(t)
		tree(t, root, map[string]string{"out": "-> ../outside", "abs": "-> " + outside, "in": "-> sub"})
		j := open(t, root)
		before := digest(t, outside)
		escapes(t, j, "out/secret", "out/new", "abs/secret", "abs/new/er")
		assert.Equal(t, before, digest(t, outside))
		_, rel, err := j.ReadFile("in/b.txt", 10)
		require.NoError(t, err)
		assert.Equal(t, "sub/b.txt", rel)
		_, err = j.WriteFile("in/new", nil, WriteOptions{})
		assert.NoError(t, err)
	})
	t.Run("L42_dangling_links", func(t *testing.T) {
		root, outside := place(t)
		tree(t, root, map[string]string{"rel": "-> ../outside/none", "abs": "-> " + outside + "/none", "deep": "-> " + outside + "/no/ne"})
		j := open(t, root)
		before := digest(t, outside)
		for _, p := range []string{"rel", "abs", "deep"} {
			for _, name := range []string{"open", "stat", "write", "write deep", "write new", "append", "mkdir", "mkdirall"} {
				var escape *EscapeError
				assert.ErrorAs(t, operations[name](j, p), &escape, "%s %s", name, p)
			}
			assert.Error(t, operations["rename to"](j, p))
		}
		assert.Equal(t, before, digest(t, outside))
	})
	t.Run("L43_home", func(t *testing.T) {
		home := "HOME"
		if runtime.GOOS == "windows" {
			home = "USERPROFILE"
		}
		root, outside := place(t)
		t.Setenv(home, outside)
		j := open(t, root)
		for _, p := range []string{"~/secret", "~"} {
			_, _, err := j.ReadFile(p, 10)
			var escape *EscapeError
			require.ErrorAs(t, err, &escape)
			assert.Equal(t, filepath.Join(outside, p[1:]), escape.Real)
			assert.Contains(t, err.Error(), `(that is "`)
		}
		tree(t, root, map[string]string{"~user": "user", "~/secret": "mine", "sub/~/x": "tilde"})
		for p, want := range map[string]string{"~user": "user", "./~/secret": "mine", "sub/~/x": "tilde"} {
			data, _, err := j.ReadFile(p, 10)
			require.NoError(t, err, p)
			assert.Equal(t, want, string(data))
		}
		t.Setenv(home, "")
		data, rel, err := j.ReadFile("~/secret", 10)
		require.NoError(t, err)
		assert.Equal(t, "mine", string(data))
		assert.Equal(t, "~/secret", rel)
		t.Setenv(home, root)
		_, rel, err = j.ReadFile("~/a.txt", 10)
		require.NoError(t, err)
		assert.Equal(t, "a.txt", rel)
	})
	t.Run("L44_more_roots", func(t *testing.T) {
		root, outside := place(t)
		j := open(t, root)
		secret := filepath.Join(outside, "secret")
		escapes(t, j, secret)
		require.NoError(t, j.AddRoot(outside, false))
		require.NoError(t, j.AddRoot(outside, false))
		assert.Len(t, *j.roots.Load(), 2)
		real, err := filepath.EvalSymlinks(secret)
		require.NoError(t, err)
		data, rel, err := j.ReadFile(secret, 10)
		require.NoError(t, err)
		assert.Equal(t, "secret", string(data))
		assert.Equal(t, filepath.ToSlash(real), rel)
		_, again, err := j.ReadFile(rel, 10)
		require.NoError(t, err)
		assert.Equal(t, rel, again)
		var readOnly *ReadOnlyError
		assert.ErrorAs(t, operations["write"](j, secret), &readOnly)
		require.NoError(t, j.AddRoot(outside, true))
		require.NoError(t, j.AddRoot(outside, false))
		assert.NoError(t, operations["write"](j, secret))
		escapes(t, j, root+"2/f", "../outside/secret")
		before := *j.roots.Load()
		for _, bad := range []string{filepath.Join(outside, "none"), secret} {
			assert.ErrorContains(t, j.AddRoot(bad, true), bad)
		}
		assert.Equal(t, before, *j.roots.Load())
		_, err = New(root, Options{Roots: []string{"no/such"}})
		assert.ErrorContains(t, err, `root "no/such"`)
	})
	t.Run("L45_unrestricted_and_two_spellings", func(t *testing.T) {
		root, _ := place(t)
		if _, err := os.Stat("/etc/hostname"); err == nil {
			_, rel, err := with(t, root, Options{Unrestricted: true}).ReadFile("/etc/hostname", 1000)
			require.NoError(t, err)
			assert.True(t, filepath.IsAbs(rel))
		}
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(root, link); err != nil {
			t.Skip(err)
		}
		j := open(t, link)
		for _, p := range []string{filepath.Join(link, "a.txt"), filepath.Join(j.Root(), "a.txt")} {
			c, err := j.WriteFile(p, []byte("x"), WriteOptions{})
			require.NoError(t, err)
			assert.Equal(t, Change{"a.txt", false}, c)
		}
	})
	t.Run("L46_read_only_root", func(t *testing.T) {
		root, outside := place(t)
		j := with(t, root, Options{ReadOnly: []string{outside}})
		before := digest(t, outside)
		secret := filepath.Join(outside, "secret")
		_, _, err := j.ReadFile(secret, 10)
		require.NoError(t, err)
		for name := range changes {
			var readOnly *ReadOnlyError
			assert.ErrorAs(t, operations[name](j, secret), &readOnly, name)
			if name != "remove" && name != "rename from" {
				assert.ErrorAs(t, operations[name](j, filepath.Join(outside, "new")), &readOnly, name)
			}
		}
		assert.Equal(t, before, digest(t, outside))
	})
}
