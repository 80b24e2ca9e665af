package jail

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func with(t *testing.T, root string, o Options) *Jail {
	t.Helper()
	j, err := New(root, o)
	require.NoError(t, err)
	t.Cleanup(func() { j.Close() })
	return j
}

func content(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	return string(data)
}

// litter lists the temporary files below a directory.
func litter(t *testing.T, root string) (found []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if strings.HasPrefix(d.Name(), tempPrefix) {
			found = append(found, p)
		}
		return err
	}))
	return found
}

func TestWriteFile(t *testing.T) {
	root, _ := place(t)
	j := open(t, root)
	for _, c := range []struct {
		path    string
		options WriteOptions
		want    Change
	}{
		{"a.txt", WriteOptions{}, Change{"a.txt", false}},
		{"new", WriteOptions{}, Change{"new", true}},
		{"sub/../sub/new", WriteOptions{}, Change{"sub/new", true}},
		{"x/y/z", WriteOptions{Parents: true}, Change{"x/y/z", true}},
		{"x/only", WriteOptions{Exclusive: true}, Change{"x/only", true}},
		{filepath.Join(root, "abs"), WriteOptions{}, Change{"abs", true}},
	} {
		got, err := j.WriteFile(c.path, []byte("new "+c.path), c.options)
		require.NoError(t, err, c.path)
		assert.Equal(t, c.want, got)
		assert.Equal(t, "new "+c.path, content(t, root, c.want.Path))
	}
	_, err := j.WriteFile("x/only", nil, WriteOptions{Exclusive: true})
	assert.ErrorIs(t, err, fs.ErrExist)
	assert.EqualError(t, err, "write x/only: file already exists")
	_, err = j.WriteFile("no/parent", nil, WriteOptions{})
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = j.WriteFile("a.txt/below", nil, WriteOptions{Parents: true})
	assert.ErrorContains(t, err, "leads through a file")
	for _, dir := range []string{"sub", "sub/", ".", "fresh/", "fresh/."} {
		_, err = j.WriteFile(dir, nil, WriteOptions{Parents: true})
		var irregular *NotRegularError
		assert.ErrorAs(t, err, &irregular, dir)
	}
	assert.NoDirExists(t, filepath.Join(root, "fresh"))
	for _, p := range []string{"gone/../x", "gone/.git/x", "gone/.env"} {
		_, err = j.WriteFile(p, nil, WriteOptions{Parents: true})
		assert.Error(t, err, p)
	}
	assert.NoDirExists(t, filepath.Join(root, "gone"))
	assert.Empty(t, litter(t, root))
}

func TestWriteThroughLinksThatStayInside(t *testing.T) {
	root, _ := place(t)
	tree(t, root, map[string]string{"link": "-> sub/b.txt", "dangling": "-> sub/later", "dir": "-> sub/c"})
	j := open(t, root)
	for given, want := range map[string]Change{"link": {"sub/b.txt", false}, "dangling": {"sub/later", true}, "dir/n": {"sub/c/n", true}} {
		got, err := j.WriteFile(given, []byte(given), WriteOptions{})
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Equal(t, given, content(t, root, want.Path))
	}
	info, err := os.Lstat(filepath.Join(root, "link"))
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&fs.ModeSymlink)
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are a read-only bit there")
	}
	root, _ := place(t)
	j := open(t, root)
	for _, mode := range []fs.FileMode{0o600, 0o755, 0o640, 0o666} {
		p := filepath.Join(root, "a.txt")
		require.NoError(t, os.Chmod(p, mode))
		_, err := j.WriteFile("a.txt", []byte("x"), WriteOptions{Mode: 0o777})
		require.NoError(t, err)
		info, err := os.Stat(p)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode())
	}
	_, err := j.WriteFile("tool", nil, WriteOptions{Mode: 0o700})
	require.NoError(t, err)
	info, err := os.Stat(filepath.Join(root, "tool"))
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o700), info.Mode())
}

