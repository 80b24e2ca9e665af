package scaffold_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/scaffold"
)

func TestNamesThatWillDo(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "word-count", "WordCount", "w_2", "con-tool", strings.Repeat("x", 40)} {
		require.NoError(t, scaffold.CheckName(name), name)
	}
}

func TestANameThatWillNotDoSaysWhyAndWhatWould(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, why, suggest string }{
		{"", "is empty", "my-tool"},
		{"-x", `begins with "-"`, "x"},
		{"_x", `begins with "_"`, "x"},
		{".x", `begins with "."`, "x"},
		{"9lives", "begins with a digit", "my-9lives"},
		{"weather.ts", "ends like a file", "weather"},
		{"a/b", "is a path", "a-b"},
		{"../../etc", "is a path", "etc"},
		{`c:\x`, "is a path", "c-x"},
		{"two words", "holds more than", "two-words"},
		{"Übergröße", "holds more than", "Ubergro-e"},
		{"天気", "holds more than", "my-tool"},
		{"x\x1b[2J", "holds more than", "x-2J"},
		{"bad\xff", "holds more than", "bad"},
		{strings.Repeat("y", 41), "has 41 characters, and 40 are the most", strings.Repeat("y", 40)},
		{"node_modules", "where packages are", "my-node_modules"},
		{"Con", "name of a device", "my-Con"},
		{"!!!", "holds more than", "my-tool"},
	} {
		err := scaffold.CheckName(tt.name)
		var wrong *scaffold.NameError
		require.ErrorAs(t, err, &wrong, tt.name)
		require.Contains(t, wrong.Why, tt.why, tt.name)
		require.Equal(t, tt.suggest, wrong.Suggest, tt.name)
		require.NoError(t, scaffold.CheckName(wrong.Suggest))
	}
}

func FuzzCheckName(f *testing.F) {
	for _, seed := range []string{"a", "..", "Ünïcödé", "x.test.ts", "-_-", "COM1", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if err := scaffold.CheckName(name); err != nil {
			require.NoError(t, scaffold.CheckName(err.(*scaffold.NameError).Suggest), name)
			return
		}
		for _, template := range scaffold.Templates {
			for _, tool := range template.Tools(name) {
				require.Regexp(t, `^[a-z][a-z0-9_]{0,63}$`, tool)
			}
		}
	})
}

func TestSnake(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"word-count": "word_count", "WordCount": "word_count", "HTTPServer": "http_server", "a--b_": "a_b", "v2Beta": "v2_beta", "x": "x",
	} {
		require.Equal(t, want, scaffold.Snake(name))
	}
}

func TestTemplatesCarryTheAuthorsNames(t *testing.T) {
	t.Parallel()
	require.Len(t, scaffold.Templates, 5)
	for _, template := range scaffold.Templates {
		found, ok := scaffold.Find(template.Name)
		require.True(t, ok)
		all := ""
		var paths []string
		for _, f := range found.Files("WordCount", "types") {
			require.NotContains(t, f.Text, "my-tool", f.Path)
			require.NotContains(t, f.Text, "my_tool", f.Path)
			paths = append(paths, f.Path)
			all += f.Text
		}
		for _, want := range []string{"README.md", "index.test.ts", "index.ts", scaffold.TypesFile, "tsconfig.json"} {
			require.Contains(t, paths, want, template.Name)
		}
		require.Contains(t, all, "rho-ext test WordCount")
		for _, tool := range found.Tools("WordCount") {
			require.Contains(t, all, `name: "`+tool+`"`)
		}
	}
	_, ok := scaffold.Find("nope")
	require.False(t, ok)
}

var files = []scaffold.File{{Path: "index.ts", Text: "x"}, {Path: "lib/a.ts", Text: "y"}}

// everything lists all that is below a folder.
func everything(t *testing.T, dir string) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		paths = append(paths, filepath.ToSlash(rel))
		return err
	}))
	return paths
}

func openRoot(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func TestWriteMakesTheWholeFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, scaffold.Write(openRoot(t, dir), ".rho/extensions", "x", files))
	require.Equal(t, []string{".", ".rho", ".rho/extensions", ".rho/extensions/x", ".rho/extensions/x/index.ts", ".rho/extensions/x/lib", ".rho/extensions/x/lib/a.ts"}, everything(t, dir))
	require.NoError(t, scaffold.Write(openRoot(t, dir), ".", "y", files))
	require.FileExists(t, filepath.Join(dir, "y", "lib", "a.ts"))
}

func TestWriteOverwritesNothingAndLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ there, named string }{
		{"e/x/index.ts", "e/x/index.ts"},
		{"e/x/lib/a.ts", "e/x/lib/a.ts"},
		{"e/x/other.md", "e/x"},
		{"e/x", "e/x"},
		{"e/x.ts", "e/x.ts"},
		{"e/x.mjs", "e/x.mjs"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(tt.there))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
		before := everything(t, dir)
		err := scaffold.Write(openRoot(t, dir), "e", "x", files)
		var exists *scaffold.ExistsError
		require.ErrorAs(t, err, &exists, tt.there)
		require.Equal(t, tt.named, exists.Path)
		require.Equal(t, before, everything(t, dir))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "mine", string(text))
	}

	// What fails on the way takes its folders along.
	dir := t.TempDir()
	require.Error(t, scaffold.Write(openRoot(t, dir), "a/b", "x", []scaffold.File{{Path: "f", Text: ""}, {Path: "f/g", Text: ""}}))
	require.Equal(t, []string{"."}, everything(t, dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	require.ErrorContains(t, scaffold.Write(openRoot(t, dir), "file/b", "x", files), "file")
}

func TestWriteDoesNotFollowLinksOutOfItsRoot(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".rho"), 0o755))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, ".rho", "extensions")))
	require.Error(t, scaffold.Write(openRoot(t, dir), ".rho/extensions", "x", files))
	require.Equal(t, []string{"."}, everything(t, outside))
	// A dangling link in the folder's place is not followed either.
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "e"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(outside, "new"), filepath.Join(dir, "e", "x")))
	var exists *scaffold.ExistsError
	require.ErrorAs(t, scaffold.Write(openRoot(t, dir), "e", "x", files), &exists)
	require.Equal(t, []string{"."}, everything(t, outside))
}
