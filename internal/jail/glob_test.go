package jail

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnElaboratePatternIsGivenUp(t *testing.T) {
	t.Parallel()
	root, _ := place(t)
	files := map[string]string{}
	for i := range 300 {
		files["d/"+strings.Repeat("a", 200)+strconv.Itoa(i)] = ""
	}
	tree(t, root, files)
	j := open(t, root)
	hard := "**/" + strings.Repeat("*a", 15_000) + "b"
	_, more, err := j.Glob(hard, 10)
	require.NoError(t, err)
	require.True(t, more)
	_, _, err = j.Glob(strings.Repeat("*/", 400), 10)
	require.ErrorContains(t, err, "too long")
	got, more, err := j.Glob(strings.Repeat("**/", 5000)+"*7", 1000)
	require.NoError(t, err)
	require.False(t, more)
	require.Len(t, got, 30)
}