func TestAppend(t *testing.T) {
	root, outside := place(t)
	j := open(t, root)
	c, err := j.Append("log/today", []byte("1"), WriteOptions{Parents: true})
	require.NoError(t, err)
	assert.Equal(t, Change{"log/today", true}, c)
	c, err = j.Append("log/today", []byte("2"), WriteOptions{})
	require.NoError(t, err)
	assert.Equal(t, Change{"log/today", false}, c)
	assert.Equal(t, "12", content(t, root, "log/today"))

	// The other names of a file do not get the text.
	if err := os.Link(filepath.Join(outside, "secret"), filepath.Join(root, "hard")); err != nil {
		t.Skip(err)
	}
	_, err = j.Append("hard", []byte("!"), WriteOptions{})
	require.NoError(t, err)
	assert.Equal(t, "secret!", content(t, root, "hard"))
	assert.Equal(t, "secret", content(t, outside, "secret"))
	assert.Empty(t, litter(t, root))
}

func TestMkdirRemoveRename(t *testing.T) {
	root, _ := place(t)
	tree(t, root, map[string]string{"link": "-> sub/b.txt", "gone": "-> nowhere"})
	j := open(t, root)
	c, err := j.Mkdir("d")
	require.NoError(t, err)
	assert.Equal(t, Change{"d", true}, c)
	_, err = j.Mkdir("d")
	assert.ErrorIs(t, err, fs.ErrExist)
	_, err = j.Mkdir("e/f")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	c, err = j.MkdirAll("e/f/g")
	require.NoError(t, err)
	assert.Equal(t, Change{"e/f/g", true}, c)
	c, err = j.MkdirAll("e/f/g/")
	require.NoError(t, err)
	assert.False(t, c.Created)
	_, err = j.MkdirAll("a.txt")
	assert.ErrorContains(t, err, "there is a file of that name")

	rel, err := j.Remove("./d")
	require.NoError(t, err)
	assert.Equal(t, "d", rel)
	_, err = j.Remove("sub")
	assert.ErrorContains(t, err, "directory is not empty")
	_, err = j.Remove(".")
	assert.ErrorContains(t, err, "use its plain path")
	_, err = j.Remove("missing")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	for _, l := range []string{"link", "gone"} {
		_, err = j.Remove(l)
		require.NoError(t, err)
	}
	assert.Equal(t, "b", content(t, root, "sub/b.txt"))

	from, to, err := j.Rename("a.txt", "e/f/h.txt")
	require.NoError(t, err)
	assert.Equal(t, [2]string{"a.txt", "e/f/h.txt"}, [2]string{from, to})
	_, _, err = j.Rename("e/f/h.txt", "sub/b.txt")
	require.NoError(t, err)
	assert.Equal(t, "a", content(t, root, "sub/b.txt"))
	_, _, err = j.Rename("e", "moved")
	require.NoError(t, err)
	_, _, err = j.Rename("moved", "moved/f/in")
	assert.ErrorContains(t, err, "inside \"moved\" itself")
	_, _, err = j.Rename("sub/b.txt", "moved")
	var irregular *NotRegularError
	assert.ErrorAs(t, err, &irregular)
	_, _, err = j.Rename("moved", "sub/b.txt")
	assert.ErrorIs(t, err, fs.ErrExist)
	_, _, err = j.Rename("missing", "x")
	assert.EqualError(t, err, "rename missing: file does not exist")
}

func TestReadDirAndStat(t *testing.T) {
	root, _ := place(t)
	tree(t, root, map[string]string{".env": "x", ".git/config": "x", "id_rsa": "x", "link": "-> a.txt"})
	j := open(t, root)
	entries, rel, more, err := j.ReadDir(".", 0)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	assert.Equal(t, []string{"..dots", "a.txt", "link", "sub"}, names)
	assert.Equal(t, ".", rel)
	assert.False(t, more)
	entries, _, more, err = j.ReadDir("", 2)
	assert.Error(t, err)
	assert.Empty(t, entries)
	assert.False(t, more)
	entries, _, more, err = j.ReadDir(".", 2)
	require.NoError(t, err)
	assert.Len(t, entries, 2)
	assert.True(t, more)
	_, _, _, err = j.ReadDir("a.txt", 0)
	assert.ErrorContains(t, err, "is not a directory")

	info, rel, err := j.Stat("link")
	require.NoError(t, err)
	assert.Equal(t, "a.txt", rel)
	assert.True(t, info.Mode().IsRegular())
	_, _, err = j.Stat(".env")
	var protected *ProtectedError
	assert.ErrorAs(t, err, &protected)
	_, _, err = j.Stat("missing")
	assert.EqualError(t, err, "stat missing: file does not exist")
}

