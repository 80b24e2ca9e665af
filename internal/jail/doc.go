// Package jail reads files below one directory and nowhere else.
//
// A [Jail] stands on [os.Root], walks every path component by component and
// checks what it opened, so that neither "..", an absolute path, a symbolic
// link nor a change in the middle of it leads outside. Some names are protected
// besides: files that hold secrets are not read by whoever can read the
// project.
package jail
