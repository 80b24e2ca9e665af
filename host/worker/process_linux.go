package worker

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/rho-ext/rho-ext/internal/selfexe"
)

// self names this very program, even where its file was replaced or removed.
func self() (string, error) {
	if selfexe.Override != "" {
		return selfexe.Override, nil
	}
	const link = "/proc/self/exe"
	if _, err := os.Stat(link); err == nil {
		return link, nil
	}
	return os.Executable()
}

func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// pipeSize holds most messages whole: each time that one end waits for the other
// costs two switches between the processes.
const pipeSize = 256 << 10

// widen makes a pipe hold more, if the system lets us.
func widen(pipe *os.File) {
	if c, err := pipe.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
	}
}

// meter reads how much memory a process uses.
type meter struct{ file *os.File }

func (p *process) newMeter() (*meter, error) {
	f, err := os.Open("/proc/" + strconv.Itoa(p.os.Pid) + "/statm")
	return &meter{f}, err
}

// read gives the bytes that are resident, and those that are mapped to hold
// data.
func (m *meter) read() (resident, data int64, err error) {
	var buf [128]byte
	n, err := m.file.ReadAt(buf[:], 0)
	if n == 0 {
		return 0, 0, err
	}
	fields := strings.Fields(string(buf[:n]))
	if len(fields) < 6 {
		return 0, 0, errors.New("statm: too short")
	}
	page := int64(os.Getpagesize())
	for i, into := range map[int]*int64{1: &resident, 5: &data} {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("statm: %w", err)
		}
		*into = n * page
	}
	return resident, data, nil
}

func (m *meter) close() { m.file.Close() }

// limitData lets a process map budget bytes more for data than it has now. (A
// limit on the address space would not do: Go reserves gigabytes of it.)
func (p *process) limitData(budget int64) error {
	m, err := p.newMeter()
	if err != nil {
		return err
	}
	defer m.close()
	_, data, err := m.read()
	if err != nil {
		return err
	}
	limit := uint64(data + budget)
	return unix.Prlimit(p.os.Pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: limit, Max: limit}, nil)
}