func TestGlob(t *testing.T) {
	root, outside := place(t)
	tree(t, root, map[string]string{
		"m.go": "", "sub/n.go": "", "sub/c/o.go": "", ".git/x.go": "", "sub/.env.go": "", "key.pem": "", "sub-1/p.go": "", "x.key/q.go": "",
		"out": "-> " + outside, "in.go": "-> m.go", "dir": "-> sub", "env.go": "-> .env", "loop": "-> .",
	})
	extra := t.TempDir()
	tree(t, extra, map[string]string{"r.go": ""})
	j := with(t, root, Options{ReadOnly: []string{extra}})
	real, err := filepath.EvalSymlinks(extra)
	require.NoError(t, err)
	for pattern, want := range map[string][]string{
		"*.go":                     {"in.go", "m.go"},
		"**/*.go":                  {"in.go", "m.go", "sub-1/p.go", "sub/c/o.go", "sub/n.go", "x.key/q.go"},
		"**/**/o.go":               {"sub/c/o.go"},
		"sub/**":                   {"sub/b.txt", "sub/c", "sub/c/d.txt", "sub/c/o.go", "sub/n.go"},
		"sub/**/c/*":               {"sub/c/d.txt", "sub/c/o.go"},
		"*/**/*.txt":               {"sub/b.txt", "sub/c/d.txt"},
		"dir/n.*":                  {"sub/n.go"},
		"m.go":                     {"m.go"},
		"missing/*":                nil,
		"m.go/*":                   nil,
		"[m-n].go":                 {"m.go"},
		"**/.git/*":                nil,
		"out/*":                    nil,
		filepath.Join(extra, "*"):  {filepath.ToSlash(real) + "/r.go"},
		filepath.Join(root, "m.*"): {"m.go"},
	} {
		got, more, err := j.Glob(pattern, 0)
		if pattern == "out/*" {
			var escape *EscapeError
			assert.ErrorAs(t, err, &escape)
			continue
		}
		require.NoError(t, err, pattern)
		assert.Equal(t, want, got, pattern)
		assert.False(t, more)
	}
	got, more, err := j.Glob("**/*.go", 3)
	require.NoError(t, err)
	assert.Equal(t, []string{"in.go", "m.go", "sub-1/p.go"}, got)
	assert.True(t, more)
	_, _, err = j.Glob("sub/[", 0)
	assert.ErrorContains(t, err, `component 1, "["`)
	for _, p := range []string{"../*", "*/../../*", "/etc/*"} {
		_, _, err = j.Glob(p, 0)
		var escape *EscapeError
		assert.ErrorAs(t, err, &escape, p)
	}
	_, _, err = j.Glob(".git/*", 0)
	var protected *ProtectedError
	assert.ErrorAs(t, err, &protected)
}

func TestProtectedNamesAreNotChanged(t *testing.T) {
	for _, p := range []string{".env", ".env.new", "sub/.ENVRC", ".git/config", ".git/hooks/new", ".git", ".rho/x", "id_rsa", "new.pem", "envlink", "repo/config", "git~1", ".rho-tmp-x"} {
		t.Run(p, func(t *testing.T) {
			root, _ := place(t)
			tree(t, root, map[string]string{
				".env": "x", "sub/.ENVRC": "x", ".git/config": "x", ".rho/x": "x", "id_rsa": "x", "envlink": "-> .env", "repo": "-> .git",
			})
			j := open(t, root)
			before := digest(t, root)
			for name, op := range operations {
				if p == "envlink" && (name == "remove" || name == "rename from" || name == "rename to") {
					continue // the link itself, which is no secret, or which rename does not replace
				}
				err := op(j, p)
				var protected *ProtectedError
				require.ErrorAs(t, err, &protected, name)
				assert.Equal(t, p, protected.Path)
			}
			assert.Equal(t, before, digest(t, root))
		})
	}
}

