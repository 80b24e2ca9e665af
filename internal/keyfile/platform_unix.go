//go:build unix

package keyfile

import "syscall"

// openFlags neither follow a link nor wait for the other end of a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// transient reports whether an operation is worth another try at once.
func transient(error) bool { return false }
