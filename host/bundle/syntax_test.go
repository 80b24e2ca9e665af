package bundle

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSyntax(t *testing.T) {
	t.Parallel()
	s := &Syntax{}
	for name, text := range map[string]string{
		"a.ts": "const x: number = 1;\nexport type T<A> = A extends infer B ? B : never;\n", "a.js": "export const x = await import('y');\n",
		"a.tsx": "export const x = <p>{1}</p>;\n", "a.JSX": "export const x = <p/>;\n", "a.cts": "import x = require('y'); x;\n",
		"a.py": "def f(: not a language of ours", "deep.js": strings.Repeat("(", 5000), "long.js": strings.Repeat("x;", maxSyntax),
		"slow.ts": strings.Repeat("a ? (b) : c => ", 60) + "(", "unary.js": strings.Repeat("!", 100_000) + "x",
	} {
		assert.Nil(t, s.Check(name, []byte(text)), name)
	}
	for name, c := range map[string]struct {
		text string
		want SyntaxError
	}{
		"a.ts":  {"const x = 1;\nif (x) {\n", SyntaxError{3, 1, "Unexpected end of file"}},
		"b.js":  {"const x: number = 1;\n", SyntaxError{1, 8, `Expected ";" but found ":"`}},
		"c.tsx": {"const x = <p>;\n", SyntaxError{2, 1, ""}},
	} {
		got := s.Check(name, []byte(c.text))
		if assert.NotNil(t, got, name) {
			assert.Equal(t, c.want.Line, got.Line, got.Message)
			if c.want.Message != "" {
				assert.Equal(t, c.want, *got)
			}
		}
	}
	assert.False(t, s.spent.Load())
	for _, ending := range SyntaxEndings() {
		assert.NotNil(t, s.Check("x"+ending, []byte("let = = ;")), ending)
	}
}
