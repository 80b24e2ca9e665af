package check

import "github.com/rho-ext/rho-ext/host"

// Options say what is looked at. Every zero field is a default.
type Options struct {
	// Host says where extensions are, and has the registry with the built-in
	// tools. How they are run, and what they are granted, is not its to say.
	Host host.Options
	// Path limits the report to one extension, or to one folder with extensions:
	// an absolute path or an extension's id. All are loaded all the same, for
	// clashes.
	Path string
	// Trusted says that the user trusts the project, so that its own compiler
	// may be run for the types.
	Trusted bool
}

// PathError says that there is nothing to check at a path.
type PathError struct{ Message string }

// Error implements error.
func (e *PathError) Error() string { return e.Message }
