package frame_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/frame"
)

func TestDraw(t *testing.T) {
	t.Parallel()
	text := "one\ntwo\n\tthree\r\nfour\n\n"
	require.Equal(t, "  1 | one\n  2 | two\n> 3 |  three\n    |  ^\n  4 | four", frame.Draw(text, 3, 2))
	require.Equal(t, "> 1 | one\n    | ^\n  2 | two\n  3 |  three", frame.Draw(text, 1, 1))
	for _, line := range []int{-1, 0, 7} {
		require.Empty(t, frame.Draw(text, line, 1))
	}
	require.NotContains(t, frame.Draw(text, 1, 99), "^", "a column that is not there has no mark")
	long := strings.Repeat("é", 500) + "X"
	require.Contains(t, frame.Draw(long, 1, 501), "X")
	require.Less(t, len([]rune(frame.Draw(long, 1, 1))), 400)
}
