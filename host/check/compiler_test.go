package check_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/check"
)

// compiling is a project with a program in the place of its compiler.
func compiling(t *testing.T, tsc string, files map[string]string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for a compiler is a shell script")
	}
	all := extensions(map[string]string{"example.ts": greeter("example")})
	all["tsconfig.json"] = "{}"
	for name, text := range files {
		all[name] = text
	}
	root := project(t, all)
	if tsc != "" {
		bin := filepath.Join(root, "node_modules", ".bin")
		require.NoError(t, os.MkdirAll(bin, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(bin, "tsc"), []byte("#!/bin/sh\n"+tsc), 0o755))
	}
	return root
}

const complains = `touch ran
echo ".rho/extensions/example.ts(1,8): error TS2322: Type 'string' is not assignable to type 'number'."
echo "src/app.ts(1,1): error TS1005: not an extension."
echo "$PWD/.rho/extensions/example.ts"
exit 2
`

func TestTypesAreCheckedByTheProjectsOwnCompiler(t *testing.T) {
	t.Parallel()
	root := compiling(t, complains, nil)
	o := options(t, root)
	o.Trusted = true
	r := run(t, o)
	found := of(r, "types")
	require.Len(t, found, 1, "%+v", r.Types)
	assert.Equal(t, check.Error, found[0].Severity)
	assert.Equal(t, ".rho/extensions/example.ts", found[0].File)
	assert.Equal(t, 1, found[0].Line)
	assert.Equal(t, 8, found[0].Column)
	assert.Equal(t, "Type 'string' is not assignable to type 'number'. (TS2322)", found[0].Message)
	assert.Contains(t, found[0].Frame, "> 1 |")
	assert.True(t, r.Types.Checked)
	assert.Empty(t, r.Types.Notes)
}

func TestAProjectThatIsNotTrustedRunsNoProgramOfItsOwn(t *testing.T) {
	t.Parallel()
	root := compiling(t, complains, nil)
	r := run(t, options(t, root))
	assert.False(t, r.Types.Checked)
	assert.Contains(t, strings.Join(r.Types.Notes, "\n"), "not trusted")
	assert.NoFileExists(t, filepath.Join(root, "ran"))
}

func TestACompilerThatIsAbsentOrFailsIsSaidInALine(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ tsc, note string }{
		"absent":      {"", "no tsc in node_modules: npm i -D typescript adds it"},
		"fails":       {"echo >&2 'node: not found'\nexit 127\n", "ended with 127: node: not found"},
		"not for it":  {"exit 0\n", "tsconfig.json does not include it"},
		"odd answers": {"echo 'error TS5083: Cannot read file.'\nexit 1\n", "ended with 1: error TS5083: Cannot read file."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t, compiling(t, tt.tsc, nil))
			o.Trusted = true
			r := run(t, o)
			assert.False(t, r.Types.Checked)
			require.Len(t, r.Types.Notes, 1)
			assert.Contains(t, r.Types.Notes[0], tt.note)
			assert.False(t, r.Failed(true), "%+v", r.Findings)
		})
	}
}

// TestTypesWithTypeScript runs the real compiler, where the environment says
// that there is one.
func TestTypesWithTypeScript(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("RHO_TYPESCRIPT") // a node_modules folder with typescript
	if dir == "" {
		t.Skip("RHO_TYPESCRIPT is not set")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no node")
	}
	root := project(t, extensions(map[string]string{
		"example.ts":    "const n: number = \"one\";\nexport default { name: \"x\", tools: [{ name: \"t\", description: \"Says what it is.\", risk: \"read\", execute: () => String(n) }] };\n",
		"tsconfig.json": `{ "compilerOptions": { "strict": true, "noEmit": true, "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "types": [] }, "include": ["*.ts"] }`,
	}))
	require.NoError(t, os.Symlink(dir, filepath.Join(root, "node_modules")))
	o := options(t, root)
	o.Trusted = true
	r := run(t, o)
	found := of(r, "types")
	require.Len(t, found, 1, "%+v", r)
	assert.Contains(t, found[0].Message, "TS2322")
	assert.Equal(t, 7, found[0].Column)
}
