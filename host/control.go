package host

import (
	"context"
	"slices"
)

// manual is what was said of an extension by hand. It holds until the host
// closes; what holds longer is in [Options].
type manual uint8

const (
	byOptions manual = iota
	enabled
	disabled
	unloaded // until its files change, or somebody asks for it
)

func (m manual) reason() string {
	switch m {
	case disabled:
		return "it was disabled by hand"
	case unloaded:
		return "it was unloaded by hand"
	}
	return ""
}

// Disable takes an extension out until [Host.Enable]: its tools leave the
// registry, calls that run finish.
func (h *Host) Disable(ctx context.Context, id string) (Report, error) {
	return h.byHand(ctx, id, disabled)
}

// Enable lets an extension run that is disabled: by [Host.Disable], by the
// options, or for a while because it took its worker down. It does not make one
// trusted.
func (h *Host) Enable(ctx context.Context, id string) (Report, error) {
	h.mu.Lock()
	delete(h.deaths, id)
	h.mu.Unlock()
	return h.byHand(ctx, id, enabled)
}

// Unload takes an extension out until its files change, [Host.Reload] names it,
// or [Host.Enable].
func (h *Host) Unload(ctx context.Context, id string) (Report, error) {
	return h.byHand(ctx, id, unloaded)
}

func (h *Host) byHand(ctx context.Context, id string, m manual) (Report, error) {
	h.mu.Lock()
	before := h.manual[id]
	h.manual[id] = m
	h.mu.Unlock()
	rep, err := h.reload(ctx, &look{only: []string{id}, keep: true, retry: true})
	if err != nil {
		h.mu.Lock()
		h.manual[id] = before
		h.mu.Unlock()
	}
	return rep, err
}

// options are the options with what was said by hand.
func (h *Host) options() Options {
	o := h.opts
	if o.IsTrusted != nil {
		o.Trusted = o.IsTrusted()
	}
	o.Disabled, o.Enabled = slices.Clone(o.Disabled), slices.Clone(o.Enabled)
	h.mu.RLock()
	defer h.mu.RUnlock()
	for id, m := range h.manual {
		switch m {
		case enabled:
			o.Disabled = slices.DeleteFunc(o.Disabled, func(d string) bool { return d == id })
			if len(o.Enabled) > 0 {
				o.Enabled = append(o.Enabled, id)
			}
		case disabled, unloaded:
			o.Disabled = append(o.Disabled, id)
		}
	}
	return o
}

// returned brings back what was unloaded and is asked for, or has changed.
func (h *Host) returned(sources []Source, l *look) {
	for i := range sources {
		s := &sources[i]
		h.mu.RLock()
		m, r := h.manual[s.ID], h.records[s.ID]
		h.mu.RUnlock()
		if m != unloaded || l.keep || !l.wants(s.ID) {
			continue
		}
		if !l.named(s.ID) {
			was := *s
			was.Disabled = false
			if r == nil || r.source == was && h.stamps.Of(h.bundling(was), r.graph, h.failedToBuild(r)) == r.stamp {
				continue
			}
		}
		h.mu.Lock()
		delete(h.manual, s.ID)
		h.mu.Unlock()
		s.Disabled = h.opts.disables(s.ID)
	}
}
