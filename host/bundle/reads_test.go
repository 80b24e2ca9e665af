package bundle

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadsAreWhatABuildOpens(t *testing.T) {
	t.Parallel()
	o := project(t, map[string]string{
		"deep/ext/ext.ts": "", "deep/ext/tsconfig.json": `{ // "extends": "./comment.json"
			"extends" : ["../../bases/a", "./here.json", "@tsconfig/node", "/etc/passwd"] }`,
		"bases/a.json": `{"extends":"../../outside.json"}`, "deep/ext/here.json": "{}", "deep/package.json": "{}", "deep/other.json": "{}",
		"tsconfig.json": `{"extends":"./loop.json"}`, "loop.json": `{"extends":"./tsconfig.json"}`, ".env": "", "vendor/all/pkg/x.js": "", "vendor/package.json": "{}",
		"deep/ext/node_modules/p/x.js": "",
	})
	require.NoError(t, os.MkdirAll(filepath.Join(o.Limit, "deep"), 0o755))
	if err := os.Symlink("vendor/all", filepath.Join(o.Limit, "node_modules")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(o.Limit, "package.json")))
	require.NoError(t, os.Symlink("/etc", filepath.Join(o.Limit, "deep", "node_modules")))
	at := func(names ...string) (out []string) {
		for _, n := range names {
			out = append(out, filepath.Join(o.Limit, filepath.FromSlash(n)))
		}
		return out
	}
	o.Root, o.Entry = at("deep/ext")[0], at("deep/ext/ext.ts")[0]
	require.Equal(t, Reads{
		Trees: at("deep/ext", "vendor/all"),
		Names: []string{o.Limit},
		Files: at("bases/a.json", "deep/package.json", "loop.json", "tsconfig.json", "vendor/package.json"),
	}, ReadsOf(o))

	o.Limit = o.Root
	require.Equal(t, Reads{Trees: []string{o.Root}}, ReadsOf(o))
}

// Names come from what runs in a sandbox: they decide about no file.
func TestOnlyWhatWentInHasASource(t *testing.T) {
	t.Parallel()
	o := project(t, map[string]string{"ext/ext.ts": `import { a } from "pkg"; export default a`, "ext/secret.txt": "SECRET", "secret.txt": "SECRET",
		"node_modules/pkg/index.js": "exports.a = 1", "node_modules/pkg/other.js": "SECRET"})
	b, err := Build(o)
	require.NoError(t, err)
	for _, name := range []string{"ext.ts", "../node_modules/pkg/index.js"} {
		text, ok := b.Source(name)
		require.True(t, ok, name)
		require.NotEmpty(t, text)
	}
	for _, name := range []string{"", "secret.txt", "../secret.txt", "../node_modules/pkg/other.js", "/etc/passwd", filepath.Join(o.Root, "secret.txt"), "rho:rho-ext"} {
		_, ok := b.Source(name)
		require.False(t, ok, name)
	}
	// Not even if the file is another one by now.
	pkg := filepath.Join(o.Limit, "node_modules", "pkg", "index.js")
	require.NoError(t, os.Remove(pkg))
	if err := os.Symlink(filepath.Join(o.Limit, "secret.txt"), pkg); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	_, ok := b.Source("../node_modules/pkg/index.js")
	require.False(t, ok)
}
