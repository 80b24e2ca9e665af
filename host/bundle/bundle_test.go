package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
)

// project writes files below a new folder and gives options for ext/ext.ts in
// it.
func project(t *testing.T, files map[string]string) Options {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		path := filepath.Join(top, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	root := filepath.Join(top, "ext")
	return Options{ID: "ext", Entry: filepath.Join(root, "ext.ts"), Root: root, Limit: top}
}

func firstFailure(t *testing.T, o Options) wire.Failure {
	t.Helper()
	_, err := Build(o)
	fails, ok := err.(*Failures)
	require.True(t, ok, "%v", err)
	return fails.List[0]
}

func TestALinkInPlaceOfNodeModulesOpensNothingOutside(t *testing.T) {
	t.Parallel()
	o := project(t, map[string]string{
		"ext/ext.ts":               `import text from "../node_modules/secret.txt"; export default text`,
		"ext/node_modules/p/p.mjs": "export default 1",
	})
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret.txt"), []byte("hunter2"), 0o644))
	link := filepath.Join(o.Limit, "node_modules")
	if err := os.Symlink(outside, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	f := firstFailure(t, o)
	require.Equal(t, wire.StageResolve, f.Stage)
	require.Contains(t, f.Message, "outside the extension")

	// One that stays in the project is as good as a folder.
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.MkdirAll(filepath.Join(o.Limit, "vendor"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(o.Limit, "vendor", "secret.txt"), []byte("ours"), 0o644))
	require.NoError(t, os.Symlink("vendor", link))
	b, err := Build(o)
	require.NoError(t, err)
	require.Contains(t, string(b.Script), "ours")
}

func TestWhatWouldKeepTheBundlerBusyForHoursIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"a parser that tries everything twice": strings.Repeat("a ? (b) : c => ", 15) + "d" + strings.Repeat(": e", 15),
		"a search of the whole disk":           `export const f = (x) => import("` + strings.Repeat("../", 20) + `" + x + ".json")`,
	} {
		o := project(t, map[string]string{"ext/ext.ts": src})
		o.Timeout = 50 * time.Millisecond
		start := time.Now()
		f := firstFailure(t, o)
		require.Less(t, time.Since(start), 2*time.Second, name)
		require.Equal(t, wire.StageBundle, f.Stage)
		require.Equal(t, "ext.ts", f.Position.File)
		require.Contains(t, f.Message, "could not be bundled within 50ms")
	}
}

func TestOperatorsInBracketsInOperatorsAreTooDeepAsWell(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ open, shut string }{
		"operators": {strings.Repeat("!", 300) + "(", ")"},
		"branches":  {strings.Repeat("if (x) {} else ", 300) + "{", "}"},
	} {
		f := firstFailure(t, project(t, map[string]string{"ext/ext.ts": strings.Repeat(c.open, 300) + "1" + strings.Repeat(c.shut, 300)}))
		require.Contains(t, f.Message, "nested too deeply", name)
	}
	// What has come to its end does not count.
	o := project(t, map[string]string{"ext/ext.ts": "export default 1;\n" + strings.Repeat("f(a+b+c+d, [-1, !x], {y: z?.w}).g = {h: 1}\n", 5000)})
	_, err := Build(o)
	require.NoError(t, err)
}

func TestColumnsCountAsEditorsDo(t *testing.T) {
	t.Parallel()
	o := project(t, map[string]string{"ext/ext.ts": "export default 1;\r\n\tconst ä = \"öö😀\", y = = 3;"})
	f := firstFailure(t, o)
	require.Equal(t, wire.Position{File: "ext.ts", Line: 2, Column: 24}, f.Position)

	o = project(t, map[string]string{"ext/ext.ts": "export default 1;\nconst ä = \"😀\", y = " + strings.Repeat("(", 1200)})
	f = firstFailure(t, o)
	require.Equal(t, wire.Position{File: "ext.ts", Line: 2, Column: 20 + 1000}, f.Position)
}

func TestGeneratedColumnsCountBytesForTheEngine(t *testing.T) {
	t.Parallel()
	out, err := byteColumns("AAAA,IAAC,EAAE;EAAA,C;;I", "äb😀c\nab\n\nüüüüü")
	require.NoError(t, err)
	lines, ok := absolute(out)
	require.True(t, ok)
	var columns [][]int
	for _, line := range lines {
		var of []int
		for _, seg := range line {
			of = append(of, seg[0])
		}
		columns = append(columns, of)
	}
	// äb😀|c is 4 UTF-16 units and 7 bytes; what lies behind the end keeps its distance.
	require.Equal(t, [][]int{{0, 7, 9}, {2, 3}, nil, {8}}, columns)
}

func TestSettingsThatAreNoRegularFilesAreRefusedAndNotRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ext/tsconfig.json", "package.json"} {
		o := project(t, map[string]string{"ext/ext.ts": "export default 1"})
		if err := os.Symlink(os.DevNull, filepath.Join(o.Limit, name)); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
		f := firstFailure(t, o)
		require.Contains(t, f.Message, "no regular file", name)
		require.Equal(t, filepath.ToSlash(filepath.Join(o.Limit, name)), f.Position.File)
	}
}
