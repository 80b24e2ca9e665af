package builtin

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

func patch(t testing.TB, d *registry.Door, lines ...string) *registry.Outcome {
	t.Helper()
	return patchText(t, d, "*** Begin Patch\n"+strings.Join(lines, "\n")+"\n*** End Patch")
}

func patchText(t testing.TB, d *registry.Door, text string) *registry.Outcome {
	t.Helper()
	args, err := json.Marshal(text)
	require.NoError(t, err)
	return call(d, "apply_patch", string(args))
}

// Case 66 of the list that this tool was made by.
func TestApplyPatchCase66(t *testing.T) {
	t.Parallel()
	const text = "package p\n\nfunc a() {\n\tone()\n}\n\nfunc b() {\n\tone()\n}\n"
	files := map[string]string{"p.go": text, "old.txt": "bye\n", "quotes.txt": "say “hi” — now\n", "crlf.txt": "a\r\nb\r\n", "open.txt": "a\nb"}

	t.Run("add, delete, update and move", func(t *testing.T) {
		t.Parallel()
		d := project(t, files, nil)
		o := patch(t, d,
			"*** Add File: new/dir/f.txt", "+one", "+", "+two",
			"*** Delete File: old.txt",
			"*** Update File: p.go", "@@ func b() {", "-\tone()", "+\ttwo()", " }",
			"*** Update File: open.txt", "*** Move to: moved/open.txt", "@@", " a", "-b", "+B")
		require.False(t, o.IsError, o.Text)
		assert.Equal(t, "Success. Updated the following files:\nA new/dir/f.txt\nD old.txt\nM p.go\nM moved/open.txt (moved from open.txt)", o.Text)
		assert.Equal(t, "one\n\ntwo\n", content(t, d, "new/dir/f.txt"))
		assert.Equal(t, strings.Replace(text, "func b() {\n\tone()", "func b() {\n\ttwo()", 1), content(t, d, "p.go"))
		assert.Equal(t, "a\nB", content(t, d, "moved/open.txt"), "the end of the file stays as it was")
		for _, gone := range []string{"old.txt", "open.txt"} {
			assert.NoFileExists(t, filepath.Join(projectRoot(t, d), gone))
		}
		assert.JSONEq(t, `{"summary":"A new/dir/f.txt\nD old.txt\nM p.go\nM moved/open.txt (moved from open.txt)"}`, string(o.Structured))
	})
	t.Run("several chunks", func(t *testing.T) {
		t.Parallel()
		d := project(t, files, nil)
		o := patch(t, d, "*** Update File: p.go", " func a() {", "-\tone()", "+\tfirst()", "@@ func b() {", "@@", "-\tone()", "+\tsecond()")
		require.False(t, o.IsError, o.Text)
		assert.Equal(t, "package p\n\nfunc a() {\n\tfirst()\n}\n\nfunc b() {\n\tsecond()\n}\n", content(t, d, "p.go"))
	})
	t.Run("a context and lines that are not there", func(t *testing.T) {
		t.Parallel()
		d := project(t, files, nil)
		context := patch(t, d, "*** Update File: p.go", "@@ func c() {", "-\tone()")
		assert.Equal(t, "context_not_found", context.Failure.Code)
		assert.Contains(t, context.Text, `patch line 3: the context "func c() {" is not in `+"`p.go`")
		missing := patch(t, d, "*** Update File: p.go", "@@ func b() {", "-\tthree()")
		assert.Equal(t, "lines_not_found", missing.Failure.Code)
		assert.Contains(t, missing.Text, "these lines are not in `p.go` after line 7")
		back := patch(t, d, "*** Update File: p.go", "@@ func b() {", "-package p")
		assert.Equal(t, "lines_not_found", back.Failure.Code, "chunks go forward")
		assert.Equal(t, text, content(t, d, "p.go"))
	})
	t.Run("a heredoc around it", func(t *testing.T) {
		t.Parallel()
		d := project(t, files, nil)
		for i, wrap := range []string{"<<EOF\n%\nEOF", "<<'EOF'\n%\nEOF\n", "apply_patch <<\"PATCH\"\n%\nPATCH", "\n  \n%\n\n"} {
			body := "*** Begin Patch\n*** Add File: h" + string(rune('0'+i)) + "\n+x\n*** End Patch"
			o := patchText(t, d, strings.Replace(wrap, "%", body, 1))
			require.False(t, o.IsError, o.Text)
		}
	})
	t.Run("typographic marks", func(t *testing.T) {
		t.Parallel()
		d := project(t, files, nil)
		o := patch(t, d, "*** Update File: quotes.txt", "@@", `-say "hi" - now`, `+say "bye"`)
		require.False(t, o.IsError, o.Text)
		assert.Equal(t, "say \"bye\"\n", content(t, d, "quotes.txt"))
		assert.Contains(t, o.Text, "patch line 3 was found at line 1, but for white space, dashes and quotation marks")
	})
	t.Run("kept lines stay as they are", func(t *testing.T) {
		t.Parallel()
		d := project(t, map[string]string{"f": "  a  \nb\n\tc\n"}, nil)
		o := patch(t, d, "*** Update File: f", "@@", " a", "-b", "+B", " c")
		require.False(t, o.IsError, o.Text)
		assert.Equal(t, "  a  \nB\n\tc\n", content(t, d, "f"))
	})
	t.Run("the end of the file", func(t *testing.T) {
		t.Parallel()
		d := project(t, map[string]string{"f": "x\nmid\nx\n"}, nil)
		o := patch(t, d, "*** Update File: f", "@@", "-x", "+last", "*** End of File")
		require.False(t, o.IsError, o.Text)
		assert.Equal(t, "x\nmid\nlast\n", content(t, d, "f"))
		o = patch(t, d, "*** Update File: f", "@@", "-mid", "*** End of File")
		assert.Contains(t, o.Text, "at the end of the file")
		o = patch(t, d, "*** Update File: f", "@@ x", "+after x", "@@", "+at the end")
		require.False(t, o.IsError, o.Text)
		assert.Equal(t, "x\nafter x\nmid\nlast\nat the end\n", content(t, d, "f"))
	})
	t.Run("an empty patch", func(t *testing.T) {
		t.Parallel()
		d := project(t, files, nil)
		assert.Contains(t, patchText(t, d, "*** Begin Patch\n*** End Patch").Text, "it is empty")
	})
	t.Run("outside", func(t *testing.T) {
		t.Parallel()
		d := project(t, files, nil)
		for _, header := range []string{"*** Add File: ../x", "*** Add File: /etc/x", "*** Add File: .env", "*** Delete File: ../x", "*** Delete File: .git/config"} {
			o := patch(t, d, "*** Delete File: old.txt", header, "+x")
			assert.True(t, o.IsError, header)
		}
		o := patch(t, d, "*** Update File: p.go", "*** Move to: ../p.go", "@@", " package p", "+x")
		assert.Equal(t, registry.StatusDenied, o.Status)
		assert.Equal(t, "bye\n", content(t, d, "old.txt"), "a patch is applied whole or not at all")
	})
	t.Run("CRLF", func(t *testing.T) {
		t.Parallel()
		d := project(t, files, nil)
		o := patchText(t, d, "*** Begin Patch\r\n*** Update File: crlf.txt\r\n@@\r\n a\r\n-b\r\n+B\r\n+C\r\n*** End Patch\r\n")
		require.False(t, o.IsError, o.Text)
		assert.Equal(t, "a\r\nB\r\nC\r\n", content(t, d, "crlf.txt"))
	})
	t.Run("as an object", func(t *testing.T) {
		t.Parallel()
		d := project(t, files, nil)
		o := call(d, "apply_patch", `{"input":"*** Begin Patch\n*** Delete File: old.txt\n*** End Patch"}`)
		assert.False(t, o.IsError, o.Text)
	})
}

