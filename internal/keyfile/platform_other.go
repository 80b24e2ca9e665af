//go:build !unix && !windows

package keyfile

const openFlags = 0

// transient reports whether an operation is worth another try at once.
func transient(error) bool { return false }
