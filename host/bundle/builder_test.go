package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// edit replaces a file of the project of o, relative to its top folder.
func edit(t *testing.T, o Options, name, text string) {
	t.Helper()
	path := filepath.Join(o.Limit, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func TestABuilderGivesWhatBuildGivesAfterEveryKindOfChange(t *testing.T) {
	t.Parallel()
	o := project(t, map[string]string{
		"ext/ext.ts":                    `import { a } from "./a"; import p from "pkg"; export default { a, p }`,
		"ext/a.ts":                      `export const a: number = 1`,
		"node_modules/pkg/package.json": `{"main":"m.js"}`,
		"node_modules/pkg/m.js":         `module.exports = "one"`,
	})
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(o.Limit, "node_modules/pkg/m.js"), old, old))
	var builder Builder
	var stamps Stamps
	same := func() {
		t.Helper()
		want, wantErr := Build(o)
		got, err := builder.Build(o)
		if wantErr != nil {
			require.Error(t, err)
			require.Equal(t, wantErr.(*Failures).List, err.(*Failures).List)
			require.NotEmpty(t, stamps.Of(o, err.(*Failures).Graph, true))
			return
		}
		require.NoError(t, err)
		require.Equal(t, string(want.Script), string(got.Script))
		require.Equal(t, want.Hash, got.Hash)
		require.Equal(t, want.Graph, got.Graph)
		require.NotEmpty(t, stamps.Of(o, got.Graph, false))
	}
	same()
	same()
	for _, change := range [][2]string{
		{"ext/a.ts", `export const a: string = "two"`},
		{"ext/a.ts", `export const a = `},
		{"ext/a.ts", `export const a = 3`},
		{"node_modules/pkg/m.js", `module.exports = "two"`},
		{"node_modules/pkg/m.js", `module.exports = "six"`},
		{"node_modules/pkg/package.json", `{"main":"n.js"}`},
		{"node_modules/pkg/n.js", `module.exports = "n"`},
		{"ext/a/index.ts", `export const a = "folder"`},
		{"ext/ext.ts", `import { a } from "./a/index"; export default { a }`},
		{"ext/tsconfig.json", `{"compilerOptions":{"paths":{"pkg":["./a.ts"]}}}`},
		{"ext/ext.ts", `import { a } from "pkg"; export default { a }`},
	} {
		edit(t, o, change[0], change[1])
		same()
	}
	require.True(t, builder.Trim())
	same()
}

func TestAStampChangesExactlyWhenABuildWould(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"ext/ext.ts":                    `import { a } from "./a"; import p from "pkg"; export default { a, p }`,
		"ext/a/index.ts":                `export const a = 1`,
		"ext/unused.ts":                 `export const u = 1`,
		"tsconfig.json":                 `{"extends":"./base.json"}`,
		"base.json":                     `{}`,
		"node_modules/pkg/package.json": `{"main":"m.js"}`,
		"node_modules/pkg/m.js":         `module.exports = "one"`,
	}
	for name, c := range map[string]struct {
		change  func(t *testing.T, o Options)
		changes bool
	}{
		"nothing":                              {func(*testing.T, Options) {}, false},
		"a module that is not imported":        {func(t *testing.T, o Options) { edit(t, o, "ext/unused.ts", "x") }, false},
		"a new module that nobody imports":     {func(t *testing.T, o Options) { edit(t, o, "ext/new.ts", "x") }, false},
		"a touch":                              {func(t *testing.T, o Options) { edit(t, o, "ext/a/index.ts", files["ext/a/index.ts"]) }, false},
		"a module":                             {func(t *testing.T, o Options) { edit(t, o, "ext/a/index.ts", "export const a = 2") }, true},
		"a module in place of a folder":        {func(t *testing.T, o Options) { edit(t, o, "ext/a.ts", "export const a = 2") }, true},
		"a package":                            {func(t *testing.T, o Options) { edit(t, o, "node_modules/pkg/m.js", "1") }, true},
		"the package's main":                   {func(t *testing.T, o Options) { edit(t, o, "node_modules/pkg/package.json", `{"main":"o.js"}`) }, true},
		"a nearer copy of the package":         {func(t *testing.T, o Options) { edit(t, o, "ext/node_modules/pkg/index.js", "1") }, true},
		"what the project's tsconfig is about": {func(t *testing.T, o Options) { edit(t, o, "base.json", `{"compilerOptions":{"jsx":"react"}}`) }, true},
		"a tsconfig of its own":                {func(t *testing.T, o Options) { edit(t, o, "ext/tsconfig.json", `{}`) }, true},
		"a module that is gone":                {func(t *testing.T, o Options) { require.NoError(t, os.Remove(o.Entry)) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := project(t, files)
			b, err := Build(o)
			require.NoError(t, err)
			var stamps Stamps
			before := stamps.Of(o, b.Graph, false)
			require.NotEmpty(t, before)
			c.change(t, o)
			require.Equal(t, c.changes, stamps.Of(o, b.Graph, false) != before)
		})
	}
}

func TestAStampOfAModuleThatChangedWhileItWasBuiltIsEmpty(t *testing.T) {
	t.Parallel()
	o := project(t, map[string]string{"ext/ext.ts": `export default {}`})
	b, err := Build(o)
	require.NoError(t, err)
	edit(t, o, "ext/ext.ts", `export default { a: 1 }`)
	require.Empty(t, new(Stamps).Of(o, b.Graph, false))
}

func TestABuilderServesManyAtOnce(t *testing.T) {
	t.Parallel()
	o := project(t, map[string]string{"ext/ext.ts": `import { a } from "./a"; export default { a }`, "ext/a.ts": `export const a = "` + strings.Repeat("x", 1000) + `"`})
	var builder Builder
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 5 {
				b, err := builder.Build(o)
				if err != nil || !strings.Contains(string(b.Script), "xxxx") {
					t.Error(err)
				}
				if i == 0 {
					builder.Trim()
				}
			}
		})
	}
	all.Wait()
}
