package jail

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// OpenFile opens a regular file for reading. A relative path starts at the
// root; an absolute one must lie in one of the roots; a leading ~ is the home
// directory. The string is the file's real place, as for every operation here:
// links resolved, with slashes, relative to the root, or absolute when it is in
// another root.
//
// A path that leads out gives an [*EscapeError], a protected name a
// [*ProtectedError], anything but a regular file a [*NotRegularError], without
// ever waiting for one, and a missing file an error that is [fs.ErrNotExist].
func (j *Jail) OpenFile(path string) (f *os.File, rel string, err error) {
	err = again(func() error {
		f, rel, err = j.open(path)
		return err
	})
	return f, rel, err
}

func (j *Jail) open(path string) (*os.File, string, error) {
	w, err := j.walk(path, way{op: "open"})
	defer w.close()
	if err != nil {
		return nil, "", err
	}
	if kind := kindOf(w.info.Mode()); kind != "" {
		return nil, "", &NotRegularError{Path: path, Kind: kind}
	}
	f, err := w.dir().OpenFile(w.at(), os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, "", w.fail(err)
	}
	if _, err := w.same(f); err != nil {
		f.Close()
		return nil, "", w.fail(err)
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
		return nil, "", pathError("open", path, err)
	}
	if info.Size() > max {
		return nil, "", &TooLargeError{Path: path, Size: info.Size(), Max: max}
	}
	// The size is a hint: a file may grow, and some have none.
	data, err := readAll(io.LimitReader(f, max+1), info.Size())
	if err != nil {
		return nil, "", pathError("open", path, err)
	}
	if int64(len(data)) > max {
		return nil, "", &TooLargeError{Path: path, Size: int64(len(data)), Max: max}
	}
	return data, rel, nil
}

// readAll is io.ReadAll with room for size bytes from the start.
func readAll(r io.Reader, size int64) ([]byte, error) {
	data := make([]byte, 0, size+1)
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return data, err
		}
		if len(data) == cap(data) {
			data = slices.Grow(data, 512)
		}
	}
}

// Stat tells what a path leads to, links followed, without opening it.
func (j *Jail) Stat(path string) (info fs.FileInfo, rel string, err error) {
	err = again(func() error {
		w, err := j.walk(path, way{op: "stat"})
		defer w.close()
		if err != nil {
			return err
		}
		info, rel = w.info, w.rel()
		return nil
	})
	return info, rel, err
}

// Names lists what a directory of the jail holds, at most max names (all when
// it is not above 0), without the protected ones. The path is as for OpenFile.
func (j *Jail) Names(dir string, max int) (names []string, err error) {
	err = j.list("open", dir, func(w *walk, d *os.File) error {
		names, err = d.Readdirnames(max)
		names = slices.DeleteFunc(names, func(n string) bool { return w.hidden(n) })
		return err
	})
	return names, err
}

// ReadDir lists a directory sorted by name, without the protected names. A link
// is listed as one. Above max entries it gives the max that the system has
// first, and more is true; a max that is not above 0 is no limit.
func (j *Jail) ReadDir(dir string, max int) (entries []fs.DirEntry, rel string, more bool, err error) {
	err = j.list("list", dir, func(w *walk, d *os.File) error {
		rel, entries, more = w.rel(), nil, false
		for {
			some, err := d.ReadDir(256)
			for _, e := range some {
				switch {
				case w.hidden(e.Name()):
				case max > 0 && len(entries) == max:
					more = true
					return nil
				default:
					entries = append(entries, e)
				}
			}
			if err != nil {
				return err
			}
		}
	})
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, rel, more, err
}

// list opens a directory and lets read have it.
func (j *Jail) list(op, dir string, read func(*walk, *os.File) error) error {
	return again(func() error {
		w, err := j.walk(dir, way{op: op})
		defer w.close()
		if err != nil {
			return err
		}
		d, err := w.openDir()
		if err != nil {
			return w.fail(err)
		}
		defer d.Close()
		f, err := d.Open(".")
		if err != nil {
			return w.fail(err)
		}
		defer f.Close()
		if err := read(w, f); err != nil && !errors.Is(err, io.EOF) {
			return w.fail(err)
		}
		return nil
	})
}

// hidden reports whether a name in the directory that the walk leads to is left
// out of lists.
func (w *walk) hidden(name string) bool {
	if len(w.jail.grants) == 0 {
		return w.jail.protected(name, true)
	}
	names := w.names()
	if w.name != "" {
		names = append(names, w.name)
	}
	return w.withheld(append(names, name), true, false) != ""
}

// kindOf names what a file is, in case it is not a regular one.
func kindOf(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return ""
	case m.IsDir():
		return "a directory"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
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
