package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// pty is a terminal: what is typed goes into ctl, what it shows is in shown.
type pty struct {
	ctl, tty *os.File
	mu       sync.Mutex
	shown    bytes.Buffer
	done     chan struct{}
}

func openPTY(t *testing.T) *pty {
	t.Helper()
	ctl, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	require.NoError(t, unix.IoctlSetPointerInt(int(ctl.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(ctl.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	p := &pty{ctl: ctl, tty: tty, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		buf := make([]byte, 1024)
		for {
			n, err := ctl.Read(buf)
			p.mu.Lock()
			p.shown.Write(buf[:n])
			p.mu.Unlock()
			if err != nil { // EIO when the other side closes
				return
			}
		}
	}()
	return p
}

// quiet waits until the terminal does not show what is typed.
func (p *pty) quiet(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return !p.echoes(t) }, 30*time.Second, time.Millisecond)
}

func (p *pty) echoes(t *testing.T) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(p.tty.Fd()), unix.TCGETS)
	require.NoError(t, err)
	return state.Lflag&unix.ECHO != 0
}

func (p *pty) close(t *testing.T) string {
	t.Helper()
	require.NoError(t, p.tty.Close())
	<-p.done
	require.NoError(t, p.ctl.Close())
	return p.shown.String()
}

func TestATerminalDoesNotShowASecret(t *testing.T) {
	root := project(t, map[string]string{"weather.ts": strings.ReplaceAll(settingsExt, "SECRET", `"x"`)})
	_, call := home(t, root)
	p := openPTY(t)
	code := make(chan int)
	go func() {
		code <- run(context.Background(), []string{"secret", "set", "weather", "apiKey", "--root", root}, streams{in: p.tty, out: p.tty, err: p.tty})
	}()
	p.quiet(t)
	_, err := p.ctl.WriteString("hunter2hunter2\n")
	require.NoError(t, err)
	require.Equal(t, 0, <-code)
	require.True(t, p.echoes(t), "the terminal is as it was")
	shown := p.close(t)
	require.Contains(t, shown, "apiKey of weather (not shown): ")
	require.Contains(t, shown, "kept apiKey of weather in ")
	require.NotContains(t, shown, "hunter2")
	require.Contains(t, call("", "secret", "list").out, "file")
}

func TestAnInterruptLeavesTheTerminalAsItWas(t *testing.T) {
	root := project(t, map[string]string{"weather.ts": strings.ReplaceAll(settingsExt, "SECRET", `"x"`)})
	_, call := home(t, root)
	p := openPTY(t)
	ctx, interrupt := context.WithCancel(context.Background())
	code := make(chan int)
	go func() {
		code <- run(ctx, []string{"secret", "set", "weather", "apiKey", "--root", root}, streams{in: p.tty, out: p.tty, err: p.tty})
	}()
	p.quiet(t)
	interrupt()
	require.Equal(t, exitInterrupted, <-code)
	require.True(t, p.echoes(t))
	_, err := p.ctl.WriteString("\n") // whoever still reads
	require.NoError(t, err)
	require.Contains(t, p.close(t), "interrupted; nothing was kept")
	require.Contains(t, call("", "secret", "list").out, "not set")
}
