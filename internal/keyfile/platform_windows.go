package keyfile

import (
	"errors"

	"golang.org/x/sys/windows"
)

const openFlags = 0

// transient reports whether an operation is worth another try at once: a file
// that somebody has open cannot be replaced here, and one that is being replaced
// cannot be opened.
func transient(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}
