package worker

import (
	"fmt"
	"slices"

	"github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// What a worker may still call: what Go's runtime, and the C library beside it
// where there is one, need to compute, to collect garbage, to start threads, to
// wait, and to use descriptors that are open. A list of what is forbidden would
// be longer, would miss what the next kernel brings, and could not be enforced:
// the library lets calls of a foreign architecture (int 0x80) take the default.
var (
	allowed = []string{
		// Most frequent first: the list is searched from its start.
		"futex", "epoll_pwait", "read", "write", "nanosleep", "clock_nanosleep", "sched_yield", "madvise",
		"munmap", "getpid", "gettid", "rt_sigreturn", "rt_sigprocmask", "rt_sigaction", "sigaltstack",
		"clock_gettime", "clock_getres", "gettimeofday", "getrandom", "epoll_ctl", "epoll_pwait2", "readv", "writev",
		"mincore", "mremap", "brk", "close", "sched_getaffinity", "set_robust_list", "rseq", "membarrier",
		"restart_syscall", "exit", "exit_group",
	}
	allowedOn = map[string][]string{
		"amd64": {"epoll_wait", "time"},
		"arm64": {},
	}
)

// filterPolicy makes the filter for an architecture. All that it does not allow
// is refused with an error, which Go reports, and not with death.
func filterPolicy(goarch string, pid int) (seccomp.Policy, error) {
	more, ok := allowedOn[goarch]
	if !ok {
		return seccomp.Policy{}, fmt.Errorf("there is no list of system calls for %s", goarch)
	}
	when := func(name string, arg uint32, op seccomp.Operation, value uint64) seccomp.NameWithConditions {
		return seccomp.NameWithConditions{Name: name, Conditions: seccomp.ArgumentConditions{{Argument: arg, Operation: op, Value: value}}}
	}
	return seccomp.Policy{
		DefaultAction: seccomp.ActionErrno, // EPERM
		Syscalls: []seccomp.SyscallGroup{
			{Action: seccomp.ActionAllow, Names: slices.Concat(allowed, more), NamesWithCondtions: []seccomp.NameWithConditions{
				// Memory that is written cannot be run, or the filter's view of
				// the arguments below would be all that is left.
				when("mmap", 2, seccomp.BitsNotSet, unix.PROT_EXEC),
				when("mprotect", 2, seccomp.BitsNotSet, unix.PROT_EXEC),
				when("clone", 0, seccomp.BitsSet, unix.CLONE_THREAD),
				when("tgkill", 0, seccomp.Equal, uint64(pid)), // Go preempts its own threads so
				// Other commands of fcntl send signals, SIGKILL among them, to
				// whoever the caller names when a pipe has data.
				when("fcntl", 1, seccomp.Equal, unix.F_GETFL),
				when("fcntl", 1, seccomp.Equal, unix.F_GETFD),
				when("prctl", 0, seccomp.Equal, unix.PR_SET_VMA),
			}},
			// Its flags are behind a pointer. The C library falls back to clone
			// when it is not there.
			{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"}},
		},
	}, nil
}
