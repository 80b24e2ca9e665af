package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// ExistsError says that something is where a new extension should go.
type ExistsError struct {
	Path string // relative to the root, with forward slashes
}

// Error implements error.
func (e *ExistsError) Error() string { return e.Path + " exists already" }

// Write puts files into a new folder, which is there with all of them or not at
// all. dir is where the folder goes, relative to the root, and is made where it
// does not exist; nothing is written outside the root, whatever links say. It
// overwrites nothing: the error is then an [*ExistsError].
func Write(root *os.Root, dir, name string, files []File) (err error) {
	target := path.Join(dir, name)
	if err := free(root, dir, name, files); err != nil {
		return err
	}
	made, err := mkdirs(root, dir)
	defer func() {
		if err == nil {
			return
		}
		for i := len(made) - 1; i >= 0; i-- {
			_ = root.Remove(made[i]) // which fails where somebody else has put something in
		}
	}()
	if err != nil {
		return err
	}
	// A name that begins with a dot is no extension, so nobody loads it half-written.
	temp := path.Join(dir, fmt.Sprintf(".%s.%d.tmp", name, os.Getpid()))
	if err := root.Mkdir(temp, 0o755); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.RemoveAll(temp)
		}
	}()
	for _, f := range files {
		if err := root.MkdirAll(path.Dir(path.Join(temp, f.Path)), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(path.Join(temp, f.Path), []byte(f.Text), 0o644); err != nil {
			return err
		}
	}
	if err := free(root, dir, name, files); err != nil { // once more: time has passed
		return err
	}
	return root.Rename(temp, target)
}

// free reports what is in the way of a new extension: its folder or, in it, one of
// the files; or a file of its name beside it, which would win.
func free(root *os.Root, dir, name string, files []File) error {
	target := path.Join(dir, name)
	if _, err := root.Lstat(target); err == nil {
		for _, f := range files {
			if _, err := root.Lstat(path.Join(target, f.Path)); err == nil {
				return &ExistsError{path.Join(target, f.Path)}
			}
		}
		return &ExistsError{target}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, ext := range []string{".ts", ".js", ".mts", ".mjs", ".tsx"} {
		if _, err := root.Lstat(target + ext); err == nil {
			return &ExistsError{target + ext}
		}
	}
	return nil
}

// mkdirs makes a folder and those on the way, and lists the new ones.
func mkdirs(root *os.Root, dir string) (made []string, err error) {
	at := ""
	for _, part := range splitPath(dir) {
		at = path.Join(at, part)
		err := root.Mkdir(at, 0o755)
		if err == nil {
			made = append(made, at)
			continue
		}
		st, statErr := root.Stat(at)
		switch {
		case statErr != nil: // such as a link that leaves the root
			return made, statErr
		case !st.IsDir():
			return made, fmt.Errorf("%s is no folder", at)
		}
	}
	return made, nil
}

func splitPath(dir string) []string {
	if dir = filepath.ToSlash(path.Clean(dir)); dir == "." {
		return nil
	}
	var parts []string
	for dir != "." {
		parts = append([]string{path.Base(dir)}, parts...)
		dir = path.Dir(dir)
	}
	return parts
}
