package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// The reasons of a StartError, for errors.Is.
var (
	ErrNotFound      = errors.New("no such program")
	ErrNotExecutable = errors.New("not a program that can be run")
	ErrBadDir        = errors.New("not a directory to run in")
	ErrBadArgument   = errors.New("an argument that cannot be passed")
)

// A StartError says why a program was not started and what helps.
type StartError struct {
	Program string // as it was asked for
	Dir     string
	Reason  error  // one of the reasons above, or nil
	Message string // the whole sentence
	Err     error  // what the system said, or nil
}

func (e *StartError) Error() string { return e.Message }

func (e *StartError) Unwrap() []error {
	var errs []error
	for _, err := range []error{e.Reason, e.Err} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func (p *plan) refuse(reason, err error, format string, args ...any) *StartError {
	return &StartError{Program: p.asked, Dir: p.dir, Reason: reason, Err: err, Message: fmt.Sprintf(format, args...)}
}

// startFailed explains what the system said.
func startFailed(p *plan, err error) error {
	cause := err
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		cause = pe.Err
	}
	if e := p.checkDir(); e != nil {
		return e
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, e := os.Stat(p.path); e == nil {
			return p.refuse(ErrNotExecutable, err, "cannot run %s: it exists, but the interpreter that its first line names, or the loader it was built for, does not; install that, or run the script by naming its interpreter", p.path)
		}
		return p.refuse(ErrNotFound, err, "cannot run %s: there is no such file; check the path", p.path)
	case errors.Is(err, fs.ErrPermission):
		return p.refuse(ErrNotExecutable, err, "cannot run %s: permission denied; make it executable, and see that its file system allows programs", p.path)
	case notProgram(err):
		return p.refuse(ErrNotExecutable, err, "cannot run %s: it is not a program for this system, nor a script with a #! line; name the interpreter as the program and the file as its first argument", p.path)
	case tooLong(err):
		return p.refuse(ErrBadArgument, err, "cannot run %s: arguments and environment are too long for this system; pass long data by stdin or in a file", p.asked)
	}
	return p.refuse(nil, err, "cannot run %s: %v", p.path, cause)
}
