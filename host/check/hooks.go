package check

import (
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/host/wire"
)

// eventOf are the events, as permissions name them, by the names of hooks.
var eventOf = map[string]string{wire.HookToolCall: "tool_call", wire.HookToolResult: "tool_result", wire.HookBeforeModel: "before_model"}

// hookRules look at hooks and commands.
func hookRules(u *unit) {
	m := u.Manifest
	if m == nil {
		return
	}
	for _, h := range m.Hooks {
		if event := eventOf[h.Name]; event != "" && m.Permissions != nil && !slices.Contains(m.Permissions.Hooks, event) {
			u.say("hook-not-asked", u.key("hooks"), `add hooks: ["`+event+`"] to permissions`,
				"the hook %s never runs: the manifest does not ask for %s", h.Name, event)
		}
	}
	for _, c := range m.Commands {
		if strings.TrimSpace(c.Description) == "" {
			u.say("command-description", u.key("commands"), "say in a few words what it does: lists show it", "the command %s has no description", c.Name)
		}
		if strings.ToLower(c.Name) != c.Name {
			u.say("command-name", u.key("commands"), "call it "+strings.ToLower(c.Name), "the command %s has capitals, which people do not expect in a command", c.Name)
		}
	}
}
