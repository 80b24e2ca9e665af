package exttest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/exttest"
)

func TestMain(m *testing.M) {
	host.WorkerMain()
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// project is a folder with extensions and their tests.
type project struct {
	t    *testing.T
	root string
	opts exttest.Options
}

// newProject writes files, by their paths in .rho/extensions.
func newProject(t *testing.T, files map[string]string) *project {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	p := &project{t: t, root: root, opts: exttest.Options{Root: root, UserDir: "-", Isolation: host.InProcess}}
	for name, text := range files {
		p.write(name, text)
	}
	return p
}

func (p *project) path(name string) string {
	return filepath.Join(p.root, ".rho", "extensions", filepath.FromSlash(name))
}

func (p *project) write(name, text string) {
	p.t.Helper()
	require.NoError(p.t, os.MkdirAll(filepath.Dir(p.path(name)), 0o755))
	require.NoError(p.t, os.WriteFile(p.path(name), []byte(text), 0o644))
}

func (p *project) read(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(p.path(name))
	require.NoError(p.t, err)
	return string(data)
}

func (p *project) files() []exttest.File {
	p.t.Helper()
	files, failures, err := exttest.Find(p.opts)
	require.NoError(p.t, err)
	require.Empty(p.t, failures)
	return files
}

// run runs all tests.
func (p *project) run() *exttest.Report {
	p.t.Helper()
	r, err := exttest.New(p.opts)
	require.NoError(p.t, err)
	defer func() { require.NoError(p.t, r.Close()) }()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	rep, err := r.Run(ctx, p.files(), exttest.Watcher{})
	require.NoError(p.t, err)
	return rep
}

// outcome is the state of each test, a line for each, with the first line of what
// failed.
func outcome(rep *exttest.Report) string {
	var lines []string
	for _, f := range rep.Files {
		if f.Failure != nil {
			lines = append(lines, "broken "+f.File+": "+f.Failure.Message)
		}
		if f.Problem != "" {
			lines = append(lines, "problem "+f.File+": "+f.Problem)
		}
		for _, t := range f.Tests {
			line := t.State + " " + strings.Join(t.Path, " > ")
			for _, e := range t.Errors {
				first, _, _ := strings.Cut(e.Message, "\n")
				if e.In != "" {
					first = "in " + e.In + ": " + first
				}
				line += " | " + first
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// passes runs the tests and wants each of them to pass.
func (p *project) passes(count int) *exttest.Report {
	p.t.Helper()
	rep := p.run()
	require.True(p.t, rep.OK(), outcome(rep))
	require.Equal(p.t, count, rep.Passed, outcome(rep))
	return rep
}

// counter is an extension that remembers: in a variable, in its state and in the
// project.
const counter = `import { defineTool, s } from "rho-ext";
let calls = 0;
export default { name: "counter", permissions: { write: ["."] }, tools: [
  defineTool({ name: "count", description: "d", risk: "write", parameters: {}, execute: async (_, ctx) => {
    calls++;
    const kept = (await ctx.state.get("n") ?? 0) + 1;
    await ctx.state.set("n", kept);
    await ctx.fs.append("log.txt", "x");
    return [calls, kept, (await ctx.fs.read("log.txt")).length].join(" ");
  } }),
] };`
