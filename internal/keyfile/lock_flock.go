//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package keyfile

import (
	"errors"

	"golang.org/x/sys/unix"
)

// tryLock locks until unlock, or until the process ends in whatever way.
func tryLock(path string) (unlock func(), err error) {
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = errBusy
		}
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}
