//go:build unix && !linux

package worker

import (
	"os"
	"syscall"
)

// self names this program.
func self() (string, error) { return os.Executable() }

// sysProcAttr cannot tie the worker's life to the host's here: it ends when the
// pipe closes.
func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
