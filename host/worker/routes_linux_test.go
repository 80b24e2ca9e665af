package worker

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// routesMarker makes the test binary a process that tries the ways out, after
// locking itself down as a worker does, or as control without.
const routesMarker = "routes"

// targets is what the process that starts it has laid out.
type targets struct {
	Locked                     bool
	TCP, MPTCP, UDP            int // ports on the loopback
	File, Socket, Dir, Abstact string
}

// tryRoutes tries all routes and prints what each said.
func tryRoutes() {
	var t targets
	if err := json.NewDecoder(os.Stdin).Decode(&t); err != nil {
		panic(err)
	}
	report := struct {
		Lockdown Lockdown
		Routes   map[string]string
	}{Routes: map[string]string{}}
	if t.Locked {
		report.Lockdown = confine([]int{0, 1, 2})
	}
	for name, try := range routes(t) {
		if err := try(); err != nil {
			report.Routes[name] = err.Error()
			if errno, ok := err.(unix.Errno); ok {
				report.Routes[name] = unix.ErrnoName(errno)
			}
		} else {
			report.Routes[name] = "open"
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		panic(err)
	}
}

// sys makes a system call that fails harmlessly if it is not refused.
func sys(nr uintptr, args ...uintptr) func() error {
	var a [6]uintptr
	copy(a[:], args)
	return func() error {
		_, _, errno := unix.Syscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
		if errno != 0 {
			return errno
		}
		return nil
	}
}

func connect(family, kind, proto int, addr unix.Sockaddr) func() error {
	return func() error {
		fd, err := unix.Socket(family, kind, proto)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.Connect(fd, addr)
	}
}

func socket(family, kind, proto int) func() error {
	return func() error {
		fd, err := unix.Socket(family, kind, proto)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}
}

func open(path string, flags int) func() error {
	return func() error {
		fd, err := unix.Open(path, flags, 0o600)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}
}

// plainRoutes are those that any process has, if its kernel has: the control finds them
// open.
func plainRoutes(t targets) map[string]func() error {
	loop := [4]byte{127, 0, 0, 1}
	parent := os.Getppid()
	return map[string]func() error{
		"read a file":        open(t.File, unix.O_RDONLY),
		"write a file":       open(t.File, unix.O_WRONLY),
		"make a file":        open(filepath.Join(t.Dir, "made"), unix.O_CREAT|unix.O_WRONLY),
		"/proc/self/environ": open("/proc/self/environ", unix.O_RDONLY),
		"/proc/self/mem":     open("/proc/self/mem", unix.O_RDWR),
		"/proc/1/cmdline":    open("/proc/1/cmdline", unix.O_RDONLY),
		"list a folder":      open(t.Dir, unix.O_DIRECTORY),
		"openat2": func() error {
			fd, err := unix.Openat2(unix.AT_FDCWD, t.File, &unix.OpenHow{})
			unix.Close(fd)
			return err
		},
		"stat":     func() error { return unix.Fstatat(unix.AT_FDCWD, t.File, &unix.Stat_t{}, 0) },
		"statx":    func() error { return unix.Statx(unix.AT_FDCWD, t.File, 0, 0, &unix.Statx_t{}) },
		"access":   func() error { return unix.Faccessat(unix.AT_FDCWD, t.File, unix.R_OK, 0) },
		"readlink": func() error { _, err := unix.Readlink("/proc/self/exe", make([]byte, 99)); return err },
		"chmod":    func() error { return unix.Fchmodat(unix.AT_FDCWD, t.File, 0o600, 0) },
		"utimes":   func() error { return unix.UtimesNanoAt(unix.AT_FDCWD, t.File, make([]unix.Timespec, 2), 0) },
		"mkdir":    func() error { return unix.Mkdirat(unix.AT_FDCWD, filepath.Join(t.Dir, "sub"), 0o700) },
		"symlink":  func() error { return unix.Symlinkat("x", unix.AT_FDCWD, filepath.Join(t.Dir, "link")) },
		"link": func() error {
			return unix.Linkat(unix.AT_FDCWD, t.File, unix.AT_FDCWD, filepath.Join(t.Dir, "hard"), 0)
		},
		"truncate":             func() error { return unix.Truncate(t.File, 1) },
		"mkfifo":               func() error { return unix.Mknodat(unix.AT_FDCWD, filepath.Join(t.Dir, "fifo"), unix.S_IFIFO|0o600, 0) },
		"TCP":                  connect(unix.AF_INET, unix.SOCK_STREAM, 0, &unix.SockaddrInet4{Port: t.TCP, Addr: loop}),
		"multipath TCP":        connect(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP, &unix.SockaddrInet4{Port: t.TCP, Addr: loop}),
		"UDP":                  connect(unix.AF_INET, unix.SOCK_DGRAM, 0, &unix.SockaddrInet4{Port: t.UDP, Addr: loop}),
		"listen":               func() error { l, err := net.Listen("tcp", "127.0.0.1:0"); return closed(l, err) },
		"UNIX socket":          connect(unix.AF_UNIX, unix.SOCK_STREAM, 0, &unix.SockaddrUnix{Name: t.Socket}),
		"abstract UNIX socket": connect(unix.AF_UNIX, unix.SOCK_STREAM, 0, &unix.SockaddrUnix{Name: t.Abstact}),
		"socket pair": func() error {
			p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			unix.Close(p[0])
			unix.Close(p[1])
			return err
		},
		"netlink":             socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE),
		"memfd":               func() error { fd, err := unix.MemfdCreate("x", 0); unix.Close(fd); return err },
		"a program":           func() error { return bare(exec.Command("/proc/self/exe", "-test.list", "^$").Run()) },
		"signal the parent":   func() error { return unix.Kill(parent, 0) },
		"signal a thread":     func() error { return unix.Tgkill(parent, parent, 0) },
		"pidfd":               func() error { fd, err := unix.PidfdOpen(parent, 0); unix.Close(fd); return err },
		"signal by F_SETOWN":  func() error { _, err := unix.FcntlInt(0, unix.F_SETOWN, parent); return err },
		"signal by F_SETSIG":  func() error { _, err := unix.FcntlInt(0, unix.F_SETSIG, int(unix.SIGKILL)); return err },
		"inotify":             func() error { fd, err := unix.InotifyInit1(0); unix.Close(fd); return err },
		"eventfd":             func() error { fd, err := unix.Eventfd(0, 0); unix.Close(fd); return err },
		"pipe":                func() error { var p [2]int; err := unix.Pipe2(p[:], 0); unix.Close(p[0]); unix.Close(p[1]); return err },
		"dup":                 func() error { fd, err := unix.Dup(1); unix.Close(fd); return err },
		"chdir":               func() error { return unix.Chdir("/") },
		"own limits":          func() error { return unix.Prlimit(0, unix.RLIMIT_CORE, nil, &unix.Rlimit{}) },
		"the parent's limits": func() error { return unix.Prlimit(parent, unix.RLIMIT_CORE, nil, &unix.Rlimit{}) },
		"priority":            func() error { return unix.Setpriority(unix.PRIO_PROCESS, 0, 19) },
		"dumpable":            func() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) },
		"code in memory": func() error {
			b, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON)
			return unmapped(b, err)
		},
		"shared memory": sys(unix.SYS_SHMGET, unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600),
		"umask":         sys(unix.SYS_UMASK, 0o22),
		"sysinfo":       func() error { return unix.Sysinfo(&unix.Sysinfo_t{}) },
		"uname":         func() error { return unix.Uname(&unix.Utsname{}) },
	}
}

