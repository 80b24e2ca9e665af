package host_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
)

func TestSourcesAreFoundWithoutALookInside(t *testing.T) {
	t.Parallel()
	root, user := t.TempDir(), t.TempDir()
	writeFiles(t, root, map[string]string{".rho/extensions/a.ts": "throw 1", ".rho/extensions/b/index.ts": "for (;;);", ".rho/extensions/-c.ts": ""})
	writeFiles(t, user, map[string]string{"a.ts": "throw 2"})
	sources, failures, err := host.Sources(host.Options{Root: root, UserDir: user})
	require.NoError(t, err)
	require.Len(t, sources, 3)
	require.Equal(t, host.ScopeUser, sources[0].Scope)
	require.Empty(t, sources[0].ShadowedBy, "what is not trusted takes no place")
	require.Equal(t, "a", sources[1].ID)
	require.True(t, sources[1].Untrusted)
	require.Equal(t, "b", sources[2].ID)
	require.Len(t, failures, 1)
	require.Equal(t, "-c", failures[0].Extension)

	sources, _, err = host.Sources(host.Options{Root: root, UserDir: user, Trusted: true})
	require.NoError(t, err)
	require.NotEmpty(t, sources[0].ShadowedBy)

	_, _, err = host.Sources(host.Options{Root: filepath.Join(root, "nowhere"), UserDir: "-"})
	require.ErrorContains(t, err, "project root")
}
