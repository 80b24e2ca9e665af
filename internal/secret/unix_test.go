//go:build unix

package secret_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/secret"
)

func TestTheFileIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	s := secret.New(secret.Options{Dir: dir, FileOnly: true})
	_, err := s.Set(t.Context(), key("apiKey"), secret.NewValue("v"))
	require.NoError(t, err)
	path := filepath.Join(dir, secret.FileName)
	mode := func(path string) os.FileMode {
		st, err := os.Stat(path)
		require.NoError(t, err)
		return st.Mode().Perm()
	}
	require.Equal(t, os.FileMode(0o600), mode(path))
	require.Equal(t, os.FileMode(0o700), mode(dir))
	require.Equal(t, os.FileMode(0o600), mode(path+".lock"))

	for _, m := range []os.FileMode{0o640, 0o604, 0o620, 0o601, 0o666} {
		require.NoError(t, os.Chmod(path, m))
		refused(t, dir, "others may read or change it")
	}
	require.NoError(t, os.Chmod(path, 0o600))
	get(t, s, "apiKey")
	if os.Geteuid() != 0 {
		return
	}
	// The tests of this repository may run as root, who reads what others own.
	require.NoError(t, os.Chown(path, 12345, -1))
	get(t, s, "apiKey")
}

func TestNoLinkAndNoPipeIsFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := t.TempDir()
	_, err := secret.New(secret.Options{Dir: elsewhere, FileOnly: true}).Set(t.Context(), key("apiKey"), secret.NewValue("v"))
	require.NoError(t, err)
	target := filepath.Join(elsewhere, secret.FileName)

	dir := t.TempDir()
	path := filepath.Join(dir, secret.FileName)
	require.NoError(t, os.Symlink(target, path))
	refused(t, dir, "it is a symbolic link")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink(filepath.Join(dir, "nothing"), path))
	refused(t, dir, "it is a symbolic link")
	require.NoError(t, os.Remove(path))
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	refused(t, dir, "it is no regular file")
	require.NoError(t, os.Remove(path))

	s := secret.New(secret.Options{Dir: dir, FileOnly: true})
	for _, name := range []string{path + ".lock", path + ".tmp"} {
		precious := filepath.Join(elsewhere, "precious")
		require.NoError(t, os.WriteFile(precious, []byte("precious"), 0o644))
		_ = os.Remove(name)
		require.NoError(t, os.Symlink(precious, name))
		_, err := s.Set(t.Context(), key("apiKey"), secret.NewValue("v"))
		if filepath.Ext(name) == ".lock" {
			require.ErrorContains(t, err, "cannot lock it")
			require.NoError(t, os.Remove(name))
			require.NoError(t, syscall.Mkfifo(name, 0o600))
			_, err = s.Set(t.Context(), key("apiKey"), secret.NewValue("v"))
			require.ErrorContains(t, err, "it is no regular file")
			require.NoError(t, os.Remove(name))
		} else {
			require.NoError(t, err, "what is in the way of the temporary file is replaced")
		}
		data, err := os.ReadFile(precious)
		require.NoError(t, err)
		require.Equal(t, "precious", string(data))
	}
}
