//go:build unix

package jail

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// No operation succeeds for a path whose real place is outside, and none
// touches what is there, or reads what is protected.
func FuzzPaths(f *testing.F) {
	for _, e := range escapes {
		f.Add(e.path, "a.txt")
	}
	for _, p := range []string{
		"a.txt", "sub/b.txt", "in/b.txt", "new/deep", "", ".", "./", "sub/..", "sub/.", "..dots", "a.txt/", "~user", ".env", "sub/../.git/x", "=/a.txt", "=/sub/", "link",
		"\x00", "a\x00b", strings.Repeat("a/", 300), strings.Repeat("../", 300), strings.Repeat("x", 300), "in/../in/../a.txt", "ro/x", "env", "git/x", "loop/x", "**", "*/../..", "=/ro/../a.txt",
	} {
		f.Add(p, "in/new")
	}
	var names []string
	for name := range operations {
		names = append(names, name)
	}
	slices.Sort(names)
	f.Fuzz(func(t *testing.T, one, two string) {
		base := memory(t)
		root, outside := trap(t, base)
		for name, target := range map[string]string{"env": ".env", "git": ".git", "loop": "loop", "link": "sub/later"} {
			if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
		for _, dir := range []string{".git", "ro"} {
			if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, dir, "x"), []byte("secret"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(root, ".env"), []byte("secret"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "ro", "x"), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		place := strings.NewReplacer("@", outside, "=", root, "^", base)
		one, two = place.Replace(one), place.Replace(two)
		j, err := New(root, Options{ReadOnly: []string{"ro"}})
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		guarded := []string{outside, root + "2", filepath.Join(root, ".git"), filepath.Join(root, "ro")}
		digests := func() (all []string) {
			for _, d := range guarded {
				all = append(all, digest(t, d))
			}
			return all
		}
		before := digests()
		inside := func(op, path, rel string) {
			if !filepath.IsLocal(rel) || strings.HasPrefix(rel+"/", ".git/") || rel == ".env" {
				t.Errorf("%s of %q gives %q", op, path, rel)
			}
			real, err := filepath.EvalSymlinks(filepath.Join(root, rel))
			if err == nil && real != filepath.Join(root, rel) {
				t.Errorf("%s of %q gives %q, which is really %q", op, path, rel, real)
			}
		}
		for _, p := range []string{one, two} {
			if data, rel, err := j.ReadFile(p, 1<<20); err == nil {
				inside("read", p, rel)
				if string(data) == "secret" {
					t.Errorf("read of %q gives a secret", p)
				}
			}
			if _, rel, err := j.Stat(p); err == nil {
				inside("stat", p, rel)
			}
			if _, rel, _, err := j.ReadDir(p, 100); err == nil {
				inside("list", p, rel)
			}
			if found, _, err := j.Glob(p, 100); err == nil {
				for _, rel := range found {
					if !filepath.IsLocal(rel) {
						t.Errorf("glob of %q gives %q", p, rel)
					}
				}
			}
			if c, err := j.WriteFile(p, []byte("W"), WriteOptions{Parents: true}); err == nil {
				inside("write", p, c.Path)
			}
			if c, err := j.Append(p, []byte("A"), WriteOptions{}); err == nil {
				inside("append", p, c.Path)
			}
		}
		_, _, _ = j.Rename(one, two)
		for _, name := range names {
			_ = operations[name](j, one)
			_ = operations[name](j, two)
		}
		after := digests()
		for i := range before {
			if before[i] != after[i] {
				t.Errorf("%q and %q change something in %s", one, two, guarded[i])
			}
		}
		if data, err := os.ReadFile(filepath.Join(root, ".env")); err != nil || string(data) != "secret" {
			t.Errorf("%q and %q change .env: %q, %v", one, two, data, err)
		}
		if found := litter(&testing.T{}, root); len(found) > 0 {
			t.Errorf("%q and %q leave %q", one, two, found)
		}
	})
}

// memory is a temporary directory where syncing costs nothing, if there is one.
func memory(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "jail")
	if err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
	} else {
		dir = t.TempDir()
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}
