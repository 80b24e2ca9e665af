package jail

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Mkdir makes a directory in one that exists. One that exists itself gives an
// error that is [fs.ErrExist].
func (j *Jail) Mkdir(path string) (Change, error) { return j.mkdir(path, false) }

// MkdirAll makes a directory and those on the way to it, as far as they are
// missing.
func (j *Jail) MkdirAll(path string) (Change, error) { return j.mkdir(path, true) }

func (j *Jail) mkdir(path string, all bool) (c Change, err error) {
	err = again(func() error {
		w, err := j.walk(path, way{op: "mkdir", change: true, create: true, parents: all})
		defer w.close()
		if err != nil {
			return err
		}
		c = Change{Path: w.rel(), Created: w.info == nil}
		switch {
		case w.info == nil:
			err := w.dir().Mkdir(w.name, 0o777)
			if all && errors.Is(err, fs.ErrExist) {
				err = errChanged
			}
			if err != nil {
				return w.fail(err)
			}
		case !w.info.IsDir():
			return w.fail(errors.New("there is " + article(w.info.Mode()) + " of that name"))
		case !all:
			return w.fail(fs.ErrExist)
		}
		return nil
	})
	if err != nil {
		return Change{}, err
	}
	return c, nil
}

func article(m fs.FileMode) string {
	if m.IsRegular() {
		return "a file"
	}
	return kindOf(m)
}

// Remove removes a file, an empty directory, or a link itself and not what it
// leads to. The string is where it was.
func (j *Jail) Remove(path string) (rel string, err error) {
	err = again(func() error {
		w, err := j.walk(path, way{op: "remove", change: true, noFollow: true})
		defer w.close()
		if err != nil {
			return err
		}
		if err := w.movable(); err != nil {
			return err
		}
		rel = w.rel()
		err = w.dir().Remove(w.name)
		if w.info.IsDir() && err != nil && errors.Is(err, fs.ErrExist) {
			err = errNotEmpty
		}
		if err != nil {
			return w.fail(err)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return rel, nil
}

// Rename moves a file, a directory, or a link itself. A regular file can take
// the place of another; nothing else is replaced. The strings are the two
// places.
func (j *Jail) Rename(from, to string) (relFrom, relTo string, err error) {
	err = again(func() error {
		relFrom, relTo, err = j.rename(from, to)
		return err
	})
	if err != nil {
		return "", "", err
	}
	return relFrom, relTo, nil
}

func (j *Jail) rename(from, to string) (string, string, error) {
	a, err := j.walk(from, way{op: "rename", change: true, noFollow: true, read: true})
	defer a.close()
	if err != nil {
		return "", "", err
	}
	b, err := j.walk(to, way{op: "rename to", change: true, create: true, noFollow: true})
	defer b.close()
	if err != nil {
		return "", "", err
	}
	if err := a.movable(); err != nil {
		return "", "", err
	}
	mode := a.info.Mode()
	if !mode.IsRegular() && !mode.IsDir() && mode&fs.ModeSymlink == 0 {
		return "", "", &NotRegularError{Path: from, Kind: kindOf(mode)}
	}
	switch {
	case b.info == nil:
	case b.name == "":
		return "", "", b.fail(fs.ErrExist)
	case !b.info.Mode().IsRegular():
		return "", "", &NotRegularError{Path: to, Kind: kindOf(b.info.Mode())}
	case !mode.IsRegular():
		return "", "", b.fail(fs.ErrExist)
	}
	if !mode.IsDir() && b.info == nil && namesDir(to) {
		return "", "", &NotRegularError{Path: to, Kind: "a directory's name"}
	}
	if !mode.IsRegular() && j.stays != nil && j.stays(b.abs()) {
		return "", "", &StaysError{Path: to}
	}
	for _, grant := range j.grants {
		// A directory must not bring its own secrets into a place that is granted.
		if mode.IsDir() && grant != b.abs() && within(grant, b.abs()) {
			return "", "", &ProtectedError{Path: to, Name: path.Base(grant), Change: true}
		}
	}
	if mode.IsDir() && a.abs() != b.abs() && within(b.abs(), a.abs()) {
		return "", "", b.fail(fmt.Errorf("is inside %q itself, which cannot go there", from))
	}
	if err := move(a, b); err != nil {
		if otherDisk(err) {
			return "", "", b.fail(errors.New("lies on another disk: write the file anew and remove the old one"))
		}
		if errors.Is(err, fs.ErrNotExist) {
			return "", "", a.fail(err)
		}
		return "", "", b.fail(err)
	}
	return a.rel(), b.rel(), nil
}

// move renames between the directories that the two walks hold open.
func move(a, b *walk) error {
	if sameDir(a, b) {
		return a.dir().Rename(a.name, b.name)
	}
	err := renameBetween(a.dir(), a.name, b.dir(), b.name)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if a.root != b.root {
		return errors.New("is in another root, which this system cannot rename to: write the file anew and remove the old one")
	}
	from, to := append(a.names(), a.name), append(b.names(), b.name)
	return a.root.dir.Rename(strings.Join(from, "/"), strings.Join(to, "/"))
}

func sameDir(a, b *walk) bool {
	x, err := a.dir().Stat(".")
	if err != nil {
		return false
	}
	y, err := b.dir().Stat(".")
	return err == nil && os.SameFile(x, y)
}

// movable refuses to take away a root, and what stays.
func (w *walk) movable() error {
	if w.name == "" {
		return w.fail(errors.New("is a directory by way of \"..\" or a root: use its plain path"))
	}
	for _, r := range w.roots {
		if os.SameFile(r.info, w.info) || within(r.canonical, w.abs()) {
			return w.fail(fmt.Errorf("holds the root %q, which stays where it is", r.canonical))
		}
	}
	if w.jail.stays != nil && w.jail.stays(w.abs()) {
		return &StaysError{Path: w.path}
	}
	return nil
}
