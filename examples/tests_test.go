package examples_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/exttest"
)

// The examples' own tests pass, as rho-ext test --extensions examples/extensions
// runs them, and keep their snapshots.
func TestTheTestsOfTheExamplesPass(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	o := exttest.Options{Root: root, UserDir: "-", Dirs: []string{filepath.Join(root, "examples", "extensions")}, Frozen: true, Isolation: host.InProcess}
	files, failures, err := exttest.Find(o)
	require.NoError(t, err)
	require.Empty(t, failures)
	require.GreaterOrEqual(t, len(files), 5)
	r, err := exttest.New(o)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	rep, err := r.Run(t.Context(), files, exttest.Watcher{})
	require.NoError(t, err)
	for _, f := range rep.Files {
		require.False(t, f.Failed(), "%+v", f)
	}
}
