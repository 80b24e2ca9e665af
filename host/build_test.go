package host_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/wire"
	"github.com/rho-ext/rho-ext/registry"
)

// What ends a process ends the bundler's, once or twice, and nothing else.
func TestAnExtensionThatEndsTheBundlerFailsAlone(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"bad/mod.ts":                        `import a from "pkg"; export default a`,
		"bad/node_modules/pkg/package.json": `{"name":` + strings.Repeat("[", 2_000_000),
	}
	for _, name := range []string{"a", "b", "c", "z"} {
		files[name+".ts"] = `export default { name: "x", tools: [{ name: "` + name + `", description: "d", risk: "read", execute: () => "` + name + `" }] }`
	}
	p := newProject(t, files, func(o *host.Options) { o.Isolation = host.Process })
	check := func() {
		t.Helper()
		for _, name := range []string{"a", "b", "c", "z"} {
			require.Equal(t, name, p.call(name, "{}").Text)
		}
	}
	f := p.host.Failures()
	require.Len(t, f, 1, "%+v", f)
	require.Equal(t, "bad", f[0].Extension)
	require.Equal(t, wire.StageBundle, f[0].Stage)
	require.Equal(t, ".rho/extensions/bad/mod.ts", f[0].File)
	require.Contains(t, f[0].Message, "overflowed its stack")
	require.Contains(t, f[0].Hint, "data file")
	check()

	rep, err := p.host.Reload(context.Background())
	require.NoError(t, err)
	require.Len(t, rep.Failures, 1)
	require.Equal(t, []string{"a", "b", "c", "z"}, rep.Unchanged)
	check()

	require.NoError(t, os.WriteFile(filepath.Join(p.root, ".rho", "extensions", "bad", "node_modules", "pkg", "package.json"), []byte("{}"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(p.root, ".rho", "extensions", "bad", "node_modules", "pkg", "index.js"),
		[]byte(`module.exports = { name: "bad", tools: [{ name: "good", description: "d", risk: "read", execute: () => "good" }] }`), 0o644))
	rep, err = p.host.Reload(context.Background())
	require.NoError(t, err)
	require.Empty(t, rep.Failures)
	require.Equal(t, []string{"bad"}, rep.Added)
	require.Equal(t, registry.StatusSuccess, p.call("good", "{}").Status)
}

func TestFoldersThatAppearAreReadAfterAReload(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"ext/mod.ts": `import { text } from "pkg"; export default { name: "x", tools: [{ name: "t", description: "d", risk: "read", execute: () => text }] }`})
	require.Len(t, p.host.Failures(), 1)
	require.Contains(t, p.host.Failures()[0].Message, `cannot find "pkg"`)
	for _, text := range []string{"one", "two"} {
		require.NoError(t, os.RemoveAll(filepath.Join(p.root, "node_modules")))
		writeFiles(t, p.root, map[string]string{"node_modules/pkg/index.js": `exports.text = "` + text + `"`, "package.json": `{"name":"p"}`})
		rep, err := p.host.Reload(context.Background())
		require.NoError(t, err)
		require.Empty(t, rep.Failures)
		require.Equal(t, text, p.call("t", "{}").Text)
	}
}
