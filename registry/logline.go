package registry

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
)

// LogLine is what somebody had to say, as the session log keeps it: an
// extension, or the program itself.
type LogLine struct {
	Level     string `json:"level"`               // debug, info, warn or error
	Extension string `json:"extension,omitempty"` // empty is the program
	Tool      string `json:"tool,omitempty"`      // the one whose call said it
	Message   string `json:"message"`
	// Data are the other attributes, as text.
	Data map[string]string `json:"data,omitempty"`
	// Truncated says that the message or the data was cut.
	Truncated bool `json:"truncated,omitempty"`
}

// lineLimit is how many bytes of a message, and of each of its data, the session
// log keeps; dataLimit is of how many.
const (
	lineLimit = 8 << 10
	dataLimit = 16
)

// LogHandler is a handler of log records that appends those from debug on to
// log, redacted by red where that is not nil, and passes all of them to next.
// failed hears of the first error of the log, and may be nil.
func LogHandler(log Appender, red Redactor, next slog.Handler, failed func(error)) slog.Handler {
	return &logHandler{log: log, red: red, next: next, failed: failed, once: &sync.Once{}}
}

type logHandler struct {
	log    Appender
	red    Redactor
	next   slog.Handler
	failed func(error)
	once   *sync.Once
	attrs  []slog.Attr
	group  string
}

func (h *logHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelDebug || h.next.Enabled(ctx, l)
}

func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelDebug {
		if err := h.log.Append(ctx, LogKindLine, h.line(r)); err != nil && h.failed != nil {
			h.once.Do(func() { h.failed(err) })
		}
	}
	if !h.next.Enabled(ctx, r.Level) {
		return nil
	}
	return h.next.Handle(ctx, r)
}

func (h *logHandler) line(r slog.Record) *LogLine {
	l := &LogLine{Level: levelName(r.Level)}
	l.Message = h.kept(l, r.Message)
	add := func(prefix string, at slog.Attr) {
		value := at.Value.Resolve()
		switch {
		case prefix == "" && at.Key == "extension":
			l.Extension = h.kept(l, value.String())
		case prefix == "" && at.Key == "tool":
			l.Tool = h.kept(l, value.String())
		case len(l.Data) == dataLimit:
			l.Truncated = true
		default:
			if l.Data == nil {
				l.Data = map[string]string{}
			}
			l.Data[prefix+at.Key] = h.kept(l, value.String())
		}
	}
	for _, at := range h.attrs {
		add("", at)
	}
	r.Attrs(func(at slog.Attr) bool { add(h.group, at); return true })
	return l
}

// kept is a text as it is kept: without secrets, and then cut, so that no part
// of one is left.
func (h *logHandler) kept(l *LogLine, text string) string {
	if json.Valid([]byte(text)) && h.red != nil {
		text = string(redactJSON(h.red, []byte(text)))
	} else {
		text = redactedText(h.red, text)
	}
	if len(text) > lineLimit {
		text, l.Truncated = prefix(text, lineLimit), true
	}
	return strings.ToValidUTF8(text, "�")
}

func levelName(l slog.Level) string {
	switch {
	case l < slog.LevelInfo:
		return "debug"
	case l < slog.LevelWarn:
		return "info"
	case l < slog.LevelError:
		return "warn"
	}
	return "error"
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	own := *h
	own.next = h.next.WithAttrs(attrs)
	own.attrs = append([]slog.Attr{}, h.attrs...)
	for _, at := range attrs {
		at.Key = h.group + at.Key
		own.attrs = append(own.attrs, at)
	}
	return &own
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	own := *h
	own.next, own.group = h.next.WithGroup(name), h.group+name+"."
	return &own
}
