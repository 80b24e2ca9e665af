package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rho-ext/rho-ext/host"
)

// pick takes one program in five, of each family, and those that must be tried
// always: all take minutes, which RHO_LONG=1 allows.
func pick(list []hostile) (out []hostile) {
	every := 5
	switch {
	case os.Getenv("RHO_LONG") != "":
		every = 1
	case testing.Short(), slowness > 1:
		every = 15
	}
	for i, a := range list {
		if i%every == 0 || a.always {
			out = append(out, a)
		}
	}
	return out
}

// footprint is what this process holds of the system.
type footprint struct {
	heap       uint64
	goroutines int
	files      int
	children   []string
}

func measure() footprint {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f := footprint{heap: m.HeapAlloc, goroutines: runtime.NumGoroutine(), children: children()}
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		f.files = len(entries)
	}
	return f
}

// children lists the processes that this one has started and not awaited yet,
// where the system tells.
func children() (list []string) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		// pid (name) state parent …
		_, rest, _ := bytes.Cut(data, []byte(") "))
		if fields := strings.Fields(string(rest)); len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
			list = append(list, filepath.Base(filepath.Dir(path))+" "+fields[0])
		}
	}
	return list
}

// compare requires that nothing is left of what came since.
func (f footprint) compare(t *testing.T) {
	t.Helper()
	var now footprint
	assert.Eventually(t, func() bool {
		now = measure()
		return now.goroutines <= f.goroutines+2 && now.files <= f.files && len(now.children) <= len(f.children)
	}, 10*time.Second, 50*time.Millisecond)
	t.Logf("heap %d → %d KB, goroutines %d → %d, files %d → %d, children %v → %v",
		f.heap>>10, now.heap>>10, f.goroutines, now.goroutines, f.files, now.files, f.children, now.children)
	if t.Failed() {
		stacks := make([]byte, 64<<10)
		t.Logf("%s", stacks[:runtime.Stack(stacks, true)])
	}
	if slowness == 1 {
		assert.Less(t, int64(now.heap)-int64(f.heap), int64(64<<20), "memory is kept")
	}
}

// hostileName tells a child of the test which program to run in itself.
const hostileName, hostileRoot = "RHO_HOSTILE_PROGRAM", "RHO_HOSTILE_ROOT"

// tryAlone runs one program in this process, in-process isolation, and ends it.
func tryAlone(name string) {
	for _, a := range hostilePrograms() {
		if a.name == name {
			r := a.try(os.Getenv(hostileRoot), host.InProcess)
			fmt.Printf("%s after %v\n%s", r.end, r.took.Round(time.Millisecond), strings.Join(r.problems, "\n"))
			if len(r.problems) > 0 {
				os.Exit(3)
			}
			os.Exit(0)
		}
	}
	os.Exit(4)
}

// alone runs a program in a process of its own that may die or hang, and says
// what became of it; nothing where all is well.
func (a hostile) alone(t *testing.T) string {
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	// The limit spares the machine; a host without one would take all there is.
	cmd := exec.CommandContext(ctx, "sh", "-c", `ulimit -d 2000000; exec "$0"`, os.Args[0])
	cmd.Env = append(os.Environ(), hostileName+"="+a.name, hostileRoot+"="+t.TempDir())
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch text := string(out); {
	case err == nil:
		return ""
	case ctx.Err() != nil:
		return "hung"
	case errors.As(err, &exit) && exit.ExitCode() == 3:
		return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")
	default:
		for line := range strings.Lines(text) {
			if strings.Contains(line, "fatal error") || strings.HasPrefix(line, "panic") || strings.Contains(line, "exceeds") {
				return "died: " + strings.TrimSpace(line)
			}
		}
		return fmt.Sprintf("died: %v: %.200s", err, text)
	}
}

func TestWhatHostileProgramsDoToAHostThatRunsThemInItself(t *testing.T) {
	if os.Getenv("RHO_LONG") == "" {
		t.Skip("a score to compare with; RHO_LONG=1 tells it")
	}
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	list := hostilePrograms()
	var mu sync.Mutex
	fate := map[string]string{}
	t.Run("programs", func(t *testing.T) {
		two := make(chan struct{}, 2)
		for _, a := range list {
			t.Run(a.name, func(t *testing.T) {
				t.Parallel()
				two <- struct{}{}
				defer func() { <-two }()
				if how := a.alone(t); how != "" {
					mu.Lock()
					defer mu.Unlock()
					fate[a.name] = how
				}
			})
		}
	})
	fmt.Printf("hostile programs that hurt nobody, in-process: %d/%d. Those that only process isolation survives:\n", len(list)-len(fate), len(list))
	for _, a := range list {
		if how := fate[a.name]; how != "" {
			fmt.Printf("  %s: %.160s\n", a.name, how)
		}
	}
}
