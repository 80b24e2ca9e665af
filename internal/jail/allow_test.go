package jail

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var errNotAllowed = errors.New("not allowed")

// allowTree is a project of which out may be changed and src and out be read.
func allowTree(t *testing.T) (*Jail, string) {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{"src/deep", "out", "other"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, d), 0o755))
	}
	for _, f := range []string{"src/a", "src/deep/b", "out/c", "other/d", "top"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, f), []byte("old"), 0o644))
	}
	symlink(t, "../other/d", filepath.Join(dir, "out/link"))
	symlink(t, "../other", filepath.Join(dir, "out/dir"))
	symlink(t, "../out/c", filepath.Join(dir, "other/in"))
	dir, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	j, err := New(dir, Options{Allow: func(real string, change bool) error {
		if within(real, filepath.Join(dir, "out")) || !change && within(real, filepath.Join(dir, "src")) {
			return nil
		}
		return errNotAllowed
	}})
	require.NoError(t, err)
	t.Cleanup(func() { j.Close() })
	return j, dir
}

func symlink(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skip("no symbolic links here:", err)
	}
}

// It is the real place that counts, whatever the path looked like.
func TestAllowHasTheLastWordOnTheRealPlace(t *testing.T) {
	t.Parallel()
	read := func(path string) func(*Jail) error {
		return func(j *Jail) error { _, _, err := j.ReadFile(path, 100); return err }
	}
	write := func(path string, parents bool) func(*Jail) error {
		return func(j *Jail) error {
			_, err := j.WriteFile(path, []byte("new"), WriteOptions{Parents: parents})
			return err
		}
	}
	rename := func(from, to string) func(*Jail) error {
		return func(j *Jail) error { _, _, err := j.Rename(from, to); return err }
	}
	for about, c := range map[string]struct {
		do func(*Jail) error
		ok bool
	}{
		"read":                                     {read("src/deep/b"), true},
		"read what may be changed":                 {read("out/c"), true},
		"read elsewhere":                           {read("top"), false},
		"read through a link that leads out":       {read("out/link"), false},
		"read through a directory link":            {read("out/dir/d"), false},
		"read through a link that leads in":        {read("other/in"), true},
		"read by way of ..":                        {read("out/../other/d"), false},
		"write":                                    {write("out/new", false), true},
		"write what may only be read":              {write("src/a", false), false},
		"write through a link that leads out":      {write("out/link", false), false},
		"write a new one through a directory link": {write("out/dir/new", false), false},
		"make directories":                         {write("out/x/y/z", true), true},
		"make directories elsewhere":               {write("new/y", true), false},
		"make directories beside":                  {write("outside/y", true), false},
		"append elsewhere":                         {func(j *Jail) error { _, err := j.Append("top", nil, WriteOptions{}); return err }, false},
		"mkdir elsewhere":                          {func(j *Jail) error { _, err := j.MkdirAll("src/x/y"); return err }, false},
		"remove":                                   {func(j *Jail) error { _, err := j.Remove("out/c"); return err }, true},
		"remove a link itself":                     {func(j *Jail) error { _, err := j.Remove("out/link"); return err }, true},
		"remove elsewhere":                         {func(j *Jail) error { _, err := j.Remove("top"); return err }, false},
		"rename":                                   {rename("out/c", "out/e"), true},
		"rename out":                               {rename("out/c", "other/e"), false},
		"rename in":                                {rename("other/d", "out/d"), false},
		"list":                                     {func(j *Jail) error { _, _, _, err := j.ReadDir("src", 0); return err }, true},
		"list elsewhere":                           {func(j *Jail) error { _, _, _, err := j.ReadDir(".", 0); return err }, false},
		"stat elsewhere":                           {func(j *Jail) error { _, _, err := j.Stat("top"); return err }, false},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			j, dir := allowTree(t)
			err := c.do(j)
			if c.ok {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, errNotAllowed)
			for _, f := range []string{"src/a", "other/d", "top"} {
				data, err := os.ReadFile(filepath.Join(dir, f))
				require.NoError(t, err)
				require.Equal(t, "old", string(data))
			}
			require.NoDirExists(t, filepath.Join(dir, "new"))
			require.NoDirExists(t, filepath.Join(dir, "outside"))
		})
	}
}

func TestGlobFindsOnlyWhatIsAllowed(t *testing.T) {
	t.Parallel()
	j, _ := allowTree(t)
	found, _, err := j.Glob("src/**", 0)
	require.NoError(t, err)
	require.Equal(t, []string{"src/a", "src/deep", "src/deep/b"}, found)
	_, _, err = j.Glob("**", 0)
	require.ErrorIs(t, err, errNotAllowed)
	found, _, err = j.Glob("out/*", 0)
	require.NoError(t, err)
	require.Equal(t, []string{"out/c"}, found, "links that lead elsewhere are not found")
}

func TestProtectedPartIsTheInnermostProtectedName(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	j, err := New(dir, Options{})
	require.NoError(t, err)
	defer j.Close()
	for path, want := range map[string]string{
		"a/b": "", ".env": ".env", ".git/config": ".git", ".git/x/.env": ".git/x/.env", "k.pem/x": "", "x/k.pem": "x/k.pem", ".ENV/x": ".ENV",
	} {
		if want != "" {
			want = filepath.Join(dir, want)
		}
		require.Equal(t, want, j.ProtectedPart(filepath.Join(dir, path)), path)
	}
	require.Empty(t, j.ProtectedPart(filepath.Dir(dir)))
}
