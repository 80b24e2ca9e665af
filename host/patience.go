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
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range list {
		if c.same != nil {
			continue
		}
		odd := len(c.failures) > 0 && (c.failures[0].Stage == wire.StageResolve || h.emptied(c))
		odd = odd || len(c.failures) == 0 && c.bundle != nil && h.emptied(c)
		if r := h.records[c.source.ID]; !odd {
			if r != nil {
				r.odd = time.Time{}
			}
			continue
		}
		if h.beingSaved(c.source.ID, l) {
			c.same = &record{failures: h.recordOf(c.source.ID).failures}
			h.recordOf(c.source.ID).stamp = "" // look again
		}
	}
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
