//go:build race

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/rho-ext/rho-ext/internal/selfexe"
)

// prepareProgram builds the program without the race detector, for scripts and
// as the worker of tests that run the verbs in this process. The detector sees
// what happens in this process; a child process costs five times as much with
// it, and there are hundreds. What workers do is checked by the tests of host
// and host/worker.
//
// RHO_TEST_PROGRAM names one that was built already.
func prepareProgram() (remove func()) {
	if path := os.Getenv("RHO_TEST_PROGRAM"); path != "" {
		usePlain(path)
		return func() {}
	}
	dir, err := os.MkdirTemp("", "rho-ext-plain")
	if err != nil {
		return func() {}
	}
	remove = func() { _ = os.RemoveAll(dir) }
	path := filepath.Join(dir, "rho-ext")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	build := exec.Command("go", "build", "-o", path, ".")
	// Built as the tests without the detector are, most of it is there already.
	build.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CGO_ENABLED=") })
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the program could not be built, so the tests use one that is slow: %v\n%s", err, out)
		return remove
	}
	usePlain(path)
	return remove
}

func usePlain(path string) {
	plainProgram = path
	if runtime.GOOS == "linux" {
		selfexe.Override = path
	}
	_ = os.Setenv("PATH", filepath.Dir(path)+string(os.PathListSeparator)+os.Getenv("PATH"))
}
