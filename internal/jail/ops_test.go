package jail

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// operations are all that a path can be given to. Where a second path is needed
// it is one in the root.
var operations = map[string]func(*Jail, string) error{
	"open": func(j *Jail, p string) error {
		f, _, err := j.OpenFile(p)
		if err == nil {
			f.Close()
		}
		return err
	},
	"read":    func(j *Jail, p string) error { _, _, err := j.ReadFile(p, 1<<20); return err },
	"stat":    func(j *Jail, p string) error { _, _, err := j.Stat(p); return err },
	"names":   func(j *Jail, p string) error { _, err := j.Names(p, 10); return err },
	"readdir": func(j *Jail, p string) error { _, _, _, err := j.ReadDir(p, 10); return err },
	"write":   func(j *Jail, p string) error { _, err := j.WriteFile(p, []byte("W"), WriteOptions{}); return err },
	"write deep": func(j *Jail, p string) error {
		_, err := j.WriteFile(p, []byte("W"), WriteOptions{Parents: true})
		return err
	},
	"write new": func(j *Jail, p string) error {
		_, err := j.WriteFile(p, []byte("W"), WriteOptions{Exclusive: true})
		return err
	},
	"append": func(j *Jail, p string) error {
		_, err := j.Append(p, []byte("A"), WriteOptions{Parents: true})
		return err
	},
	"mkdir":       func(j *Jail, p string) error { _, err := j.Mkdir(p); return err },
	"mkdirall":    func(j *Jail, p string) error { _, err := j.MkdirAll(p); return err },
	"remove":      func(j *Jail, p string) error { _, err := j.Remove(p); return err },
	"rename from": func(j *Jail, p string) error { _, _, err := j.Rename(p, "renamed"); return err },
	"rename to":   func(j *Jail, p string) error { _, _, err := j.Rename("a.txt", p); return err },
}

// changes are the operations that change something.
var changes = map[string]bool{
	"write": true, "write deep": true, "write new": true, "append": true, "mkdir": true, "mkdirall": true,
	"remove": true, "rename from": true, "rename to": true,
}

// long reports whether the thorough form of a test was asked for.
func long() bool { return os.Getenv("RHO_LONG") == "1" }

// digest is all about a tree that a change would show in, times too.
func digest(t testing.TB, root string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(h, p, info.Mode(), info.ModTime().UnixNano(), inode(info))
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "%q\n", data)
		case info.Mode()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(p)
			fmt.Fprintln(h, target)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
