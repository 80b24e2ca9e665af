package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rho-ext/rho-ext/internal/sessionlog"
	"github.com/rho-ext/rho-ext/registry"
)

// logView prints entries of a session log on stdout.
type logView struct {
	app    *app
	filter *logFilter
	day    string // of the last entry
	told   bool   // that lines are damaged
	err    error  // of writing; nothing is written after it
}

// damaged tells once that lines were skipped.
func (v *logView) damaged(n int) {
	if n > 0 && !v.told {
		v.told = true
		fmt.Fprintf(v.app.err, "%s %s of the log could not be read and %s skipped\n", v.app.paint(yellow, "note:"),
			counted(n, "line", "lines"), map[bool]string{true: "was", false: "were"}[n == 1])
	}
}

func (v *logView) write(text string) {
	if v.err == nil {
		_, v.err = io.WriteString(v.app.out, text)
	}
}

func (v *logView) show(e sessionlog.Entry) {
	if v.app.json {
		v.write(v.encoded(e))
		return
	}
	p := painter(v.app.paintOut)
	at := e.Time.Local()
	if day := at.Format(time.DateOnly); day != v.day {
		if v.day != "" || day != time.Now().Format(time.DateOnly) {
			v.write(p(dim, day) + "\n")
		}
		v.day = day
	}
	r := rendered(p, e)
	v.write(fmt.Sprintf("%s  %s  %s\n", p(dim, at.Format(time.TimeOnly)), p(r.color, fmt.Sprintf("%-5s", r.label)), r.text))
	for _, line := range r.more {
		v.write("                 " + line + "\n")
	}
}

// encoded is an entry as one line of JSON.
func (v *logView) encoded(e sessionlog.Entry) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(e) != nil {
		return ""
	}
	if isTerminal(v.app.out) {
		return clean(b.String())
	}
	return b.String()
}

// shownEntry is an entry as people see it.
type shownEntry struct {
	label string // its level, or its kind
	color color
	text  string
	more  []string // further lines
}

func rendered(p painter, e sessionlog.Entry) shownEntry {
	if e.Omitted > 0 {
		return shownEntry{label: cleanLine(e.Kind), color: dim, text: "an entry of " + size(e.Omitted) + ", which was too large to keep"}
	}
	switch e.Kind {
	case registry.LogKindLine:
		var l registry.LogLine
		if json.Unmarshal(e.Data, &l) == nil {
			return renderedLine(p, &l)
		}
	case registry.LogKindOutcome:
		var c loggedCall
		if json.Unmarshal(e.Data, &c) == nil {
			text := p.callLine(&c)
			if c.Extension != "" {
				text = cleanLine(c.Extension) + ": " + text
			}
			return shownEntry{label: "call", color: dim, text: text, more: p.failureLines(&c)}
		}
	case registry.LogKindRequest:
		var r struct{ Text string }
		if json.Unmarshal(e.Data, &r) == nil {
			return shownEntry{label: "asked", color: dim, text: cleanLine(shorten(r.Text, 200))}
		}
	case logKindBench:
		var r benchReport
		if json.Unmarshal(e.Data, &r) == nil && r.Latency != nil {
			return shownEntry{label: "bench", color: dim, text: fmt.Sprintf("%s: %s, %d failed, p50 %s, p99 %s",
				cleanLine(r.Tool), counted(r.Calls, "call", "calls"), r.Failed, exact(r.Latency.P50), exact(r.Latency.P99))}
		}
	}
	return shownEntry{label: cleanLine(e.Kind), color: dim, text: cleanLine(shorten(string(e.Data), 200))}
}

// levelColors are those of levels that stand out.
var levelColors = map[string]color{"warn": yellow, "error": red}

func renderedLine(p painter, l *registry.LogLine) shownEntry {
	s := shownEntry{label: cleanLine(l.Level), color: dim}
	if c, ok := levelColors[l.Level]; ok {
		s.color = c
	}
	if l.Extension != "" {
		s.text = cleanLine(l.Extension) + ": "
	}
	first, rest, _ := strings.Cut(clean(l.Message), "\n")
	s.text += first
	for _, key := range slices.Sorted(maps.Keys(l.Data)) {
		s.text += p(dim, " "+cleanLine(key)+"="+cleanLine(shorten(l.Data[key], 200)))
	}
	if rest != "" {
		s.more = strings.Split(rest, "\n")
	}
	return s
}
