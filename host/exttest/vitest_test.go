package exttest_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/exttest"
)

// vitestOutcome is how a test ended, as golden.json has it.
type vitestOutcome struct {
	Name     string   `json:"name"`
	State    string   `json:"state"`
	Messages []string `json:"messages,omitempty"` // the class and the first line of each error
	Diffs    []string `json:"diffs,omitempty"`    // of each error, where one has any
}

// The files are those that .ci/vitest-compare runs with the real vitest, which
// wrote golden.json.
func TestOutcomesAreThoseOfVitest(t *testing.T) {
	t.Parallel()
	golden, files := vitestFiles(t)
	for _, mode := range []host.Isolation{host.InProcess, host.Process} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			p := newProject(t, files)
			p.opts.Isolation, p.opts.Frozen = mode, true
			rep := p.run()
			require.Len(t, rep.Files, len(golden))
			total := 0
			for _, f := range rep.Files {
				require.Nil(t, f.Failure, f.File)
				total += compare(t, filepath.Base(f.File), golden[filepath.Base(f.File)], f.Tests)
			}
			require.Greater(t, total, 600)
		})
	}
}

func vitestFiles(t *testing.T) (golden map[string][]vitestOutcome, files map[string]string) {
	t.Helper()
	const dir = "testdata/vitest"
	files = map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if d.Name() == "golden.json" {
			return json.Unmarshal(data, &golden)
		}
		rel, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, golden)
	return golden, files
}

// compare compares the tests of a file, in order, and gives their number.
func compare(t *testing.T, file string, want []vitestOutcome, got []exttest.TestReport) int {
	t.Helper()
	require.Equal(t, len(want), len(got), file)
	byName := map[string]vitestOutcome{}
	for _, r := range got {
		o := vitestOutcome{Name: strings.Join(r.Path, " > "), State: r.State}
		if r.State == exttest.StateFail {
			for _, e := range r.Errors {
				line, _, _ := strings.Cut(e.Message, "\n")
				if e.Name != "" {
					line = e.Name + ": " + line
				}
				o.Messages = append(o.Messages, line)
				o.Diffs = append(o.Diffs, e.Diff)
			}
			if strings.Join(o.Diffs, "") == "" {
				o.Diffs = nil
			}
		}
		byName[o.Name] = o
	}
	for _, w := range want {
		g, ok := byName[w.Name]
		if mode, other := elsewhere[w.Name]; other {
			require.Equal(t, mode, g.State, w.Name)
			continue
		}
		switch {
		case !ok:
			t.Errorf("%s has no test %q", file, w.Name)
		case g.State != w.State:
			t.Errorf("%s, %s: vitest %s %q, here %s %q", file, w.Name, w.State, w.Messages, g.State, g.Messages)
		case !slices.Equal(tidy(g.Messages), tidy(w.Messages)):
			t.Errorf("%s, %s:\n vitest %q\n here   %q", file, w.Name, w.Messages, g.Messages)
		case !slices.Equal(g.Diffs, w.Diffs) && !clearer[w.Name]:
			t.Errorf("%s, %s:\n vitest %q\n here   %q", file, w.Name, w.Diffs, g.Diffs)
		}
	}
	return len(want)
}

// elsewhere are tests that vitest does not blame for hooks of their suites: the
// suite has failed there, and so the run. Here reports know tests alone.
var elsewhere = map[string]string{
	"failing beforeAll > is left out":  exttest.StateFail,
	"failing beforeAll > deeper > too": exttest.StateFail,
	"failing afterAll > passes":        exttest.StateFail,
}

// clearer are differences that vitest does not show.
var clearer = map[string]bool{
	"a hole > toBe": true, "a hole > toStrictEqual": true, "a hole > not.toEqual": true,
	"matchers > before not": true, // vitest: no visual difference
}

// ofEngine is what the engines word differently.
var ofEngine = regexp.MustCompile(`^TypeError: Cannot (?:read|convert) .*`)

func tidy(messages []string) []string {
	out := slices.Clone(messages)
	for i := range out {
		out[i] = ofEngine.ReplaceAllString(out[i], "TypeError of the engine")
	}
	return out
}
