package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/rho-ext/rho-ext/registry"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock")) // it ends by itself
}

// project makes a directory with files and a door to the tools in it.
func project(t testing.TB, files map[string]string, o *registry.DoorOptions) *registry.Door {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		p := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
	}
	r := registry.New()
	require.NoError(t, Register(r, Options{Root: root}))
	return registry.NewDoor(r, o)
}

func readFileCall(d *registry.Door, args string) *registry.Outcome {
	return d.Call(context.Background(), registry.Request{Tool: "read_file", Arguments: json.RawMessage(args)})
}

func TestReadFile(t *testing.T) {
	numbered := ""
	for i := 1; i <= 20; i++ {
		numbered += fmt.Sprintf("line %d\n", i)
	}
	d := project(t, map[string]string{
		"numbered":   numbered,
		"open end":   "a\nb",
		"empty":      "",
		"newline":    "\n",
		"windows":    "a\r\nb\r\n",
		"latin1":     "caf\xe9\n",
		"sub/a.txt":  "deep\n",
		"binary.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
		"late nul":   strings.Repeat("x", 9000) + "\x00\n",
	}, nil)
	for _, c := range []struct{ about, args, text, structured string }{
		{"a whole file", `{"path":"open end"}`, "a\nb", `{"path":"open end","totalLines":2,"firstLine":1,"lastLine":2,"bytes":3}`},
		{"the path's real place", `{"path":"./sub//../sub/a.txt"}`, "deep\n", `{"path":"sub/a.txt","totalLines":1,"firstLine":1,"lastLine":1,"bytes":5}`},
		{"a range", `{"path":"numbered","offset":3,"limit":2}`, "[lines 3-4 of 20; go on with offset 5]\nline 3\nline 4\n",
			`{"path":"numbered","totalLines":20,"firstLine":3,"lastLine":4,"bytes":151}`},
		{"the end", `{"path":"numbered","offset":20}`, "[lines 20-20 of 20]\nline 20\n",
			`{"path":"numbered","totalLines":20,"firstLine":20,"lastLine":20,"bytes":151}`},
		{"a limit that is not reached", `{"path":"open end","limit":1000000}`, "a\nb", ``},
		{"integers written as JSON allows", `{"path":"open end","offset":1e0,"limit":2.0}`, "a\nb", ``},
		{"numbers beyond any file", `{"path":"open end","limit":1e30}`, "a\nb", ``},
		{"an empty file", `{"path":"empty"}`, "[empty file]", `{"path":"empty","totalLines":0,"firstLine":0,"lastLine":0,"bytes":0}`},
		{"one empty line", `{"path":"newline"}`, "\n", `{"path":"newline","totalLines":1,"firstLine":1,"lastLine":1,"bytes":1}`},
		{"line ends stay", `{"path":"windows"}`, "a\r\nb\r\n", ``},
		{"bytes that are not UTF-8", `{"path":"latin1"}`, "caf\uFFFD\n", ``},
		{"a binary file is described", `{"path":"binary.png"}`, "[binary file of 16 bytes, not shown]",
			`{"path":"binary.png","totalLines":0,"firstLine":0,"lastLine":0,"bytes":16,"binary":true}`},
		{"a NUL past the first 8 KiB is text", `{"path":"late nul"}`, strings.Repeat("x", 9000) + "\x00\n", ``},
	} {
		t.Run(c.about, func(t *testing.T) {
			o := readFileCall(d, c.args)
			require.Equal(t, registry.StatusSuccess, o.Status, o.Text)
			assert.Equal(t, c.text, o.Text)
			assert.False(t, o.Truncated)
			if c.structured != "" {
				assert.JSONEq(t, c.structured, string(o.Structured))
			}
			require.Len(t, o.Uses, 1)
			assert.Equal(t, "file read default", o.Uses[0].Kind+" "+o.Uses[0].Effect+" "+o.Uses[0].Grant)
		})
	}
}

func TestReadFileFailures(t *testing.T) {
	d := project(t, map[string]string{"src/main.go": "", "src/util.go": "", ".env": "TOKEN=x", "README.md": ""}, nil)
	for _, c := range []struct {
		about, args, code, text string
		status                  registry.Status
		kind                    registry.Kind
	}{
		{"a misspelt name", `{"path":"src/mian.go"}`, "file_not_found", `file "src/mian.go" does not exist (did you mean "src/main.go"?)`, registry.StatusError, registry.KindOther},
		{"another way to write it", `{"path":"read_me.md"}`, "file_not_found", `file "read_me.md" does not exist (did you mean "README.md"?)`, registry.StatusError, registry.KindOther},
		{"nothing like it", `{"path":"zzz"}`, "file_not_found", `file "zzz" does not exist`, registry.StatusError, registry.KindOther},
		{"no such directory", `{"path":"no/zzz"}`, "file_not_found", `file "no/zzz" does not exist`, registry.StatusError, registry.KindOther},
		{"a directory", `{"path":"src"}`, "not_a_file", `path "src" is a directory, not a regular file: name a file`, registry.StatusError, registry.KindOther},
		{"outside", `{"path":"../x"}`, "path_denied", `path "../x" is outside the project root: use a path inside it, relative to the root`, registry.StatusDenied, registry.KindPermissionDenied},
		{"protected", `{"path":".env"}`, "path_denied", `path ".env" is protected: files that hold secrets or rules (.env*, private keys, .git, .rho) are not read; ask the user for what you need of it`, registry.StatusDenied, registry.KindPermissionDenied},
		{"past the end", `{"path":"src/main.go","offset":5}`, "", "[empty file]", registry.StatusSuccess, ""},
		{"no path", `{}`, "", "invalid arguments: path: required, but missing", registry.StatusError, registry.KindInvalidArgs},
		{"an empty path", `{"path":""}`, "", `invalid arguments: path: expected a string of at least 1 character, got ""`, registry.StatusError, registry.KindInvalidArgs},
		{"offset zero", `{"path":"src","offset":0}`, "", "invalid arguments: offset: expected an integer of at least 1, got 0", registry.StatusError, registry.KindInvalidArgs},
		{"an unknown argument", `{"path":"src","ofset":1}`, "", `invalid arguments: unknown argument "ofset" (known: "limit", "offset", "path")`, registry.StatusError, registry.KindInvalidArgs},
	} {
		t.Run(c.about, func(t *testing.T) {
			o := readFileCall(d, c.args)
			assert.Equal(t, c.status, o.Status)
			assert.Equal(t, c.text, o.Text)
			if c.kind == "" {
				return
			}
			assert.Equal(t, c.kind, o.Failure.Kind)
			assert.Equal(t, c.code, o.Failure.Code)
			if c.status == registry.StatusDenied {
				require.Len(t, o.Uses, 1)
				assert.True(t, o.Uses[0].Denied)
				assert.Empty(t, o.Uses[0].Grant)
			}
		})
	}
	o := readFileCall(project(t, map[string]string{"two": "a\nb\n"}, nil), `{"path":"two","offset":3}`)
	assert.Equal(t, `offset 3 is past the end of "two", which has 2 lines`, o.Text)
	assert.Equal(t, "offset_past_end", o.Failure.Code)
}

