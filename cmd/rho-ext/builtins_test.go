package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rustProject is a crate and a Go module in one, with an error that the
// compiler finds, one that Clippy finds, and tests that fail.
var rustProject = map[string]string{
	"Cargo.toml":       "[workspace]\nmembers = [\"app\", \"wrong\"]\nresolver = \"2\"\n",
	"app/Cargo.toml":   "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
	"app/src/lib.rs":   "pub fn two() -> i32 {\n    let mut x = 2;\n    return x;\n}\n\n#[test]\nfn good() {\n    assert_eq!(two(), 2);\n}\n\n#[test]\nfn bad() {\n    assert_eq!(two(), 3, \"two is not three\");\n}\n",
	"wrong/Cargo.toml": "[package]\nname = \"wrong\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
	"wrong/src/lib.rs": "pub fn f() -> i32 {\n    \"x\"\n}\n",
	"go.mod":           "module example.org/m\n\ngo 1.24\n",
	"m.go":             "package m\n\nfunc Two() int { return 2 }\n",
	"m_test.go":        "package m\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) { t.Logf(\"%d\", Two()) }\n",
}

func rustRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range rustProject {
		p := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
	}
	return root
}

// TestEveryCommandToolRuns runs each of the tools that run programs and look
// things up on a real project, as a person does.
func TestEveryCommandToolRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands of this test are for a POSIX shell")
	}
	root := rustRoot(t)
	for _, c := range []struct {
		needs, tool, args string
		code              int
		text              string
	}{
		{"sh", "run_command", `{"command":"cat m.go | wc -l"}`, 0, "exit_code: 0"},
		{"sh", "run_command", `{"command":"echo out; exit 3"}`, 1, "exit_code: 3"},
		{"sh", "run_command", `{"command":"sudo id"}`, 4, "sudo is on the denylist"},
		{"sh", "command_job", `{"action":"list"}`, 0, "no jobs"},
		{"sh", "wait_for", `{"command":"cat m.go","until":"regex: func \\w+"}`, 0, "[wait_for: 1 poll(s)"},
		{"go", "go_build", `{}`, 0, "go build: no errors or warnings"},
		{"go", "go_vet", `{}`, 0, "go vet: no errors or warnings"},
		{"go", "go_test", `{}`, 0, "go test: all tests passed: 1 passed"},
		{"cargo", "cargo_check", `{"package":"app"}`, 0, "0 error(s), 1 warning(s)"},
		{"cargo", "cargo_check", `{"package":"wrong"}`, 1, "E0308"},
		{"cargo-clippy", "cargo_clippy", `{"package":"app"}`, 0, "clippy::needless_return"},
		{"cargo", "cargo_test", `{"package":"app"}`, 1, "tests failed: 1 failed, 1 passed"},
		{"cargo", "cargo_fix", `{"package":"app"}`, 0, "cargo fix: changed 1 file(s): app/src/lib.rs"},
		{"rustc", "rustc_explain", `{"error_code":"E0308"}`, 0, "Expected type did not match"},
		{"sh", "session_summary", `{"limit":3}`, 0, "Session"},
		{"sh", "crates_io_lookup", `{"operation":"info","crate_name":"../x"}`, 1, "crate_name"},
	} {
		t.Run(c.tool, func(t *testing.T) {
			if exec.Command(c.needs, "--version").Run() != nil && exec.Command(c.needs, "version").Run() != nil && c.needs != "sh" {
				t.Skipf("there is no %s on this machine", c.needs)
			}
			got := rhoExt(t, root, "", "run", c.tool, "--args", c.args)
			assert.Equal(t, c.code, got.code, got.out+got.err)
			assert.Contains(t, got.out+got.err, c.text)
		})
	}
	t.Run("rustdoc_lookup", func(t *testing.T) {
		got := rhoExt(t, root, "", "run", "rustdoc_lookup", "--args", `{"query":"Option::map","section":"signature"}`)
		if strings.Contains(got.err, "there are no Rust documentation pages") {
			t.Skip("there are no Rust documentation pages on this machine")
		}
		assert.Contains(t, got.out, "# std::option::Option::map")
	})
}

func TestMemoryIsThereWhereItIsTurnedOn(t *testing.T) {
	root := rustRoot(t)
	assert.Equal(t, 1, rhoExt(t, root, "", "run", "memory", "--args", `{"operation":"list"}`).code, "it is off")
	config := filepath.Join(t.TempDir(), "config.toml")
	require.NoError(t, os.WriteFile(config, []byte("[memory]\nenabled = true\n"), 0o600))
	got := rhoExt(t, root, "", "run", "memory", "--config", config, "--args", `{"operation":"store","title":"Key","content":"the token is ghp_0123456789abcdefghijABCDEFGHIJ012345"}`)
	require.Zero(t, got.code, got.out+got.err)
	assert.FileExists(t, filepath.Join(root, ".rho", "memory.db"))
	got = rhoExt(t, root, "", "run", "memory", "--config", config, "--args", `{"operation":"search","query":"token"}`)
	assert.Contains(t, got.out, "Key")
	assert.NotContains(t, got.out, "ghp_0123")
	for _, name := range []string{"memory.db", "memory.db-wal"} {
		data, err := os.ReadFile(filepath.Join(root, ".rho", name))
		if err == nil {
			assert.NotContains(t, string(data), "ghp_0123")
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, ".rho", "config.toml"), []byte("[memory]\nenabled = true\n"), 0o600))
	assert.Equal(t, 1, rhoExt(t, root, "", "run", "memory", "--args", `{"operation":"list"}`).code, "a project does not turn it on")
}

