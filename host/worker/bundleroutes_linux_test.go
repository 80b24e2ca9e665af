package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/rho-ext/rho-ext/host/bundle"
)

// bundleRoutesMarker makes the test binary a process that locks itself down as
// a bundler does and tries the ways out.
const bundleRoutesMarker = "bundle-routes"

type bundleTargets struct {
	targets
	Reads bundle.Reads
	Read  map[string]int // path → flags
}

func init() {
	if len(os.Args) != 2 || os.Args[1] != bundleRoutesMarker {
		return
	}
	var t bundleTargets
	if err := json.NewDecoder(os.Stdin).Decode(&t); err != nil {
		panic(err)
	}
	said := map[string]string{}
	l := confineTo([]int{0, 1, 2}, maxOpen, readRules(t.Reads), readerPolicy)
	say := func(name string, try func() error) {
		said[name] = "open"
		if err := try(); err != nil {
			said[name] = err.Error()
			if errno, ok := err.(unix.Errno); ok {
				said[name] = unix.ErrnoName(errno)
			}
		}
	}
	for name, try := range routes(t.targets) {
		say(name, try)
	}
	for path, flags := range t.Read {
		say("path "+path, open(path, flags))
	}
	if err := json.NewEncoder(os.Stdout).Encode(struct {
		Lockdown Lockdown
		Routes   map[string]string
	}{l, said}); err != nil {
		panic(err)
	}
	os.Exit(0)
}

func TestABundlerReadsItsPlacesAndHasNoOtherWayOut(t *testing.T) {
	t.Parallel()
	o := written(t, map[string]string{
		"ext/ext.ts": "", "ext/lib/deep/x.ts": "", "ext/tsconfig.json": `{"extends":"../base.json"}`, "base.json": "{}", "package.json": "{}",
		"node_modules/pkg/x.js": "", ".env": "SECRET=1", "other/x.ts": "", "other/package.json": "{}",
	}, map[string]string{"ext/link.ts": "../.env", "ext/node_modules": "/etc"})
	home := t.TempDir() // stands for the user's
	for _, name := range []string{"id_rsa", "grants.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte("SECRET"), 0o600))
	}
	top := o.Limit
	may := []string{"ext/ext.ts", "ext/lib/deep/x.ts", "ext/tsconfig.json", "base.json", "package.json", "node_modules/pkg/x.js"}
	list := []string{"ext", "ext/lib", "node_modules", "node_modules/pkg", ".", "other"} // of "." only names
	not := []string{".env", "other/x.ts", "other/package.json", "ext/link.ts"}
	outside := []string{"/etc/passwd", "/etc", "/", home, home + "/id_rsa", home + "/grants.json", "/proc/self/environ", "/proc/self/mem",
		"/proc/1/cmdline", "/dev/null", "/dev/tty", filepath.Dir(top), "/sys/kernel", "ext/node_modules/passwd"}
	in := bundleTargets{Reads: bundle.ReadsOf(o), Read: map[string]int{}}
	for _, name := range append(append(append([]string{}, may...), list...), not...) {
		in.Read[filepath.Join(top, name)] = unix.O_RDONLY
	}
	for _, path := range outside {
		if !filepath.IsAbs(path) {
			path = filepath.Join(top, path)
		}
		in.Read[path] = unix.O_RDONLY
	}
	for name, flags := range map[string]int{"written.ts": unix.O_WRONLY | unix.O_CREAT, "a.ts": unix.O_RDWR | unix.O_CREAT, "b.ts": unix.O_CREAT, "lib/deep": unix.O_TMPFILE | unix.O_RDWR} {
		in.Read[filepath.Join(o.Root, name)] = flags
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer tcp.Close()
	in.targets = targets{TCP: tcp.Addr().(*net.TCPAddr).Port, UDP: 9, Dir: home, File: filepath.Join(home, "id_rsa"), Socket: filepath.Join(home, "s"), Abstact: "@x"}
	text, err := json.Marshal(in)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0], bundleRoutesMarker)
	stdin, w, err := os.Pipe()
	require.NoError(t, err)
	defer stdin.Close()
	go func() { _, _ = w.Write(text); w.Close() }()
	cmd.Stdin, cmd.Stderr = stdin, os.Stderr
	raw, err := cmd.Output()
	require.NoError(t, err)
	var got struct {
		Lockdown Lockdown
		Routes   map[string]string
	}
	require.NoError(t, json.Unmarshal(raw, &got))
	if !got.Lockdown.Complete() {
		t.Skip("this system cannot lock a process down: ", got.Lockdown.Why)
	}
	wanted := map[string]bool{}
	for _, name := range append(may, list...) {
		path := filepath.Join(top, name)
		wanted[path] = true
		require.Equal(t, "open", got.Routes["path "+path], path)
	}
	// Looking at a name opens nothing.
	looks := map[string]bool{"stat": true, "readlink": true, "getdents": true}
	refused := 0
	for name, said := range got.Routes {
		path, isPath := strings.CutPrefix(name, "path ")
		switch {
		case isPath && wanted[path], looks[name]:
		case said == "EPERM", said == "EACCES":
			refused++
		case said == "ENOSYS" && (name == "clone3" || name == "a socket by the x32 numbers"):
		default:
			t.Errorf("%s: %s", name, said)
		}
	}
	t.Logf("%d routes refused", refused)
	require.Greater(t, refused, 120)
}

