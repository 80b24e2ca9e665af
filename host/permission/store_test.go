package permission

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func keyFor(id string) Key {
	return Key{Scope: "project", Root: "/p", Dir: "/p/.rho/extensions", Extension: id, Hash: "h"}
}

func granted(t *testing.T, s Store, id string) []string {
	t.Helper()
	list, err := s.Grants(keyFor(id))
	require.NoError(t, err)
	var out []string
	for _, g := range list {
		out = append(out, g.String())
	}
	return out
}

var (
	netA   = Grant{KindNet, "a.test"}
	writeB = Grant{KindWrite, "b"}
)

func TestStoresGiveBackWhatWasGranted(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]Store{"file": NewFileStore(filepath.Join(t.TempDir(), "not", "yet")), "memory": &MemoryStore{}} {
		require.Empty(t, granted(t, s, "x"), name)
		require.NoError(t, s.Add(keyFor("x"), netA, writeB), name)
		require.NoError(t, s.Add(keyFor("x"), netA), name)
		require.NoError(t, s.Add(keyFor("y"), writeB), name)
		require.Equal(t, []string{"net a.test", "write b"}, granted(t, s, "x"), name)
		require.NoError(t, s.Remove(keyFor("x"), netA), name)
		require.NoError(t, s.Remove(keyFor("x"), netA, Grant{KindEnv, "NEVER"}), name)
		require.Equal(t, []string{"write b"}, granted(t, s, "x"), name)
		require.NoError(t, s.Add(keyFor("x"), netA), name)
		require.Equal(t, []string{"write b", "net a.test"}, granted(t, s, "x"), name)
		require.Equal(t, []string{"write b"}, granted(t, s, "y"), name)
		require.NoError(t, s.Add(keyFor("z")), name)
	}
}

func TestKeysAreThoseThatHoldSomething(t *testing.T) {
	t.Parallel()
	s := NewFileStore(t.TempDir())
	for _, id := range []string{"x", "y", "z"} {
		require.NoError(t, s.Add(keyFor(id), netA, writeB))
	}
	require.NoError(t, s.Remove(keyFor("y"), netA, writeB))
	require.NoError(t, s.Remove(keyFor("x"), netA))
	require.NoError(t, s.Remove(keyFor("never"), netA))
	keys, err := s.Keys()
	require.NoError(t, err)
	require.Equal(t, []Key{keyFor("x"), keyFor("z")}, keys)
}

func TestAnotherProgramsChangeIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	mine, other := NewFileStore(home), NewFileStore(home)
	for range 5 {
		require.Empty(t, granted(t, mine, "x"))
		require.NoError(t, other.Add(keyFor("x"), netA))
		require.Equal(t, []string{"net a.test"}, granted(t, mine, "x"))
		require.NoError(t, other.Remove(keyFor("x"), netA))
	}
	require.Empty(t, granted(t, mine, "x"))
	require.NoError(t, other.Add(keyFor("x"), netA))
	require.Len(t, granted(t, mine, "x"), 1)
	require.NoError(t, os.Remove(filepath.Join(home, GrantsFile)))
	require.Empty(t, granted(t, mine, "x"), "who removes the file takes all back")
}

const appenderHome = "RHO_TEST_APPENDER_HOME"

// appendForTest is what the test program does where it was started by
// TestProgramsThatAppendAtOnceLoseNothing.
func appendForTest(home string) int {
	s, id := NewFileStore(home), os.Getenv("RHO_TEST_APPENDER_ID")
	for i := range 100 {
		if err := s.Add(keyFor(id), Grant{KindEnv, fmt.Sprintf("V%d", i)}, Grant{KindWrite, strings.Repeat("x", i*20)}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

func TestProgramsThatAppendAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	home := t.TempDir()
	var running []*exec.Cmd
	for i := range 3 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), appenderHome+"="+home, fmt.Sprintf("RHO_TEST_APPENDER_ID=x%d", i))
		cmd.Stderr = &bytes.Buffer{}
		require.NoError(t, cmd.Start())
		running = append(running, cmd)
	}
	for _, cmd := range running {
		require.NoError(t, cmd.Wait(), "%s", cmd.Stderr)
	}
	s := NewFileStore(home)
	for i := range 3 {
		require.Len(t, granted(t, s, fmt.Sprintf("x%d", i)), 200)
	}
}

func TestWhatJSONCannotHoldIsNotKept(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := NewFileStore(home)
	require.ErrorContains(t, s.Add(keyFor("x"), netA, Grant{KindRead, "a\xff"}), "not valid UTF-8")
	require.Empty(t, granted(t, s, "x"), "all or nothing")
	require.ErrorContains(t, NewTrust(home).Set("/p/\xff", true), "not valid UTF-8")
	trusted, _, err := NewTrust(home).Trusted("/p/\ufffd")
	require.NoError(t, err)
	require.False(t, trusted)
}

func TestWithoutAPlaceNothingIsKept(t *testing.T) {
	t.Parallel()
	s := NewFileStore("")
	require.Empty(t, granted(t, s, "x"))
	require.ErrorContains(t, s.Add(keyFor("x"), netA), "set RHO_HOME")
	trust := NewTrust("")
	trusted, asked, err := trust.Trusted("/p")
	require.NoError(t, err)
	require.False(t, trusted || asked)
	require.ErrorContains(t, trust.Set("/p", true), "set RHO_HOME")

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.ErrorContains(t, NewFileStore(file).Add(keyFor("x"), netA), file)
	require.ErrorContains(t, NewTrust(filepath.Join(file, "below")).Set("/p", true), file)
}

func TestFilesAreTheirOwnersAlone(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	require.NoError(t, NewFileStore(home).Add(keyFor("x"), netA))
	require.NoError(t, NewTrust(home).Set("/p", true))
	for path, want := range map[string]os.FileMode{home: 0o700, filepath.Join(home, GrantsFile): 0o600, filepath.Join(home, TrustFile): 0o600} {
		st, err := os.Stat(path)
		require.NoError(t, err)
		if onlyOwners {
			require.Equal(t, want, st.Mode().Perm(), path)
		}
	}
}
