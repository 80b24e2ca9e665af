package keyfile

import (
	"errors"

	"golang.org/x/sys/windows"
)

// tryLock locks until unlock, or until the process ends in whatever way.
func tryLock(path string) (unlock func(), err error) {
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	if err != nil {
		_ = f.Close()
		if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
			err = errBusy
		}
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}
