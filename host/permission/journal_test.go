package permission

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// onlyOwners says that files have a mode that keeps others away.
const onlyOwners = runtime.GOOS != "windows"

// Both files are journals; what holds of one holds of the other.
func eachJournal(t *testing.T, test func(t *testing.T, path string, add func() error, holds func() (bool, error))) {
	for _, name := range []string{GrantsFile, TrustFile} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := realDir(t)
			grants, trust := NewFileStore(home), NewTrust(home)
			if name == TrustFile {
				test(t, filepath.Join(home, name), func() error { return trust.Set("/p", true) }, func() (bool, error) {
					trusted, _, err := trust.Trusted("/p")
					return trusted, err
				})
				return
			}
			test(t, filepath.Join(home, name), func() error { return grants.Add(keyFor("x"), netA) }, func() (bool, error) {
				list, err := grants.Grants(keyFor("x"))
				return len(list) == 1, err
			})
		})
	}
}

func TestHalfALineLeftByAKillCostsNothingElse(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, path string, add func() error, holds func() (bool, error)) {
		require.NoError(t, os.WriteFile(path, []byte(`{"scope":"project","ro`), 0o600))
		yes, err := holds()
		require.False(t, yes)
		require.ErrorContains(t, err, path+":1 cannot be read and has no effect")
		require.NoError(t, add())
		yes, err = holds()
		require.True(t, yes, "the new line is one of its own")
		require.ErrorContains(t, err, path+":1 ")
	})
}

func TestABrokenLineIsToldAndTheOthersHold(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, path string, add func() error, holds func() (bool, error)) {
		require.NoError(t, add())
		good, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, bad := range []string{"nonsense", "{", "[]", `"text"`, `{"root":7}`, "\x00\x00", strings.Repeat("x", 1<<20)} {
			require.NoError(t, os.WriteFile(path, []byte(bad+"\n\n"+string(good)), 0o600))
			yes, err := holds()
			require.True(t, yes, "%.20s", bad)
			require.ErrorContains(t, err, path+":1 cannot be read", "%.20s", bad)
			require.Less(t, len(err.Error()), 500)
		}
		require.NoError(t, os.WriteFile(path, append([]byte("{}\n"), good...), 0o600))
		yes, err := holds()
		require.True(t, yes)
		require.NoError(t, err, "an entry of a later version says nothing to this one")
	})
}

func TestWhatOthersCouldHaveWrittenDoesNotCount(t *testing.T) {
	t.Parallel()
	if !onlyOwners {
		t.Skip("files have no such mode here")
	}
	eachJournal(t, func(t *testing.T, path string, add func() error, holds func() (bool, error)) {
		require.NoError(t, add())
		for _, mode := range []os.FileMode{0o666, 0o620, 0o602} {
			require.NoError(t, os.Chmod(path, mode))
			yes, err := holds()
			require.False(t, yes)
			require.ErrorContains(t, err, "can be written by others")
			require.ErrorContains(t, err, "chmod 600")
			require.ErrorContains(t, add(), "can be written by others")
			require.NoError(t, os.Chmod(path, 0o644))
			yes, err = holds()
			require.NoError(t, err, "it was put right")
			require.True(t, yes)
		}
	})
}

func TestWhatIsNoFileInItsPlaceIsRefused(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, path string, add func() error, holds func() (bool, error)) {
		require.NoError(t, add())
		elsewhere := filepath.Join(filepath.Dir(path), "elsewhere")
		require.NoError(t, os.Rename(path, elsewhere))
		for name, put := range map[string]func() error{
			"a directory": func() error { return os.Mkdir(path, 0o700) },
			"a link":      func() error { return os.Symlink(elsewhere, path) },
			"a dead link": func() error { return os.Symlink(path+".none", path) },
			"a pipe":      func() error { return mkfifo(path) },
		} {
			if err := put(); err != nil {
				t.Log("not here: ", err)
				continue
			}
			yes, err := holds()
			require.False(t, yes, name)
			require.ErrorContains(t, err, "is no regular file", name)
			require.ErrorContains(t, add(), "is no regular file", name)
			require.NoError(t, os.Remove(path))
		}
		require.NoFileExists(t, path+".none")
	})
}

func TestAHugeFileIsNotReadWhole(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, path string, add func() error, holds func() (bool, error)) {
		require.NoError(t, add())
		require.NoError(t, os.Truncate(path, maxJournal+1))
		yes, err := holds()
		require.False(t, yes)
		require.ErrorContains(t, err, "is larger than 16 MiB")
	})
}
