package jail

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Dir is a directory of the jail that is held open, so that what is below it can
// be gone through name by name at the cost of what the system asks for. It is
// safe for concurrent use, until Close.
type Dir struct {
	jail  *Jail
	root  *root
	main  bool     // whether root is the jail's first
	names []string // from the root
	at    handle
}

// File is an open regular file.
type File interface {
	io.ReadCloser
	Size() int64
}

// OpenDir opens a directory. The path is as for OpenFile.
func (j *Jail) OpenDir(path string) (dir *Dir, err error) {
	err = again(func() error {
		w, err := j.walk(path, way{op: "open"})
		defer w.close()
		if err != nil {
			return err
		}
		d, err := w.openDir()
		if err != nil {
			return w.fail(err)
		}
		names := w.names()
		if w.name != "" {
			names = append(names, w.name)
		}
		at, err := newHandle(d, w.abs())
		if err != nil {
			return w.fail(err)
		}
		dir = &Dir{jail: j, root: w.root, main: w.root == w.roots[0], names: names, at: at}
		return nil
	})
	return dir, err
}

// Path is the directory's real place, as OpenFile would give it; "." is the
// root.
func (d *Dir) Path() string {
	if !d.main {
		return filepath.ToSlash(d.Real())
	}
	if len(d.names) == 0 {
		return "."
	}
	return strings.Join(d.names, "/")
}

// Real is the same as an absolute path of the system.
func (d *Dir) Real() string { return joinAbs(d.root.canonical, d.names) }

// Close ends the use of the directory. Files and directories that were opened
// through it stay open.
func (d *Dir) Close() error { return d.at.close() }

// ReadDir lists the directory in no order, once, without the protected names.
// A link is listed as one. What was read before an error is returned with it.
func (d *Dir) ReadDir() ([]fs.DirEntry, error) {
	entries, err := d.at.readDir()
	if len(d.jail.grants) == 0 {
		return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
			return d.jail.protected(e.Name(), true) || badName(e.Name()) != ""
		}), err
	}
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return d.withheld(e.Name(), true) || badName(e.Name()) != ""
	}), err
}

// OpenDir opens a directory in this one. A link is refused.
func (d *Dir) OpenDir(name string) (*Dir, error) {
	sub := &Dir{jail: d.jail, root: d.root, main: d.main, names: append(slices.Clip(d.names), name)}
	if err := d.check(name, false); err != nil {
		return nil, err
	}
	var err error
	if sub.at, err = d.at.openDir(name, sub.Real()); err != nil {
		return nil, pathError("open", sub.Path(), err)
	}
	return sub, nil
}

// OpenFile opens a regular file in the directory. A link is refused, and so is
// all else, without waiting for it.
func (d *Dir) OpenFile(name string) (File, error) {
	if err := d.check(name, true); err != nil {
		return nil, err
	}
	f, err := d.at.openFile(name)
	var other *NotRegularError
	switch {
	case errors.As(err, &other):
		other.Path = d.child(name)
		return nil, other
	case err != nil:
		return nil, pathError("open", d.child(name), err)
	}
	return f, nil
}

func (d *Dir) child(name string) string {
	if p := d.Path(); p != "." {
		return p + "/" + name
	}
	return name
}

// check says whether a name in the directory may be used at all.
func (d *Dir) check(name string, file bool) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") || filepath.Base(name) != name {
		return pathError("open", d.child(name), fs.ErrInvalid)
	}
	if d.withheld(name, file) {
		return &ProtectedError{Path: d.child(name), Name: name}
	}
	if why := badName(name); why != "" {
		return &NameError{Path: d.child(name), Name: name, Why: why}
	}
	if d.jail.allow != nil {
		return d.jail.allow(joinAbs(d.root.canonical, append(slices.Clip(d.names), name)), false)
	}
	return nil
}

func (d *Dir) withheld(name string, file bool) bool {
	if !d.jail.protected(name, file) && len(d.jail.grants) == 0 {
		return false
	}
	w := &walk{jail: d.jail, root: d.root}
	return w.withheld(append(slices.Clip(d.names), name), file, !file) != ""
}
