package host

import (
	"github.com/rho-ext/rho-ext/registry"
)

// State is what became of an extension.
type State string

// The states.
const (
	StateLoaded   State = "loaded"
	StateFailed   State = "failed" // an older version may still serve
	StateShadowed State = "shadowed"
	// StateUntrusted is one of the project's own that the user has not said
	// may be evaluated, see [Options.Trusted].
	StateUntrusted State = "untrusted"
	StateDisabled  State = "disabled" // by [Options.Enabled] or [Options.Disabled]
	// StateSkipped is an extension that [Options.Tool] made unnecessary.
	StateSkipped State = "skipped"
)

// ExtensionInfo describes one extension.
type ExtensionInfo struct {
	ID          string     `json:"id"`
	Title       string     `json:"title"`
	Version     string     `json:"version"`
	Description string     `json:"description,omitempty"`
	Scope       Scope      `json:"scope"`
	Path        string     `json:"path"`
	State       State      `json:"state"`
	ShadowedBy  string     `json:"shadowedBy,omitempty"`
	Reason      string     `json:"reason,omitempty"` // why it is disabled for a while
	Tools       []ToolInfo `json:"tools"`
	// Hooks and Commands are those that it has.
	Hooks    []HookInfo    `json:"hooks,omitempty"`
	Commands []CommandInfo `json:"commands,omitempty"`
	// Settings are those that it declares, by name.
	Settings []SettingInfo `json:"settings,omitempty"`
}

// ToolInfo describes one tool of an extension.
type ToolInfo struct {
	Name         string           `json:"name"`
	Risk         registry.Risk    `json:"risk"`
	DeclaredRisk registry.Risk    `json:"declaredRisk"`
	Effects      registry.Effects `json:"effects"`
}

// Extensions describes all extensions that were found, in the order of their
// folders.
func (h *Host) Extensions() []ExtensionInfo {
	h.mu.RLock()
	defer h.mu.RUnlock()
	failed := map[string]bool{}
	for _, f := range h.failures {
		failed[f.Extension] = true
	}
	out := make([]ExtensionInfo, 0, len(h.sources))
	for _, s := range h.sources {
		info := ExtensionInfo{ID: s.ID, Title: s.ID, Scope: s.Scope, Path: showPath(h.opts.codeRoot(), s.Entry), State: StateLoaded, Tools: []ToolInfo{}}
		g := h.loaded[s.ID]
		switch {
		case s.ShadowedBy != "":
			info.State, info.ShadowedBy = StateShadowed, showPath(h.opts.codeRoot(), s.ShadowedBy)
			out = append(out, info)
			continue
		case s.Untrusted:
			info.State = StateUntrusted
			out = append(out, info)
			continue
		case s.Disabled:
			info.State, info.Reason = StateDisabled, h.manual[s.ID].reason()
		case failed[s.ID]:
			info.State = StateFailed
		case h.skipped[s.ID]:
			info.State = StateSkipped
		}
		if g != nil && info.State == StateLoaded {
			if why := h.disabledNow(s.ID, g.bundle.Hash); why != "" {
				info.State, info.Reason = StateDisabled, why
			}
		}
		if g != nil {
			info.Title, info.Version, info.Description = g.manifest.Name, g.manifest.Version, g.manifest.Description
			info.Settings = settingInfos(g.manifest.Settings)
			info.Hooks, info.Commands = g.hookInfos(), g.commandInfos()
			for _, t := range g.manifest.Tools {
				info.Tools = append(info.Tools, ToolInfo{Name: t.Name, Risk: t.Effects.Risk(), DeclaredRisk: t.Risk, Effects: t.Effects})
			}
		}
		out = append(out, info)
	}
	return out
}