func closed(c net.Listener, err error) error {
	if err == nil {
		return c.Close()
	}
	return bare(err)
}

// bare gives the number inside an error.
func bare(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		err = u.Unwrap()
	}
}

func unmapped(b []byte, err error) error {
	if err == nil {
		return unix.Munmap(b)
	}
	return err
}

// routes adds those that need privileges, or that fail with another error
// without any filter: their arguments are wrong on purpose.
func routes(t targets) map[string]func() error {
	const bad = ^uintptr(0)
	parent := uintptr(os.Getppid())
	all := plainRoutes(t)
	for name, try := range map[string]func() error{
		"vsock":               socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0),
		"raw packets":         socket(unix.AF_PACKET, unix.SOCK_RAW, 0),
		"kernel crypto":       socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0),
		"SCTP":                socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP),
		"connect":             sys(unix.SYS_CONNECT, bad),
		"bind":                sys(unix.SYS_BIND, bad),
		"accept":              sys(unix.SYS_ACCEPT4, bad),
		"sendto":              sys(unix.SYS_SENDTO, bad),
		"sendmsg":             sys(unix.SYS_SENDMSG, bad),
		"recvmsg":             sys(unix.SYS_RECVMSG, bad),
		"execve":              sys(unix.SYS_EXECVE, bad),
		"execveat":            sys(unix.SYS_EXECVEAT, bad),
		"fork":                sys(unix.SYS_CLONE, unix.CLONE_SIGHAND),
		"clone3":              sys(unix.SYS_CLONE3, bad, 8),
		"ptrace":              sys(unix.SYS_PTRACE, bad, parent),
		"process_vm_readv":    sys(unix.SYS_PROCESS_VM_READV, parent, bad, 1, bad, 1),
		"process_vm_writev":   sys(unix.SYS_PROCESS_VM_WRITEV, parent, bad, 1, bad, 1),
		"rt_sigqueueinfo":     sys(unix.SYS_RT_SIGQUEUEINFO, parent, 0, bad),
		"pidfd_send_signal":   sys(unix.SYS_PIDFD_SEND_SIGNAL, bad),
		"pidfd_getfd":         sys(unix.SYS_PIDFD_GETFD, bad),
		"io_uring":            sys(unix.SYS_IO_URING_SETUP, 1, bad),
		"io_uring_enter":      sys(unix.SYS_IO_URING_ENTER, bad),
		"bpf":                 sys(unix.SYS_BPF, bad),
		"perf_event_open":     sys(unix.SYS_PERF_EVENT_OPEN, bad),
		"keyctl":              sys(unix.SYS_KEYCTL, bad),
		"add_key":             sys(unix.SYS_ADD_KEY, bad),
		"fanotify":            sys(unix.SYS_FANOTIFY_INIT, bad),
		"userfaultfd":         sys(unix.SYS_USERFAULTFD, bad),
		"mount":               sys(unix.SYS_MOUNT, bad),
		"umount":              sys(unix.SYS_UMOUNT2, bad),
		"fsopen":              sys(unix.SYS_FSOPEN, bad),
		"open_tree":           sys(unix.SYS_OPEN_TREE, bad, bad),
		"move_mount":          sys(unix.SYS_MOVE_MOUNT, bad, bad),
		"pivot_root":          sys(unix.SYS_PIVOT_ROOT, bad, bad),
		"chroot":              sys(unix.SYS_CHROOT, bad),
		"unshare":             sys(unix.SYS_UNSHARE, bad),
		"setns":               sys(unix.SYS_SETNS, bad),
		"open_by_handle_at":   sys(unix.SYS_OPEN_BY_HANDLE_AT, bad, bad),
		"name_to_handle_at":   sys(unix.SYS_NAME_TO_HANDLE_AT, bad, bad),
		"rename":              sys(unix.SYS_RENAMEAT2, bad, bad),
		"unlink":              sys(unix.SYS_UNLINKAT, bad, bad),
		"chown":               sys(unix.SYS_FCHOWNAT, bad, bad),
		"setxattr":            sys(unix.SYS_SETXATTR, bad),
		"getdents":            sys(unix.SYS_GETDENTS64, bad),
		"sendfile":            sys(unix.SYS_SENDFILE, bad),
		"splice":              sys(unix.SYS_SPLICE, bad),
		"ioctl":               sys(unix.SYS_IOCTL, 0, unix.TIOCSTI, bad),
		"init_module":         sys(unix.SYS_INIT_MODULE, bad),
		"finit_module":        sys(unix.SYS_FINIT_MODULE, bad),
		"kexec":               sys(unix.SYS_KEXEC_LOAD, bad, bad),
		"reboot":              sys(unix.SYS_REBOOT, bad),
		"swapon":              sys(unix.SYS_SWAPON, bad),
		"syslog":              sys(unix.SYS_SYSLOG, bad),
		"sethostname":         sys(unix.SYS_SETHOSTNAME, bad, bad),
		"settimeofday":        sys(unix.SYS_SETTIMEOFDAY, bad, bad),
		"clock_settime":       sys(unix.SYS_CLOCK_SETTIME, bad, bad),
		"acct":                sys(unix.SYS_ACCT, bad),
		"quotactl":            sys(unix.SYS_QUOTACTL, bad, bad),
		"setuid":              sys(unix.SYS_SETRESUID, bad, bad, bad),
		"setgroups":           sys(unix.SYS_SETGROUPS, bad, bad),
		"capset":              sys(unix.SYS_CAPSET, bad, bad),
		"personality":         sys(unix.SYS_PERSONALITY, 0xffffffff),
		"seccomp":             sys(unix.SYS_SECCOMP, bad),
		"landlock":            sys(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, 1),
		"prctl":               sys(unix.SYS_PRCTL, unix.PR_SET_MM, bad),
		"mprotect to execute": sys(unix.SYS_MPROTECT, uintptr(unsafe.Pointer(&routesPage[0]))&^4095, 0, unix.PROT_EXEC),
		"pkey_mprotect":       sys(unix.SYS_PKEY_MPROTECT, bad),
		"message queue":       sys(unix.SYS_MQ_OPEN, bad),
		"System V messages":   sys(unix.SYS_MSGGET, bad, bad),
		"semaphores":          sys(unix.SYS_SEMGET, bad, bad),
		"a timer's signal":    sys(unix.SYS_TIMER_CREATE, bad, bad),
		"signalfd":            sys(unix.SYS_SIGNALFD4, bad, bad),
		"epoll_create":        sys(unix.SYS_EPOLL_CREATE1, bad),
		"remap_file_pages":    sys(unix.SYS_REMAP_FILE_PAGES, bad),
		"process_madvise":     sys(unix.SYS_PROCESS_MADVISE, bad),
		"move_pages":          sys(unix.SYS_MOVE_PAGES, parent, bad),
		"kcmp":                sys(unix.SYS_KCMP, parent, parent, bad),
		"sched_setaffinity":   sys(unix.SYS_SCHED_SETAFFINITY, parent, 0, bad),
		"setpgid":             sys(unix.SYS_SETPGID, bad),
		"setsid":              sys(unix.SYS_SETSID),
		"a call of tomorrow":  sys(999),
	} {
		all[name] = try
	}
	if runtime.GOARCH == "amd64" {
		const x32 = 0x40000000
		all["a socket by the x32 numbers"] = sys(x32|unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM)
	}
	return all
}

