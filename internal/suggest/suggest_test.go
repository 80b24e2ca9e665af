package suggest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNames(t *testing.T) {
	tools := []string{"read_file", "write_file", "search", "grep", "fetch", "path", "query"}
	for _, c := range []struct {
		about, name string
		want        []string
	}{
		{"a swap", "serach", []string{"search"}},
		{"another way to write it", "readFile", []string{"read_file"}},
		{"a letter too few", "qury", []string{"query"}},
		{"a letter too many in a short name", "greep", []string{"grep"}},
		{"the name itself is no suggestion", "grep", []string{}},
		{"nothing like it", "teleport", []string{}},
		{"empty", "", []string{}},
	} {
		t.Run(c.about, func(t *testing.T) {
			assert.Equal(t, c.want, Names(c.name, tools, 3))
		})
	}
	assert.Equal(t, []string{"tool_a", "tool_b", "tool_c"},
		Names("tool_x", []string{"tool_a", "tool_b", "tool_c", "tool_d"}, 3), "at most max, in order")
	assert.Empty(t, Names(string(make([]byte, 1e6)), tools, 3))
}

func TestHint(t *testing.T) {
	assert.Equal(t, "", Hint())
	assert.Equal(t, ` (did you mean "a"?)`, Hint(`"a"`))
	assert.Equal(t, ` (did you mean "a", "b" or "c"?)`, Hint(`"a"`, `"b"`, `"c"`))
}
