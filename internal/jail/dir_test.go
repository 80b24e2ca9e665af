package jail

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDirGoesDownNameByName(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"a/b/deep.txt", "a/.env", "a/.git/config", "a/key.pem", "top.txt"} {
		p := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte("text of "+name), 0o644))
	}
	j, err := Open(root)
	require.NoError(t, err)
	t.Cleanup(func() { j.Close() })

	top, err := j.OpenDir(".")
	require.NoError(t, err)
	defer top.Close()
	assert.Equal(t, ".", top.Path())
	assert.Equal(t, j.Root(), top.Real())
	a, err := top.OpenDir("a")
	require.NoError(t, err)
	defer a.Close()
	assert.Equal(t, "a", a.Path())
	entries, err := a.ReadDir()
	require.NoError(t, err)
	require.Len(t, entries, 1, "protected names are left out")
	assert.Equal(t, "b", entries[0].Name())
	b, err := a.OpenDir("b")
	require.NoError(t, err)
	defer b.Close()
	f, err := b.OpenFile("deep.txt")
	require.NoError(t, err)
	data, err := io.ReadAll(f)
	require.NoError(t, err)
	assert.Equal(t, "text of a/b/deep.txt", string(data))
	assert.EqualValues(t, len(data), f.Size())
	require.NoError(t, f.Close())
	_, err = f.Read(make([]byte, 1))
	assert.Error(t, err)

	deep, err := j.OpenDir("a/b")
	require.NoError(t, err)
	assert.Equal(t, "a/b", deep.Path())
	require.NoError(t, deep.Close())
	_, err = deep.OpenFile("deep.txt")
	assert.ErrorIs(t, err, fs.ErrClosed)
}

func TestDirRefuses(t *testing.T) {
	t.Parallel()
	outside, root := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".env"), []byte("s"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "file"), []byte("s"), 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(root, ".git"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(root, "sub"), 0o755))
	var refused []string
	if os.Symlink(outside, filepath.Join(root, "out")) == nil {
		require.NoError(t, os.Symlink("sub", filepath.Join(root, "in")))
		require.NoError(t, os.Symlink("file", filepath.Join(root, "alias")))
		require.NoError(t, os.Symlink(".env", filepath.Join(root, "env")))
		refused = []string{"out", "in", "alias", "env"}
	}
	real, err := filepath.EvalSymlinks(root)
	require.NoError(t, err)
	denied := filepath.Join(real, "sub")
	j, err := New(root, Options{Allow: func(real string, change bool) error {
		if real == denied && !change {
			return fs.ErrPermission
		}
		return nil
	}})
	require.NoError(t, err)
	t.Cleanup(func() { j.Close() })
	d, err := j.OpenDir("")
	require.Error(t, err)
	require.Nil(t, d)
	_, err = j.OpenDir("file")
	require.Error(t, err)
	d, err = j.OpenDir(".")
	require.NoError(t, err)
	defer d.Close()
	for _, name := range append(refused, "", ".", "..", "sub/x", "x\x00y", "missing") {
		_, err := d.OpenFile(name)
		assert.Error(t, err, "file %q", name)
		_, err = d.OpenDir(name)
		assert.Error(t, err, "directory %q", name)
	}
	_, err = d.OpenFile(".env")
	assert.True(t, IsRefusal(err), "%v", err)
	_, err = d.OpenDir(".git")
	assert.True(t, IsRefusal(err), "%v", err)
	_, err = d.OpenDir("sub")
	assert.ErrorIs(t, err, fs.ErrPermission, "Allow has the last word")
	_, err = d.OpenDir("file")
	assert.Error(t, err)
	var irregular *NotRegularError
	_, err = d.OpenFile("sub")
	assert.Error(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(root, "other"), 0o755))
	_, err = d.OpenFile("other")
	assert.ErrorAs(t, err, &irregular)
}

func TestDirLetsThroughWhatWasGranted(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".git", "hooks"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".env"), []byte("s"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".env.local"), []byte("s"), 0o644))
	j, err := New(root, Options{AllowProtected: []string{".env"}})
	require.NoError(t, err)
	t.Cleanup(func() { j.Close() })
	d, err := j.OpenDir(".")
	require.NoError(t, err)
	defer d.Close()
	entries, err := d.ReadDir()
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	assert.Equal(t, []string{".env"}, names)
	f, err := d.OpenFile(".env")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, err = d.OpenFile(".env.local")
	assert.True(t, IsRefusal(err))
	_, err = d.OpenDir(".git")
	assert.True(t, IsRefusal(err))
}