// The very process that builds, as the system sees it.
func TestARunningBundlerHoldsNothing(t *testing.T) {
	t.Parallel()
	b := newBundler(t, Options{})
	// Settings are what the bundler opens by itself, wherever they are said to be.
	o := written(t, map[string]string{"ext/ext.ts": "export default 1", "ext/tsconfig.json": "{\n  \"extends\": \"/etc/passwd\" }"}, nil)
	b.Expect(o)
	l, err := b.Lockdown(context.Background())
	require.NoError(t, err)
	if !l.Complete() {
		t.Skip("this system cannot lock a process down: ", l.Why)
	}
	_, err = b.Build(context.Background(), o)
	f := failed(t, err).List[0]
	require.Contains(t, f.Message, "permission denied")
	require.Equal(t, "tsconfig.json", f.Position.File)
	require.Equal(t, 2, f.Position.Line)

	proc := "/proc/" + strconv.Itoa(b.current.link.proc.os.Pid)
	status, err := os.ReadFile(proc + "/status")
	require.NoError(t, err)
	require.Contains(t, string(status), "Seccomp:\t2\n")
	require.Contains(t, string(status), "NoNewPrivs:\t1\n")
	fds, err := os.ReadDir(proc + "/fd")
	require.NoError(t, err)
	for _, fd := range fds {
		target, err := os.Readlink(proc + "/fd/" + fd.Name())
		require.NoError(t, err)
		require.Regexp(t, `^(/dev/null|pipe:.*|anon_inode:\[event.*)$`, target)
	}
	env, err := os.ReadFile(proc + "/environ") // as it was started
	require.NoError(t, err)
	for _, v := range strings.Split(strings.TrimRight(string(env), "\x00"), "\x00") {
		require.Regexp(t, "^(GODEBUG|GOMAXPROCS)=", v)
	}
}

func TestTheBundlersFilterOfEachArchitecture(t *testing.T) {
	t.Parallel()
	for _, goarch := range []string{"amd64", "arm64"} {
		narrow, err := filterPolicy(goarch, testPid)
		require.NoError(t, err)
		wide, err := readerPolicy(goarch, testPid)
		require.NoError(t, err)
		info, err := arch.GetInfo(goarch)
		require.NoError(t, err)
		have := map[string]bool{}
		for _, name := range narrow.Syscalls[0].Names {
			have[name] = true
		}
		var more []string
		for _, name := range wide.Syscalls[0].Names {
			require.Contains(t, info.SyscallNames, name, goarch)
			if !have[name] {
				more = append(more, name)
			}
		}
		require.ElementsMatch(t, append([]string{readerStat[goarch]}, readerAllowed...), more)
		require.Len(t, wide.Syscalls[0].NamesWithCondtions, 1+len(narrow.Syscalls[0].NamesWithCondtions))

		_, run := machineOf(t, goarch, readerPolicy)
		for flags, want := range map[int]seccomp.Action{
			0:                                   seccomp.ActionAllow,
			unix.O_CLOEXEC | unix.O_DIRECTORY:   seccomp.ActionAllow,
			unix.O_CLOEXEC | unix.O_LARGEFILE:   seccomp.ActionAllow,
			unix.O_WRONLY:                       0,
			unix.O_RDWR:                         0,
			unix.O_CREAT:                        0,
			unix.O_TRUNC:                        0,
			unix.O_APPEND:                       0,
			unix.O_TMPFILE:                      0,
			unix.O_PATH:                         0,
			unix.O_ACCMODE:                      0,
			unix.O_DIRECTORY | unix.O_WRONLY:    0,
			unix.O_CLOEXEC | unix.O_CREAT | 0x8: 0,
		} {
			if want == 0 {
				want = seccomp.ActionErrno | seccomp.Action(unix.EPERM)
			}
			require.Equal(t, uint32(want), run(info, uint32(info.SyscallNames["openat"]), 0, 0, uint64(flags)), fmt.Sprintf("%s %x", goarch, flags))
		}
	}
	_, err := readerPolicy("mips", testPid)
	require.ErrorContains(t, err, "mips")
}
