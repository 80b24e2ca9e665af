//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package jail

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock marks a temporary file as in use until it is closed, by whatever end of
// the process. It never waits.
func lock(f *os.File) error {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}

func busy(err error) bool { return err == unix.EWOULDBLOCK }
