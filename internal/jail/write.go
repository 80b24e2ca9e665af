package jail

import (
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// WriteOptions say how a file is written.
type WriteOptions struct {
	Parents   bool        // make missing directories on the way
	Exclusive bool        // refuse a file that exists, with fs.ErrExist
	Mode      fs.FileMode // of a new file, before the umask; 0 means 0o666. An old file keeps its mode
}

// Change tells what a write has done.
type Change struct {
	Path    string // the real place, as OpenFile names it
	Created bool   // whether there was nothing before
}

// WriteFile gives a file a new content, or makes it, all or nothing: the content
// goes to a temporary file beside it, to disk, and then into the file's place. A
// link is written through when it stays inside, also to a file that is not there
// yet. Whoever may not write the old file may not replace it.
func (j *Jail) WriteFile(path string, data []byte, o WriteOptions) (c Change, err error) {
	err = again(func() error {
		w, err := j.toFile("write", path, o)
		defer w.close()
		if err != nil {
			return err
		}
		if w.info != nil && o.Exclusive {
			return w.fail(fs.ErrExist)
		}
		c = Change{Path: w.rel(), Created: w.info == nil}
		return w.replace(o, func(f io.Writer) error {
			_, err := f.Write(data)
			return err
		})
	})
	if err != nil {
		return Change{}, err
	}
	return c, nil
}

// Append adds to the end of a file, or makes it. What is there is not rewritten,
// unless the file has more names than this one: then it is replaced by a copy of
// its own. A failure can leave a part of data only where the system cannot take
// it back.
func (j *Jail) Append(path string, data []byte, o WriteOptions) (c Change, err error) {
	err = again(func() error {
		w, err := j.toFile("append", path, o)
		defer w.close()
		if err != nil {
			return err
		}
		c = Change{Path: w.rel(), Created: w.info == nil}
		if w.info == nil {
			return w.appendNew(data, o)
		}
		if o.Exclusive {
			return w.fail(fs.ErrExist)
		}
		return w.append(data)
	})
	if err != nil {
		return Change{}, err
	}
	return c, nil
}

// toFile goes to a file to be written, which may be missing.
func (j *Jail) toFile(op, path string, o WriteOptions) (*walk, error) {
	w, err := j.walk(path, way{op: op, change: true, create: true, parents: o.Parents && !namesDir(path)})
	if err != nil {
		return w, err
	}
	kind := ""
	if w.info != nil {
		kind = kindOf(w.info.Mode())
	} else if namesDir(path) {
		kind = "a directory's name"
	}
	if kind != "" {
		return w, &NotRegularError{Path: path, Kind: kind}
	}
	return w, nil
}

// namesDir reports whether a path can only be a directory's.
func namesDir(path string) bool {
	path = strings.TrimRight(path, ".")
	return path == "" || os.IsPathSeparator(path[len(path)-1])
}

// append adds data to the file that the walk leads to.
func (w *walk) append(data []byte) error {
	f, err := w.dir().OpenFile(w.name, os.O_WRONLY|os.O_APPEND|nonBlock, 0)
	if err != nil {
		return w.fail(err)
	}
	defer f.Close()
	info, err := w.same(f)
	if err != nil {
		return w.fail(err)
	}
	if linkCount(f, info) > 1 && !w.settles(f) {
		unlock, err := w.hold(f)
		if err != nil {
			return w.fail(err)
		}
		defer unlock()
		return w.replace(WriteOptions{}, func(to io.Writer) error {
			from, err := w.dir().OpenFile(w.name, os.O_RDONLY|nonBlock, 0)
			if err != nil {
				return err
			}
			defer from.Close()
			if _, err := w.same(from); err != nil {
				return err
			}
			if _, err := io.Copy(to, from); err != nil {
				return err
			}
			_, err = to.Write(data)
			return err
		})
	}
	// Its one name must be the one here: that of a file which was replaced a
	// moment ago is elsewhere.
	if !isAt(w.dir(), w.name, f) {
		return w.fail(errChanged)
	}
	n, err := f.Write(data)
	if err == nil {
		return nil
	}
	if now, serr := f.Stat(); serr == nil && n > 0 && now.Size() == info.Size()+int64(n) {
		_ = f.Truncate(info.Size())
	}
	return w.fail(err)
}

// appendNew makes the file. It gets its name at once and not by a link, which
// others who append would take for a second name of its own.
func (w *walk) appendNew(data []byte, o WriteOptions) error {
	perm := o.Mode.Perm()
	if perm == 0 {
		perm = 0o666
	}
	f, err := w.dir().OpenFile(w.name, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, perm)
	if errors.Is(err, fs.ErrExist) {
		return w.fail(errChanged) // somebody was faster
	}
	if err != nil {
		return w.fail(err)
	}
	defer f.Close()
	if _, err = f.Write(data); err != nil {
		return w.fail(err)
	}
	return nil
}

// settles waits while the file has a second name only because a writer of ours
// is about to remove its temporary one.
func (w *walk) settles(f *os.File) bool {
	for deadline := time.Now().Add(tempWait); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		ours := false
		for slot := range tempSlots {
			ours = ours || isAt(w.dir(), tempName(w.name, slot), f)
		}
		now, err := f.Stat()
		if err != nil || linkCount(f, now) > 1 && !ours {
			return false
		}
		if linkCount(f, now) <= 1 {
			return true
		}
	}
	return false
}