func TestReadFileKeepsWithinTheBudget(t *testing.T) {
	var b strings.Builder
	for i := 1; i <= 10_000; i++ {
		fmt.Fprintf(&b, "this is line number %d with an ü in it\n", i)
	}
	whole := b.String()
	d := project(t, map[string]string{"big": whole}, &registry.DoorOptions{TextLimit: 2000})

	var pages strings.Builder
	offset, calls := 1, 0
	for offset > 0 {
		o := readFileCall(d, fmt.Sprintf(`{"path":"big","offset":%d}`, offset))
		require.Equal(t, registry.StatusSuccess, o.Status, o.Text)
		require.False(t, o.Truncated, "the tool cuts at line ends, before the door has to")
		require.LessOrEqual(t, len(o.Text), 2000)
		header, text, _ := strings.Cut(o.Text, "\n")
		pages.WriteString(text)
		next := 0
		if _, n, ok := strings.Cut(header, "go on with offset "); ok {
			_, err := fmt.Sscan(strings.TrimSuffix(n, "]"), &next)
			require.NoError(t, err)
			require.Greater(t, next, offset)
		}
		offset = next
		calls++
	}
	assert.Equal(t, whole, pages.String(), "following the offsets gives the whole file")
	assert.Greater(t, calls, 100)
}

func TestReadFileWithLinesLongerThanTheBudget(t *testing.T) {
	long := strings.Repeat("ü", 5000)
	d := project(t, map[string]string{"f": "short\n" + long + "\nend\n", "one": long}, &registry.DoorOptions{TextLimit: 1000})
	o := readFileCall(d, `{"path":"f"}`)
	assert.Equal(t, "[lines 1-1 of 3; go on with offset 2]\nshort\n", o.Text)
	o = readFileCall(d, `{"path":"f","offset":2}`)
	assert.Equal(t, "[line 2 of 3, cut to its first 800 bytes; go on with offset 3]\n"+strings.Repeat("ü", 400), o.Text)
	o = readFileCall(d, `{"path":"f","offset":3}`)
	assert.Equal(t, "[lines 3-3 of 3]\nend\n", o.Text)
	o = readFileCall(d, `{"path":"one"}`)
	assert.Equal(t, "[line 1 of 1, cut to its first 800 bytes]\n"+strings.Repeat("ü", 400), o.Text)
}

func TestReadFileStopsWhenItsCallEnds(t *testing.T) {
	d := project(t, map[string]string{"f": "x"}, nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o := d.Call(ctx, registry.Request{Tool: "read_file", Arguments: json.RawMessage(`{"path":"f"}`)})
	assert.Equal(t, registry.KindCancelled, o.Failure.Kind)
	assert.ErrorIs(t, newLines(1, 0, 10).read(ctx, strings.NewReader("x")), context.Canceled)
}

func TestRegisterReservesNames(t *testing.T) {
	r := registry.New()
	require.NoError(t, Register(r, Options{Root: t.TempDir()}))
	for _, e := range r.Snapshot().Tools() {
		require.True(t, r.Remove(e.Name()))
	}
	var reserved *registry.ReservedError
	assert.ErrorAs(t, r.Register("ext", &readFile{}), &reserved)
	var dup *registry.DuplicateError
	require.NoError(t, Register(r, Options{}))
	assert.ErrorAs(t, Register(r, Options{}), &dup)
	assert.Error(t, Register(registry.New(), Options{Root: filepath.Join(t.TempDir(), "missing")}))
}

func TestDescriptionIsForModels(t *testing.T) {
	d := (&readFile{}).Description()
	assert.NotEmpty(t, d)
	assert.Equal(t, strings.TrimSpace(d), d)
}

func BenchmarkReadFileDeepInALargeFile(b *testing.B) {
	line := strings.Repeat("x", 79) + "\n"
	d := project(b, map[string]string{"big": strings.Repeat(line, 100_000)}, nil)
	b.SetBytes(8_000_000)
	b.ReportAllocs()
	for b.Loop() {
		if o := readFileCall(d, `{"path":"big","offset":90000,"limit":10}`); o.IsError {
			b.Fatal(o.Text)
		}
	}
}
