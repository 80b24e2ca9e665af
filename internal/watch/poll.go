package watch

import (
	"fmt"
	"os"
	"path/filepath"
)

// poll looks at the folders that cannot be watched.
func (w *Watcher) poll() {
	for dir, f := range w.dirs {
		if !f.polled {
			continue
		}
		if info, err := os.Stat(dir); err != nil || !os.SameFile(info, f.info) {
			w.forget(dir)
			w.note(dir, true)
			continue
		}
		now := f.look(dir)
		w.compare(dir, f, now)
		f.seen = now
	}
}

// compare notes what is not as it was seen, of the names that counted then.
func (w *Watcher) compare(dir string, f *folder, now map[string]string) {
	for name, state := range now {
		if old, ok := f.seen[name]; old != state && f.has(name) {
			w.note(filepath.Join(dir, name), !ok)
		}
	}
	for name := range f.seen {
		if _, ok := now[name]; !ok {
			w.note(filepath.Join(dir, name), true)
			w.forget(filepath.Join(dir, name))
		}
	}
}

// look gives the names in a folder that count, each with what differs when it
// has changed.
func (f *folder) look(dir string) map[string]string {
	seen := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return seen
	}
	for _, e := range entries {
		if !f.has(e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		link, _ := os.Readlink(path)
		state := e.Type().String() + " " + link
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			state += fmt.Sprintf(" %v %d %d %s", info.Mode(), info.Size(), info.ModTime().UnixNano(), identity(path))
		}
		seen[e.Name()] = state
	}
	return seen
}
