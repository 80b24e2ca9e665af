package jail

import (
	"errors"
	"fmt"
	"io/fs"
)

// EscapeError says that a path leads out of the root, by itself or through a
// link.
type EscapeError struct {
	Path string // as it was given
}

// Error implements error.
func (e *EscapeError) Error() string {
	return fmt.Sprintf("path %q is outside the project root: use a path inside it, relative to the root", e.Path)
}

// ProtectedError says that a path leads to or through a protected name.
type ProtectedError struct {
	Path string // as it was given
	Name string // the protected name on the way
}

// Error implements error.
func (e *ProtectedError) Error() string {
	through := ""
	if e.Name != e.Path {
		through = fmt.Sprintf(" (through %q)", e.Name)
	}
	return fmt.Sprintf("path %q is protected%s: files that hold secrets or rules "+
		"(.env*, private keys, .git, .rho) are not read; ask the user for what you need of it", e.Path, through)
}

// NotRegularError says that a path is something that cannot be read as a file.
type NotRegularError struct {
	Path string
	Kind string // "a directory", "a named pipe", …
}

// Error implements error.
func (e *NotRegularError) Error() string {
	return fmt.Sprintf("path %q is %s, not a regular file: name a file", e.Path, e.Kind)
}

// TooLargeError says that a file is larger than the caller takes.
type TooLargeError struct {
	Path string
	Size int64 // at least
	Max  int64
}

// Error implements error.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("file %q has %d bytes, more than the %d that are read at once: read a part of it", e.Path, e.Size, e.Max)
}

// pathError gives an error the path as the caller knows it, in place of the
// component that the system failed on.
func pathError(path string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fs.ErrNotExist // one text on every system
	}
	return &fs.PathError{Op: "open", Path: path, Err: err}
}
