package textdiff

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want []Change
	}{
		{"", "", nil},
		{"a b", "a b", nil},
		{"a b c", "a x c", []Change{{1, 2, 1, 2}}},
		{"a b c", "z a b c", []Change{{0, 0, 0, 1}}},
		{"a b c", "a c", []Change{{1, 2, 1, 1}}},
		{"a b c d e", "a x c y e", []Change{{1, 2, 1, 2}, {3, 4, 3, 4}}},
		{"", "a", []Change{{0, 0, 0, 1}}},
	} {
		assert.Equal(t, c.want, Lines(strings.Fields(c.a), strings.Fields(c.b)), "%q to %q", c.a, c.b)
	}
}

func TestLinesLeadFromOneTextToTheOther(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	text := func() []string {
		lines := make([]string, r.IntN(30))
		for i := range lines {
			lines[i] = string(rune('a' + r.IntN(4)))
		}
		return lines
	}
	for range 2000 {
		a, b := text(), text()
		var got []string
		at := 0
		for _, c := range Lines(a, b) {
			require.Equal(t, a[at:c.A0], b[len(got):c.B0], "what is between two changes is common")
			got = append(got, a[at:c.A0]...)
			got = append(got, b[c.B0:c.B1]...)
			require.True(t, c.A1 > c.A0 || c.B1 > c.B0)
			at = c.A1
		}
		got = append(got, a[at:]...)
		require.True(t, slices.Equal(b, got), "%v to %v gave %v", a, b, got)
	}
}
