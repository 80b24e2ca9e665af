//go:build unix

package worker

import (
	"errors"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// The descriptors of a worker, besides the null device as its standard input
// and output, and the pipe of its last words as its standard error.
const (
	fdIn  = 3
	fdOut = 4
)

// ownPipes opens the worker's ends. They do not block a thread: a read that does
// costs two switches of threads for each frame.
func ownPipes() (in, out *os.File, err error) {
	for _, fd := range []int{fdIn, fdOut} {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
			return nil, nil, errors.New("there is no pipe")
		}
		if err := unix.SetNonblock(fd, true); err != nil {
			return nil, nil, err
		}
	}
	return os.NewFile(fdIn, "requests"), os.NewFile(fdOut, "answers"), nil
}

// keep lists the descriptors that a worker needs.
func keep(_, _ *os.File) []int { return []int{0, 1, 2, fdIn, fdOut} }

// spawn starts the program as a worker, in a session of its own: signals of the
// terminal are not for it.
func spawn(exe string, env []string, null *os.File, ends *childEnds, _ int64) (*process, error) {
	p := &process{exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		// Linux ties a child to the thread that made it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var err error
		p.os, err = os.StartProcess(exe, []string{os.Args[0], marker}, &os.ProcAttr{
			Dir: "/", Env: env, Files: []*os.File{null, null, ends.errs, ends.in, ends.out}, Sys: sysProcAttr(),
		})
		started <- err
		if err != nil {
			return
		}
		p.state, _ = p.os.Wait()
		close(p.exited)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// testify asks a worker for the traces of its goroutines, which ends it.
func (p *process) testify() { _ = p.os.Signal(syscall.SIGQUIT) }

// kill ends a worker at once. One that has ended already is left alone.
func (p *process) kill() { _ = p.os.Kill() }

// signalled reports whether somebody's SIGKILL ended the worker.
func (p *process) signalled() bool {
	ws, ok := p.state.Sys().(syscall.WaitStatus)
	return ok && ws.Signaled() && ws.Signal() == syscall.SIGKILL
}

func (p *process) release() {}
