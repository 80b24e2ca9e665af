package proc

import (
	"bytes"
	"crypto/rand"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// markName is the variable that marks the processes of a run, also when they
// leave its session. It holds the marks of all runs that one is nested in.
const markName = "RHO_EXT_RUN"

// wide is what Linux knows of a run beyond its process group.
type wide struct {
	pidfd int // of the leader; -1 without
	mark  []byte
	since uint64         // in ticks since boot, as in /proc/PID/stat
	known map[stray]bool // those seen last
	// sessions that strays have made, for what they start between being seen and
	// being ended
	sessions map[int]bool
}

func (p *process) prepare(plan *plan) *syscall.SysProcAttr {
	// Go opens everything close-on-exec. This is for what the host was born with,
	// and for libraries in C.
	_ = unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)

	p.pidfd = -1
	p.mark = []byte(rand.Text())
	mark := string(p.mark)
	if outer := os.Getenv(markName); outer != "" {
		mark = outer + "," + mark
	}
	plan.env = setVar(plan.env, markName, mark)
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) == nil {
		p.since = uint64(now.Nano() / int64(10*time.Millisecond))
	}
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, PidFD: &p.pidfd}
}

func (w *wide) close() {
	if w.pidfd >= 0 {
		unix.Close(w.pidfd)
		w.pidfd = -1
	}
}

// waitable waits until the process has ended and leaves it to be reaped.
func waitable(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil
		}
	}
}

// group signals the process group by the leader's pidfd, which never means
// another group, or where the kernel is too old (before 6.9) by its number.
func (p *process) group(sig unix.Signal) error {
	if p.pidfd >= 0 {
		err := unix.PidfdSendSignal(p.pidfd, sig, nil, unix.PIDFD_SIGNAL_PROCESS_GROUP)
		if err != unix.EINVAL && err != unix.ENOSYS && err != unix.EPERM {
			return err
		}
	}
	return p.killGroup(sig)
}

// A stray belongs to a run and has left its process group.
type stray struct {
	pid   int
	began uint64
}

// living looks through /proc. It reports whether anybody in the group is alive,
// and with all finds the living strays as well.
func (p *process) living(all, group bool) (alive bool, found []stray) {
	if !all && !group {
		return false, nil
	}
	list, err := processes()
	if err != nil {
		return group, nil // no /proc: all that is known
	}
	const member, strayed = 1, 2
	ours := map[int]int{}
	leader := p.pid()
	for _, q := range list {
		switch {
		case q.pgrp == leader:
			ours[q.pid] = member
			alive = alive || !q.zombie
		case !all || q.began+1 < p.since:
		case q.session == leader || p.sessions[q.session] || p.known[stray{q.pid, q.began}] || p.marked(q.pid):
			ours[q.pid] = strayed
		}
	}
	if !all {
		return alive, nil
	}
	for grown := true; grown; { // their descendants, in any order
		grown = false
		for _, q := range list {
			if ours[q.pid] == 0 && ours[q.ppid] != 0 {
				ours[q.pid], grown = strayed, true
			}
		}
	}
	p.known = map[stray]bool{}
	if p.sessions == nil {
		p.sessions = map[int]bool{}
	}
	for _, q := range list {
		if ours[q.pid] == strayed && !q.zombie {
			found = append(found, stray{q.pid, q.began})
			p.known[stray{q.pid, q.began}] = true
			p.sessions[q.session] = true
		}
	}
	return alive, found
}

// tell signals strays, unless the number has passed to another process, and
// reports whether any was there and ours to signal.
func (p *process) tell(strays []stray, s sig) (alive bool) {
	for _, q := range strays {
		alive = q.tell(s) || alive
	}
	return alive
}

func (q stray) tell(s sig) bool {
	fd, err := unix.PidfdOpen(q.pid, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	if now, ok := readStat(q.pid); !ok || now.began != q.began {
		return false
	}
	number := unix.Signal(0)
	switch s {
	case ask:
		number = unix.SIGTERM
		defer unix.PidfdSendSignal(fd, unix.SIGCONT, nil, 0)
	case kill:
		number = unix.SIGKILL
	}
	return unix.PidfdSendSignal(fd, number, nil, 0) == nil
}

// marked reports whether the environment of a process holds the run's mark.
func (w *wide) marked(pid int) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(env, w.mark)
}

type procStat struct {
	pid, ppid, pgrp, session int
	began                    uint64
	zombie                   bool
}

func processes() ([]procStat, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	list := make([]procStat, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if q, ok := readStat(pid); ok {
				list = append(list, q)
			}
		}
	}
	return list, nil
}

// readStat reads /proc/PID/stat. The name of the program, in brackets, may hold
// anything.
func readStat(pid int) (q procStat, ok bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return q, false
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 20 {
		return q, false
	}
	q.pid = pid
	q.zombie = fields[0] == "Z" || fields[0] == "X"
	q.ppid, _ = strconv.Atoi(fields[1])
	q.pgrp, _ = strconv.Atoi(fields[2])
	q.session, _ = strconv.Atoi(fields[3])
	q.began, err = strconv.ParseUint(fields[19], 10, 64)
	return q, err == nil
}
