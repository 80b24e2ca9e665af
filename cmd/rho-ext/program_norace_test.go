//go:build !race

package main

// prepareProgram does nothing: the tests' own binary is the program, too.
func prepareProgram() (remove func()) { return func() {} }
