package host

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/internal/watch"
)

// WatchStatus says how folders are watched.
type WatchStatus = watch.Status

// WatchOptions configure [Host.Watch]. The zero value is the default.
type WatchOptions struct {
	// Reloaded hears of each look that changed something, one after the other.
	Reloaded func(Report)
	// Status hears when the way of watching changes: where folders cannot be
	// watched they are looked at again and again.
	Status func(WatchStatus)
	// Poll never relies on the system to report changes.
	Poll bool
	// Quiet is how long nothing must change before it is looked, Longest how
	// long that is waited for; zero means 10 ms and 100 ms.
	Quiet, Longest time.Duration
	// Every is how often folders are looked at that cannot be watched; zero
	// means 300 ms.
	Every time.Duration
}

// Watcher reloads extensions when their files change.
type Watcher struct {
	host  *Host
	opts  WatchOptions
	watch *watch.Watcher
	ctx   context.Context
	stop  context.CancelFunc
	warm  chan struct{} // closed when the first builds are done
	paths []string      // that have changed since something was reported
}

// patience is how long a file may be empty or gone while it is being saved.
const patience = 150 * time.Millisecond

// stayWatching is how long a bundler stays without work while files are watched.
const stayWatching = 30 * time.Minute

// Watch reloads extensions whenever their files change, until the watcher or the
// host is closed. What is saved after it has returned is seen.
func (h *Host) Watch(o WatchOptions) (*Watcher, error) {
	if h.isClosed() {
		return nil, ErrClosed
	}
	w := &Watcher{host: h, opts: o, warm: make(chan struct{})}
	w.ctx, w.stop = context.WithCancel(h.ctx)
	if h.bundler != nil {
		h.bundler.Stay(stayWatching)
	}
	w.watch = watch.Start(watch.Options{
		Places: h.places, Changed: w.changed, Status: o.Status, Poll: o.Poll, Quiet: o.Quiet, Longest: o.Longest, Every: o.Every,
	})
	h.mu.Lock()
	closed := h.closed
	if h.watchers == nil {
		h.watchers = map[*Watcher]struct{}{}
	}
	h.watchers[w] = struct{}{}
	h.mu.Unlock()
	go w.warmUp()
	if closed || h.ctx.Err() != nil {
		w.Close()
		return nil, ErrClosed
	}
	// What was saved between the last look and the first watch.
	if rep, err := h.reload(w.ctx, &look{}); err == nil && len(rep.Changes) > 0 && o.Reloaded != nil {
		o.Reloaded(rep)
	}
	return w, nil
}

// Close ends watching. Nothing is reported any more when it returns, so it is
// not to be called from where reports are heard.
func (w *Watcher) Close() {
	h := w.host
	h.mu.Lock()
	_, open := h.watchers[w]
	delete(h.watchers, w)
	last := len(h.watchers) == 0
	h.mu.Unlock()
	if !open {
		return
	}
	w.stop()
	w.watch.Close()
	<-w.warm
	if last && h.bundler != nil {
		h.bundler.Stay(0)
	}
}

func (h *Host) closeWatchers() {
	h.mu.RLock()
	var open []*Watcher
	for w := range h.watchers {
		open = append(open, w)
	}
	h.mu.RUnlock()
	for _, w := range open {
		w.Close()
	}
}

// warmUp bundles what takes long because of the packages in it, so that the
// first save finds them parsed.
func (w *Watcher) warmUp() {
	defer close(w.warm)
	h := w.host
	h.mu.RLock()
	var list []Source
	for id, g := range h.loaded {
		if r := h.records[id]; r != nil && slices.ContainsFunc(r.graph.Inputs, inPackage) {
			list = append(list, g.source)
		}
	}
	h.mu.RUnlock()
	for _, src := range list {
		if w.ctx.Err() == nil {
			_, _ = h.build(w.ctx, src)
		}
	}
}

func inPackage(path string) bool {
	return strings.Contains(path, string(filepath.Separator)+"node_modules"+string(filepath.Separator))
}

