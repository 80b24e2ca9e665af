package proc

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// endedCode is the exit code of those that a job ends.
const endedCode = 0xFFFFFFFF

// A process is the first of a job, and the job.
type process struct {
	exited chan struct{}
	job    windows.Handle
	state  *os.ProcessState // read after exited
}

func startProcess(plan *plan) (*process, error) {
	job, err := newJob()
	if err != nil {
		return nil, fmt.Errorf("no job object: %w", err)
	}
	leader, err := os.StartProcess(plan.path, plan.argv, &os.ProcAttr{
		Dir: plan.dir, Env: plan.env, Files: plan.files[:],
		// It is suspended until it is in the job, so that it starts nothing outside.
		Sys: &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP},
	})
	if err != nil {
		windows.CloseHandle(job)
		return nil, err
	}
	assigned := errors.New("no handle of the process")
	_ = leader.WithHandle(func(h uintptr) { assigned = windows.AssignProcessToJobObject(job, windows.Handle(h)) })
	if assigned == nil {
		assigned = resume(uint32(leader.Pid))
	}
	if assigned != nil {
		_ = leader.Kill()
		_, _ = leader.Wait()
		windows.CloseHandle(job)
		return nil, fmt.Errorf("it could not be put under control: %w", assigned)
	}
	p := &process{exited: make(chan struct{}), job: job}
	go func() {
		p.state, _ = leader.Wait()
		close(p.exited)
	}()
	return p, nil
}

// newJob makes a job that ends with its last handle, which is ours.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

// resume lets the threads of a process run; a new one has one.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	resumed := false
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(thread)
		windows.CloseHandle(thread)
		if err != nil {
			return err
		}
		resumed = true
	}
	if !resumed {
		return errors.New("its thread was not found")
	}
	return nil
}

func (p *process) reap() *os.ProcessState { return p.state }

func (p *process) close() { windows.CloseHandle(p.job) }

// signal ends the job even if it should only ask: only a program with a window,
// or one that shares our console, could be asked, and sharing it would let it
// read the terminal.
func (p *process) signal(s sig, _ bool) bool {
	if s != probe {
		_ = windows.TerminateJobObject(p.job, endedCode)
	}
	return p.active() > 0
}

// active counts the living processes of the job.
func (p *process) active() uint32 {
	var info struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
		userTime, kernelTime, periodUserTime, periodKernelTime int64
		pageFaults, processes, active, terminated              uint32
	}
	err := windows.QueryInformationJobObject(p.job, windows.JobObjectBasicAccountingInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	if err != nil {
		return 0
	}
	return info.active
}

func status(s *os.ProcessState) (code int, name string) {
	if s == nil {
		return -1, ""
	}
	if code = s.ExitCode(); uint32(code) == endedCode {
		return -1, ""
	}
	return code, ""
}
