package host

import (
	"context"
	"fmt"
	"slices"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/registry"
)

// absentGuards are extensions that were granted to hear of every call, and of
// which no version has loaded. What they forbid nobody knows, so every call is
// blocked, as by a hook that fails.
func (h *Host) absentGuards(sources []Source, skipped map[string]bool) (ids []string) {
	for _, s := range sources {
		if !s.runs() || skipped[s.ID] || h.current(s.ID) != nil {
			continue
		}
		if h.keptGrant(s, func(g permission.Grant) bool {
			return g.Kind == permission.KindHook && g.Target == "tool_call"
		}) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

func (h *Host) absentNow() []string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.absent
}

func absentHook(id string) registry.Hook {
	return registry.Hook{Name: id, Before: func(context.Context, registry.BeforeEvent) (registry.Decision, error) {
		return registry.BlockCall(fmt.Sprintf("extension %s, whose onToolCall is granted, does not load: mend it, disable it, or take its grant away with rho-ext revoke %s", id, id)), nil
	}}
}

// keptGrant reports whether the user keeps such a grant for an extension,
// whatever its manifest was then.
func (h *Host) keptGrant(s Source, is func(permission.Grant) bool) bool {
	store, ok := h.opts.Grants.(grantLister)
	if !ok {
		return false
	}
	keys, _ := store.Keys() // doctor and permissions report what cannot be read
	for _, k := range keys {
		own := h.keyOf(s)
		own.Hash = k.Hash
		if k != own {
			continue
		}
		if list, _ := h.opts.Grants.Grants(k); slices.ContainsFunc(list, is) {
			return true
		}
	}
	return false
}

// grantLister is a store of grants that tells whose it keeps.
type grantLister interface {
	Keys() ([]permission.Key, error)
}
