package worker

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/bundle"
)

// The main module of a package that may not be read is not known there.
func TestAPackageThatLeadsOutsideIsRefusedInBothModes(t *testing.T) {
	t.Parallel()
	b := newBundler(t, Options{})
	for name, links := range map[string]map[string]string{
		"in the project":     {"node_modules/pkg": "../other/pkg"},
		"out of the project": {"node_modules/pkg": t.TempDir()},
	} {
		o := written(t, map[string]string{"ext/ext.ts": "\n" + `import { a } from "pkg"; export default a`,
			"other/pkg/package.json": `{"main":"lib/main.js"}`, "other/pkg/lib/main.js": "exports.a = 1"}, links)
		if target := links["node_modules/pkg"]; filepath.IsAbs(target) {
			require.NoError(t, os.WriteFile(filepath.Join(target, "package.json"), []byte(`{"main":"m.js"}`), 0o644))
			require.NoError(t, os.WriteFile(filepath.Join(target, "m.js"), []byte(`exports.a = 1`), 0o644))
		}
		_, hereErr := bundle.Build(o)
		_, thereErr := b.Build(context.Background(), o)
		here, there := failed(t, hereErr).List, failed(t, thereErr).List
		require.Len(t, here, 1, name)
		require.Len(t, there, 1, name)
		require.Equal(t, here[0].Position, there[0].Position, name)
		require.Equal(t, here[0].Hint, there[0].Hint, name)
		require.Equal(t, here[0].Stage, there[0].Stage, name)
		require.Contains(t, here[0].Message, "is outside the extension", name)
		require.Contains(t, there[0].Message, "is outside the extension", name)
	}
}

// What is replaced under its name is another file to the kernel.
func TestABundlerReadsWhatCameLater(t *testing.T) {
	t.Parallel()
	b := newBundler(t, Options{})
	o := written(t, map[string]string{"ext/ext.ts": `import { a } from "pkg"; export default a`, "package.json": "{}"}, nil)
	_, err := b.Build(context.Background(), o)
	require.Contains(t, err.Error(), `cannot find "pkg"`)

	// npm install; an editor that saves by renaming.
	install := func(text string) {
		require.NoError(t, os.RemoveAll(filepath.Join(o.Limit, "node_modules")))
		require.NoError(t, os.MkdirAll(filepath.Join(o.Limit, "node_modules", "pkg"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(o.Limit, "node_modules", "pkg", "index.js"), []byte("exports.a = "+text), 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(o.Limit, "new"), []byte(`{ "name": `+text+` }`), 0o644))
		require.NoError(t, os.Rename(filepath.Join(o.Limit, "new"), filepath.Join(o.Limit, "package.json")))
	}
	for _, text := range []string{`"first"`, `"second"`} {
		install(text)
		made, err := b.Build(context.Background(), o)
		require.NoError(t, err)
		require.Contains(t, string(made.Script), text)
	}
	require.NoError(t, os.RemoveAll(o.Root))
	require.NoError(t, os.MkdirAll(o.Root, 0o755))
	require.NoError(t, os.WriteFile(o.Entry, []byte("export default 'anew'"), 0o644))
	made, err := b.Build(context.Background(), o)
	require.NoError(t, err)
	require.Contains(t, string(made.Script), "anew")
}
