package host_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

func TestBodiesThatNobodyReadsHaveABound(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("x"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	attack{allow: []string{"net " + strings.TrimPrefix(s.URL, "http://")}, top: `const open = async () => (await fetch("` + s.URL + `")).status;`,
		tools: `defineTool({ name: "again", description: "d", risk: "destructive", parameters: {}, execute: () => tried(open) }),`,
		body:  `const r = await Promise.all(Array.from({ length: 264 }, () => tried(open))); return ["got 200", "no RangeError too_many"].map((w) => r.filter((x) => x === w).length).join()`,
		want:  "256,8",
		safe: func(t *testing.T, p *project, _ *registry.Outcome) { // with their call they have ended
			assert.Equal(t, "got 200", p.call("again", "{}").Text)
		}}.run(t)
}

func TestProgramsWaitForOneAnother(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a Unix shell")
	}
	a := attack{allow: []string{"run sh"}, setup: files(map[string]string{"d/x": ""}),
		body: `const r = await Promise.all(Array.from({ length: 100 }, () => ctx.exec("sh", ["-c", "mkdir d/$$; ls d | wc -l; sleep 0.05; rmdir d/$$"]))); return r.map((x) => x.stdout.trim()).join()`, want: "~,"}
	a.safe = func(t *testing.T, _ *project, out *registry.Outcome) {
		counts := strings.Split(out.Text, ",")
		require.Len(t, counts, 100)
		n, err := strconv.Atoi(slices.MaxFunc(counts, func(a, b string) int { return len(a)*1000 - len(b)*1000 + strings.Compare(a, b) }))
		require.NoError(t, err)
		assert.LessOrEqual(t, n, 65) // and d/x
	}
	a.run(t)
}

func TestWhatIsSentHasABoundThoughItIsOneBuffer(t *testing.T) {
	t.Parallel()
	attack{allow: []string{"write out"}, body: `const b = new Uint8Array(50 << 20); return (await Promise.all([1, 2, 3].map((i) => tried(() => ctx.fs.write("out/" + i, b))))).join()`,
		want: "got done,got done,no RangeError too_many"}.run(t)
}

func TestDeepPathsExhaustNoDescriptors(t *testing.T) {
	t.Parallel()
	attack{allow: []string{"write out"}, body: `const deep = "out/" + "d/".repeat(200) + "f"; await ctx.fs.write(deep, "x");
		return (await Promise.all(Array.from({ length: 120 }, () => tried(() => ctx.fs.stat(deep))))).filter((x) => !x.startsWith("got")).join()`, want: ""}.run(t)
}

// A call that is over leaves nothing that holds the host up.
func TestAFloodEndsWithItsCall(t *testing.T) {
	t.Parallel()
	for about, body := range map[string]string{
		"of reads":        `ctx.fs.read("big")`,
		"of searches":     `ctx.fs.glob("**/*a*b*c*")`,
		"of lists":        `ctx.fs.list(".")`,
		"of writes":       `ctx.fs.write("out/same", "x".repeat(100_000))`,
		"of appends":      `ctx.fs.append("out/same", "x")`,
		"of renames":      `ctx.fs.rename("out/a", "out/b")`,
		"of variables":    `process.env["X" + i]`,
		"of nested calls": `ctx.callTool("read_file", { path: "big" })`,
		"of itself":       `ctx.callTool("t", {})`,
		"of programs":     `ctx.exec("true")`,
		"of progress":     `ctx.progress({ message: "x".repeat(1000) })`,
		"of log lines":    `console.log("x".repeat(1000))`,
		"of questions":    `ctx.fs.write("elsewhere" + i, "x")`,
		"of settings":     `(delete (ctx as any).config, ctx.config)`,
		"of signals":      `ctx.signal.addEventListener("abort", () => ctx.fs.read("big"))`,
		"of unread files": `ctx.fs.read(".env" + i)`,
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			a := attack{body: `for (let i = 0; i < 3000; i++) void tried(async () => ` + body + `); await new Promise(() => setTimeout(() => {}, 60_000))`}
			p := newProject(t, map[string]string{"x.ts": a.source()}, func(o *host.Options) {
				require.NoError(t, os.WriteFile(filepath.Join(o.Root, "big"), []byte(strings.Repeat("x\n", 50_000)), 0o600))
				o.Allow = allow(t, o.Root, "write out", "run true", "tool *")
				o.AskPermission = &asked{answer: no}
			})
			require.Empty(t, p.host.Failures())
			out := p.within(300*time.Millisecond, "t", "{}")
			require.NotNil(t, out.Failure)
			assert.Equal(t, registry.KindTimeout, out.Failure.Kind, out.Text)
			require.NoError(t, p.host.Close())
		})
	}
}
