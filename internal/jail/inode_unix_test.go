//go:build unix

package jail

import (
	"io/fs"
	"syscall"
)

func inode(info fs.FileInfo) any {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return [2]any{s.Ino, s.Nlink}
}
