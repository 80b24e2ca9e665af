package builtin

import (
	"io/fs"
	"sync"
	"time"
)

// maxViews is how many files are remembered.
const maxViews = 2000

// views remember, for each file, which lines were shown as they are now. An
// anchor tells a line by a short hash, which two lines can share; where the
// numbers are known to be old, the hash alone must not decide.
type views struct {
	mu   sync.Mutex
	of   map[string]*view
	tick int
}

// view is what was shown of one file.
type view struct {
	stamp  stamp
	ranges []span // of lines, from 1, ends included
	used   int
}

type span struct{ first, last int }

// stamp tells one state of a file from another.
type stamp struct {
	size int64
	time time.Time
}

func stampOf(info fs.FileInfo) stamp { return stamp{info.Size(), info.ModTime()} }

// show notes that lines were shown of the file in that state.
func (v *views) show(file string, s stamp, first, last int) {
	if last < first {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	w := v.get(file)
	if w == nil || w.stamp != s {
		w = v.put(file, s)
	}
	w.ranges = append(w.ranges, span{first, last})
	if len(w.ranges) > 100 {
		w.ranges = w.ranges[50:]
	}
}

// changed notes that we wrote the file. Lines before the first one that changed
// are where they were, and so are those after the last one if it has not moved;
// of the rest only the given lines were shown.
func (v *views) changed(file string, before, s stamp, firstChange, lastChange, moved int, shown []span) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var keep []span
	if w := v.get(file); w != nil && w.stamp == before {
		for _, r := range w.ranges {
			if r.first < firstChange {
				keep = append(keep, span{r.first, min(r.last, firstChange-1)})
			}
			if moved == 0 && r.last > lastChange {
				keep = append(keep, span{max(r.first, lastChange+1), r.last})
			}
		}
	}
	w := v.put(file, s)
	w.ranges = append(keep, shown...)
}

// fresh reports whether a line's number can be trusted. A file that was never
// shown here was seen in some other way, which nothing is known of.
func (v *views) fresh(file string, s stamp, line int) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	w := v.get(file)
	if w == nil {
		return true
	}
	if w.stamp != s {
		return false
	}
	for _, r := range w.ranges {
		if r.first <= line && line <= r.last {
			return true
		}
	}
	return false
}

func (v *views) get(file string) *view {
	w := v.of[file]
	if w != nil {
		v.tick++
		w.used = v.tick
	}
	return w
}

func (v *views) put(file string, s stamp) *view {
	if v.of == nil {
		v.of = map[string]*view{}
	}
	if len(v.of) >= maxViews && v.of[file] == nil {
		oldest := ""
		for name, w := range v.of {
			if oldest == "" || w.used < v.of[oldest].used {
				oldest = name
			}
		}
		delete(v.of, oldest)
	}
	v.tick++
	w := &view{stamp: s, used: v.tick}
	v.of[file] = w
	return w
}