// changed looks at the extensions because files have changed.
func (w *Watcher) changed(b watch.Batch) (again time.Duration) {
	h := w.host
	w.paths = append(w.paths, b.Paths...)
	h.doubt(b)
	l := &look{patience: patience}
	rep, err := h.reload(w.ctx, l)
	if err != nil {
		return 0
	}
	rep.Changes = h.news(rep.Changes, w.paths)
	if len(rep.Changes) > 0 {
		for i := range rep.Changes {
			rep.Changes[i].Paths = h.causes(rep.Changes[i].Extension, w.paths)
		}
		if w.opts.Reloaded != nil {
			w.opts.Reloaded(rep)
		}
	}
	if l.unsettled {
		return patience / 5
	}
	w.paths = nil
	return 0
}

// doubt forgets what was known of extensions whose folders got other names just
// when they were looked at.
func (h *Host) doubt(b watch.Batch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.records {
		if b.Lost {
			r.stamp = ""
			continue
		}
		if b.Named && time.Since(r.at) < time.Second && slices.ContainsFunc(b.Paths, func(p string) bool { return insideOf(p, r.source.Dir) }) {
			r.stamp = ""
		}
	}
}

// news leaves out what failed before just like that, and was not saved now.
func (h *Host) news(list []Change, paths []string) []Change {
	return slices.DeleteFunc(list, func(c Change) bool {
		return c.again && !slices.ContainsFunc(paths, func(p string) bool { return h.uses(c.Extension, p) })
	})
}

// causes are those of the paths that belong to an extension.
func (h *Host) causes(id string, paths []string) []string {
	var out []string
	for _, p := range paths {
		if h.uses(id, p) {
			out = append(out, showPath(h.opts.Root, p))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (h *Host) uses(id, path string) bool {
	r := h.record(id)
	return r != nil && (r.source.Entry == path || slices.Contains(r.graph.Inputs, path))
}

// places are where files are whose change matters.
func (h *Host) places() []watch.Place {
	var out []watch.Place
	tree := func(path string) {
		where := stations(absolutePath(path))
		for _, link := range where[:len(where)-1] {
			out = append(out, watch.Place{Dir: filepath.Dir(link), Names: []string{filepath.Base(link)}})
		}
		dir := where[len(where)-1]
		out = append(out, watch.Place{Dir: dir, Tree: true})
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if e.Type()&fs.ModeSymlink == 0 {
				continue
			}
			for _, at := range stations(filepath.Join(dir, e.Name())) {
				out = append(out, watch.Place{Dir: filepath.Dir(at), Names: []string{filepath.Base(at)}})
			}
		}
	}
	if h.opts.UserDir != "" {
		tree(h.opts.UserDir)
	}
	if h.opts.Root != "" {
		tree(filepath.Join(h.opts.Root, ".rho", "extensions"))
	}
	for _, dir := range h.opts.Dirs {
		tree(dir)
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	seen := map[string]bool{}
	for _, s := range h.sources {
		if !s.runs() {
			continue
		}
		if !s.single && !seen[s.Dir] {
			seen[s.Dir] = true
			out = append(out, watch.Place{Dir: s.Dir, Tree: true})
		}
		for _, p := range beside(h.bundling(s)) {
			if key := p.Dir + "\x00" + strings.Join(p.Names, "\x00"); !seen[key] {
				seen[key] = true
				out = append(out, p)
			}
		}
		if r := h.records[s.ID]; r != nil {
			for _, path := range r.graph.Inputs {
				if dir := filepath.Dir(path); !seen[dir] {
					seen[dir] = true
					out = append(out, watch.Place{Dir: dir})
				}
			}
		}
	}
	return out
}

// settingNames are what decides about imports, in any folder above a module.
var settingNames = []string{"package.json", "tsconfig.json", "jsconfig.json", "node_modules"}

// beside are the folders above an extension, for the settings in them and the
// packages that are installed there.
func beside(o bundle.Options) (out []watch.Place) {
	for dir := o.Root; ; dir = filepath.Dir(dir) {
		out = append(out, watch.Place{Dir: dir, Names: settingNames})
		packages := filepath.Join(dir, "node_modules")
		if st, err := os.Stat(packages); err == nil && st.IsDir() {
			out = append(out, watch.Place{Dir: packages})
		}
		if dir == o.Limit || !insideOf(dir, o.Limit) || dir == filepath.Dir(dir) {
			break
		}
	}
	for _, path := range bundle.ReadsOf(o).Files {
		out = append(out, watch.Place{Dir: filepath.Dir(path), Names: []string{filepath.Base(path)}})
	}
	return out
}
