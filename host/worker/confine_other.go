//go:build !linux && !windows

package worker

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// confine does what this system offers without privileges and C: the environment
// is gone already, no file can be written, and no other process started where
// the limit counts for this user.
func confine([]int) (l Lockdown) {
	for _, lim := range []struct{ what int }{{unix.RLIMIT_CORE}, {unix.RLIMIT_FSIZE}} {
		if err := unix.Setrlimit(lim.what, &unix.Rlimit{}); err != nil {
			l.Why = append(l.Why, "resource limits: "+err.Error())
		}
	}
	l.Why = append(l.Why, "on "+runtime.GOOS+" a worker that an attacker has taken over can read files and use the network")
	return l
}
