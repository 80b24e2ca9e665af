package worker

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// self names this program.
func self() (string, error) { return os.Executable() }

// ownPipes opens the worker's ends, whose handles are the second and third
// argument.
func ownPipes() (in, out *os.File, err error) {
	if len(os.Args) != 4 {
		return nil, nil, errors.New("there is no pipe")
	}
	var files [2]*os.File
	for i, name := range []string{"requests", "answers"} {
		n, err := strconv.ParseUint(os.Args[2+i], 10, 64)
		if err != nil {
			return nil, nil, err
		}
		if kind, err := windows.GetFileType(windows.Handle(n)); err != nil || kind != windows.FILE_TYPE_PIPE {
			return nil, nil, errors.New("there is no pipe")
		}
		files[i] = os.NewFile(uintptr(n), name)
	}
	return files[0], files[1], nil
}

func keep(in, out *os.File) []uintptr { return nil }

// spawn starts the program as a worker, inside a job from its first instruction
// on.
func spawn(exe string, env []string, null *os.File, ends *childEnds, memory int64) (*process, error) {
	job, err := newJob(memory)
	if err != nil {
		return nil, fmt.Errorf("no job object: %w", err)
	}
	argv := []string{os.Args[0], marker}
	var handles []syscall.Handle
	for _, f := range []*os.File{ends.in, ends.out} {
		h := syscall.Handle(f.Fd())
		if err := syscall.SetHandleInformation(h, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT); err != nil {
			windows.CloseHandle(job)
			return nil, err
		}
		handles = append(handles, h)
		argv = append(argv, strconv.FormatUint(uint64(h), 10))
	}
	proc, err := os.StartProcess(exe, argv, &os.ProcAttr{
		Env: env, Files: []*os.File{null, null, ends.errs},
		Sys: &syscall.SysProcAttr{AdditionalInheritedHandles: handles,
			CreationFlags: windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP},
	})
	if err != nil {
		windows.CloseHandle(job)
		return nil, err
	}
	// It waits for its first frame before it does anything.
	assigned := errors.New("no handle of the process")
	_ = proc.WithHandle(func(h uintptr) { assigned = windows.AssignProcessToJobObject(job, windows.Handle(h)) })
	if assigned != nil {
		_ = proc.Kill()
		_, _ = proc.Wait()
		windows.CloseHandle(job)
		return nil, fmt.Errorf("it could not be put under control: %w", assigned)
	}
	p := &process{os: proc, exited: make(chan struct{}), job: uintptr(job)}
	go func() {
		p.state, _ = proc.Wait()
		close(p.exited)
	}()
	return p, nil
}

// newJob makes a job of one process that ends with the host.
func newJob(memory int64) (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE |
		windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS | windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY
	limits.BasicLimitInformation.ActiveProcessLimit = 1
	limits.ProcessMemoryLimit = uintptr(memory)
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

// testify has no gentle way here.
func (p *process) testify() { p.kill() }

// kill ends a worker at once.
func (p *process) kill() { _ = p.os.Kill() }

// signalled cannot be told here.
func (p *process) signalled() bool { return false }

func (p *process) release() { windows.CloseHandle(windows.Handle(p.job)) }
