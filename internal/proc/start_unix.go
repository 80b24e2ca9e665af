//go:build unix

package proc

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// A process is the leader of a session and a process group, and what became of it.
type process struct {
	exited chan struct{} // closed when the leader has ended; see waitable

	os     *os.Process
	mayEnd chan struct{} // closed by release
	once   sync.Once
	ended  chan struct{} // closed when that is done
	state  *os.ProcessState

	wide // what the system knows besides the group
}

// startProcess starts the leader in a goroutine that stays on its thread until
// the leader is reaped: where a child can be tied to its parent, it is tied to
// the thread.
func startProcess(plan *plan) (*process, error) {
	p := &process{exited: make(chan struct{}), mayEnd: make(chan struct{}), ended: make(chan struct{})}
	sys := p.prepare(plan)
	sys.Setsid = true
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var err error
		p.os, err = os.StartProcess(plan.path, plan.argv, &os.ProcAttr{Dir: plan.dir, Env: plan.env, Files: plan.files[:], Sys: sys})
		started <- err
		if err != nil {
			return
		}
		if waitable(p.os.Pid) {
			close(p.exited)
			<-p.mayEnd
			p.state, _ = p.os.Wait()
		} else {
			p.state, _ = p.os.Wait()
			close(p.exited)
		}
		close(p.ended)
	}()
	if err := <-started; err != nil {
		p.wide.close()
		return nil, err
	}
	return p, nil
}

// reap releases the leader, which has ended.
func (p *process) reap() *os.ProcessState {
	p.release()
	<-p.ended
	return p.state
}

func (p *process) release() { p.once.Do(func() { close(p.mayEnd) }) }

// close frees what the run holds. A leader that does not end is reaped when it
// does.
func (p *process) close() {
	p.release()
	p.wide.close()
}

// signal tells the group, and with all whatever else belongs to the run, and
// reports whether any of it is alive, zombies not counted. Who is there is found
// out first: those who lose their parent by the signal could not be told apart
// from others later.
func (p *process) signal(s sig, all bool) bool {
	group := !errors.Is(p.group(0), unix.ESRCH)
	alive, strays := p.living(all, group)
	if group && s != probe {
		number := unix.SIGKILL
		if s == ask {
			number = unix.SIGTERM
		}
		p.group(number)
		p.group(unix.SIGCONT) // a process that is stopped acts on nothing
	}
	return p.tell(strays, s) || alive
}

func (p *process) pid() int { return p.os.Pid }

// killGroup addresses the group by its number.
func (p *process) killGroup(sig unix.Signal) error {
	if p.pid() <= 1 {
		return unix.ESRCH // -1 would be everybody
	}
	return unix.Kill(-p.pid(), sig)
}

func status(s *os.ProcessState) (code int, name string) {
	if s == nil {
		return -1, ""
	}
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		if name = unix.SignalName(ws.Signal()); name == "" {
			name = fmt.Sprintf("SIG%d", int(ws.Signal()))
		}
		return -1, name
	}
	return s.ExitCode(), ""
}