func TestAllowProtected(t *testing.T) {
	root, _ := place(t)
	tree(t, root, map[string]string{
		".env": "one", ".env.local": "two", ".git/config": "three", ".git/HEAD": "four", ".git/.env": "five", ".rho/a/b": "six", "sub/.env": "seven",
		"link": "-> .env", "other/.env": "eight",
	})
	j := with(t, root, Options{AllowProtected: []string{".env", ".git/config", filepath.Join(root, ".rho"), "sub/.env"}})
	for given, want := range map[string]string{".env": "one", ".git/config": "three", ".rho/a/b": "six", "link": "one", "sub/.env": "seven"} {
		data, _, err := j.ReadFile(given, 10)
		require.NoError(t, err, given)
		assert.Equal(t, want, string(data))
		_, err = j.WriteFile(given, data, WriteOptions{})
		assert.NoError(t, err, given)
	}
	for _, given := range []string{".env.local", ".git/HEAD", ".git", ".git/.env", ".git/new", "other/.env"} {
		_, _, err := j.ReadFile(given, 10)
		var protected *ProtectedError
		assert.ErrorAs(t, err, &protected, given)
		_, _, err = j.Stat(given)
		assert.ErrorAs(t, err, &protected, given)
		_, err = j.WriteFile(given, nil, WriteOptions{})
		assert.ErrorAs(t, err, &protected, given)
	}
	names, err := j.Names(".", 0)
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"..dots", "a.txt", "sub", ".env", ".rho", "link", "other"}, names)
	got, _, err := j.Glob("**", 0)
	require.NoError(t, err)
	assert.Subset(t, got, []string{".env", ".git/config", ".rho/a/b", "link"})
	assert.NotContains(t, got, ".git/HEAD")
	assert.NotContains(t, got, ".git")
	assert.NotContains(t, got, "other/.env")

	// What another directory holds does not become the granted file.
	_, _, err = j.Rename("sub", "sub2")
	require.NoError(t, err)
	_, _, err = j.Rename("other", "sub")
	var protected *ProtectedError
	assert.ErrorAs(t, err, &protected)

	_, err = New(root, Options{AllowProtected: []string{"../.env"}})
	var escape *EscapeError
	assert.ErrorAs(t, err, &escape)
}

func TestReadOnlyRoots(t *testing.T) {
	root, _ := place(t)
	tree(t, root, map[string]string{"vendor/v.txt": "v", "vendor/own/w.txt": "w"})
	j := with(t, root, Options{ReadOnly: []string{"vendor"}, Roots: []string{"vendor/own"}})
	before := digest(t, filepath.Join(root, "vendor"))
	for _, p := range []string{"vendor/v.txt", "sub/../vendor/v.txt", filepath.Join(root, "vendor", "v.txt")} {
		for name, op := range operations {
			err := op(j, p)
			var readOnly *ReadOnlyError
			if changes[name] {
				require.ErrorAs(t, err, &readOnly, name)
				assert.Contains(t, err.Error(), "may only be read: use a path in a directory that may be changed, or ask the user")
			} else {
				assert.False(t, errors.As(err, &readOnly), name)
			}
		}
	}
	assert.Equal(t, before, digest(t, filepath.Join(root, "vendor")))
	_, err := j.WriteFile("vendor/own/w.txt", []byte("x"), WriteOptions{})
	assert.NoError(t, err)
	_, _, err = j.Rename("vendor", "v2")
	assert.ErrorContains(t, err, "holds the root")
	_, err = j.Remove("vendor/own")
	assert.Error(t, err)

	all := with(t, root, Options{ReadOnly: []string{"."}, Roots: []string{"sub"}})
	_, err = all.WriteFile("a.txt", nil, WriteOptions{})
	var readOnly *ReadOnlyError
	assert.ErrorAs(t, err, &readOnly)
	c, err := all.WriteFile("sub/n", nil, WriteOptions{})
	require.NoError(t, err)
	assert.Equal(t, "sub/n", c.Path)
	require.NoError(t, all.AddRoot(".", true))
	_, err = all.WriteFile("a.txt", nil, WriteOptions{})
	assert.NoError(t, err)
}

