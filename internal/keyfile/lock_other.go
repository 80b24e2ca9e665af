//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package keyfile

import (
	"errors"
	"io/fs"
	"os"
)

// tryLock locks until unlock. A process that was killed leaves its lock behind,
// for a person to remove.
func tryLock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|openFlags, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, errBusy
	}
	if err != nil {
		return nil, err
	}
	_ = f.Close()
	return func() { _ = os.Remove(path) }, nil
}