// TestNothingIsLeftRunning runs the program itself, since what it leaves behind
// is seen after its end alone.
func TestNothingIsLeftRunning(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands of this test are for a POSIX shell")
	}
	exe := program(t)
	bin := filepath.Join(t.TempDir(), "rho-ext")
	require.NoError(t, os.Symlink(exe, bin)) // by that name the test binary is the program
	root := rustRoot(t)
	home := t.TempDir()
	stubborn := `trap '' TERM; (trap '' TERM; echo $BASHPID >> pids; sleep 300) & echo $$ >> pids; while :; do sleep 1; done; wait`
	for about, args := range map[string][]string{
		"a deadline":  {"run", "run_command", "--timeout", "3s", "--arg", "command=" + stubborn},
		"a job":       {"run", "run_command", "--arg", "background=true", "--arg", "command=" + stubborn},
		"its timeout": {"run", "run_command", "--arg", "timeout=3", "--arg", "command=" + stubborn},
	} {
		t.Run(about, func(t *testing.T) {
			cmd := exec.Command(bin, append(args, "--root", root)...)
			cmd.Env = append(os.Environ(), "RHO_HOME="+home)
			start := time.Now()
			out, _ := cmd.CombinedOutput()
			assert.Less(t, time.Since(start), 30*time.Second)
			data, err := os.ReadFile(filepath.Join(root, "pids"))
			if about == "a job" && errors.Is(err, os.ErrNotExist) {
				t.Skip("the program had ended before the job got that far")
			}
			require.NoError(t, err, string(out))
			for _, pid := range strings.Fields(string(data)) {
				_, err := strconv.Atoi(pid)
				require.NoError(t, err)
				stat, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
				assert.True(t, err != nil || strings.HasPrefix(strings.TrimSpace(string(stat)), "Z"), "process %s lives: %s", pid, stat)
			}
			require.NoError(t, os.Remove(filepath.Join(root, "pids")))
		})
	}
}

// TestAServerThatIsToldToEndEndsItsCommands keeps its input open, as a client
// does that has not noticed yet.
func TestAServerThatIsToldToEndEndsItsCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no such signal")
	}
	exe := program(t)
	bin := filepath.Join(t.TempDir(), "rho-ext")
	require.NoError(t, os.Symlink(exe, bin))
	for kind, messages := range map[string][]string{
		"--mcp": {
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_command","arguments":{"command":"trap '' TERM; echo $$ >> pids; sleep 300 & echo $! >> pids; wait; sleep 300"}}}`,
			`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"run_command","arguments":{"background":true,"command":"echo $$ >> pids; sleep 300"}}}`,
		},
		"--rpc": {
			`{"jsonrpc":"2.0","id":2,"method":"callTool","params":{"name":"run_command","arguments":{"command":"trap '' TERM; echo $$ >> pids; sleep 300 & echo $! >> pids; wait; sleep 300"}}}`,
			`{"jsonrpc":"2.0","id":3,"method":"callTool","params":{"name":"run_command","arguments":{"background":true,"command":"echo $$ >> pids; sleep 300"}}}`,
		},
	} {
		t.Run(kind, func(t *testing.T) {
			root := rustRoot(t)
			cmd := exec.Command(bin, "serve", kind, "--yes", "--root", root)
			cmd.Env = append(os.Environ(), "RHO_HOME="+t.TempDir())
			in, err := cmd.StdinPipe()
			require.NoError(t, err)
			defer in.Close()
			require.NoError(t, cmd.Start())
			_, err = in.Write([]byte(strings.Join(messages, "\n") + "\n"))
			require.NoError(t, err)
			var pids []string
			require.Eventually(t, func() bool {
				data, _ := os.ReadFile(filepath.Join(root, "pids"))
				pids = strings.Fields(string(data))
				return len(pids) == 3
			}, time.Minute, 20*time.Millisecond)
			require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
			ended := make(chan struct{})
			go func() { _ = cmd.Wait(); close(ended) }()
			select {
			case <-ended:
			case <-time.After(30 * time.Second):
				t.Error("the server did not end")
				_ = cmd.Process.Kill()
				<-ended
			}
			for _, pid := range pids {
				stat, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
				assert.True(t, err != nil || strings.HasPrefix(strings.TrimSpace(string(stat)), "Z"), "process %s lives: %s", pid, stat)
			}
		})
	}
}
