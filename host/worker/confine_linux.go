package worker

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// confine gives up everything but the descriptors in keep. What the kernel does
// not offer is named in the answer. It is final, and holds for all threads.
func confine(keep []int) Lockdown { return confineTo(keep, 16, nil, filterPolicy) }

// confineTo leaves the rules' files open to it, and the system calls of a policy.
func confineTo(keep []int, files uint64, rules []landlock.Rule, filter func(goarch string, pid int) (seccomp.Policy, error)) (l Lockdown) {
	missing := func(what string, err error) {
		if err != nil {
			l.Why = append(l.Why, what+": "+err.Error())
		}
	}
	missing("inherited descriptors", closeOthers(keep))
	missing("resource limits", setLimits(files))

	// Landlock alone leaves UDP, multipath TCP, UNIX sockets, netlink and memfd
	// open; the filter alone depends on its list. Together each covers for the
	// other.
	if abi, err := landlocksys.LandlockGetABIVersion(); err != nil {
		missing("Landlock", fmt.Errorf("not in this kernel (%w)", err))
	} else if err := landlock.V11.BestEffort().Restrict(rules...); err != nil {
		missing("Landlock", err)
	} else {
		l.Landlock = abi
	}

	runtime.LockOSThread() // the flag is the thread's until the filter spreads it
	defer runtime.UnlockOSThread()
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	missing("no_new_privs", err)
	l.NoNewPrivs = err == nil
	policy, err := filter(runtime.GOARCH, os.Getpid())
	if err == nil {
		err = seccomp.LoadFilter(seccomp.Filter{Flag: seccomp.FilterFlagTSync, Policy: policy})
	}
	if err == nil { // believe what is seen
		if fd, probe := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0); probe != unix.EPERM {
			unix.Close(fd)
			err = fmt.Errorf("a socket was not refused: %v", probe)
		}
	}
	missing("seccomp", err)
	l.Seccomp = err == nil
	return l
}

// setLimits are for what the filter cannot see, and for kernels without it. The
// limit on memory is the host's to set: it depends on what Go has mapped.
func setLimits(files uint64) error {
	var open unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &open); err != nil {
		return err
	}
	for _, lim := range []struct {
		what int
		max  uint64
	}{
		{unix.RLIMIT_CORE, 0}, // a dump would hold what the extensions know
		{unix.RLIMIT_FSIZE, 0},
		{unix.RLIMIT_MEMLOCK, 0},
		{unix.RLIMIT_MSGQUEUE, 0},
		{unix.RLIMIT_NOFILE, min(files, open.Max)},
	} {
		if err := unix.Setrlimit(lim.what, &unix.Rlimit{Cur: lim.max, Max: lim.max}); err != nil {
			return err
		}
	}
	return nil
}

// closeOthers closes descriptors that the host, or what was initialised before
// Main, left open. Go's own poller stays.
func closeOthers(keep []int) error {
	dir, err := os.Open("/proc/self/fd")
	if err != nil {
		return err
	}
	names, err := dir.Readdirnames(-1)
	own := int(dir.Fd())
	if err != nil {
		return err
	}
	for _, name := range names {
		fd, err := strconv.Atoi(name)
		if err != nil || fd == own || slices.Contains(keep, fd) {
			continue
		}
		if target, _ := os.Readlink("/proc/self/fd/" + name); !strings.HasPrefix(target, "anon_inode:[event") {
			_ = syscall.Close(fd)
		}
	}
	return dir.Close()
}
