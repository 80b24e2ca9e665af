package jail

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxLinks = 40      // symbolic links on the way of one path
	maxDepth = 250     // directories below a root: each is open while the walk lasts
	maxPath  = 1 << 15 // bytes of a path
)

var (
	errChanged  = errors.New("changed while it was being opened: try again")
	errLinks    = errors.New("leads through too many symbolic links")
	errDeep     = errors.New("is nested too deeply")
	errNotDir   = errors.New("is not a directory")
	errInFile   = errors.New("leads through a file, where a directory is needed")
	errNotEmpty = errors.New("directory is not empty: remove what is in it first")
)

// way says how to go.
type way struct {
	op       string // for errors
	change   bool   // something is to be changed at the end
	create   bool   // the last name may be missing
	parents  bool   // missing directories on the way are made
	noFollow bool   // a link at the end is meant itself
	read     bool   // beside a change, it counts as read: it can be read elsewhere then
}

// walk is the way to one file. The kernel could follow links for us, but then
// nobody would know where they led, and the names on the way decide whether a
// file is protected. So every directory is opened by itself, and what was
// opened is compared with what was looked at: a link that appears in between
// is not followed.
type walk struct {
	jail   *Jail
	way    way
	path   string // as it was given
	real   string // what ~ stood for, or empty
	roots  []*root
	root   *root
	levels []level     // the directories below the root
	name   string      // the file in the last one; empty: that directory itself
	info   fs.FileInfo // of the file; nil: there is none
}

// level is a directory on the way, held open.
type level struct {
	dir  *os.Root
	name string
	hold *root // where it may not be changed: the root that says so
}

// walk goes to path. The walk is to be closed, also after an error.
func (j *Jail) walk(path string, how way) (*walk, error) {
	w := &walk{jail: j, way: how, path: path}
	err := w.run()
	return w, err
}

func (w *walk) run() error {
	roots := w.jail.roots.Load()
	if roots == nil {
		return w.fail(fs.ErrClosed)
	}
	w.roots = *roots
	w.root = w.roots[0]
	where, home := expandHome(w.path)
	if home {
		w.real = where
	}
	rest, err := w.split(where)
	if err != nil {
		return err
	}
	for links, made := 0, 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			if rest, err = w.up(rest); err != nil {
				return err
			}
			continue
		}
		last := len(rest) == 0
		if err := w.check(name, last); err != nil {
			return err
		}
		info, err := w.dir().Lstat(name)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return w.fail(err)
		case err != nil:
			if w.leadsOut() {
				return w.escape("")
			}
			if last && w.way.create {
				w.name = name
				return w.arrive()
			}
			if !w.way.parents || made > maxDepth {
				return w.fail(fs.ErrNotExist)
			}
			made++
			if err := w.make(name, rest); err != nil {
				return err
			}
			rest = append([]string{name}, rest...)
		case info.Mode()&fs.ModeSymlink != 0 && !(last && w.way.noFollow):
			if links++; links > maxLinks {
				return w.fail(errLinks)
			}
			if rest, err = w.follow(name, rest); err != nil {
				return err
			}
		case last:
			w.name, w.info = name, info
			return w.arrive()
		default:
			if err := w.down(name, info); err != nil {
				return err
			}
		}
	}
	// The path ended in "..", in a link to one, or is a root: a directory.
	if w.info, err = w.dir().Stat("."); err != nil {
		return w.fail(err)
	}
	return w.arrive()
}

// leadsOut reports whether a relative path, taken by its text, leaves the place
// where it starts: that is an escape, whether or not what is on the way exists.
func (w *walk) leadsOut() bool {
	if filepath.IsAbs(w.path) || w.real != "" || w.jail.unrestricted {
		return false
	}
	depth := 0
	for _, p := range components(w.path) {
		if p == ".." {
			depth--
		} else {
			depth++
		}
		if depth < 0 {
			return true
		}
	}
	return false
}

// check says whether a name may be entered, or used at the end of a path.
func (w *walk) check(name string, last bool) error {
	if len(w.jail.grants) > 0 {
		if n := w.withheld(append(w.names(), name), last, true); n != "" {
			return &ProtectedError{Path: w.path, Name: n, Change: w.way.change}
		}
	} else if w.jail.protected(name, last) {
		return &ProtectedError{Path: w.path, Name: name, Change: w.way.change}
	}
	if why := badName(name); why != "" {
		return &NameError{Path: w.path, Name: name, Why: why}
	}
	return nil
}