func TestApplyPatchFailures(t *testing.T) {
	t.Parallel()
	for want, text := range map[string]string{
		`invalid patch, line 1: the first line must be "*** Begin Patch"`:    "*** Add File: x\n+x",
		`invalid patch, line 2: the last line must be "*** End Patch"`:       "*** Begin Patch\n*** Delete File: f",
		`invalid patch, line 2: "*** Rename File: x" is no header of a file`: "*** Begin Patch\n*** Rename File: x\n*** End Patch",
		`invalid patch, line 2: the header names no file`:                    "*** Begin Patch\n*** Add File:\n+x\n*** End Patch",
		`invalid patch, line 2: the update of "f" is empty`:                  "*** Begin Patch\n*** Update File: f\n*** End Patch",
		`invalid patch, line 3: "x" is no line of a chunk`:                   "*** Begin Patch\n*** Update File: f\nx\n*** End Patch",
		`invalid patch, line 3: the chunk has no lines`:                      "*** Begin Patch\n*** Update File: f\n@@ x\n*** End Patch",
		`invalid patch, line 4: "x" is no line of a new file`:                "*** Begin Patch\n*** Add File: g\n+y\nx\n*** End Patch",
		`"f" is to be added and exists`:                                      "*** Begin Patch\n*** Add File: f\n+y\n*** End Patch",
		`file "g" does not exist`:                                            "*** Begin Patch\n*** Delete File: g\n*** End Patch",
		`"f" is to be moved to "k", which exists`:                            "*** Begin Patch\n*** Update File: f\n*** Move to: k\n*** End Patch",
		`"bin" cannot be patched: it is not text`:                            "*** Begin Patch\n*** Update File: bin\n@@\n+x\n*** End Patch",
		`is a directory`: "*** Begin Patch\n*** Delete File: dir\n*** End Patch",
	} {
		d := project(t, map[string]string{"f": "one\n", "k": "keep\n", "bin": "\x00", "dir/x": ""}, nil)
		o := patchText(t, d, text)
		assert.True(t, o.IsError)
		assert.Contains(t, o.Text, want)
		assert.Equal(t, "one\n", content(t, d, "f"))
	}
	d := project(t, map[string]string{"f": "one\n"}, nil)
	o := patch(t, d, "*** Update File: f", "*** Move to: g", "*** Add File: f", "+new", "*** Update File: g", "@@", "-one", "+two")
	require.False(t, o.IsError, o.Text)
	assert.Equal(t, "new\n", content(t, d, "f"), "later parts see what earlier ones did")
	assert.Equal(t, "two\n", content(t, d, "g"))
	put(t, d, "a.go", "package a\n\nfunc f() {\n}\n")
	o = patch(t, d, "*** Update File: a.go", "@@", " func f() {", "-}")
	assert.Contains(t, o.Text, "[warning] a.go no longer parses")
}

