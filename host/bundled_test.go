package host

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/wire"
)

// written is a project with files in it.
func written(t *testing.T, files map[string]string) Options {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return Options{Root: root, UserDir: "-"}
}

func TestABundleIsMadeOfWhatIsNotTrustedAndNothingOfItRuns(t *testing.T) {
	t.Parallel()
	const src = `throw new Error("it ran"); export default { name: "x" }`
	for _, isolation := range []Isolation{Process, InProcess} {
		t.Run(isolation.String(), func(t *testing.T) {
			t.Parallel()
			o := written(t, map[string]string{
				".rho/extensions/one.ts": src, ".rho/extensions/two/mod.ts": src, "lib/other.ts": src, "lib/dir/index.ts": src,
			})
			o.Isolation = isolation
			for name, id := range map[string]string{
				"one": "one", "two": "two",
				filepath.Join(o.Root, ".rho/extensions/one.ts"): "one", filepath.Join(o.Root, ".rho/extensions/two"): "two",
				filepath.Join(o.Root, "lib/other.ts"): "other", filepath.Join(o.Root, "lib/dir"): "dir",
			} {
				b, failures, err := Bundle(t.Context(), o, name)
				require.NoError(t, err, name)
				require.Empty(t, failures, name)
				require.Equal(t, id, b.Extension)
				require.Contains(t, string(b.Script), "it ran")
				require.Positive(t, b.Parsed, name)
				require.Len(t, b.Analysis.Inputs, 1)
			}
		})
	}
}

func TestWhatCannotBeBundledSaysWhy(t *testing.T) {
	t.Parallel()
	o := written(t, map[string]string{
		".rho/extensions/bad.ts": "export default {", ".rho/extensions/dir/package.json": "{", "lib/text.txt": "x", "lib/empty/x.ts": "",
	})
	o.Isolation = InProcess
	for name, want := range map[string]struct {
		stage wire.Stage
		part  string
	}{
		"bad":                                 {wire.StageBundle, "found end of file"},
		"dir":                                 {wire.StageDiscover, "package.json is no JSON"},
		filepath.Join(o.Root, "lib/text.txt"): {wire.StageDiscover, `ending ".txt"`},
		filepath.Join(o.Root, "lib/empty"):    {wire.StageDiscover, "the folder is no extension"},
	} {
		b, failures, err := Bundle(t.Context(), o, name)
		require.NoError(t, err, name)
		require.Nil(t, b)
		require.Len(t, failures, 1, name)
		require.Equal(t, want.stage, failures[0].Stage)
		require.Contains(t, failures[0].Error(), want.part)
	}
	_, _, err := Bundle(t.Context(), o, "bat")
	var none *NoExtensionError
	require.ErrorAs(t, err, &none)
	require.Equal(t, []string{"bad"}, none.Close)
	_, _, err = Bundle(t.Context(), o, filepath.Join(o.Root, "nowhere.ts"))
	require.ErrorAs(t, err, &none)
}