// arrive makes the last checks, when the whole way is known.
func (w *walk) arrive() error {
	if len(w.jail.grants) > 0 {
		// A name on the way to what was granted was let through for that alone.
		names := w.names()
		if w.name != "" {
			names = append(names, w.name)
		}
		if n := w.withheld(names, w.name != "", false); n != "" {
			return &ProtectedError{Path: w.path, Name: n, Change: w.way.change}
		}
	}
	if w.way.change {
		if err := w.writable(); err != nil {
			return err
		}
	}
	if w.jail.allow == nil {
		return nil
	}
	if w.way.read {
		if err := w.jail.allow(w.abs(), false); err != nil {
			return err
		}
	}
	return w.jail.allow(w.abs(), w.way.change)
}

// withheld gives the first protected name among names that is not granted, or
// nothing; file says that the last one is the file's own.
func (w *walk) withheld(names []string, file, underWay bool) string {
	for i, n := range names {
		if w.jail.protected(n, file && i == len(names)-1) && !w.granted(names, i, underWay) {
			return n
		}
	}
	return ""
}

// granted reports whether the protected name names[i] is let through on the way
// to names, or, under way, to something below.
func (w *walk) granted(names []string, i int, underWay bool) bool {
	if len(w.jail.grants) == 0 {
		return false
	}
	here := joinAbs(w.root.canonical, names)
	at := joinAbs(w.root.canonical, names[:i+1])
	for _, grant := range w.jail.grants {
		if within(grant, at) && (within(here, grant) || underWay && within(grant, here)) {
			return true
		}
	}
	return false
}

// within reports whether an absolute path is base or below it.
func within(path, base string) bool {
	if path == base {
		return true
	}
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(base, string(filepath.Separator)))
	return ok && rest != "" && os.IsPathSeparator(rest[0])
}

// split chooses the root that a path starts at and cuts it into its components.
func (w *walk) split(path string) ([]string, error) {
	if path == "" || len(path) > maxPath || strings.IndexByte(path, 0) >= 0 {
		return nil, w.fail(fs.ErrInvalid)
	}
	if !filepath.IsAbs(path) {
		if filepath.VolumeName(path) != "" || os.IsPathSeparator(path[0]) {
			return nil, w.escape(oddPath(path)) // C:x and \x mean another place on each drive
		}
		return components(path), nil
	}
	for _, p := range []string{path, filepath.Clean(path)} {
		for _, r := range w.roots {
			for _, s := range r.spellings {
				if parts, ok := below(s, p); ok {
					w.enter(r)
					return parts, nil
				}
			}
		}
	}
	return nil, w.escape(oddPath(path))
}

// enter starts again at a root.
func (w *walk) enter(r *root) {
	for w.leave() {
	}
	w.root = r
}

// dir is the directory that the walk is in.
func (w *walk) dir() *os.Root {
	if n := len(w.levels); n > 0 {
		return w.levels[n-1].dir
	}
	return w.root.dir
}

// at is the name to use in dir: the file's, or "." for dir itself.
func (w *walk) at() string {
	if w.name == "" {
		return "."
	}
	return w.name
}

func (w *walk) names() []string {
	names := make([]string, len(w.levels), len(w.levels)+1)
	for i, l := range w.levels {
		names[i] = l.name
	}
	return names
}

// abs is the real place of the file.
func (w *walk) abs() string {
	names := w.names()
	if w.name != "" {
		names = append(names, w.name)
	}
	return joinAbs(w.root.canonical, names)
}

// rel is the real place of the file as records have it: with slashes, relative
// to the root, or absolute when it is in another one.
func (w *walk) rel() string {
	if w.root != w.roots[0] {
		return filepath.ToSlash(w.abs())
	}
	names := w.names()
	if w.name != "" {
		names = append(names, w.name)
	}
	if len(names) == 0 {
		return "."
	}
	return strings.Join(names, "/")
}

// holder is the root that forbids changes in dir, or nil.
func (w *walk) holder() *root {
	if n := len(w.levels); n > 0 {
		return w.levels[n-1].hold
	}
	return w.root.holds()
}

// writable refuses where only reading is allowed.
func (w *walk) writable() error {
	if r := w.holder(); r != nil {
		return &ReadOnlyError{Path: w.path, Root: r.canonical}
	}
	return nil
}

func (r *root) holds() *root {
	if r.writable {
		return nil
	}
	return r
}

