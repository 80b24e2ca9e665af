package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

// terminal asks the person at the keyboard. It reads a line for each question
// and drops what was typed before the question was seen.
type terminal struct {
	in    *os.File
	out   io.Writer
	paint func(c color, text string) string

	mu      sync.Mutex // one question at a time
	lines   chan typed
	reading bool // a line is being read, perhaps since an earlier question
	closed  bool

	listens bool        // lines that are no answer are keys
	asking  atomic.Bool // a question is open
}

// person is the terminal, or nil where nobody sits at one: then nothing is
// asked.
func (a *app) person() *terminal {
	in, ok := a.in.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return nil
	}
	if !isTerminal(a.err) {
		return nil
	}
	if a.keyboard == nil {
		a.keyboard = &terminal{in: in, out: a.err, paint: a.paint, lines: make(chan typed, 1)}
	}
	return a.keyboard
}

var errClosed = errors.New("the terminal was closed")

// typed is one line and when it was read. Without text the terminal is closed.
type typed struct {
	text string
	at   time.Time
}

// read gives the next line that was finished after a moment, in lower case: what
// was typed before a question was seen is no answer to it.
func (t *terminal) read(ctx context.Context, after time.Time) (string, error) {
	text, err := t.lineAfter(ctx, after)
	return strings.ToLower(strings.TrimSpace(text)), err
}

// line gives the next line as it was typed, even ahead of its question.
func (t *terminal) line(ctx context.Context) (string, error) { return t.lineAfter(ctx, time.Time{}) }

// lineAfter gives the next line that was finished after a moment. Between questions
// nothing is read, so that the system still holds, and can drop, what was typed
// then.
func (t *terminal) lineAfter(ctx context.Context, after time.Time) (string, error) {
	for !t.closed {
		if !t.reading && !t.listens {
			t.reading = true
			go func() {
				buf := make([]byte, 4096)
				n, err := t.in.Read(buf) // a terminal gives one line at a time
				if err != nil {
					n = 0
				}
				t.lines <- typed{string(buf[:n]), time.Now()}
			}()
		}
		select {
		case line := <-t.lines:
			t.reading, t.closed = false, line.text == ""
			if line.at.After(after) && !t.closed {
				if s, ok := t.out.(*statusTerminal); ok {
					s.entered()
				}
				return line.text, nil
			}
		case <-ctx.Done():
			fmt.Fprintln(t.out)
			return "", context.Cause(ctx)
		}
	}
	return "", errClosed
}

// choose puts a question until it is answered with one of the words or its
// first letter; an empty line is the last of them. A closed terminal, or
// nonsense, is the last, too.
func (t *terminal) choose(ctx context.Context, text, prompt string, words ...string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	t.asking.Store(true)
	defer t.asking.Store(false)
	no := words[len(words)-1]
	fmt.Fprintln(t.out, text)
	flushTyped(t.in)
	shown := time.Now()
	for range 3 {
		fmt.Fprint(t.out, t.paint(yellow, prompt), " ")
		line, err := t.read(ctx, shown)
		switch {
		case errors.Is(err, errClosed):
			fmt.Fprintln(t.out)
			return no, nil
		case err != nil:
			return "", err
		case line == "":
			return no, nil
		}
		for _, w := range words {
			if line == w || line == w[:1] {
				return w, nil
			}
		}
		fmt.Fprintf(t.out, "%q is no answer; type one of the letters in brackets\n", clean(shorten(line, 40)))
	}
	return no, nil
}

// listen passes on each line that is typed while no question is open, and closes
// keys when the terminal is. It is called once, before any question.
func (t *terminal) listen() (keys <-chan string) {
	out := make(chan string, 16)
	t.listens = true
	go func() {
		defer close(out)
		buf := make([]byte, 4096)
		for {
			n, err := t.in.Read(buf)
			if err != nil || n == 0 {
				select {
				case t.lines <- typed{}:
				default:
				}
				return
			}
			if t.asking.Load() {
				select {
				case t.lines <- typed{string(buf[:n]), time.Now()}:
				default: // one is there already, and nobody has read it
				}
				continue
			}
			select {
			case out <- strings.TrimSpace(string(buf[:n])):
			default: // nobody reads so many
			}
		}
	}()
	return out
}

// yes asks a question that is answered with yes or no; no is the default.
func (t *terminal) yes(ctx context.Context, text, prompt string) (bool, error) {
	c, err := t.choose(ctx, text, prompt+" [y/N]", "yes", "no")
	return c == "yes", err
}

// shorten leaves out the middle of a long text, so that a question stays on one
// screen.
func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	half := most / 2
	return fmt.Sprintf("%s … (%d characters left out) … %s", string(r[:half]), len(r)-2*half, string(r[len(r)-half:]))
}
