//go:build !unix && !windows

package jail

import (
	"errors"
	"io/fs"
	"os"
)

const (
	nonBlock    = 0
	foldsCase   = false
	closeBefore = true
)

func badName(string) string { return "" }

func oddPath(string) string { return "" }

func linkCount(*os.File, fs.FileInfo) uint64 { return 1 }

func keepOwner(*os.File, fs.FileInfo) bool { return true }

func renameBetween(_ *os.Root, _ string, _ *os.Root, _ string) error { return errors.ErrUnsupported }

func otherDisk(error) bool { return false }
