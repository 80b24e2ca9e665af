package watch

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fsnotify/fsnotify"
)

// maxFolders bounds how many folders are watched. Whoever has more keeps
// something else than source code in them.
const maxFolders = 10_000

// folder is one that is watched, or looked at.
type folder struct {
	info   fs.FileInfo // as it was when that began
	all    bool        // every name in it counts
	names  []string    // else only these
	polled bool
	seen   map[string]string // of a polled one: its names and what tells that one changed
}

// plan brings what is watched up to date, and reports whether there is more of
// it than before.
func (w *Watcher) plan() (more bool) {
	want := map[string]*folder{}
	for _, p := range w.opts.Places() {
		want = addPlace(want, p)
	}
	for dir := range w.dirs {
		if want[dir] == nil {
			w.drop(dir)
		}
	}
	for dir, f := range want {
		info, err := os.Stat(dir)
		if err != nil {
			w.drop(dir)
			continue
		}
		f.info = info
		have := w.dirs[dir]
		if have != nil && os.SameFile(have.info, info) {
			if have.polled {
				now := f.look(dir)
				w.compare(dir, have, now)
				have.seen = now
			}
			have.all, have.names = f.all, f.names
			continue
		}
		if have != nil {
			w.drop(dir)
		}
		w.begin(dir, f)
		more = true
	}
	w.status()
	return more
}

// begin watches a folder, or looks at it from now on.
func (w *Watcher) begin(dir string, f *folder) {
	why := w.why
	if w.fs != nil {
		if why = remote(dir); why == "" {
			if err := w.fs.AddWith(dir, fsnotify.WithBufferSize(1<<20)); err != nil {
				why = err.Error()
			}
		}
		if why != "" {
			w.why = why
		}
	}
	if why != "" {
		f.polled = true
		f.seen = f.look(dir)
	}
	w.dirs[dir] = f
}

func (w *Watcher) drop(dir string) {
	f := w.dirs[dir]
	if f == nil {
		return
	}
	delete(w.dirs, dir)
	if w.fs != nil && !f.polled {
		_ = w.fs.Remove(dir) // it may be gone already
	}
}

// forget drops a folder that has gone or was moved, with all below it. One that
// comes in its place may look like the same one.
func (w *Watcher) forget(path string) {
	if w.dirs[path] == nil {
		return
	}
	for dir := range w.dirs {
		if dir == path || strings.HasPrefix(dir, path+string(filepath.Separator)) {
			w.drop(dir)
		}
	}
}

// counts reports whether a path is one that somebody asked for.
func (w *Watcher) counts(path string) bool {
	if w.dirs[path] != nil {
		return true // the folder itself
	}
	f := w.dirs[filepath.Dir(path)]
	return f != nil && f.has(filepath.Base(path))
}

func (f *folder) has(name string) bool { return f.all || slices.Contains(f.names, name) }

func (w *Watcher) status() {
	s := Status{Folders: len(w.dirs)}
	for _, f := range w.dirs {
		if f.polled {
			s.Polled++
		}
	}
	if s.Polled > 0 {
		s.Why = w.why
	}
	changed := (s.Polled > 0) != (w.told.Polled > 0) || s.Why != w.told.Why
	w.told = s
	if changed && w.opts.Status != nil {
		w.opts.Status(s)
	}
}

// addPlace adds the folders of a place, and that in which the place itself may
// be replaced or made.
func addPlace(want map[string]*folder, p Place) map[string]*folder {
	dir := filepath.Clean(p.Dir)
	add := func(dir string, names []string) {
		f := want[dir]
		if f == nil {
			if len(want) >= maxFolders {
				return
			}
			f = &folder{}
			want[dir] = f
		}
		if names == nil {
			f.all = true
		}
		for _, n := range names {
			if !slices.Contains(f.names, n) {
				f.names = append(f.names, n)
			}
		}
	}
	// The folder may be made, moved or replaced, and so may those above it.
	for child := dir; ; {
		parent := filepath.Dir(child)
		if parent == child {
			break
		}
		if st, err := os.Stat(parent); err == nil && st.IsDir() {
			add(parent, []string{filepath.Base(child)})
			break
		}
		child = parent
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return want
	}
	add(dir, p.Names)
	if !p.Tree {
		return want
	}
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && e != nil && e.IsDir():
			return filepath.SkipDir
		case err != nil || !e.IsDir() || path == dir:
			return nil
		case e.Name() == "node_modules" || strings.HasPrefix(e.Name(), "."):
			return filepath.SkipDir
		case len(want) >= maxFolders:
			return filepath.SkipAll
		}
		add(path, nil)
		return nil
	})
	return want
}
