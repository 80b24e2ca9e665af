package jail

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// EscapeError says that a path leads out of the roots, by itself or through a
// link.
type EscapeError struct {
	Path string // as it was given
	Real string // what a leading ~ stood for; empty without one
	Why  string // what is special about the path, "a UNC path" say; may be empty
}

// Error implements error.
func (e *EscapeError) Error() string {
	what := ""
	switch {
	case e.Real != "":
		what = fmt.Sprintf(" (that is %q)", e.Real)
	case e.Why != "":
		what = " (" + e.Why + ")"
	}
	return fmt.Sprintf("path %q%s is outside the project root: use a path inside it, relative to the root", e.Path, what)
}

// ProtectedError says that a path leads to or through a protected name.
type ProtectedError struct {
	Path   string // as it was given
	Name   string // the protected name on the way
	Change bool   // whether something was to be changed
}

// Error implements error.
func (e *ProtectedError) Error() string {
	through := ""
	if e.Name != e.Path {
		through = fmt.Sprintf(" (through %q)", e.Name)
	}
	done, todo := "not read", "ask the user for what you need of it"
	if e.Change {
		done, todo = "neither read nor changed", "ask the user to change it"
	}
	return fmt.Sprintf("path %q is protected%s: files that hold secrets or rules "+
		"(.env*, private keys, .git, .rho) are %s; %s", e.Path, through, done, todo)
}

// ReadOnlyError says that something was to be changed where only reading is
// allowed.
type ReadOnlyError struct {
	Path string // as it was given
	Root string // the directory that may only be read
}

// Error implements error.
func (e *ReadOnlyError) Error() string {
	return fmt.Sprintf("path %q is in %q, which may only be read: "+
		"use a path in a directory that may be changed, or ask the user to allow changes there", e.Path, e.Root)
}

// StaysError says that something was to be moved, removed or put in a place that
// stays as it is.
type StaysError struct {
	Path string // as it was given
}

// Error implements error.
func (e *StaysError) Error() string {
	return fmt.Sprintf("path %q is, or holds, what decides about programs like this one, and stays where it is: use another path", e.Path)
}

// NameError says that a name in a path means something else on this system than
// it seems to.
type NameError struct {
	Path string // as it was given
	Name string // the component
	Why  string // "a reserved device name", …
}

// Error implements error.
func (e *NameError) Error() string {
	return fmt.Sprintf("path %q has %q in it, %s on Windows: use the file's plain name", e.Path, e.Name, e.Why)
}

// NotRegularError says that a path is something that cannot be read or written
// as a file.
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
func pathError(op, path string, err error) error {
	var inner *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &inner):
		err = inner.Err
	case errors.As(err, &link):
		err = link.Err
	}
	switch { // one text on every system
	case errors.Is(err, fs.ErrNotExist):
		err = fs.ErrNotExist
	case errors.Is(err, fs.ErrExist):
		err = fs.ErrExist
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// IsRefusal reports whether err says that the jail does not let a path be used
// so, whether or not there is such a file.
func IsRefusal(err error) bool {
	var escape *EscapeError
	var protected *ProtectedError
	var readOnly *ReadOnlyError
	var name *NameError
	var stays *StaysError
	return errors.As(err, &escape) || errors.As(err, &protected) || errors.As(err, &readOnly) || errors.As(err, &name) || errors.As(err, &stays)
}
