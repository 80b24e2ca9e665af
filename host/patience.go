package host

import (
	"os"
	"time"

	"github.com/rho-ext/rho-ext/host/wire"
)

// beingSaved reports whether an extension that is gone or cannot be read may be
// in the middle of being saved: it has been so for a moment only. The caller
// holds h.mu.
func (h *Host) beingSaved(id string, l *look) bool {
	if l.patience == 0 {
		return false
	}
	r := h.recordOf(id)
	if r.odd.IsZero() {
		r.odd = time.Now()
	}
	if time.Since(r.odd) >= l.patience {
		return false
	}
	l.unsettled = true
	return true
}

// patient leaves out, for a moment, what failed and looks as if it was being
// saved: an empty file is what a save begins with, and a link or a module that
// is not there is what replacing it begins with.
func (h *Host) patient(list []*candidate, l *look) {
	if l.patience == 0 {
		return
	}
	for _, c := range list {
		odd := c.same == nil && h.halfSaved(c)
		h.mu.Lock()
		r := h.recordOf(c.source.ID)
		if !odd {
			r.odd = time.Time{}
		} else if h.beingSaved(c.source.ID, l) {
			c.same = &record{failures: r.failures}
			r.stamp = "" // look again
		}
		h.mu.Unlock()
	}
}

// halfSaved reports whether what was bundled may be half of what somebody saves.
func (h *Host) halfSaved(c *candidate) bool {
	if h.emptied(c) || len(c.failures) > 0 && c.failures[0].Stage == wire.StageResolve {
		return true
	}
	// What has changed since it was bundled is not settled either. This comes
	// last, so that nothing can change unseen between the two.
	return c.stamp == "" || h.stamps.Of(h.bundling(c.source), c.graph, len(c.failures) > 0) != c.stamp
}

// emptied reports whether a module of the candidate's own is empty.
func (h *Host) emptied(c *candidate) bool {
	for _, path := range append([]string{c.source.Entry}, c.graph.Inputs...) {
		if insideOf(path, c.source.Dir) {
			if st, err := os.Stat(path); err != nil || st.Size() == 0 {
				return true
			}
		}
	}
	return false
}
