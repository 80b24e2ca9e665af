//go:build unix

package secret

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openFlags neither follow a link nor wait for the other end of a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// foreign says why a file is not its owner's alone, or "". What another user
// owns, that user can change; root may read it all the same.
func foreign(st fs.FileInfo) string {
	if mode := st.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Sprintf("others may read or change it, as its mode is %04o; run chmod 600 on it, and think of its secrets as known", mode)
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); ok && os.Geteuid() != 0 && int(sys.Uid) != os.Geteuid() {
		return "it belongs to another user"
	}
	return ""
}
