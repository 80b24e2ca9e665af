package exttest

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// newLogger gives what extensions log to the test that runs.
func newLogger(w *world) *slog.Logger { return slog.New(&logHandler{world: w}) }

type logHandler struct {
	world *world
	attrs []slog.Attr
}

// Enabled implements [slog.Handler].
func (h *logHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements [slog.Handler].
func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	t := h.world.test.Load()
	if t == nil {
		return nil
	}
	l := Log{Level: strings.ToLower(r.Level.String()), Message: r.Message}
	add := func(a slog.Attr) bool {
		if a.Key == "extension" {
			l.From = a.Value.String()
		} else {
			l.Message += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		}
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	t.log(l)
	return nil
}

// WithAttrs implements [slog.Handler].
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{world: h.world, attrs: append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)}
}

// WithGroup implements [slog.Handler].
func (h *logHandler) WithGroup(string) slog.Handler { return h }