var routesPage [2 * 4096]byte

func TestALockedDownProcessHasNoWayOut(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "routes") // a short name: UNIX sockets need one
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	try := func(locked bool) (Lockdown, map[string]string) {
		tcp, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer tcp.Close()
		udp, err := net.ListenPacket("udp", "127.0.0.1:0")
		require.NoError(t, err)
		defer udp.Close()
		sub, err := os.MkdirTemp(dir, "")
		require.NoError(t, err)
		in := targets{Locked: locked, TCP: tcp.Addr().(*net.TCPAddr).Port, UDP: udp.LocalAddr().(*net.UDPAddr).Port,
			Dir: sub, File: filepath.Join(sub, "file"), Socket: filepath.Join(sub, "s"), Abstact: "@" + sub}
		require.NoError(t, os.WriteFile(in.File, []byte("text"), 0o600))
		for _, name := range []string{in.Socket, in.Abstact} {
			l, err := net.Listen("unix", name)
			require.NoError(t, err)
			defer l.Close()
		}
		stdin, w, err := os.Pipe()
		require.NoError(t, err)
		defer stdin.Close()
		go func() {
			_ = json.NewEncoder(w).Encode(in)
			w.Close()
		}()
		cmd := exec.Command(os.Args[0], routesMarker)
		cmd.Stdin, cmd.Stderr = stdin, os.Stderr
		out, err := cmd.Output()
		require.NoError(t, err)
		var got struct {
			Lockdown Lockdown
			Routes   map[string]string
		}
		require.NoError(t, json.Unmarshal(out, &got))
		return got.Lockdown, got.Routes
	}

	_, open := try(false)
	control := 0
	for name := range plainRoutes(targets{}) {
		if open[name] == "open" {
			control++
		} else {
			t.Logf("the control found %s closed: %s", name, open[name])
		}
	}
	require.GreaterOrEqual(t, control, 25)
	lockdown, locked := try(true)
	if !lockdown.Seccomp {
		t.Skip("this system cannot lock a process down: ", lockdown.Why)
	}
	refused := 0
	for name, said := range locked {
		switch {
		case said == "EPERM", said == "ENOSYS" && (name == "clone3" || name == "a socket by the x32 numbers"):
			refused++
		default:
			t.Errorf("%s: %s", name, said)
		}
	}
	require.GreaterOrEqual(t, refused, 25)
	t.Logf("%d/%d routes refused; the control found %d of them open", refused, len(locked), control)
}
