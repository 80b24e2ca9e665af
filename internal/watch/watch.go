// Package watch tells when files in folders change, whatever way they are saved,
// replaced, renamed or made anew.
//
// It tells that something has changed and where, not what: who hears of it looks
// at the files. Nothing is lost for good. Where the system reports lost events,
// all counts as changed; where folders cannot be watched, they are looked at
// again and again.
package watch

import (
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Place is a folder to watch. It need not exist.
type Place struct {
	Dir string // absolute, without symbolic links as far as it exists
	// Tree says that all folders below count too, but those called node_modules
	// and those whose name begins with a dot.
	Tree bool
	// Names are the only names in the folder that count; nil means all.
	Names []string
}

// Batch is what has changed at about the same time.
type Batch struct {
	Paths []string // what changed, as far as it is known
	Named bool     // names came or went, and not only content
	Lost  bool     // more may have changed, anywhere
}

// Status says how the places are watched.
type Status struct {
	Folders int    // that are watched, or looked at
	Polled  int    // how many of them are looked at again and again
	Why     string // why those cannot be watched
}

// Options configure a [Watcher]. Places and Changed are needed.
type Options struct {
	// Places gives what to watch. It is asked before and after each call of
	// Changed.
	Places func() []Place
	// Changed hears of changes, one call after the other. Where it gives a
	// time, it is called again after that, whether anything changed or not.
	Changed func(Batch) (again time.Duration)
	// Status, where set, hears when the way of watching has changed.
	Status func(Status)
	// Quiet is how long nothing must change before Changed is called, and
	// Longest how long that is waited for; zero means 10 ms and 100 ms.
	Quiet, Longest time.Duration
	// Every is how often folders are looked at that cannot be watched; zero
	// means 300 ms.
	Every time.Duration
	// Poll says that all are looked at, and none watched.
	Poll bool
}

// Watcher watches until it is closed.
type Watcher struct {
	opts Options
	fs   *fsnotify.Watcher // nil: nothing can be watched
	why  string            // why not
	dirs map[string]*folder
	told Status
	stop chan struct{}
	done chan struct{}

	// Of the changes that Changed has not heard of.
	pending map[string]bool
	named   bool
	lost    bool
	first   time.Time
	due     time.Time // zero: nothing is pending
}

// Start begins to watch. What changes after it has returned is told.
func Start(o Options) *Watcher {
	if o.Quiet == 0 {
		o.Quiet = 10 * time.Millisecond
	}
	if o.Longest == 0 {
		o.Longest = 100 * time.Millisecond
	}
	if o.Every == 0 {
		o.Every = 300 * time.Millisecond
	}
	w := &Watcher{opts: o, dirs: map[string]*folder{}, pending: map[string]bool{}, stop: make(chan struct{}), done: make(chan struct{})}
	if o.Poll {
		w.why = "it was asked for"
	} else if fs, err := fsnotify.NewWatcher(); err != nil {
		w.why = err.Error()
	} else {
		w.fs = fs
	}
	w.plan()
	go w.run()
	return w
}

// Close ends the watcher. Changed is not called any more when it returns.
func (w *Watcher) Close() {
	close(w.stop)
	<-w.done
}

func (w *Watcher) run() {
	defer close(w.done)
	var events chan fsnotify.Event
	var errs chan error
	if w.fs != nil {
		defer w.fs.Close()
		events, errs = w.fs.Events, w.fs.Errors
	}
	poll := time.NewTicker(w.opts.Every)
	defer poll.Stop()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		wait := time.Hour
		if !w.due.IsZero() {
			wait = max(0, time.Until(w.due))
		}
		timer.Reset(wait)
		select {
		case <-w.stop:
			return
		case e, ok := <-events:
			if !ok {
				return
			}
			w.event(e)
		case err := <-errs:
			w.failed(err)
		case <-poll.C:
			w.poll()
		case <-timer.C:
			w.tell()
		}
	}
}

// event takes in what the system reports.
func (w *Watcher) event(e fsnotify.Event) {
	gone := e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)
	if gone {
		w.forget(e.Name)
	}
	if w.counts(e.Name) {
		w.note(e.Name, gone || e.Has(fsnotify.Create))
	}
}

// failed takes in that events were lost, or that watching has trouble: nothing
// that was known holds.
func (w *Watcher) failed(err error) {
	if err == nil {
		return
	}
	for dir := range w.dirs {
		w.drop(dir)
	}
	w.lost = true
	w.note("", true)
}

// note notes a change, and when it is to be told.
func (w *Watcher) note(path string, named bool) {
	now := time.Now()
	if path != "" && len(w.pending) < maxPaths {
		w.pending[path] = true
	}
	w.named = w.named || named
	if w.first.IsZero() {
		w.first = now
	}
	w.due = now.Add(w.opts.Quiet)
	if latest := w.first.Add(w.opts.Longest); latest.Before(w.due) {
		w.due = latest
	}
}

// maxPaths bounds how many paths a batch names.
const maxPaths = 1000

// maxRounds bounds how often it is looked again because folders are watched now
// that were not when it was looked.
const maxRounds = 4

// tell tells of the changes. Folders are watched before it is looked at them, so
// that nothing falls between the two.
func (w *Watcher) tell() {
	b := Batch{Named: w.named, Lost: w.lost}
	for path := range w.pending {
		b.Paths = append(b.Paths, path)
	}
	slices.Sort(b.Paths)
	w.pending, w.named, w.lost, w.first, w.due = map[string]bool{}, false, false, time.Time{}, time.Time{}
	if b.Named || b.Lost {
		w.plan()
	}
	for range maxRounds {
		again := w.opts.Changed(b)
		select {
		case <-w.stop:
			return
		default:
		}
		if again > 0 && w.due.IsZero() {
			w.due = time.Now().Add(again)
		}
		if !w.plan() {
			return
		}
		b = Batch{}
	}
}
