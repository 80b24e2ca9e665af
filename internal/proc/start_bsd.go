//go:build unix && !linux

package proc

import (
	"os"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// wide is nothing: these systems do not tell what has left a process group.
type wide struct{}

func (wide) close() {}

func (p *process) prepare(*plan) *syscall.SysProcAttr {
	hideInherited()
	return &syscall.SysProcAttr{}
}

// hideInherited marks what the host was born with close-on-exec. Go opens
// everything so.
var hideInherited = sync.OnceFunc(func() {
	entries, _ := os.ReadDir("/dev/fd")
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
})

// waitable cannot be had: macOS wakes for a process that was only stopped.
func waitable(int) bool { return false }

// group signals by number, which stays taken while the group has a member.
func (p *process) group(sig unix.Signal) error {
	err := p.killGroup(sig)
	if err == unix.EPERM {
		return unix.ESRCH // zombies only, or another user's
	}
	return err
}

func (p *process) living(_, group bool) (bool, []stray) { return group, nil }

func (p *process) tell([]stray, sig) bool { return false }

type stray struct{}