func TestUnrestricted(t *testing.T) {
	root, outside := place(t)
	tree(t, root, map[string]string{"out": "-> ../outside/secret", ".env": "x"})
	j := with(t, root, Options{Unrestricted: true, ReadOnly: []string{outside}})
	data, rel, err := j.ReadFile("a.txt", 10)
	require.NoError(t, err)
	assert.Equal(t, "a.txt", rel)
	assert.Equal(t, "a", string(data))
	for _, p := range []string{"out", "../outside/secret", filepath.Join(outside, "secret"), "sub/../../outside/secret"} {
		data, rel, err = j.ReadFile(p, 10)
		require.NoError(t, err, p)
		assert.Equal(t, "secret", string(data))
		assert.True(t, filepath.IsAbs(filepath.FromSlash(rel)), rel)
		_, err = j.WriteFile(p, nil, WriteOptions{})
		var readOnly *ReadOnlyError
		assert.ErrorAs(t, err, &readOnly)
	}
	_, err = j.WriteFile("../project2/new", []byte("n"), WriteOptions{})
	require.NoError(t, err)
	assert.Equal(t, "n", content(t, filepath.Dir(root), "project2/new"))
	_, _, err = j.ReadFile("../project/.env", 10)
	var protected *ProtectedError
	assert.ErrorAs(t, err, &protected)
}

func TestManyWritersOfOneFile(t *testing.T) {
	root, _ := place(t)
	a, b := open(t, root), open(t, root)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			j := a
			if i%2 == 0 {
				j = b
			}
			_, err := j.WriteFile("a.txt", []byte(strings.Repeat(fmt.Sprint(i%10), 10_000)), WriteOptions{})
			assert.NoError(t, err)
			_, err = j.Append("log", []byte("x"), WriteOptions{})
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	got := content(t, root, "a.txt")
	assert.Equal(t, strings.Repeat(got[:1], 10_000), got)
	assert.Len(t, content(t, root, "log"), 40)
	assert.Empty(t, litter(t, root))
}

func TestFailedWriteLeavesNothing(t *testing.T) {
	root, _ := place(t)
	j := open(t, root)
	w, err := j.toFile("write", "a.txt", WriteOptions{})
	require.NoError(t, err)
	defer w.close()
	boom := errors.New("boom")
	err = w.replace(WriteOptions{}, func(f io.Writer) error {
		_, _ = f.Write([]byte("half"))
		return boom
	})
	assert.ErrorIs(t, err, boom)
	assert.Equal(t, "a", content(t, root, "a.txt"))
	assert.Empty(t, litter(t, root))
}

func TestClosedJail(t *testing.T) {
	root, _ := place(t)
	j := open(t, root)
	require.NoError(t, j.Close())
	for name, op := range operations {
		assert.ErrorIs(t, op(j, "a.txt"), fs.ErrClosed, name)
	}
	assert.ErrorIs(t, j.AddRoot(t.TempDir(), true), fs.ErrClosed)
	assert.NoError(t, j.Close())
}

// The first of them replaces the file by one of its own, and the others must not
// add to what it has replaced.
func TestManyAppendToOneFileWithTwoNames(t *testing.T) {
	root, outside := place(t)
	if err := os.Link(filepath.Join(outside, "secret"), filepath.Join(root, "twin")); err != nil {
		t.Skip("no hard links here: ", err)
	}
	j := open(t, root)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			_, err := j.Append("twin", []byte("x"), WriteOptions{})
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	assert.Equal(t, "secret"+strings.Repeat("x", 20), content(t, root, "twin"))
	assert.Equal(t, "secret", content(t, outside, "secret"))
}
