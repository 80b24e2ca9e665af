package dirs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/dirs"
)

func TestHome(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	t.Setenv("USERPROFILE", "/home/me")
	t.Setenv(dirs.HomeVariable, "")
	require.Equal(t, filepath.Join("/home/me", ".rho"), dirs.Home())
	t.Setenv(dirs.HomeVariable, "/elsewhere")
	require.Equal(t, "/elsewhere", dirs.Home())
	t.Setenv(dirs.HomeVariable, "")
	t.Setenv("HOME", "")
	t.Setenv("USERPROFILE", "")
	require.Empty(t, dirs.Home())
}

func TestProjectsDoNotShareAFolder(t *testing.T) {
	t.Parallel()
	a, b := dirs.Project("/h", "/a"), dirs.Project("/h", "/b")
	require.NotEqual(t, a, b)
	require.Equal(t, a, dirs.Project("/h", "/a"))
	require.Equal(t, filepath.Join("/h", "projects"), filepath.Dir(a))
}

func TestWritable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, dirs.Writable(filepath.Join(dir, "not", "yet", "there")))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Error(t, dirs.Writable(file))
	require.Error(t, dirs.Writable(filepath.Join(file, "below")))
}
