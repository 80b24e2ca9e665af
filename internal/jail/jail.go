package jail

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Jail reads below one directory. It is safe for concurrent use.
type Jail struct {
	root      *os.Root
	given     string   // absolute, as the caller spells it
	canonical string   // absolute, without symbolic links
	extra     []string // patterns of more protected names
}

// Open makes a jail of the directory root. The extra names are protected as
// well as the usual ones: patterns of [path.Match], in lower case, that any
// component of a path is compared with.
func Open(root string, extra ...string) (*Jail, error) {
	given, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	canonical, err := filepath.EvalSymlinks(given)
	if err != nil {
		return nil, err
	}
	for _, pattern := range extra {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("protected name %q: %w", pattern, err)
		}
	}
	r, err := os.OpenRoot(canonical)
	if err != nil {
		return nil, err
	}
	return &Jail{root: r, given: given, canonical: canonical, extra: extra}, nil
}

// Close ends the jail. Files that it opened stay open.
func (j *Jail) Close() error { return j.root.Close() }

// Root is the directory, absolute and without symbolic links.
func (j *Jail) Root() string { return j.canonical }

// OpenFile opens a regular file for reading. A relative path starts at the
// root; an absolute one must lie in it. The string is the file's real place:
// relative to the root, with slashes, links resolved.
//
// A path that leads out gives an [*EscapeError], a protected name a
// [*ProtectedError], anything but a regular file a [*NotRegularError], without
// ever waiting for one, and a missing file an error that is [fs.ErrNotExist].
func (j *Jail) OpenFile(path string) (*os.File, string, error) {
	// A file can be replaced at any moment, as editors do when they save.
	for tries := 3; ; tries-- {
		f, rel, err := j.open(path)
		if !errors.Is(err, errChanged) || tries == 1 {
			return f, rel, err
		}
	}
}

func (j *Jail) open(path string) (*os.File, string, error) {
	w, err := j.walk(path)
	defer w.close()
	if err != nil {
		return nil, "", err
	}
	if kind := kindOf(w.info.Mode()); kind != "" {
		return nil, "", &NotRegularError{Path: path, Kind: kind}
	}
	f, err := w.dir().OpenFile(w.name(), os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, "", pathError(path, err)
	}
	now, err := f.Stat()
	if err == nil && !os.SameFile(now, w.info) {
		err = errChanged
	}
	if err != nil {
		f.Close()
		return nil, "", pathError(path, err)
	}
	return f, w.rel(), nil
}

// ReadFile reads a whole file of at most max bytes; a larger one gives a
// [*TooLargeError]. The rest is as for OpenFile.
func (j *Jail) ReadFile(path string, max int64) ([]byte, string, error) {
	f, rel, err := j.OpenFile(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, "", pathError(path, err)
	}
	if info.Size() > max {
		return nil, "", &TooLargeError{Path: path, Size: info.Size(), Max: max}
	}
	// The size is a hint: a file may grow, and some have none.
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil {
		return nil, "", pathError(path, err)
	}
	if int64(len(data)) > max {
		return nil, "", &TooLargeError{Path: path, Size: int64(len(data)), Max: max}
	}
	return data, rel, nil
}

// Names lists what a directory of the jail holds, at most max names, without
// the protected ones. The path is as for OpenFile.
func (j *Jail) Names(dir string, max int) ([]string, error) {
	w, err := j.walk(dir)
	defer w.close()
	if err != nil {
		return nil, err
	}
	if !w.info.IsDir() {
		return nil, pathError(dir, errors.New("is not a directory"))
	}
	d, err := w.dir().Open(w.name())
	if err != nil {
		return nil, pathError(dir, err)
	}
	defer d.Close()
	names, err := d.Readdirnames(max)
	if err != nil && err != io.EOF {
		return nil, pathError(dir, err)
	}
	kept := names[:0]
	for _, n := range names {
		if !j.protected(n, true) {
			kept = append(kept, n)
		}
	}
	return kept, nil
}

// kindOf names what a file is, in case it is not a regular one.
func kindOf(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return ""
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	default:
		return "a special file"
	}
}
