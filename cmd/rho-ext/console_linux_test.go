package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// console is a real terminal and what somebody in front of it sees.
type console struct {
	t   *testing.T
	ctl *os.File // the person's end
	tty *os.File // the program's

	mu     sync.Mutex
	seen   string
	at     int // as far as the person has read
	change chan struct{}
}

// openTerminal makes a terminal: the end of a person and that of a program.
func openTerminal(t *testing.T) (ctl, tty *os.File) {
	t.Helper()
	ctl, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	raw, err := ctl.SyscallConn()
	require.NoError(t, err)
	n := 0
	require.NoError(t, raw.Control(func(fd uintptr) { // the file's own Fd would make it block
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			n, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	}))
	require.NoError(t, err)
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skip("no terminals here: ", err)
	}
	return ctl, tty
}

func newConsole(t *testing.T) *console {
	t.Helper()
	ctl, tty := openTerminal(t)
	p := &console{t: t, ctl: ctl, tty: tty, change: make(chan struct{}, 1)}
	t.Cleanup(func() { _ = ctl.Close(); _ = tty.Close() })
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := ctl.Read(buf)
			p.mu.Lock()
			p.seen += strings.ReplaceAll(string(buf[:n]), "\r\n", "\n")
			p.mu.Unlock()
			select {
			case p.change <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	t.Setenv("NO_COLOR", "1")
	return p
}

// await reads on until a text has come, at most for a while.
func (p *console) await(text string, most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	for {
		p.mu.Lock()
		i := strings.Index(p.seen[p.at:], text)
		if i >= 0 {
			p.at += i + len(text)
		}
		p.mu.Unlock()
		if i >= 0 {
			return true
		}
		select {
		case <-p.change:
		case <-timer.C:
			return false
		}
	}
}

func (p *console) expect(text string) {
	p.t.Helper()
	require.True(p.t, p.await(text, 30*time.Second), "%q never came:\n%s", text, p.screen())
}

// expectAll waits for several texts that may come in any order.
func (p *console) expectAll(texts ...string) {
	p.t.Helper()
	begin, end := p.at, p.at
	for _, text := range texts {
		p.at = begin
		p.expect(text)
		end = max(end, p.at)
	}
	p.at = end
}

func (p *console) screen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen
}

// drain waits until the screen shows all that was written.
func (p *console) drain() {
	p.t.Helper()
	const mark = "<drained>"
	if _, err := p.tty.WriteString(mark); err != nil {
		return // it was closed
	}
	at := p.at
	p.expect(mark)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = at
	p.seen = strings.ReplaceAll(p.seen, mark, "")
}

func (p *console) typed(text string) {
	p.t.Helper()
	_, err := p.ctl.WriteString(text)
	require.NoError(p.t, err)
}

// session is a run of the program at a terminal, in this process.
type session struct {
	*console
	out  *bytes.Buffer
	done chan int
}

func (s *setting) at(p *console, args ...string) *session {
	s.t.Helper()
	s.t.Setenv("RHO_HOME", s.home)
	r := &session{p, &bytes.Buffer{}, make(chan int, 1)}
	go func() {
		r.done <- run(s.t.Context(), append(args, "--root", s.root), streams{in: p.tty, out: r.out, err: p.tty})
	}()
	return r
}

func (r *session) code() int {
	r.t.Helper()
	select {
	case code := <-r.done:
		r.drain()
		return code
	case <-time.After(30 * time.Second):
		r.t.Fatalf("it never ended:\n%s", r.screen())
		return -1
	}
}

// child is a run of the program as its terminal's own, which signals reach.
func (s *setting) child(p *console, args ...string) *exec.Cmd {
	s.t.Helper()
	self := program(s.t)
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	s.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = append([]string{"rho-ext", "--root", s.root}, args...)
	cmd.Env = append(os.Environ(), "RHO_HOME="+s.home)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.tty, &bytes.Buffer{}, p.tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	require.NoError(s.t, cmd.Start())
	return cmd
}
