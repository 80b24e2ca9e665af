package jail

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Options say what belongs to a jail beside its root. Relative paths in it start
// at that root; a leading ~ is the home directory.
type Options struct {
	// ReadOnly are directories that can be read and not changed. The root
	// itself, or a directory in it, may be among them.
	ReadOnly []string
	// Roots are directories that can be read and changed. One that is also in
	// ReadOnly is read only.
	Roots []string
	// Protected are the names of files that nobody may touch, besides the usual
	// ones: patterns of [path.Match] that any component of a path is compared
	// with, whatever its case.
	Protected []string
	// AllowProtected are files and directories that may be used although their
	// names, or names on the way to them, are protected: the real place, spelled
	// as it is on disk, no pattern. What lies below one and is itself protected
	// by name stays so.
	AllowProtected []string
	// Allow, if not nil, has the last word on every file and directory that is
	// used: its real place, absolute, and whether it is to be changed. What it
	// returns is the error of the operation. It must be safe for concurrent use.
	// Directories are not asked about on the way to something else.
	Allow func(real string, change bool) error
	// Unrestricted opens the whole file system. Relative paths still start at the
	// root; protected names and read-only directories stay.
	Unrestricted bool
}

// Jail gives access to some directories. It is safe for concurrent use.
type Jail struct {
	canonical    string // of the root
	unrestricted bool
	extra        []string // patterns of more protected names
	allow        func(real string, change bool) error
	grants       []string // absolute real paths of protected files to be let through
	stays        func(real string) bool

	mu    sync.Mutex              // for changes of roots
	roots atomic.Pointer[[]*root] // the root is the first; nil when closed
}

// root is a directory that is open to the jail with all that is below.
type root struct {
	dir       *os.Root
	info      fs.FileInfo
	canonical string   // absolute, without symbolic links
	spellings []string // absolute: that, and how callers spell it
	writable  bool
}

// Open makes a jail of the directory root, with more protected names: it is New
// with these Options alone.
func Open(root string, protected ...string) (*Jail, error) {
	return New(root, Options{Protected: protected})
}

// New makes a jail of the directory dir, its root, and those in the options. A directory
// that is missing is an error.
func New(dir string, o Options) (*Jail, error) {
	var extra []string
	for _, pattern := range o.Protected {
		extra = append(extra, strings.Map(fold, pattern))
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("protected name %q: %w", pattern, err)
		}
	}
	main, err := openRoot(dir)
	if err != nil {
		return nil, err
	}
	main.writable = true
	j := &Jail{canonical: main.canonical, unrestricted: o.Unrestricted, extra: extra, allow: o.Allow}
	j.roots.Store(&[]*root{main})
	for _, d := range o.Roots {
		if err := j.add(d, true, false); err != nil {
			j.Close()
			return nil, err
		}
	}
	for _, d := range o.ReadOnly {
		if err := j.add(d, false, true); err != nil {
			j.Close()
			return nil, err
		}
	}
	if o.Unrestricted {
		top := filepath.VolumeName(main.canonical) + string(filepath.Separator)
		if err := j.add(top, true, false); err != nil {
			j.Close()
			return nil, err
		}
	}
	for _, name := range o.AllowProtected {
		grant, err := j.grant(name)
		if err != nil {
			j.Close()
			return nil, err
		}
		j.grants = append(j.grants, grant)
	}
	return j, nil
}

func openRoot(dir string) (*root, error) {
	given, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	canonical, err := filepath.EvalSymlinks(given)
	if err != nil {
		return nil, err
	}
	r := &root{canonical: canonical, spellings: []string{canonical}}
	if given != canonical {
		r.spellings = append(r.spellings, given)
	}
	if r.dir, err = os.OpenRoot(canonical); err != nil {
		return nil, err
	}
	if r.info, err = r.dir.Stat("."); err != nil {
		r.dir.Close()
		return nil, err
	}
	return r, nil
}

// AddRoot opens one more directory to the jail, at once for everybody who has
// it. A relative path starts at the root. To add one twice is fine: it can
// become writable that way, never less so. On an error nothing has changed.
func (j *Jail) AddRoot(dir string, writable bool) error { return j.add(dir, writable, false) }

