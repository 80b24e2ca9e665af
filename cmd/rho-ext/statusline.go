package main

import (
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
	"golang.org/x/text/width"
)

// statusEvery is how often a passing line may change: more than eyes can follow
// helps nobody.
const statusEvery = 50 * time.Millisecond

// statusTerminal is a terminal whose last line may be a passing one, which gives
// way to everything else that is written.
type statusTerminal struct {
	file *os.File

	mu    sync.Mutex
	shown bool   // the passing line is there
	open  bool   // what was written last has no end of line, as a question has none
	next  string // what the line is to say; empty: nothing any more
	last  time.Time
	timer *time.Timer
}

// showStatus lets passing lines be shown from now on, where there is a terminal
// that can take one away.
func (a *app) showStatus() {
	if f, ok := a.err.(*os.File); ok && !a.json && isTerminal(f) && os.Getenv("TERM") != "dumb" {
		a.err = &statusTerminal{file: f}
	}
}

// endStatus takes the passing line away.
func (a *app) endStatus() {
	if s, ok := a.err.(*statusTerminal); ok {
		s.status("")
	}
}

// Fd makes it known as a terminal.
func (s *statusTerminal) Fd() uintptr { return s.file.Fd() }

// Write implements [io.Writer].
func (s *statusTerminal) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	if len(p) > 0 {
		s.open = p[len(p)-1] != '\n'
	}
	return s.file.Write(p)
}

// entered says that a person has ended the line.
func (s *statusTerminal) entered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = false
}

// status changes the passing line, soon if not at once; an empty text takes it away.
func (s *statusTerminal) status(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = text
	if text == "" {
		s.clear()
		return
	}
	if s.timer != nil {
		return
	}
	if wait := statusEvery - time.Since(s.last); wait > 0 {
		s.timer = time.AfterFunc(wait, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.timer = nil
			s.draw()
		})
		return
	}
	s.draw()
}

func (s *statusTerminal) draw() {
	if s.open || s.next == "" {
		return
	}
	columns, _, err := term.GetSize(int(s.file.Fd()))
	if err != nil || columns <= 0 {
		columns = 80
	}
	text := fitColumns(s.next, columns-1)
	if os.Getenv("NO_COLOR") == "" {
		text = string(dim) + text + reset
	}
	_, _ = s.file.WriteString("\r\x1b[2K" + text)
	s.shown, s.last = true, time.Now()
}

func (s *statusTerminal) clear() {
	if s.shown {
		_, _ = s.file.WriteString("\r\x1b[2K")
		s.shown = false
	}
}

// fitColumns cuts a text that would take more than so many columns.
func fitColumns(text string, columns int) string {
	used, cut := 0, 0 // cut is as far as there is room for the dots as well
	for i, r := range text {
		wide := 1
		if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
			wide = 2
		}
		if used += wide; used > columns {
			return strings.TrimRight(text[:cut], " ") + "…"
		}
		if used < columns {
			cut = i + len(string(r))
		}
	}
	return text
}
