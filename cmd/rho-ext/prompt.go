package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/registry"
)

// terminal asks the person at the keyboard. It reads a line for each question
// and drops what was typed before the question was seen.
type terminal struct {
	in    *os.File
	out   io.Writer
	paint func(c color, text string) string

	mu    sync.Mutex // one question at a time
	once  sync.Once
	lines chan typed // closed when the keyboard is
}

// person is the terminal, or nil where nobody sits at one: then nothing is
// asked.
func (a *app) person() *terminal {
	in, ok := a.in.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return nil
	}
	if out, ok := a.err.(*os.File); !ok || !term.IsTerminal(int(out.Fd())) {
		return nil
	}
	if a.keyboard == nil {
		a.keyboard = &terminal{in: in, out: a.err, paint: a.paint}
	}
	return a.keyboard
}

var (
	_ permission.Asker = (*terminal)(nil)
	_ registry.Gate    = (*terminal)(nil)
)

var errClosed = errors.New("the terminal was closed")

// typed is one line and when it was finished.
type typed struct {
	text string
	at   time.Time
}

// read gives the next line that was finished after a moment: what was typed
// before a question was seen is no answer to it.
func (t *terminal) read(ctx context.Context, after time.Time) (string, error) {
	t.once.Do(func() {
		t.lines = make(chan typed)
		go func() { // it ends with the keyboard, or with the program
			defer close(t.lines)
			buf := make([]byte, 4096)
			for {
				n, err := t.in.Read(buf) // a terminal gives one line at a time
				if n == 0 || err != nil {
					return
				}
				t.lines <- typed{string(buf[:n]), time.Now()}
			}
		}()
	})
	for {
		select {
		case line, ok := <-t.lines:
			if !ok {
				return "", errClosed
			}
			if line.at.After(after) {
				return strings.ToLower(strings.TrimSpace(line.text)), nil
			}
		case <-ctx.Done():
			fmt.Fprintln(t.out)
			return "", context.Cause(ctx)
		}
	}
}

// choose puts a question until it is answered with one of the letters; an empty
// line is the last of them. A closed terminal, or nonsense, is the last, too.
func (t *terminal) choose(ctx context.Context, text, prompt, letters string) (byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	no := letters[len(letters)-1]
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
			return 0, err
		case line == "":
			return no, nil
		case strings.IndexByte(letters, line[0]) >= 0:
			return line[0], nil
		}
		fmt.Fprintf(t.out, "%q is no answer; type one of the letters\n", clean(line))
	}
	return no, nil
}

// AskPermission implements [permission.Asker].
func (t *terminal) AskPermission(ctx context.Context, q permission.Question) (permission.Answer, error) {
	text := fmt.Sprintf("%s extension %s wants %s (tool %s)", t.paint(yellow, "permission:"), cleanLine(q.Extension), cleanLine(q.Text), cleanLine(q.Tool))
	prompt, letters := "allow? [o]nce, this [s]ession, [a]lways, [N]o", "osan"
	if !q.CanKeep {
		prompt, letters = "allow? [o]nce, this [s]ession, [N]o", "osn"
	}
	c, err := t.choose(ctx, text, prompt, letters)
	if err != nil {
		return permission.Answer{}, err
	}
	return permission.Answer{ID: q.ID, Allow: c != 'n', Scope: scopeOf(c)}, nil
}

// Ask implements [registry.Gate].
func (t *terminal) Ask(ctx context.Context, q registry.Question) (registry.Answer, error) {
	from := ""
	if q.ParentID != "" {
		from = ", called by another tool,"
	}
	text := fmt.Sprintf("%s %s%s wants to run (%s) with %s", t.paint(yellow, "approval:"), cleanLine(q.Tool), from, q.Risk, cleanLine(string(q.Arguments)))
	c, err := t.choose(ctx, text, "run it? [o]nce, this [s]ession, [a]lways, [N]o", "osan")
	if err != nil {
		return registry.Answer{}, err
	}
	return registry.Answer{ID: q.ID, Allow: c != 'n', Scope: scopeOf(c)}, nil
}

func scopeOf(c byte) registry.Scope {
	switch c {
	case 's':
		return registry.Session
	case 'a':
		return registry.Always
	}
	return registry.Once
}

// yes asks a question that is answered with yes or no; no is the default.
func (t *terminal) yes(ctx context.Context, text, prompt string) (bool, error) {
	c, err := t.choose(ctx, text, prompt+" [y/N]", "yn")
	return c == 'y', err
}
