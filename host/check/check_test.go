package check_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/builtin"
	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/check"
	"github.com/rho-ext/rho-ext/registry"
)

func TestMain(m *testing.M) {
	host.WorkerMain()
	os.Exit(m.Run())
}

// project writes the files of a project, by their names below its root.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

// extensions are files below .rho/extensions.
func extensions(files map[string]string) map[string]string {
	out := map[string]string{".rho/.keep": ""}
	for name, text := range files {
		out[".rho/extensions/"+name] = text
	}
	return out
}

// options are those for a project whose user has nothing, with built-in tools.
func options(t testing.TB, root string) check.Options {
	t.Helper()
	r := registry.New()
	require.NoError(t, builtin.Register(r, builtin.Options{Root: root}))
	t.Cleanup(func() { _ = r.Swap("", nil) })
	return check.Options{Host: host.Options{Root: root, UserDir: "-", Registry: r}}
}

func run(t testing.TB, o check.Options) *check.Report {
	t.Helper()
	report, err := check.Run(context.Background(), o)
	require.NoError(t, err)
	return report
}

// of gives the findings of a rule.
func of(r *check.Report, rule string) (out []check.Finding) {
	for _, f := range r.Findings {
		if f.Rule == rule {
			out = append(out, f)
		}
	}
	return out
}

// TestEveryRuleFindsItsBadExampleAndLeavesItsGoodOneAlone also keeps docs/check.md
// true, which shows the examples and what is said about them.
func TestEveryRuleFindsItsBadExampleAndLeavesItsGoodOneAlone(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	said := map[string]check.Finding{}
	t.Run("rules", func(t *testing.T) {
		for _, rule := range check.Rules() {
			if rule.Bad == nil {
				continue // it has a test of its own
			}
			t.Run(rule.ID, func(t *testing.T) {
				t.Parallel()
				bad := run(t, options(t, project(t, extensions(rule.Bad))))
				found := of(bad, rule.ID)
				require.NotEmpty(t, found, "%+v", bad.Findings)
				assert.NotEmpty(t, found[0].Extension)
				if rule.ID != "shadowed" && rule.ID != "required-unknown" { // worse than usual in their examples
					assert.Equal(t, rule.Severity, found[0].Severity)
				}
				mu.Lock()
				said[rule.ID] = found[0]
				mu.Unlock()
				for _, f := range bad.Findings {
					assert.True(t, f.Rule == rule.ID || f.Severity == check.Info, "the bad example also breaks %s: %s", f.Rule, f.Message)
				}
				good := run(t, options(t, project(t, extensions(rule.Good))))
				assert.Empty(t, of(good, rule.ID))
				assert.False(t, good.Failed(true), "a good example breaks another rule: %+v", good.Findings)
			})
		}
	})
	if t.Failed() || len(said) < 20 { // only some were asked for
		return
	}
	page(t, said)
}

func TestRulesAreNamedOnceAndSayWhatTheyFind(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range check.Rules() {
		assert.Regexp(t, `^[a-z]+(-[a-z]+)*$`, r.ID)
		assert.False(t, seen[r.ID], r.ID)
		seen[r.ID] = true
		assert.Contains(t, []check.Severity{check.Error, check.Warning, check.Info}, r.Severity)
		assert.True(t, strings.HasSuffix(r.Summary, "."), r.ID)
		assert.Equal(t, r.Bad == nil, r.Good == nil, r.ID)
	}
}
