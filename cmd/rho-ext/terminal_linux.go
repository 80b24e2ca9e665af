package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// flushTyped drops what was typed and not read yet.
func flushTyped(f *os.File) { _ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
