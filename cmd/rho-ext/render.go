package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/term"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

type color string

const (
	red    color = "\x1b[31m"
	yellow color = "\x1b[33m"
	green  color = "\x1b[32m"
	dim    color = "\x1b[2m"
	reset        = "\x1b[0m"
)

// paint colours text for stderr, on a terminal that wants it.
func (a *app) paint(c color, text string) string { return paintFor(a.err, c, text) }

// paintOut colours text for stdout, likewise.
func (a *app) paintOut(c color, text string) string { return paintFor(a.out, c, text) }

func paintFor(w io.Writer, c color, text string) string {
	if os.Getenv("NO_COLOR") != "" || !isTerminal(w) {
		return text
	}
	return string(c) + text + reset
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// clean makes text from an extension or a file safe to print: nothing in it
// steers the terminal or turns the direction of writing.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return '·'
		}
		return r
	}, s)
}

// cleanLine is clean for what must not begin a line of its own either, such as
// a name.
func cleanLine(s string) string {
	return strings.NewReplacer("\n", "·", "\t", "·").Replace(clean(s))
}

// indented is clean, with every line but the first set in: what an extension
// says must not look as if the program said it.
func indented(s string) string { return strings.ReplaceAll(clean(s), "\n", "\n    ") }

func (a *app) printJSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	text := b.Bytes()
	if a.hide != nil {
		text = a.hide.RedactJSON(text)
	}
	_, err := a.out.Write(text)
	return err
}

// printText writes a result to stdout, with a newline at its end.
func (a *app) printText(s string) error {
	if isTerminal(a.out) {
		s = clean(s)
	}
	if !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	_, err := io.WriteString(a.out, s)
	return err
}

// warnOnce tells of something that is wrong and stops nothing, once.
func (a *app) warnOnce(text string) {
	if a.warned[text] {
		return
	}
	if a.warned == nil {
		a.warned = map[string]bool{}
	}
	a.warned[text] = true
	fmt.Fprintln(a.err, a.paint(yellow, "warning:"), clean(text))
}

// printFailure tells of an extension that did not load.
func (a *app) printFailure(f host.Failure) {
	fmt.Fprintf(a.err, "%s extension %s failed (%s)\n", a.paint(red, "✗"), cleanLine(f.Extension), f.Stage)
	f.File = cleanLine(f.File)
	fmt.Fprintf(a.err, "  %s\n", clean(f.Error()))
	a.printFrame(f.Frame, f.Hint)
}

func (a *app) printFrame(frame, hint string) {
	if frame != "" {
		for line := range strings.SplitSeq(frame, "\n") {
			fmt.Fprintf(a.err, "  %s\n", a.paint(dim, clean(line)))
		}
	}
	if hint != "" {
		fmt.Fprintf(a.err, "  hint: %s\n", indented(hint))
	}
}

// printCallFailure tells a person why a call failed, and where.
func (a *app) printCallFailure(o *registry.Outcome) {
	f := o.Failure
	if f == nil {
		fmt.Fprintln(a.err, a.paint(red, "error:"), indented(o.Text))
		return
	}
	place := ""
	if f.Location != nil {
		place = f.Location.String() + ": "
	}
	message := f.Message
	if strings.HasPrefix(o.Text, message) { // the beginning of what the tool has answered
		message = strings.TrimRight(o.Text, "\n")
	}
	fmt.Fprintln(a.err, a.paint(red, "error:"), indented(place+message))
	if f.Location != nil {
		a.printFrame(f.Location.Frame, "")
		for _, s := range f.Location.Stack {
			fmt.Fprintf(a.err, "  %s\n", a.paint(dim, "at "+clean(s)))
		}
	}
	if !strings.Contains(message, f.Hint) { // as where it is part of what the model reads
		a.printFrame("", f.Hint)
	}
}

// lineHandler writes log records as one line each: level, extension, message.
type lineHandler struct {
	app   *app
	level slog.Level
	attrs []slog.Attr
	red   registry.Redactor // or nil
	mu    sync.Mutex
}

func (h *lineHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level }

func (h *lineHandler) Handle(_ context.Context, r slog.Record) error {
	who, rest := "", ""
	add := func(at slog.Attr) bool {
		switch at.Key {
		case "extension":
			who = cleanLine(at.Value.String()) + ": "
		case "tool":
		default:
			rest += fmt.Sprintf(" %s=%v", at.Key, at.Value)
		}
		return true
	}
	for _, at := range h.attrs {
		add(at)
	}
	r.Attrs(add)
	level := strings.ToLower(r.Level.String())
	if r.Level < slog.LevelDebug {
		level = "trace"
	}
	switch {
	case r.Level >= slog.LevelError:
		level = h.app.paint(red, level)
	case r.Level >= slog.LevelWarn:
		level = h.app.paint(yellow, level)
	default:
		level = h.app.paint(dim, level)
	}
	message := r.Message
	if h.red != nil {
		message, rest = h.red.Redact(message), h.red.Redact(rest)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := fmt.Fprintf(h.app.err, "%s %s%s%s\n", level, clean(who), indented(message), h.app.paint(dim, indented(rest)))
	return err
}

func (h *lineHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &lineHandler{app: h.app, level: h.level, red: h.red, attrs: append(append([]slog.Attr{}, h.attrs...), attrs...)}
}

func (h *lineHandler) WithGroup(string) slog.Handler { return h }

// shortList joins the first n of a list.
func shortList(list []string, n int) string {
	if len(list) > n {
		return strings.Join(list[:n], ", ") + fmt.Sprintf(" and %d more", len(list)-n)
	}
	return strings.Join(list, ", ")
}
