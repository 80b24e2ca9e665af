package check_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/check"
)

// greeter is an extension with one tool, and nothing to say against it.
func greeter(tool string) string {
	return `export default { name: "Greeter", tools: [{ name: "` + tool + `", description: "Says hello to everybody.", risk: "read", execute: () => "hello" }] };` + "\n"
}

func TestAPathLimitsTheReportAndNotWhatClashes(t *testing.T) {
	t.Parallel()
	root := project(t, map[string]string{
		".rho/extensions/a.ts":       greeter("same"),
		".rho/extensions/b.ts":       greeter("same"),
		".rho/extensions/c/mod.ts":   "import { x } from \"./x\";\n" + greeter("other") + "x;\n",
		".rho/extensions/c/x.ts":     "export const x = 1;\n",
		"tools/d.ts":                 greeter("fourth"),
		"tools/e.ts":                 greeter("same"),
		"src/notes.txt":              "nothing",
		"src/alone.ts":               greeter("alone"),
		"src/app.ts":                 "throw new Error(\"this is no extension\");\n",
		"outside/.rho/.keep":         "",
		"outside/lone.ts":            greeter("lone"),
		"empty/.keep":                "",
		".rho/extensions/broken.ts":  "export default {",
		".rho/extensions/_helper.ts": "export {};\n",
	})
	for _, tt := range []struct {
		path  string
		ids   []string
		rules []string // but for no-test
	}{
		{"", []string{"a", "b", "broken", "c"}, []string{"tool-clash", "tool-clash", "load-bundle"}},
		{"a", []string{"a"}, []string{"tool-clash"}},
		{".rho/extensions/a.ts", []string{"a"}, []string{"tool-clash"}},
		{".rho/extensions/c", []string{"c"}, nil},
		{".rho/extensions/c/mod.ts", []string{"c"}, nil},
		{".rho/extensions", []string{"a", "b", "broken", "c"}, []string{"tool-clash", "tool-clash", "load-bundle"}},
		{".", []string{"a", "b", "broken", "c"}, []string{"tool-clash", "tool-clash", "load-bundle"}},
		{"tools", []string{"d", "e"}, []string{"tool-clash"}},
		{"tools/d.ts", []string{"d"}, nil},
		{"src/alone.ts", []string{"alone"}, nil},
		{"broken", []string{"broken"}, []string{"load-bundle"}},
	} {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			o := options(t, root)
			if o.Path = tt.path; tt.path != "" && tt.path != "a" && tt.path != "broken" {
				o.Path = filepath.Join(root, filepath.FromSlash(tt.path))
			}
			r := run(t, o)
			var ids, rules []string
			for _, e := range r.Extensions {
				ids = append(ids, e.ID)
			}
			for _, f := range r.Findings {
				if f.Rule != "no-test" {
					rules = append(rules, f.Rule)
				}
			}
			assert.Equal(t, tt.ids, ids)
			assert.Equal(t, tt.rules, rules)
		})
	}
	for _, path := range []string{"nowhere", "src/nowhere.ts", "src/notes.txt", "empty", ".rho/extensions/_helper.ts", "..", "../x.ts"} {
		t.Run("nothing at "+path, func(t *testing.T) {
			t.Parallel()
			o := options(t, root)
			if o.Path = path; path != "nowhere" {
				o.Path = filepath.Join(root, filepath.FromSlash(path))
			}
			_, err := check.Run(context.Background(), o)
			var nothing *check.PathError
			require.ErrorAs(t, err, &nothing)
		})
	}
}

func TestAProjectNeedNotBeTrustedAndGetsNothing(t *testing.T) {
	t.Parallel()
	root := project(t, extensions(map[string]string{
		"example.ts": `import { defineExtension } from "rho-ext";

export default defineExtension({
  name: "Example",
  permissions: { env: ["HOME"], write: ["."] },
  hooks: {
    async onLoad(_event, { state, log }) {
      await state.set("here", true);
      log.info("loaded");
    },
  },
  tools: [
    {
      name: "example",
      description: "Writes what it found while it loaded.",
      risk: "write",
      async execute(_args, { fs }) {
        await fs.write("ran.txt", String(process.env.HOME));
        return "ran";
      },
    },
  ],
});
`,
	}))
	r := run(t, options(t, root))
	assert.False(t, r.Failed(true), "%+v", r.Findings)
	assert.NoFileExists(t, filepath.Join(root, "ran.txt"), "no tool is run")
}
