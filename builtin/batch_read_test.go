package builtin

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

func TestBatchRead(t *testing.T) {
	t.Parallel()
	d := project(t, map[string]string{"a": "x\n", "b": "y\nz", "empty": "", "bin": "\x00", ".env": "S"}, nil)
	o := call(d, "batch_read", `{"paths":["b","missing",".env","a","empty","bin"]}`)
	require.Equal(t, registry.StatusSuccess, o.Status, o.Text)
	blocks := strings.Split(o.Text, "\n\n")
	require.Len(t, blocks, 7)
	assert.Equal(t, "batch_read: 4/6 files read", blocks[0])
	note, file, body := framed(t, blocks[1])
	assert.Equal(t, []string{"[lines 1-2 of 2; no newline at the end]", "b"}, []string{note, file})
	assert.Equal(t, 2, strings.Count(body, "#"))
	assert.Equal(t, `[2] error: file "missing" does not exist`, blocks[2])
	assert.True(t, strings.HasPrefix(blocks[3], `[3] error: path ".env" is protected`))
	_, file, _ = framed(t, blocks[4])
	assert.Equal(t, "a", file)
	assert.Equal(t, "empty: [empty file]", blocks[5])
	assert.Equal(t, "bin: [binary file of 1 bytes (application/octet-stream), not shown]", blocks[6])
	assert.Contains(t, string(o.Structured), `{"path":"missing","error":"file \"missing\" does not exist"}`)
	assert.Contains(t, string(o.Structured), `{"path":"a","totalLines":1,"firstLine":1,"lastLine":1,"bytes":2,"encoding":"UTF-8"}`)
	assert.Len(t, o.Uses, 5)

	assert.True(t, call(d, "batch_read", `{"paths":["missing"]}`).IsError, "nothing could be read")
	for _, args := range []string{`{"paths":[]}`, `{"paths":[1]}`, `{"paths":["` + strings.Repeat(`a","`, 20) + `a"]}`, `{}`} {
		assert.Equal(t, registry.KindInvalidArgs, call(d, "batch_read", args).Failure.Kind, args)
	}
}

func TestBatchReadSharesTheBudget(t *testing.T) {
	t.Parallel()
	files := map[string]string{"small": "one\ntwo\n"}
	paths := []string{`"small"`}
	for i := range 8 {
		name := fmt.Sprintf("large%d", i)
		files[name] = strings.Repeat("a line of some length\n", 1000)
		paths = append(paths, `"`+name+`"`)
	}
	d := project(t, files, &registry.DoorOptions{TextLimit: 12_000})
	o := call(d, "batch_read", `{"paths":[`+strings.Join(paths, ",")+`]}`)
	require.False(t, o.IsError)
	assert.False(t, o.Truncated, "the tool cuts at line ends, before the door has to")
	assert.Greater(t, len(o.Text), 9_000, "the room is used")
	assert.Contains(t, o.Text, "[lines 1-2 of 2]")
	assert.Equal(t, 8, strings.Count(o.Text, "of 1000; go on with offset"))
}
