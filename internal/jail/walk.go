package jail

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is how many symbolic links one path may lead through.
const maxLinks = 40

var (
	errChanged = errors.New("changed while it was being opened")
	errLinks   = errors.New("leads through too many symbolic links")
)

// walk is the way to one file. The kernel could follow links for us, but then
// nobody would know where they led, and the names on the way decide whether a
// file is protected. So every directory is opened by itself, and what was
// opened is compared with what was looked at: a link that appears in between
// is not followed.
type walk struct {
	jail  *Jail
	dirs  []*os.Root // below the root; the last one holds the file
	names []string   // of dirs, and at the end the file's; empty: the root itself
	info  fs.FileInfo
}

// walk goes to path. The walk is to be closed, also after an error.
func (j *Jail) walk(path string) (*walk, error) {
	w := &walk{jail: j}
	rest, err := j.split(path)
	if err != nil {
		return w, err
	}
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			if !w.up() {
				return w, &EscapeError{Path: path}
			}
			continue
		}
		if j.protected(name, len(rest) == 0) {
			return w, &ProtectedError{Path: path, Name: name}
		}
		info, err := w.dir().Lstat(name)
		if err != nil {
			// What would lead out is an escape, whether or not it exists.
			if !filepath.IsAbs(path) && !filepath.IsLocal(filepath.Clean(path)) {
				return w, &EscapeError{Path: path}
			}
			return w, pathError(path, err)
		}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			if links++; links > maxLinks {
				return w, pathError(path, errLinks)
			}
			if rest, err = w.follow(path, name, rest); err != nil {
				return w, err
			}
		case len(rest) == 0:
			w.names = append(w.names, name)
			w.info = info
			return w, nil
		default:
			if err := w.down(path, name, info); err != nil {
				return w, err
			}
		}
	}
	// The path ended in "..", in a link to one, or is the root: a directory.
	w.info, err = w.dir().Stat(".")
	if err != nil {
		return w, pathError(path, err)
	}
	return w, nil
}

// split makes path relative to the root and cuts it into its components.
func (j *Jail) split(path string) ([]string, error) {
	if path == "" || strings.IndexByte(path, 0) >= 0 {
		return nil, pathError(path, fs.ErrInvalid)
	}
	rel := path
	if filepath.IsAbs(path) {
		var ok bool
		if rel, ok = j.inside(path); !ok {
			return nil, &EscapeError{Path: path}
		}
	} else if filepath.VolumeName(path) != "" || os.IsPathSeparator(path[0]) {
		return nil, &EscapeError{Path: path} // C:x and \x mean another place on each drive
	}
	var parts []string
	for p := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if p != "" && p != "." {
			parts = append(parts, p)
		}
	}
	return parts, nil
}

// inside makes an absolute path relative to the root, in either spelling.
func (j *Jail) inside(path string) (string, bool) {
	for _, root := range []string{j.given, j.canonical} {
		rel, err := filepath.Rel(root, path)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return rel, true
		}
	}
	return "", false
}

// dir is the directory that the walk is in.
func (w *walk) dir() *os.Root {
	if n := len(w.dirs); n > 0 {
		return w.dirs[n-1]
	}
	return w.jail.root
}

// name is the file's name in dir, or "." for dir itself.
func (w *walk) name() string {
	if len(w.names) > len(w.dirs) {
		return w.names[len(w.names)-1]
	}
	return "."
}

// rel is the whole way, from the root.
func (w *walk) rel() string {
	if len(w.names) == 0 {
		return "."
	}
	return strings.Join(w.names, "/")
}

// down enters the directory that info was read of.
func (w *walk) down(path, name string, info fs.FileInfo) error {
	if !info.IsDir() {
		return pathError(path, fs.ErrNotExist)
	}
	next, err := w.dir().OpenRoot(name)
	if err != nil {
		return pathError(path, err)
	}
	now, err := next.Stat(".")
	if err == nil && !os.SameFile(now, info) {
		err = errChanged
	}
	if err != nil {
		next.Close()
		return pathError(path, err)
	}
	w.dirs = append(w.dirs, next)
	w.names = append(w.names, name)
	return nil
}

// up leaves a directory and reports whether there was one to leave.
func (w *walk) up() bool {
	n := len(w.dirs)
	if n == 0 {
		return false
	}
	w.dirs[n-1].Close()
	w.dirs, w.names = w.dirs[:n-1], w.names[:n-1]
	return true
}

// follow replaces the link name by where it points to.
func (w *walk) follow(path, name string, rest []string) ([]string, error) {
	target, err := w.dir().Readlink(name)
	if err != nil {
		return nil, pathError(path, err)
	}
	parts, err := w.jail.split(target)
	if err != nil {
		var escape *EscapeError
		if errors.As(err, &escape) {
			return nil, &EscapeError{Path: path}
		}
		return nil, err
	}
	if filepath.IsAbs(target) {
		for w.up() {
		}
	}
	return append(parts, rest...), nil
}

func (w *walk) close() {
	for w.up() {
	}
}
