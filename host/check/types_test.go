package check

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheCompilersOutputIsRead(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "p")
	out := readCompiler("a.ts(3,12): error TS2322: Type 'string' is not assignable to type 'number'.\r\n"+
		"  The expected type comes from property 'n'\r\n"+
		"lib/b (1).ts(10,1): error TS1005: ';' expected.\n"+
		"error TS5083: Cannot read file.\n"+
		filepath.ToSlash(filepath.Join(dir, "a.ts"))+"\n"+
		filepath.ToSlash(filepath.Join(dir, "lib", "b (1).ts"))+"\n", dir)
	assert.Equal(t, []compilerFinding{
		{filepath.Join(dir, "a.ts"), 3, 12, "TS2322", "Type 'string' is not assignable to type 'number'.\n  The expected type comes from property 'n'"},
		{filepath.Join(dir, "lib", "b (1).ts"), 10, 1, "TS1005", "';' expected."},
	}, out.found)
	assert.True(t, out.has(filepath.Join(dir, "a.ts")))
	assert.False(t, out.has(filepath.Join(dir, "c.ts")))
}
