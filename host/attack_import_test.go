package host_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An import is read when the extension is bundled, and nobody is asked about it.
func TestAnImportBringsNothingInThatWouldHaveToBeGranted(t *testing.T) {
	t.Parallel()
	outside, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	writeFiles(t, outside, map[string]string{"s.txt": "SECRET", "s.json": `"SECRET"`})
	for about, code := range map[string]string{
		"a file of variables as text":  `import x from "./.env" with { type: "text" };`,
		"one of some stage":            `import x from "./.env.production" with { type: "text" };`,
		"a key":                        `import x from "./server.key" with { type: "text" };`,
		"a key by its name":            `import x from "./id_rsa" with { type: "text" };`,
		"in capitals":                  `import x from "./SERVER.PEM" with { type: "text" };`,
		"through a link":               `import x from "./innocent.txt";`,
		"in a folder":                  `import x from "./.git/config" with { type: "text" };`,
		"a file outside":               `import x from "` + outside + `/s.txt";`,
		"by way of ..":                 `import x from "../../../s.txt";`,
		"by a link that leads out":     `import x from "./out.txt";`,
		"by a linked folder":           `import x from "./dir/s.json";`,
		"by a URL":                     `import x from "file://` + outside + `/s.txt";`,
		"by data":                      `import x from "data:text/plain,SECRET";`,
		"the project's own files":      `import x from "../../secret.txt";`,
		"another extension's":          `import x from "../y/state.json";`,
		"by a path of tsconfig":        `import x from "@up/s.txt";`,
		"by a package that is a link":  `import x from "leaks/s.json";`,
		"what the process has open":    `import x from "/proc/self/environ" with { type: "text" };`,
		"by require":                   `const x = require("` + outside + `/s.json");`,
		"by require where it may fail": `let x = ""; try { x = require("` + outside + `/s.json") } catch {}`,
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			root, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			dir := filepath.Join(root, ".rho", "extensions", "x")
			writeFiles(t, root, map[string]string{"secret.txt": "SECRET", ".rho/extensions/y/state.json": `"SECRET"`})
			writeFiles(t, dir, map[string]string{
				".env": "SECRET", ".env.production": "SECRET", "server.key": "SECRET", "id_rsa": "SECRET", "SERVER.PEM": "SECRET", ".git/config": "SECRET",
				"tsconfig.json": `{"compilerOptions":{"paths":{"@up/*":["../../../*", "` + outside + `/*"]}}}`,
				"mod.ts":        code + `export default { name: "x", tools: [{ name: "t", description: "d", risk: "read", execute: () => "" + x }] }`,
			})
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "node_modules"), 0o755))
			for link, target := range map[string]string{"innocent.txt": ".env", "out.txt": outside + "/s.txt", "dir": outside, "node_modules/leaks": outside} {
				if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
					t.Skip("no symbolic links here: ", err)
				}
			}
			p := openProject(t, root)
			assert.NotEmpty(t, p.host.Failures())
			assert.NotContains(t, p.call("t", "{}").Text, "SECRET")
			for _, f := range p.host.Failures() {
				assert.NotContains(t, f.Error()+f.Frame+f.Hint, "SECRET\n")
			}
		})
	}
}
