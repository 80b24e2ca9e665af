package worker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/jsapi"
)

func newBundler(t testing.TB, o Options) *Bundler {
	t.Helper()
	b, err := NewBundler(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// written lays out a project whose extension is ext/ext.ts; links are symbolic.
func written(t testing.TB, files, links map[string]string) bundle.Options {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		path := filepath.Join(top, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	for name, target := range links {
		path := filepath.Join(top, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if err := os.Symlink(target, path); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	root := filepath.Join(top, "ext")
	return bundle.Options{ID: "ext", Entry: filepath.Join(root, "ext.ts"), Root: root, Limit: top,
		Modules: jsapi.Modules(), Timeout: 20 * time.Second}
}

func single(t testing.TB, text string) bundle.Options {
	return written(t, map[string]string{"ext/ext.ts": text}, nil)
}

func failed(t testing.TB, err error) *bundle.Failures {
	t.Helper()
	var fails *bundle.Failures
	require.True(t, errors.As(err, &fails), "%v", err)
	return fails
}

// processes counts those that are left.
func (b *Bundler) processesLeft() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.all)
}

func (b *Bundler) startedSoFar() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.started
}

func TestABundlerGivesWhatBuildGives(t *testing.T) {
	t.Parallel()
	b := newBundler(t, Options{})
	pkg := func(dir string) map[string]string {
		return map[string]string{dir + "/package.json": `{"name":"pkg","main":"lib/main.js"}`, dir + "/lib/main.js": "exports.a = 'the package'"}
	}
	files := func(ext string, more ...map[string]string) map[string]string {
		m := map[string]string{"ext/ext.ts": ext}
		for _, one := range more {
			for k, v := range one {
				m[k] = v
			}
		}
		return m
	}
	const usesPkg = `import { a } from "pkg"; export default a`
	for name, c := range map[string]struct {
		files, links map[string]string
		holds        string // what the script holds; empty: it fails
	}{
		"one file":                    {files: files(`import { s } from "rho-ext"; export default { s, n: 1 as number }`), holds: "n: 1"},
		"a package beside":            {files: files(usesPkg, pkg("ext/node_modules/pkg")), holds: "the package"},
		"a package of the project":    {files: files(usesPkg, pkg("node_modules/pkg")), holds: "the package"},
		"a package of pnpm":           {files: files(usesPkg, pkg("node_modules/.pnpm/pkg@1/node_modules/pkg")), links: map[string]string{"node_modules/pkg": ".pnpm/pkg@1/node_modules/pkg"}, holds: "the package"},
		"node_modules is a link":      {files: files(usesPkg, pkg("vendor/all/pkg"), map[string]string{"vendor/package.json": `{"name":"vendor"}`}), links: map[string]string{"node_modules": "vendor/all"}, holds: "the package"},
		"a package outside":           {files: files(`import { a } from "pkg/lib/main.js"; export default a`, pkg("other/pkg")), links: map[string]string{"node_modules/pkg": "../other/pkg"}},
		"a package with bad settings": {files: files(usesPkg, map[string]string{"node_modules/pkg/package.json": "{\n  name: 1\n}", "node_modules/pkg/index.js": "exports.a = 1"})},
		"an error in a package":       {files: files(usesPkg, map[string]string{"node_modules/pkg/index.js": "exports.a = ;"})},
		"bases of settings": {files: files(`import { a } from "~/x"; export default a`, map[string]string{
			"ext/src/x.ts": "export const a = 'by path'", "ext/tsconfig.json": `{ // comment
				"extends": "../config/base" }`, "config/base.json": `{"extends": ["./more.json"]}`,
			"config/more.json": `{"compilerOptions":{"paths":{"~/*":["../ext/src/*"]}}}`}), holds: "by path"},
		"settings of the project": {files: files(`import { a } from "#a"; export default a`, map[string]string{
			"package.json": `{"imports":{"#a":"./ext/a.js"}}`, "ext/a.js": "export const a = 'by number'"}), holds: "by number"},
		"broken settings above":      {files: files(`export default 1`, map[string]string{"tsconfig.json": "{\n\"extends\": \"./gone.json\", }"}), holds: "1"},
		"no text at all":             {files: files("export default 1;\n\xff\xfe \xc3("), holds: ""},
		"a name that is odd":         {files: files(`import a from "./ü%20 #/b?"; export default a + oops(`, map[string]string{"ext/ü%20 #/b?.ts": "export default 1"})},
		"a missing file":             {files: files("import a from \"./gone\";\nexport default a")},
		"an empty one":               {files: files(`import a from "./e.json"; export default a`, map[string]string{"ext/e.json": ""})},
		"a file of the system":       {files: files(`import a from "/etc/passwd" with { type: "text" }; export default a`)},
		"a file outside, by ..":      {files: files(`import a from "../../../../../../../../../etc/passwd" with { type: "text" }; export default a`)},
		"a file of the project":      {files: files(`import a from "../secret.json"; export default a`, map[string]string{"secret.json": `"secret"`})},
		"a file by a link":           {files: files(`import a from "./x"; export default a`, map[string]string{"secret.ts": "export default 1"}), links: map[string]string{"ext/x.ts": "../secret.ts"}},
		"a file by a linked folder":  {files: files(`import a from "./x/secret"; export default a`, map[string]string{"p/secret.ts": "export default 1"}), links: map[string]string{"ext/x": "../p"}},
		"a folder of the system":     {files: files(`import a from "./x/passwd" with { type: "text" }; export default a`), links: map[string]string{"ext/x": "/etc"}},
		"by the system's node":       {files: files(`import a from "node:fs"; export default a`)},
		"settings that are a device": {files: files(`export default 1`), links: map[string]string{"package.json": os.DevNull}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := written(t, c.files, c.links)
			here, hereErr := bundle.Build(o)
			there, thereErr := b.Build(context.Background(), o)
			require.Equal(t, hereErr == nil, thereErr == nil, "%v, %v", hereErr, thereErr)
			require.Equal(t, outcome(here, hereErr), outcome(there, thereErr))
			if hereErr != nil {
				require.Empty(t, c.holds, "%v", hereErr)
				fails := failed(t, thereErr)
				for _, f := range fails.List {
					require.Equal(t, failed(t, hereErr).Path(f.Position.File), fails.Path(f.Position.File))
				}
				return
			}
			require.Contains(t, string(there.Script), c.holds)
			for _, path := range there.Inputs {
				rel, err := filepath.Rel(o.Root, path)
				require.NoError(t, err)
				text, ok := there.Source(filepath.ToSlash(rel))
				require.True(t, ok, rel)
				onDisk, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, string(onDisk), text)
			}
		})
	}
}

