package worker

import (
	"encoding/binary"
	"reflect"
	"testing"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

const testPid = 4711

// machine assembles the filter for an architecture, whatever this one is, and
// gives what runs it on one call.
func machine(t *testing.T, goarch string) (*arch.Info, func(a *arch.Info, nr uint32, args ...uint64) uint32) {
	return machineOf(t, goarch, filterPolicy)
}

func machineOf(t *testing.T, goarch string, filter func(string, int) (seccomp.Policy, error)) (*arch.Info, func(a *arch.Info, nr uint32, args ...uint64) uint32) {
	t.Helper()
	policy, err := filter(goarch, testPid)
	require.NoError(t, err)
	info, err := arch.GetInfo(goarch)
	require.NoError(t, err)
	// The library assembles for its own architecture unless a field is set that
	// it keeps to itself.
	field := reflect.ValueOf(&policy).Elem().FieldByName("arch")
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(info))
	program, err := policy.Assemble()
	require.NoError(t, err)
	_, err = bpf.Assemble(program)
	require.NoError(t, err)
	vm, err := bpf.NewVM(program)
	require.NoError(t, err)
	return info, func(a *arch.Info, nr uint32, args ...uint64) uint32 {
		// struct seccomp_data. The kernel's words are the machine's, the
		// simulation's are big-endian; low halves come first in both.
		data := binary.BigEndian.AppendUint32(nil, nr)
		data = binary.BigEndian.AppendUint32(data, uint32(a.ID))
		data = append(data, make([]byte, 8)...)
		for i := range 6 {
			var v uint64
			if i < len(args) {
				v = args[i]
			}
			data = binary.BigEndian.AppendUint32(data, uint32(v))
			data = binary.BigEndian.AppendUint32(data, uint32(v>>32))
		}
		got, err := vm.Run(data)
		require.NoError(t, err)
		return uint32(got)
	}
}

func TestTheFilterOfEachArchitecture(t *testing.T) {
	t.Parallel()
	const (
		allow = uint32(seccomp.ActionAllow)
		eperm = uint32(seccomp.ActionErrno) | uint32(unix.EPERM)
		nosys = uint32(seccomp.ActionErrno) | uint32(unix.ENOSYS)
		high  = 1 << 32
	)
	for _, goarch := range []string{"amd64", "arm64"} {
		t.Run(goarch, func(t *testing.T) {
			t.Parallel()
			info, run := machine(t, goarch)
			free := map[string]bool{}
			for _, name := range append(append([]string{}, allowed...), allowedOn[goarch]...) {
				free[name] = true
			}
			depends := map[string]bool{"mmap": true, "mprotect": true, "clone": true, "tgkill": true, "prctl": true, "fcntl": true, "clone3": true}
			for name, nr := range info.SyscallNames {
				got := run(info, uint32(nr), 1, 1, uint64(unix.PROT_EXEC))
				switch {
				case free[name]:
					require.Equal(t, allow, got, name)
				case !depends[name]:
					require.Equal(t, eperm, got, name)
				}
			}
			for _, c := range []struct {
				name string
				args []uint64
				want uint32
			}{
				{"mmap", []uint64{0, 4096, unix.PROT_READ | unix.PROT_WRITE}, allow},
				{"mmap", []uint64{0, 4096, unix.PROT_NONE}, allow},
				{"mmap", []uint64{0, 4096, unix.PROT_READ | unix.PROT_EXEC}, eperm},
				{"mmap", []uint64{0, 4096, high | unix.PROT_EXEC}, eperm},
				{"mprotect", []uint64{0, 4096, unix.PROT_WRITE}, allow},
				{"mprotect", []uint64{0, 4096, unix.PROT_EXEC}, eperm},
				{"clone", []uint64{unix.CLONE_THREAD | unix.CLONE_VM | unix.CLONE_SIGHAND}, allow},
				{"clone", []uint64{unix.CLONE_VM | unix.CLONE_VFORK}, eperm},
				{"clone", []uint64{0}, eperm},
				{"clone3", nil, nosys},
				{"tgkill", []uint64{testPid, 1, 23}, allow},
				{"tgkill", []uint64{testPid + 1, 1, 9}, eperm},
				{"tgkill", []uint64{high | testPid, 1, 9}, eperm},
				{"fcntl", []uint64{3, unix.F_GETFL}, allow},
				{"fcntl", []uint64{3, unix.F_GETFD}, allow},
				{"fcntl", []uint64{3, unix.F_SETOWN, 1}, eperm},
				{"fcntl", []uint64{3, unix.F_SETSIG, 9}, eperm},
				{"fcntl", []uint64{3, unix.F_SETFL, unix.O_ASYNC}, eperm},
				{"prctl", []uint64{unix.PR_SET_VMA}, allow},
				{"prctl", []uint64{unix.PR_SET_DUMPABLE, 1}, eperm},
			} {
				require.Equal(t, c.want, run(info, uint32(info.SyscallNames[c.name]), c.args...), "%s %x", c.name, c.args)
			}
			require.Equal(t, eperm, run(info, 999), "an unknown call")
			for _, foreign := range []*arch.Info{arch.I386, arch.ARM, arch.X32} {
				if foreign.ID == info.ID {
					continue // x32 is amd64 with other numbers
				}
				for nr := range uint32(500) {
					require.Equal(t, eperm, run(foreign, nr), "call %d of %s", nr, foreign.Name)
				}
			}
			if goarch == "amd64" {
				for nr := range uint32(600) {
					require.NotEqual(t, allow, run(info, 0x40000000|nr), "x32 call %d", nr)
				}
			}
		})
	}
}

func TestAnArchitectureWithoutAListHasNoFilter(t *testing.T) {
	t.Parallel()
	_, err := filterPolicy("mips", testPid)
	require.ErrorContains(t, err, "mips")
}
