package check_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheExamplesThatPeopleCopyAreClean(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs(filepath.Join("..", "..", "examples", "extensions"))
	require.NoError(t, err)
	o := options(t, project(t, nil))
	o.Host.Dirs = []string{dir}
	r := run(t, o)
	assert.NotEmpty(t, r.Extensions)
	assert.False(t, r.Failed(true), "%+v", r.Findings)
}
