package permission

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTrustIsOfOneProject(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	trust, other := NewTrust(home), NewTrust(home)
	state := func(root string) [2]bool {
		trusted, asked, err := trust.Trusted(root)
		require.NoError(t, err)
		return [2]bool{trusted, asked}
	}
	require.Equal(t, [2]bool{false, false}, state("/p"))
	require.NoError(t, other.Set("/p", true))
	require.NoError(t, other.Set("/b", true))
	require.NoError(t, other.Set("/never", false))
	require.Equal(t, [2]bool{true, true}, state("/p"), "another program's answer is seen at once")
	for _, near := range []string{"/", "/P", "/p/", "/p/sub", "/pp", "", "/p/../p"} {
		require.Equal(t, [2]bool{false, false}, state(near), near)
	}
	require.Equal(t, [2]bool{false, true}, state("/never"))
	roots, err := trust.Roots()
	require.NoError(t, err)
	require.Equal(t, []string{"/b", "/p"}, roots)
	require.NoError(t, other.Set("/p", false))
	require.Equal(t, [2]bool{false, true}, state("/p"))
	require.NoError(t, other.Set("/p", true))
	require.Equal(t, [2]bool{true, true}, state("/p"))
	require.NoError(t, trust.Set("", true))
	require.Equal(t, [2]bool{false, false}, state(""), "no project is none that can be trusted")
}
