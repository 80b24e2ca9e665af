package builtin

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/rho-ext/rho-ext/registry"
)

// BenchmarkPeers goes through Go's own source tree side by side with ripgrep
// and fd. The tools of this package find all there is, like those do.
func BenchmarkPeers(b *testing.B) {
	root := filepath.Join(runtime.GOROOT(), "src")
	if _, err := os.Stat(root); err != nil {
		b.Skip("there is no source tree of Go here")
	}
	r := registry.New()
	if err := Register(r, Options{Root: root}); err != nil {
		b.Fatal(err)
	}
	d := registry.NewDoor(r, &registry.DoorOptions{TextLimit: 100 << 20})
	rg, fd := program("rg"), program("fdfind", "fd")
	for _, c := range []struct {
		name, tool, args string
		peer             []string
	}{
		{"listing", "list_dir", `{"recursive":true}`, []string{fd, "--color=never", "--hidden", ".", "."}},
		{"glob", "find_files", `{"pattern":"*_test.go","max_results":1000}`, []string{fd, "--color=never", "--glob", "--type=f", "--max-results=1000", "*_test.go", "."}},
		{"glob of nothing", "find_files", `{"pattern":"*.nothing"}`, []string{fd, "--color=never", "--glob", "--type=f", "*.nothing", "."}},
		{"literal", "search_files", `{"pattern":"ErrUnexpectedEOF","max_results":500}`, []string{rg, "-n", "--no-heading", "--sort=none", "ErrUnexpectedEOF", "."}},
		{"literal of nothing", "search_files", `{"pattern":"there is no such text"}`, []string{rg, "-n", "there is no such text", "."}},
		{"ignoring case", "search_files", `{"pattern":"errunexpectedeof","ignore_case":true,"max_results":500}`, []string{rg, "-n", "-i", "errunexpectedeof", "."}},
		{"regex", "search_files", `{"pattern":"func \\(\\w+ \\*?Reader\\) Read\\w+\\(","max_results":500}`, []string{rg, "-n", `func \(\w+ \*?Reader\) Read\w+\(`, "."}},
		{"regex without a literal", "search_files", `{"pattern":"[a-z]{9}\\d{4}[xyz]","max_results":500}`, []string{rg, "-n", `[a-z]{9}\d{4}[xyz]`, "."}},
		{"alternation", "search_files", `{"pattern":"SeekStart|SeekCurrent|SeekEnd","max_results":500}`, []string{rg, "-n", `SeekStart|SeekCurrent|SeekEnd`, "."}},
	} {
		if _, ok := r.Snapshot().Lookup(c.tool); !ok {
			continue
		}
		b.Run(c.name+"/ours", func(b *testing.B) {
			before := cpuTime()
			defer func() { report(b, cpuTime()-before) }()
			for b.Loop() {
				if o := d.Call(context.Background(), registry.Request{Tool: c.tool, Arguments: json.RawMessage(c.args)}); o.IsError {
					b.Fatal(o.Text)
				}
			}
		})
		b.Run(c.name+"/peer", func(b *testing.B) {
			if c.peer[0] == "" {
				b.Skip("the peer is not installed")
			}
			var used time.Duration
			defer func() { report(b, used) }()
			for b.Loop() {
				cmd := exec.Command(c.peer[0], c.peer[1:]...)
				cmd.Dir, cmd.Stdout = root, io.Discard
				_ = cmd.Run() // nothing found is an error to them
				used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			}
		})
	}
}

// report tells how much of all processors one round took, which says more than
// the time on the clock where others are at work.
func report(b *testing.B, used time.Duration) {
	b.ReportMetric(float64(used.Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

func program(names ...string) string {
	for _, name := range names {
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	return ""
}