// hold keeps others who append from replacing the file, too: one of them would
// lose what the other has added.
func (w *walk) hold(f *os.File) (unlock func(), err error) {
	for deadline := time.Now().Add(tempWait); ; time.Sleep(time.Millisecond) {
		err := lock(f)
		switch {
		case err == nil && !isAt(w.dir(), w.name, f):
			return nil, errChanged // it was replaced while we waited
		case err == nil || !busy(err): // some systems have no locks
			return func() {}, nil // it ends with f
		case time.Now().After(deadline):
			return nil, errors.New("too many are writing it at once: try again later")
		}
	}
}

const (
	tempPrefix = ".rho-tmp-"
	tempSlots  = 8                // how many can write one file at once
	tempWait   = 10 * time.Second // for one of them to end
)

// tempName is the name of a temporary file for name. It can be guessed, so that
// the next writer finds what a killed one left; and it is created exclusively,
// so that nothing that somebody put there is ever used.
func tempName(name string, slot int) string {
	h := fnv.New64a()
	h.Write([]byte(name))
	return tempPrefix + strconv.FormatUint(h.Sum64(), 36) + "-" + strconv.Itoa(slot)
}

// errLost says that a temporary file is gone before it could be used.
var errLost = errors.New("its temporary file was removed meanwhile: try again")

// replace puts what fill writes into the place that the walk leads to.
func (w *walk) replace(o WriteOptions, fill func(io.Writer) error) error {
	if w.info != nil {
		// The directory alone would decide about the replacement.
		f, err := w.dir().OpenFile(w.name, os.O_WRONLY|nonBlock, 0)
		if errors.Is(err, fs.ErrPermission) {
			return w.fail(err)
		}
		if err == nil {
			f.Close()
		}
	}
	for tries := 5; ; tries-- {
		err := w.tryReplace(o, fill)
		if err == nil {
			return nil
		}
		if !errors.Is(err, errLost) || tries == 1 {
			return w.fail(err)
		}
	}
}

func (w *walk) tryReplace(o WriteOptions, fill func(io.Writer) error) (err error) {
	perm := o.Mode.Perm()
	if perm == 0 {
		perm = 0o666
	}
	if w.info != nil {
		perm = 0o600 // until it has the right owner
	}
	dir := w.dir()
	f, temp, err := w.temp(perm)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			if closeBefore {
				f.Close()
			}
			_ = dir.Remove(temp) // before the lock is gone
		}
		f.Close()
	}()
	if err := fill(f); err != nil {
		return err
	}
	if w.info != nil {
		mode := w.info.Mode().Perm()
		if !keepOwner(f, w.info) {
			mode = mode&^0o070 | mode&0o007<<3 // nothing for a group that is not meant
		}
		if err := f.Chmod(mode); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if closeBefore {
		if err := f.Close(); err != nil {
			return err
		}
	}
	switch {
	case w.info == nil && o.Exclusive:
		err = w.putNew(temp)
	default:
		err = dir.Rename(temp, w.name)
		done = err == nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return errLost
	}
	return err
}

// putNew gives a temporary file its name when nothing has it.
func (w *walk) putNew(temp string) error {
	dir := w.dir()
	err := dir.Link(temp, w.name) // the caller removes the other name
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// No hard links here: hold the place with an empty file.
	f, err := dir.OpenFile(w.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	if err := dir.Rename(temp, w.name); err != nil {
		_ = dir.Remove(w.name)
		return err
	}
	return nil
}

// temp creates a temporary file for the file that the walk leads to, and removes
// those that nobody uses any more.
func (w *walk) temp(perm fs.FileMode) (*os.File, string, error) {
	dir := w.dir()
	for deadline := time.Now().Add(tempWait); ; time.Sleep(2 * time.Millisecond) {
		for slot := range tempSlots {
			sweep(dir, tempName(w.name, slot))
		}
		for slot := range tempSlots {
			name := tempName(w.name, slot)
			f, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
			if errors.Is(err, fs.ErrExist) {
				continue
			}
			if err != nil {
				return nil, "", err
			}
			// A sweeper can have taken it for litter before it was locked.
			if err := lock(f); err != nil && busy(err) || !isAt(dir, name, f) {
				f.Close()
				continue
			}
			return f, name, nil
		}
		if time.Now().After(deadline) {
			return nil, "", errors.New("too many are writing it at once: try again later")
		}
	}
}

// sweep removes a temporary file whose writer has gone.
func sweep(dir *os.Root, name string) {
	info, err := dir.Lstat(name)
	if err != nil {
		return
	}
	if !info.Mode().IsRegular() {
		_ = dir.Remove(name) // not ours, in a name of ours
		return
	}
	f, err := dir.OpenFile(name, os.O_RDWR|nonBlock, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if lock(f) == nil && isAt(dir, name, f) {
		if closeBefore {
			f.Close()
		}
		_ = dir.Remove(name)
	}
}

// isAt reports whether an open file is the one of that name.
func isAt(dir *os.Root, name string, f *os.File) bool {
	is, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := dir.Lstat(name)
	return err == nil && os.SameFile(is, there)
}