func TestApplyPatchPutsBackWhatItWrote(t *testing.T) {
	t.Parallel()
	d := project(t, map[string]string{"a": "one\n", "b": "two\n", "file": "three\n"}, nil)
	o := patch(t, d, "*** Update File: a", "@@", "-one", "+1", "*** Delete File: b", "*** Add File: n", "+x", "*** Add File: file/below", "+x")
	assert.True(t, o.IsError)
	assert.Contains(t, o.Text, "Nothing of the patch is left.")
	assert.Equal(t, "one\n", content(t, d, "a"))
	assert.Equal(t, "two\n", content(t, d, "b"))
	assert.Equal(t, "three\n", content(t, d, "file"))
	assert.NoFileExists(t, filepath.Join(projectRoot(t, d), "n"))
}

func FuzzPatches(f *testing.F) {
	f.Add("*** Begin Patch\n*** Update File: f\n@@ b\n-c\n+d\n*** End of File\n*** End Patch", "a\nb\nc\n")
	f.Add("<<EOF\n*** Begin Patch\n*** Add File: x\n+y\n*** End Patch\nEOF", "")
	f.Add("*** Begin Patch\n*** Update File: f\n a\n\n+x\n*** End Patch", "a\r\n\r\nb")
	f.Fuzz(func(t *testing.T, text, file string) {
		all, err := parsePatch(text)
		if err != nil {
			return
		}
		doc, err := newDocument([]byte(file))
		if err != nil {
			return
		}
		for i := range all {
			changes, _, err := patchChanges(doc, &all[i])
			if err != nil {
				continue
			}
			kept := len(doc.lines)
			for _, c := range changes {
				kept -= c.to - c.from
				kept += len(c.lines)
			}
			next, err := doc.apply(changes)
			if err != nil {
				continue
			}
			require.Len(t, next.lines, kept)
		}
	})
}
