package examples_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

// shownRun is a run in the README: the tool, its arguments and what it printed.
var shownRun = regexp.MustCompile("(?m)^\\$ rho-ext run (\\w+) --extensions examples/extensions --args '(.*)'\n((?:[^`].*\n)+)```")

func TestTheReadmeShowsWhatTheToolsSay(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("extensions", "README.md"))
	require.NoError(t, err)
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	p := openRoot(t, root, "")
	shown := map[string]bool{}
	for _, run := range shownRun.FindAllStringSubmatch(string(readme), -1) {
		tool, arguments, printed := run[1], run[2], run[3]
		shown[tool] = true
		out := p.call(tool, arguments)
		if out.Status == registry.StatusSuccess {
			require.Equal(t, strings.TrimSuffix(printed, "\n"), strings.TrimSuffix(out.Text, "\n"), tool)
			continue
		}
		require.Contains(t, printed, "error: "+out.Failure.Location.String())
		require.Contains(t, printed, out.Failure.Message)
		for line := range strings.Lines(out.Failure.Location.Frame) {
			require.Contains(t, printed, strings.TrimRight(line, "\n"))
		}
		require.Contains(t, printed, "hint: "+out.Failure.Hint)
	}
	for _, e := range p.host.Extensions() {
		for _, tool := range e.Tools {
			require.True(t, shown[tool.Name], "the README shows no run of %s", tool.Name)
		}
		require.Contains(t, string(readme), "("+e.ID)
	}
}

// The examples of a tool are part of what a model sees, so they must work.
func TestTheExamplesThatToolsDeclareWork(t *testing.T) {
	t.Parallel()
	p := open(t, "", nil)
	for _, entry := range p.host.Registry().Snapshot().Tools() {
		for _, example := range entry.Info.Examples {
			p.succeed(entry.Tool.Name(), string(example.Args))
		}
	}
}
