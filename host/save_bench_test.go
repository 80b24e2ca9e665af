package host_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

// BenchmarkSaveToLive measures the time from a save to the answer of the new
// version. Run it with -benchtime 50x; the first save counts.
func BenchmarkSaveToLive(b *testing.B) {
	simple := func(n int) string { return answers("x", fmt.Sprint("v", n)) }
	zod := func(clause string, n int) string {
		return fmt.Sprintf(`import %s from "zod";
const Args = z.object({ text: z.string().default("a") });
export default { name: "x", tools: [{ name: "x", description: "d", risk: "read", execute: (a) => Args.parse(a).text && "v%d" }] }`, clause, n)
	}
	for _, mode := range []host.Isolation{host.InProcess, host.Process} {
		b.Run("simple/"+mode.String(), func(b *testing.B) { saveToLive(b, mode, "", simple) })
		// As its manual says, and with an import that keeps all of it.
		for name, clause := range map[string]string{"zod": "* as z", "zod-whole": "{ z }"} {
			b.Run(name+"/"+mode.String(), func(b *testing.B) {
				packages := b.TempDir()
				if out, err := exec.Command("sh", "testdata/install-zod.sh", packages).CombinedOutput(); err != nil {
					b.Skipf("zod cannot be installed here: %v\n%s", err, out)
				}
				saveToLive(b, mode, packages, func(n int) string { return zod(clause, n) })
			})
		}
	}
}

func saveToLive(b *testing.B, mode host.Isolation, packages string, source func(int) string) {
	root, err := filepath.EvalSymlinks(b.TempDir())
	require.NoError(b, err)
	if packages != "" {
		require.NoError(b, os.Rename(filepath.Join(packages, "node_modules"), filepath.Join(root, "node_modules")))
	}
	writeFiles(b, filepath.Join(root, ".rho", "extensions"), map[string]string{"x.ts": source(0), "other.ts": manifest("other")})
	p := openProject(b, root, func(o *host.Options) { o.Isolation = mode })
	require.Empty(b, p.host.Failures())
	swapped := make(chan struct{}, 100)
	defer p.reg.Subscribe(func(*registry.Snapshot) { swapped <- struct{}{} })()
	w, err := p.host.Watch(host.WatchOptions{})
	require.NoError(b, err)
	defer w.Close()
	path := filepath.Join(root, ".rho", "extensions", "x.ts")
	var times []time.Duration
	for b.Loop() {
		n := len(times) + 1
		require.NoError(b, os.WriteFile(path+".tmp", []byte(source(n)), 0o644))
		begin := time.Now()
		require.NoError(b, os.Rename(path+".tmp", path))
		select {
		case <-swapped:
		case <-time.After(20 * time.Second):
			b.Fatal("the save was not seen")
		}
		require.Equal(b, fmt.Sprint("v", n), p.call("x", "{}").Text)
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	b.ReportMetric(ms(times[len(times)/2]), "median-ms")
	b.ReportMetric(ms(times[len(times)-1]), "worst-ms")
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
