package jail

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

const (
	nonBlock    = 0    // opening a pipe does not wait here
	foldsCase   = true // in the spelling of a root
	closeBefore = true // an open file is not renamed everywhere
)

func badName(name string) string { return windowsName(name) }

func oddPath(path string) string { return windowsPath(path) }

// lock marks a temporary file as in use until it is closed. The lock is on a
// place far behind the content, since locks are mandatory here.
func lock(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
}

func busy(err error) bool {
	return errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING)
}

func linkCount(f *os.File, _ fs.FileInfo) uint64 {
	var info syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &info); err != nil {
		return 1
	}
	return uint64(info.NumberOfLinks)
}

func keepOwner(*os.File, fs.FileInfo) bool { return true }

func renameBetween(_ *os.Root, _ string, _ *os.Root, _ string) error { return errors.ErrUnsupported }

func otherDisk(err error) bool { return errors.Is(err, windows.ERROR_NOT_SAME_DEVICE) }
