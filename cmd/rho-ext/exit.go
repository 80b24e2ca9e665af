package main

import (
	"fmt"

	"github.com/rho-ext/rho-ext/registry"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailed      = 1   // the tool failed or refused, or its arguments are wrong
	exitUsage       = 2   // bad flags, arguments that are no JSON, an unknown verb
	exitLoad        = 3   // the extension that was asked for, or might have been, did not load
	exitDenied      = 4   // the policy, a person or a guard said no
	exitTimeout     = 124 // the call's deadline
	exitInterrupted = 130
)

// exitError ends the program with a code. An empty message was told already.
type exitError struct {
	code    int
	message string
}

func (e *exitError) Error() string { return e.message }

func fail(code int, format string, args ...any) error {
	return &exitError{code: code, message: fmt.Sprintf(format, args...)}
}

func usage(format string, args ...any) error { return fail(exitUsage, format, args...) }

// written ends the program when its answer could not be written.
func written(err error) error {
	if err == nil {
		return nil
	}
	return fail(exitFailed, "%v", err)
}

// exitCode is the code that an outcome ends the program with.
func exitCode(o *registry.Outcome) int {
	if o.Status == registry.StatusSuccess {
		return exitOK
	}
	if o.Failure != nil {
		switch o.Failure.Kind {
		case registry.KindTimeout:
			return exitTimeout
		case registry.KindCancelled:
			return exitInterrupted
		case registry.KindPermissionDenied:
			return exitDenied
		}
	}
	if o.Status == registry.StatusDenied || o.Status == registry.StatusSkipped {
		return exitDenied
	}
	return exitFailed
}
