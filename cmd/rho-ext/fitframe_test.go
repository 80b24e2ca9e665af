package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/frame"
)

func TestAFrameThatIsCutStillShowsTheColumn(t *testing.T) {
	t.Parallel()
	source := "short\n" + strings.Repeat("x", 250) + "HERE" + strings.Repeat("y", 50) + "\n" + strings.Repeat("z", 90)
	for _, column := range []int{1, 40, 90, 251, 300} {
		lines := fitted(frame.Draw(source, 2, column), 60)
		marked, mark := "", -1
		for i, line := range lines {
			require.LessOrEqual(t, len([]rune(line)), 60)
			if strings.HasSuffix(line, "^") && strings.Contains(line, "|") {
				marked, mark = lines[i-1], len([]rune(line))-1
			}
		}
		require.Positive(t, mark, "%d: %q", column, lines)
		if column == 251 {
			require.Equal(t, "HERE", string([]rune(marked)[mark:mark+4]))
		}
	}
	require.Equal(t, []string{"> 1 | ok", "    | ^"}, fitted(frame.Draw("ok", 1, 1), 60))
	require.Empty(t, fitted("", 60))
}
