package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// flushTyped drops what was typed and not read yet.
func flushTyped(f *os.File) { _ = windows.FlushConsoleInputBuffer(windows.Handle(f.Fd())) }