// add opens a directory; hold takes the right to change it where it is open
// already.
func (j *Jail) add(dir string, writable, hold bool) error {
	where, _ := expandHome(dir)
	if !filepath.IsAbs(where) {
		where = filepath.Join(j.canonical, where)
	}
	r, err := openRoot(where)
	if err != nil {
		return fmt.Errorf("root %q: %w", dir, err)
	}
	r.writable = writable
	j.mu.Lock()
	defer j.mu.Unlock()
	old := j.roots.Load()
	if old == nil {
		r.dir.Close()
		return fmt.Errorf("root %q: %w", dir, fs.ErrClosed)
	}
	roots := slices.Clone(*old)
	known := false
	for i, o := range roots {
		if !os.SameFile(o.info, r.info) {
			continue
		}
		same := *o
		same.writable = !hold && (o.writable || writable)
		r.writable = same.writable // also where a mount gives it a second place
		if o.canonical == r.canonical {
			known = true
			same.spellings = slices.Clone(o.spellings)
			for _, s := range r.spellings {
				if !slices.Contains(same.spellings, s) {
					same.spellings = append(same.spellings, s)
				}
			}
		}
		roots[i] = &same
	}
	if known {
		r.dir.Close()
	} else {
		roots = append(roots, r)
	}
	// The outermost comes first, so that a file has the same name whichever way
	// it was reached.
	slices.SortStableFunc(roots[1:], func(a, b *root) int { return cmp.Compare(len(a.canonical), len(b.canonical)) })
	j.roots.Store(&roots)
	return nil
}

// View is the jail with another Allow, and with the directories that are open
// now. It needs no Close, and ends with j. Where stays, if not nil, says so of a
// real place, what is there, or below it, is neither moved nor removed, and no
// directory or link is put there.
func (j *Jail) View(allow func(real string, change bool) error, stays func(real string) bool) *Jail {
	v := &Jail{canonical: j.canonical, unrestricted: j.unrestricted, extra: j.extra, grants: j.grants, allow: allow, stays: stays}
	v.roots.Store(j.roots.Load())
	return v
}

// ProtectedPart gives the innermost place on the way to real, an absolute path
// without links, that has a protected name: real itself or something above it.
// It is empty where there is none.
func (j *Jail) ProtectedPart(real string) string {
	roots := j.roots.Load()
	if roots == nil {
		return ""
	}
	for i := len(*roots) - 1; i >= 0; i-- {
		r := (*roots)[i]
		names, ok := below(r.canonical, real)
		if !ok {
			continue
		}
		for n := len(names); n > 0; n-- {
			if j.protected(names[n-1], n == len(names)) {
				return joinAbs(r.canonical, names[:n])
			}
		}
	}
	return ""
}

// grant makes the real absolute path of a protected file that may be used.
func (j *Jail) grant(name string) (string, error) {
	where, _ := expandHome(name)
	if where == "" || strings.IndexByte(where, 0) >= 0 {
		return "", fmt.Errorf("granted path %q: %w", name, fs.ErrInvalid)
	}
	if !filepath.IsAbs(where) {
		where = filepath.Join(j.canonical, where)
	}
	for _, r := range *j.roots.Load() {
		for _, s := range r.spellings {
			if rel, ok := below(s, filepath.Clean(where)); ok {
				return joinAbs(r.canonical, rel), nil
			}
		}
	}
	return "", fmt.Errorf("granted path %q: %w", name, &EscapeError{Path: name})
}

// Close ends the jail. Files that it opened stay open.
func (j *Jail) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	roots := j.roots.Swap(nil)
	if roots == nil {
		return nil
	}
	var errs []error
	for _, r := range *roots {
		errs = append(errs, r.dir.Close())
	}
	return errors.Join(errs...)
}

// Root is the directory, absolute and without symbolic links.
func (j *Jail) Root() string { return j.canonical }

// below gives the components of path under base, both absolute; ok says that it
// is base or below it. The ".." in path stay: what they mean depends on links.
func below(base, path string) (parts []string, ok bool) {
	bv, pv := filepath.VolumeName(base), filepath.VolumeName(path)
	if bv != pv && !(foldsCase && strings.EqualFold(bv, pv)) {
		return nil, false
	}
	parts = components(path[len(pv):])
	want := components(base[len(bv):])
	if len(parts) < len(want) {
		return nil, false
	}
	for i, w := range want {
		if parts[i] != w && !(foldsCase && strings.EqualFold(parts[i], w)) {
			return nil, false
		}
	}
	return parts[len(want):], true
}

// components cuts a path into its names and the ".." among them.
func components(path string) []string {
	var parts []string
	for p := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if p != "" && p != "." {
			parts = append(parts, p)
		}
	}
	return parts
}

// joinAbs appends names to an absolute path.
func joinAbs(base string, names []string) string {
	if len(names) == 0 {
		return base
	}
	const sep = string(filepath.Separator)
	return strings.TrimSuffix(base, sep) + sep + strings.Join(names, sep)
}

// expandHome replaces a leading ~ by the home directory, where there is one, and
// reports whether it did.
func expandHome(path string) (string, bool) {
	if path != "~" && !(len(path) > 1 && path[0] == '~' && os.IsPathSeparator(path[1])) {
		return path, false
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return path, false
	}
	return filepath.Join(home, path[1:]), true
}
