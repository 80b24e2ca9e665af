package host

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// Message is one message of a conversation with a model.
type Message struct {
	Role    string           `json:"role"` // system, user, assistant, or the host's own
	Content []registry.Block `json:"content"`
}

// BeforeModel is for hosts that have a model: it shows the messages that are
// about to be sent to the onBeforeModel hooks, in the order of the extensions,
// and gives back what they made of them. A hook that fails or is late changes
// nothing, and is logged. red takes secrets out of what hooks see; placeholders
// stand for them, and are put back. Nil leaves everything.
func (h *Host) BeforeModel(ctx context.Context, red registry.Redactor, messages []Message) []Message {
	for _, g := range h.inOrder() {
		id := g.source.ID
		if g = h.listening(ctx, id, wire.HookBeforeModel); g == nil {
			continue
		}
		next, err := g.beforeModel(ctx, red, messages)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			h.opts.Logger.Warn("a hook failed; the messages stay as they were", "extension", id, "error", redactedText(red, err.Error()))
			continue
		}
		messages = next
	}
	return messages
}

func (g *generation) beforeModel(ctx context.Context, red registry.Redactor, messages []Message) ([]Message, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, hookBudget, wire.ErrDeadline)
	defer cancel()
	e := wire.BeforeModelEvent{Messages: make([]wire.Message, len(messages))}
	for i, m := range messages {
		e.Messages[i] = wire.Message{Role: m.Role, Content: wire.ContentOf(m.Content)}
	}
	event, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	restore := func(s string) string { return s }
	if red != nil {
		var masked string
		if masked, restore = red.Mask(string(event)); !json.Valid([]byte(masked)) {
			return nil, fmt.Errorf("the messages cannot be shown without their secrets")
		}
		event = json.RawMessage(masked)
	}
	dec, err := g.hook(ctx, wire.HookBeforeModel, json.RawMessage(event))
	if err != nil || dec.Messages == nil {
		return messages, err
	}
	text, err := json.Marshal(dec.Messages)
	if err != nil {
		return nil, err
	}
	var out []Message
	if err := json.Unmarshal([]byte(restore(string(text))), &out); err != nil {
		return nil, fmt.Errorf("the messages cannot be read: %w", err)
	}
	return out, nil
}

func redactedText(red registry.Redactor, text string) string {
	if red == nil {
		return text
	}
	return red.Redact(text)
}
