package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/rho-ext/rho-ext/internal/secret"
)

// readSecret asks for a value at the terminal, without showing it, or reads it
// from stdin where that is none. One line break at its end is not part of it. An
// interrupt ends the waiting and leaves the terminal as it was.
func (a *app) readSecret(ctx context.Context, what string) (string, error) {
	read := a.readAllOfSecret
	if f, ok := a.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		before, err := term.GetState(int(f.Fd()))
		if err != nil {
			return "", fail(exitFailed, "the terminal: %v", err)
		}
		defer func() {
			_ = term.Restore(int(f.Fd()), before)
			fmt.Fprintln(a.err) // the line break that was typed was not shown either
		}()
		fmt.Fprintf(a.err, "%s (not shown): ", what)
		read = func() ([]byte, error) { return term.ReadPassword(int(f.Fd())) }
	}
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", fail(exitInterrupted, "interrupted; nothing was kept")
	case r := <-done:
		text := strings.TrimSuffix(strings.TrimSuffix(string(r.text), "\n"), "\r")
		switch {
		case ctx.Err() != nil:
			return "", fail(exitInterrupted, "interrupted; nothing was kept")
		case r.err != nil && r.err != io.EOF:
			return "", fail(exitFailed, "cannot read the value: %v", r.err)
		case text == "":
			return "", fail(exitFailed, "the value is empty; nothing was kept")
		case len(text) > secret.MaxValue:
			return "", fail(exitFailed, "the value has more than %d bytes; nothing was kept", secret.MaxValue)
		}
		return text, nil
	}
}

func (a *app) readAllOfSecret() ([]byte, error) {
	return io.ReadAll(io.LimitReader(a.in, secret.MaxValue+3)) // with a line break
}
