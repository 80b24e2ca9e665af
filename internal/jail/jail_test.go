package jail

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tree makes files below a directory; a text that starts with "-> " is the
// target of a link.
func tree(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		if target, link := strings.CutPrefix(text, "-> "); link {
			if err := os.Symlink(target, p); err != nil {
				t.Skip("no symbolic links here: ", err)
			}
			continue
		}
		require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
	}
}

func open(t *testing.T, root string, extra ...string) *Jail {
	t.Helper()
	j, err := Open(root, extra...)
	require.NoError(t, err)
	t.Cleanup(func() { j.Close() })
	return j
}

// place makes a project beside something that is none of its business.
func place(t *testing.T) (root, outside string) {
	base := t.TempDir()
	root, outside = filepath.Join(base, "project"), filepath.Join(base, "outside")
	tree(t, base, map[string]string{
		"project/a.txt":       "a",
		"project/sub/b.txt":   "b",
		"project/sub/c/d.txt": "d",
		"project/..dots/e":    "e",
		"outside/secret":      "secret",
		"project2/f":          "f",
	})
	return root, outside
}

func TestReadsWhatIsInside(t *testing.T) {
	root, _ := place(t)
	j := open(t, root)
	for given, want := range map[string][2]string{
		"a.txt":                                 {"a.txt", "a"},
		"./sub/../sub//b.txt":                   {"sub/b.txt", "b"},
		"sub/c/../../a.txt":                     {"a.txt", "a"},
		"..dots/e":                              {"..dots/e", "e"},
		filepath.Join(root, "sub", "b.txt"):     {"sub/b.txt", "b"},
		filepath.Join(j.Root(), "sub", "b.txt"): {"sub/b.txt", "b"},
	} {
		data, rel, err := j.ReadFile(given, 100)
		require.NoError(t, err, given)
		assert.Equal(t, want[0], rel)
		assert.Equal(t, want[1], string(data))
	}
}

func TestRefusesWhatIsOutside(t *testing.T) {
	root, outside := place(t)
	j := open(t, root)
	for _, given := range []string{
		"..", "../outside/secret", "../project/a.txt", "sub/../../outside/secret", "sub/../..", "../project2/f",
		filepath.Join(outside, "secret"), filepath.Dir(root), root + "2/f", "/etc/passwd", "/",
	} {
		_, _, err := j.OpenFile(given)
		var escape *EscapeError
		require.ErrorAs(t, err, &escape, given)
		assert.Equal(t, given, escape.Path)
		assert.Contains(t, err.Error(), "is outside the project root: use a path inside it")
	}
	for _, given := range []string{"", "a\x00.txt"} {
		_, _, err := j.OpenFile(given)
		assert.ErrorIs(t, err, fs.ErrInvalid)
	}
}

func TestLinks(t *testing.T) {
	root, outside := place(t)
	tree(t, root, map[string]string{
		"in":         "-> sub/b.txt",
		"up":         "-> ../a.txt", // escapes: it stands at the top
		"sub/up":     "-> ../a.txt",
		"dir":        "-> sub/c",
		"abs":        "-> " + filepath.Join(root, "sub", "b.txt"),
		"chain":      "-> dir/../up", // physical: dir is sub/c, so this is sub/up
		"out":        "-> ../outside/secret",
		"outdir":     "-> ../outside",
		"outabs":     "-> " + filepath.Join(outside, "secret"),
		"dangling":   "-> nowhere",
		"danglesout": "-> ../outside/nowhere",
		"loop":       "-> loop",
		"todir":      "-> sub",
	})
	j := open(t, root)
	for given, want := range map[string]string{
		"in": "sub/b.txt", "sub/up": "a.txt", "dir/d.txt": "sub/c/d.txt", "abs": "sub/b.txt",
		"chain": "a.txt", "dir/../b.txt": "sub/b.txt",
	} {
		_, rel, err := j.ReadFile(given, 100)
		require.NoError(t, err, given)
		assert.Equal(t, want, rel, given)
	}
	for _, given := range []string{"up", "out", "outdir/secret", "outabs", "danglesout", "outdir"} {
		_, _, err := j.OpenFile(given)
		var escape *EscapeError
		assert.ErrorAs(t, err, &escape, given)
	}
	_, _, err := j.OpenFile("dangling")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.EqualError(t, err, "open dangling: file does not exist")
	_, _, err = j.OpenFile("loop")
	assert.ErrorContains(t, err, "too many symbolic links")
	_, _, err = j.OpenFile("todir")
	var irregular *NotRegularError
	assert.ErrorAs(t, err, &irregular)
}

func TestRootBehindALinkHasTwoSpellings(t *testing.T) {
	root, _ := place(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Skip(err)
	}
	j := open(t, link)
	for _, given := range []string{filepath.Join(link, "a.txt"), filepath.Join(j.Root(), "a.txt"), "a.txt"} {
		_, rel, err := j.ReadFile(given, 10)
		require.NoError(t, err, given)
		assert.Equal(t, "a.txt", rel)
	}
}

