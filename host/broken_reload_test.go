package host_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

// Every way in which an extension can be broken, on top of a version that works.
func TestABrokenSaveLeavesTheLastGoodVersionServing(t *testing.T) {
	t.Parallel()
	for _, b := range brokenExtensions() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			b.replaces(t)
		})
	}
}

func steady(version string) string {
	return `export default { name: "steady", tools: [{ name: "steady", description: "d", risk: "read", execute: () => "` + version + `" }] }`
}

func (b broken) replaces(t *testing.T) {
	id := b.extension
	if id == "" {
		id = "ext"
	}
	limit := 20 * time.Second
	if b.message == notInTime {
		limit = 700 * time.Millisecond
	}
	p := newProject(t, map[string]string{id + ".ts": steady("v1"), "healthy.ts": healthy}, func(o *host.Options) { o.LoadTimeout = limit })
	if state(p.host, id) != host.StateLoaded {
		t.Skip("no extension that works can have this name")
	}
	if b.builtin != "" {
		require.NoError(t, p.reg.Register("", named(b.builtin)))
		p.reg.Reserve(b.builtin)
	}
	dir := filepath.Join(p.root, ".rho", "extensions")
	place := func(name string) string {
		if rest, ok := strings.CutPrefix(name, "/"); ok {
			return filepath.Join(p.root, rest)
		}
		return filepath.Join(dir, name)
	}
	if b.files == nil {
		b.files = map[string]string{"ext.ts": b.src}
	}
	require.NoError(t, os.Remove(filepath.Join(dir, id+".ts")))
	for name, text := range b.files {
		require.NoError(t, os.MkdirAll(filepath.Dir(place(name)), 0o755))
		require.NoError(t, os.WriteFile(place(name), []byte(strings.ReplaceAll(text, "ROOT", p.root)), 0o644))
	}
	for name, target := range b.links {
		require.NoError(t, os.Symlink(target, place(name)))
	}
	r, err := p.host.Reload(t.Context())
	require.NoError(t, err)
	b.check(t, slices.DeleteFunc(slices.Clone(r.Failures), func(f host.Failure) bool { return f.Extension != id }))
	require.Contains(t, r.Unchanged, "healthy")
	i := slices.IndexFunc(r.Changes, func(c host.Change) bool { return c.Extension == id })
	require.GreaterOrEqual(t, i, 0)
	require.Equal(t, host.ChangeFailed, r.Changes[i].Kind)
	require.Equal(t, 1, r.Changes[i].Version)
	require.Contains(t, r.Text(), "v1, the last that worked, is still serving")
	require.Equal(t, "v1", p.call("steady", "{}").Text)
	require.Equal(t, "pong", p.call("ping", "{}").Text)
	require.Equal(t, host.StateFailed, state(p.host, id))

	// What comes next is served.
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		if e.Name() != "healthy.ts" {
			require.NoError(t, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	writeFiles(t, dir, map[string]string{id + ".ts": steady("v2")})
	r, err = p.host.Reload(t.Context())
	require.NoError(t, err)
	require.Empty(t, r.Failures)
	out := p.call("steady", "{}")
	require.Equal(t, registry.StatusSuccess, out.Status)
	require.Equal(t, "v2", out.Text)
}
