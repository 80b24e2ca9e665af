package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// flushTyped drops what was typed and not read yet.
func flushTyped(f *os.File) {
	const fread = 1 // FREAD of <sys/fcntl.h>: the input queue
	_ = unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCFLUSH, fread)
}