func TestProtectedNames(t *testing.T) {
	root, _ := place(t)
	tree(t, root, map[string]string{
		".env": "x", ".ENV.local": "x", "sub/.envrc": "x", ".git/config": "x", "sub/.GIT/config": "x", ".rho/config.toml": "x",
		"id_rsa": "x", "keys/ID_ED25519": "x", "tls/server.PEM": "x", "a.key": "x", "b.p12": "x", "c.pfx": "x",
		"id_rsa.pub": "x", ".gitignore": "x", ".github/w.yml": "x", "env.txt": "x", "keys.txt": "x", "x.key/plain": "x", "secret.toml": "x",
		".g\u200cit/config": "x",
		"innocent":          "-> .env",
		"repo":              "-> .git",
	})
	j := open(t, root, "secret.*")
	for _, given := range []string{
		".env", ".ENV.local", "sub/.envrc", ".git/config", ".git", "sub/.GIT/config", ".rho/config.toml", ".rho/not-there",
		"id_rsa", "keys/ID_ED25519", "tls/server.PEM", "a.key", "b.p12", "c.pfx", "secret.toml", "SECRET.toml", ".g\u200cit/config",
		"innocent", "repo/config", "repo/../.env", filepath.Join(root, ".env"), ".env.does-not-exist",
	} {
		_, _, err := j.OpenFile(given)
		var protected *ProtectedError
		require.ErrorAs(t, err, &protected, given)
		assert.Equal(t, given, protected.Path)
	}
	for _, given := range []string{"id_rsa.pub", ".gitignore", ".github/w.yml", "env.txt", "keys.txt", "x.key/plain"} {
		_, _, err := j.ReadFile(given, 10)
		assert.NoError(t, err, given)
	}
	_, _, err := j.OpenFile("innocent")
	assert.EqualError(t, err, `path "innocent" is protected (through ".env"): files that hold secrets or rules `+
		`(.env*, private keys, .git, .rho) are not read; ask the user for what you need of it`)
}

func TestOnlyRegularFiles(t *testing.T) {
	root, _ := place(t)
	j := open(t, root)
	for _, given := range []string{"sub", ".", "sub/", "sub/..", root} {
		_, _, err := j.OpenFile(given)
		var irregular *NotRegularError
		require.ErrorAs(t, err, &irregular, given)
		assert.Equal(t, "a directory", irregular.Kind)
	}
	_, _, err := j.OpenFile("a.txt/b")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, _, err = j.OpenFile("missing/b")
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestTooLarge(t *testing.T) {
	root, _ := place(t)
	tree(t, root, map[string]string{"ten": "0123456789"})
	j := open(t, root)
	data, _, err := j.ReadFile("ten", 10)
	require.NoError(t, err)
	assert.Len(t, data, 10)
	_, _, err = j.ReadFile("ten", 9)
	var large *TooLargeError
	require.ErrorAs(t, err, &large)
	assert.Equal(t, TooLargeError{Path: "ten", Size: 10, Max: 9}, *large)
}

func TestNamesLeaveOutProtectedOnes(t *testing.T) {
	root, _ := place(t)
	tree(t, root, map[string]string{"sub/.env": "x", "sub/id_rsa": "x"})
	j := open(t, root)
	names, err := j.Names("sub", 100)
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"b.txt", "c"}, names)
	names, err = j.Names(".", 1)
	require.NoError(t, err)
	assert.Len(t, names, 1)
	_, err = j.Names("a.txt", 1)
	assert.ErrorContains(t, err, "not a directory")
	_, err = j.Names("..", 1)
	var escape *EscapeError
	assert.ErrorAs(t, err, &escape)
	_, err = j.Names(".git", 1)
	var protected *ProtectedError
	assert.ErrorAs(t, err, &protected)
}

func TestOpenWantsADirectoryAndGoodPatterns(t *testing.T) {
	root, _ := place(t)
	_, err := Open(filepath.Join(root, "missing"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = Open(filepath.Join(root, "a.txt"))
	assert.Error(t, err)
	_, err = Open(root, "[")
	assert.ErrorContains(t, err, `protected name "["`)
}

// A file that is swapped for a link while it is read must never show what the
// link points to.
func TestLinkThatComesAndGoesLeadsNowhere(t *testing.T) {
	root, outside := place(t)
	tree(t, root, map[string]string{".env": "secret", "d/x": "fine"})
	if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(root, "probe")); err != nil {
		t.Skip(err)
	}
	j := open(t, root)
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		targets := []string{filepath.Join(root, ".env"), filepath.Join(outside, "secret"), filepath.Join(root, "a.txt")}
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			tmp := filepath.Join(root, "tmp")
			if i%2 == 0 {
				_ = os.WriteFile(tmp, []byte("fine"), 0o644)
			} else {
				_ = os.Symlink(targets[i/2%len(targets)], tmp)
			}
			_ = os.Rename(tmp, filepath.Join(root, "flip"))
			_ = os.Rename(filepath.Join(root, "d"), filepath.Join(root, "d2"))
			_ = os.Symlink(outside, filepath.Join(root, "d"))
			_ = os.Remove(filepath.Join(root, "d"))
			_ = os.Rename(filepath.Join(root, "d2"), filepath.Join(root, "d"))
		}
	}()
	for range 3000 {
		for _, p := range []string{"flip", "d/secret"} {
			f, _, err := j.OpenFile(p)
			if err != nil {
				continue
			}
			data, _ := io.ReadAll(f)
			f.Close()
			if !assert.NotEqual(t, "secret", string(data)) {
				break
			}
		}
	}
	close(stop)
	<-done
}

func TestErrorsSayWhatToDo(t *testing.T) {
	for _, err := range []error{
		&EscapeError{Path: "../x"}, &ProtectedError{Path: ".env", Name: ".env"},
		&NotRegularError{Path: "p", Kind: "a named pipe"}, &TooLargeError{Path: "p", Size: 2, Max: 1},
	} {
		assert.Contains(t, err.Error(), `"`)
		assert.Regexp(t, `(use|ask|name|read) `, err.Error())
	}
	assert.Nil(t, errors.Unwrap(&EscapeError{}))
}
