package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rho-ext/rho-ext/builtin"
	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/registry"
)

func TestMain(m *testing.M) {
	host.WorkerMain()
	if os.Getenv(secretsVariable) == "" { // no test touches a real keychain
		os.Setenv(secretsVariable, "file")
	}
	testscript.Main(tests{m}, map[string]func(){"rho-ext": main})
}

// tests are all tests, in the process that is not the program itself.
type tests struct{ m *testing.M }

func (t tests) Run() int {
	defer prepareProgram()()
	return t.m.Run()
}

// program is what tests start as rho-ext. Its first argument must be that.
func program(t testing.TB) string {
	t.Helper()
	if plainProgram != "" {
		return plainProgram
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// plainProgram is the program without the race detector, or empty.
var plainProgram string

// TestScripts runs the program as people do. Every script begins in $WORK/p, a
// project with the files of testdata/project that is trusted, and an empty home
// directory but for that.
func TestScripts(t *testing.T) {
	t.Parallel()
	project, err := filepath.Abs("testdata/project")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("RHO_HOME", filepath.Join(home, ".rho"))
			e.Setenv(secretsVariable, "file") // no script touches a real keychain
			e.Setenv("BUILTINS", builtinRow(t))
			e.Cd = filepath.Join(e.WorkDir, "p")
			for _, dir := range []string{home, filepath.Join(e.Cd, ".rho", "extensions")} {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					return err
				}
			}
			real, err := filepath.EvalSymlinks(e.Cd)
			if err != nil {
				return err
			}
			if err := permission.NewTrust(filepath.Join(home, ".rho")).Set(real, true); err != nil {
				return err
			}
			return copyMissing(filepath.Join(e.Cd, ".rho", "extensions"), project)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// builtinRow lists the built-in tools as the verb list does, so that scripts
// need not name them all.
func builtinRow(t *testing.T) string {
	r := registry.New()
	if err := builtin.Register(r, builtin.Options{Root: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Swap("", nil) }()
	var row []string
	for _, e := range r.Snapshot().Tools() {
		row = append(row, fmt.Sprintf("%s (%s)", e.Name(), e.Tool.Risk()))
	}
	return strings.Join(row, ", ")
}

// copyMissing copies the files of from, but not over those that are there.
func copyMissing(to, from string) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if _, err := os.Lstat(target); err == nil {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
}

// exits is a command of scripts: exits CODE PROGRAM ARG... checks how the
// program ends. Its output is there for stdout, stderr and cmp.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}