// outcome is comparable: no map is as good as an empty one.
func outcome(b *bundle.Bundle, err error) bundle.Outcome {
	out := bundle.OutcomeOf(b, err)
	for _, m := range []*map[string]string{&out.Sources, &out.Aliases} {
		if len(*m) == 0 {
			*m = nil
		}
	}
	return out
}

func TestABundlerWithNothingToDoEndsAndIsStartedAgain(t *testing.T) {
	t.Parallel()
	b := newBundler(t, Options{})
	b.idle = 30 * time.Millisecond
	o := single(t, "export default 1")
	for n := range 3 {
		_, err := b.Build(context.Background(), o)
		require.NoError(t, err)
		require.Equal(t, n+1, b.startedSoFar())
		require.Eventually(t, func() bool { return b.processesLeft() == 0 }, 10*time.Second, time.Millisecond)
	}
}

func TestOneProcessBuildsForAllThatAreExpected(t *testing.T) {
	t.Parallel()
	b := newBundler(t, Options{})
	var list []bundle.Options
	for range 10 {
		list = append(list, single(t, "export default 1"))
	}
	b.Expect(list...)
	buildAll(t, b, list)
	require.Equal(t, 1, b.startedSoFar())

	// One that may read less takes its place when there is less to read.
	b.Expect(list[0])
	buildAll(t, b, list[:1])
	require.Equal(t, 2, b.startedSoFar())
	require.Eventually(t, func() bool { return b.processesLeft() == 1 }, 10*time.Second, time.Millisecond)

	// What nobody has expected is built as well.
	buildAll(t, b, list[5:6])
	require.Equal(t, 3, b.startedSoFar())
}

func buildAll(t *testing.T, b *Bundler, list []bundle.Options) {
	t.Helper()
	var all sync.WaitGroup
	errs := make([]error, len(list))
	for i, o := range list {
		all.Go(func() { _, errs[i] = b.Build(context.Background(), o) })
	}
	all.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
}

func TestABuildThatNobodyWaitsForIsAFailure(t *testing.T) {
	t.Parallel()
	b := newBundler(t, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := b.Build(ctx, single(t, "export default 1"))
	require.Contains(t, failed(t, err).List[0].Message, "cancelled")

	require.NoError(t, b.Close())
	_, err = b.Build(context.Background(), single(t, "export default 1"))
	require.Contains(t, failed(t, err).List[0].Message, "closed")
	b.Expect(single(t, "export default 1"))
	_, err = b.Lockdown(context.Background())
	require.ErrorIs(t, err, ErrClosed)
	require.Zero(t, b.processesLeft())
}

func TestALargeBundleComesThrough(t *testing.T) {
	t.Parallel()
	b := newBundler(t, Options{})
	o := single(t, `export default "`+strings.Repeat("ü", 1<<20)+`"`)
	made, err := b.Build(context.Background(), o)
	require.NoError(t, err)
	require.Greater(t, len(made.Script), 2<<20)
	text, ok := made.Source("ext.ts")
	require.True(t, ok)
	require.Len(t, text, 2<<20+17)
}