// down enters the directory that info was read of.
func (w *walk) down(name string, info fs.FileInfo) error {
	if !info.IsDir() {
		switch {
		case w.leadsOut():
			return w.escape("")
		case w.way.create:
			return w.fail(errInFile)
		}
		return w.fail(fs.ErrNotExist)
	}
	if len(w.levels) >= maxDepth {
		return w.fail(errDeep)
	}
	next, err := openSub(w.dir(), name)
	if err != nil {
		return w.fail(err)
	}
	now, err := next.Stat(".")
	if err == nil && !os.SameFile(now, info) {
		err = errChanged
	}
	if err != nil {
		next.Close()
		return w.fail(err)
	}
	hold := w.holder()
	for _, r := range w.roots {
		if os.SameFile(r.info, info) {
			hold = r.holds() // whichever way one came
		}
	}
	w.levels = append(w.levels, level{dir: next, name: name, hold: hold})
	return nil
}

// openSub opens a directory. The dot makes the system refuse anything else at
// once, where it would wait for the other end of a pipe.
func openSub(dir *os.Root, name string) (*os.Root, error) { return dir.OpenRoot(name + "/.") }

// leave closes a directory and reports whether there was one to leave.
func (w *walk) leave() bool {
	n := len(w.levels)
	if n == 0 {
		return false
	}
	w.levels[n-1].dir.Close()
	w.levels = w.levels[:n-1]
	return true
}

// up follows "..". Only the whole file system has anything above a root.
func (w *walk) up(rest []string) ([]string, error) {
	if w.leave() {
		return rest, nil
	}
	if !w.jail.unrestricted {
		return nil, w.escape("")
	}
	parent := filepath.Dir(w.root.canonical)
	for _, r := range w.roots[1:] {
		if parts, ok := below(r.canonical, parent); ok && r != w.root {
			w.enter(r)
			return append(parts, rest...), nil
		}
	}
	return rest, nil // the top is its own parent
}

// follow replaces the link name by where it points to.
func (w *walk) follow(name string, rest []string) ([]string, error) {
	target, err := w.dir().Readlink(name)
	if err != nil {
		return nil, w.fail(err)
	}
	parts, err := w.split(target)
	if err != nil {
		return nil, err
	}
	if len(parts)+len(rest) > maxPath {
		return nil, w.fail(errLinks)
	}
	return append(parts, rest...), nil
}

// make creates a missing directory, when all that comes below it is allowed.
func (w *walk) make(name string, rest []string) error {
	names := append(w.names(), name)
	for i, n := range rest {
		if n == ".." {
			return w.fail(fs.ErrNotExist)
		}
		if why := badName(n); why != "" {
			return &NameError{Path: w.path, Name: n, Why: why}
		}
		names = append(names, n)
		if n := w.withheld(names, i == len(rest)-1, true); n != "" {
			return &ProtectedError{Path: w.path, Name: n, Change: true}
		}
	}
	if len(names) > maxDepth {
		return w.fail(errDeep)
	}
	if err := w.writable(); err != nil {
		return err
	}
	if w.jail.allow != nil {
		// Whoever may write a file may make what it needs on its way.
		if err := w.jail.allow(joinAbs(w.root.canonical, names), true); err != nil {
			return err
		}
	}
	if err := w.dir().Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return w.fail(err)
	}
	return nil
}

func (w *walk) fail(err error) error { return pathError(w.way.op, w.path, err) }

func (w *walk) escape(why string) error {
	return &EscapeError{Path: w.path, Real: w.real, Why: why}
}

// same reports a change between looking at the file and opening it.
func (w *walk) same(f *os.File) (fs.FileInfo, error) {
	now, err := f.Stat()
	if err == nil && !os.SameFile(now, w.info) {
		err = errChanged
	}
	return now, err
}

// openDir opens the directory that the walk leads to.
func (w *walk) openDir() (*os.Root, error) {
	if w.name == "" {
		return w.dir().OpenRoot(".")
	}
	if !w.info.IsDir() {
		return nil, errNotDir
	}
	d, err := openSub(w.dir(), w.name)
	if err != nil {
		return nil, err
	}
	now, err := d.Stat(".")
	if err == nil && !os.SameFile(now, w.info) {
		err = errChanged
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func (w *walk) close() {
	for w.leave() {
	}
}

// again runs an operation once more when a file was replaced under it, as
// editors do when they save.
func again(op func() error) error {
	for tries := 20; ; tries-- {
		if err := op(); !errors.Is(err, errChanged) || tries == 1 {
			return err
		}
	}
}
