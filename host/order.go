package host

import (
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/host/permission"
)

// noteOrder notes in which order extensions stand, which is that of their hooks.
func (h *Host) noteOrder(sources []Source) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.order = map[string]int{}
	for _, s := range sources {
		if s.runs() {
			h.order[s.ID] = len(h.order)
		}
	}
	h.arrange()
}

// arrange sorts what is loaded. One that cannot be read for a moment is last. The
// caller holds h.mu.
func (h *Host) arrange() {
	list := make([]*generation, 0, len(h.loaded))
	for _, g := range h.loaded {
		list = append(list, g)
	}
	place := func(g *generation) int {
		if i, ok := h.order[g.source.ID]; ok {
			return i
		}
		return len(h.order)
	}
	slices.SortFunc(list, func(a, b *generation) int {
		if pa, pb := place(a), place(b); pa != pb {
			return pa - pb
		}
		return strings.Compare(a.source.ID, b.source.ID)
	})
	h.ordered = list
}

// inOrder are the loaded extensions, in order. The list is not to be changed.
func (h *Host) inOrder() []*generation {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.ordered
}

// mayHook reports whether an extension could have a hook that is granted: such a
// one is needed for every tool, see [Options.Tool].
func (h *Host) mayHook(s Source) bool {
	hook := func(g permission.Grant) bool { return g.Kind == permission.KindHook }
	if slices.ContainsFunc(h.opts.Allow, hook) {
		return true
	}
	if h.opts.Grants == nil {
		return false
	}
	if _, ok := h.opts.Grants.(grantLister); !ok {
		return true
	}
	return h.keptGrant(s, hook)
}

// unneeded skips extensions that are needed for no hook, the one tool being there
// already, and gives the others.
func (h *Host) unneeded(skipped map[string]bool, sources []Source) (needed []Source) {
	for _, src := range sources {
		if h.mayHook(src) {
			needed = append(needed, src)
		} else {
			skipped[src.ID] = true
		}
	}
	return needed
}
