//go:build unix

package jail

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// nonBlock keeps opening a pipe from waiting for its other end.
	nonBlock = syscall.O_NONBLOCK
	// foldsCase: a root spelled in other letters is another one; some file
	// systems differ, and refusing is the safe side.
	foldsCase = false
	// closeBefore: an open file can be renamed, and is locked until it has been.
	closeBefore = false
)

func badName(string) string { return "" }

func oddPath(string) string { return "" }

func linkCount(_ *os.File, info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// keepOwner gives f the owner and group of an older file, as far as the system
// lets us, and reports whether the group is the same.
func keepOwner(f *os.File, old fs.FileInfo) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	was, ok2 := old.Sys().(*syscall.Stat_t)
	if !ok || !ok2 || is.Uid == was.Uid && is.Gid == was.Gid {
		return true
	}
	if f.Chown(int(was.Uid), int(was.Gid)) == nil {
		return true
	}
	return is.Gid == was.Gid || f.Chown(-1, int(was.Gid)) == nil
}

// renameBetween renames from one open directory to another.
func renameBetween(from *os.Root, name string, to *os.Root, newName string) error {
	a, err := from.Open(".")
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := to.Open(".")
	if err != nil {
		return err
	}
	defer b.Close()
	return unix.Renameat(int(a.Fd()), name, int(b.Fd()), newName)
}

func otherDisk(err error) bool { return errors.Is(err, syscall.EXDEV) }
