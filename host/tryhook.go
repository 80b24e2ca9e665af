package host

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// HookTrial is what one hook made of an event that was made up.
type HookTrial struct {
	Extension string           `json:"extension"`
	Hook      string           `json:"hook"`
	Effects   registry.Effects `json:"effects"`
	Granted   bool             `json:"granted"`         // only then it ran
	Allow     string           `json:"allow,omitempty"` // what would grant it
	// Decision is what it returned; absent where that was nothing.
	Decision   json.RawMessage `json:"decision,omitempty"`
	Error      string          `json:"error,omitempty"`
	DurationMS float64         `json:"durationMs"`
}

// HookEvents are the events that [Host.TryHook] knows, by the names that
// permissions use.
func HookEvents() []string { return slices.Clone(permission.HookEvents) }

// TryHook shows an event to each hook for it, as it would be in a call, and tells
// what each decides; the hooks do not see each other's work. Nothing is called.
// Missing members of the event, which is a JSON object, are made up.
func (h *Host) TryHook(ctx context.Context, event string, data json.RawMessage) ([]HookTrial, error) {
	name := ""
	for hook, e := range eventOf {
		if e == event || hook == event {
			name = hook
		}
	}
	if name == "" {
		return nil, fmt.Errorf("unknown event %q: expected %s", event, strings.Join(permission.HookEvents, ", "))
	}
	full, err := completeEvent(name, data)
	if err != nil {
		return nil, err
	}
	list := []HookTrial{}
	for _, g := range h.inOrder() {
		hook := g.hookNamed(name)
		if hook == nil {
			continue
		}
		t := HookTrial{Extension: g.source.ID, Hook: name, Effects: hook.Effects}
		if denied := g.deniedHook(name); denied != nil {
			t.Allow = strings.TrimPrefix(denied.Hint(), "to allow it: ")
		} else {
			t.Granted = true
			g.tryHook(ctx, name, full, &t)
		}
		list = append(list, t)
	}
	return list, nil
}

func (g *generation) tryHook(ctx context.Context, name string, event json.RawMessage, t *HookTrial) {
	ctx, cancel := context.WithTimeoutCause(ctx, hookBudget, wire.ErrDeadline)
	defer cancel()
	start := time.Now()
	dec, err := g.hook(ctx, name, event)
	t.DurationMS = float64(time.Since(start).Microseconds()) / 1000
	if err == nil {
		_, err = decisionOf(dec)
	}
	if err != nil {
		t.Error = err.Error()
		return
	}
	if text, err := json.Marshal(dec); err == nil && string(text) != "{}" {
		t.Decision = text
	}
}

// completeEvent checks the members of an event that are given and makes up the
// others.
func completeEvent(name string, data json.RawMessage) (json.RawMessage, error) {
	event := map[string]json.RawMessage{}
	usual := map[string]any{"messages": []any{}}
	if name != wire.HookBeforeModel {
		usual = map[string]any{"callId": "call_example", "toolName": "example", "args": struct{}{}}
		if name == wire.HookToolCall {
			usual["risk"] = registry.Read
		} else {
			for k, v := range map[string]any{"content": []any{}, "isError": false, "status": registry.StatusSuccess, "durationMs": 0} {
				usual[k] = v
			}
		}
	}
	if len(data) > 0 {
		if err := json.Unmarshal(data, &event); err != nil || event == nil {
			return nil, fmt.Errorf("the event must be a JSON object, such as {\"toolName\":\"read_file\",\"args\":{\"path\":\"README.md\"}}")
		}
	}
	for key := range event {
		if _, ok := usual[key]; !ok && key != "details" && key != "failure" {
			return nil, fmt.Errorf("the event of %s has no member %q", name, key)
		}
	}
	for key, value := range usual {
		if _, ok := event[key]; !ok {
			raw, err := json.Marshal(value)
			if err != nil {
				return nil, err
			}
			event[key] = raw
		}
	}
	full, err := json.Marshal(event)
	if err != nil {
		return nil, err
	}
	// As the hooks will read it.
	into := map[string]any{wire.HookToolCall: &wire.ToolCallEvent{}, wire.HookBeforeModel: &struct{ Messages []json.RawMessage }{},
		wire.HookToolResult: &struct {
			CallID, ToolName string
			Content          []json.RawMessage
			IsError          bool
		}{}}[name]
	if err := json.Unmarshal(full, into); err != nil {
		return nil, fmt.Errorf("the event: %w", err)
	}
	return full, nil
}
