package builtin

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/hashline"
	"github.com/rho-ext/rho-ext/registry"
)

// content is what a file of the project holds.
func content(t testing.TB, d *registry.Door, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(projectRoot(t, d), filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(data)
}

func put(t testing.TB, d *registry.Door, name, text string) {
	t.Helper()
	p := filepath.Join(projectRoot(t, d), filepath.FromSlash(name))
	require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
	past := time.Now().Add(-time.Minute) // so that its time tells it from what we write
	require.NoError(t, os.Chtimes(p, past, past))
}

// anchor is the anchor of a line, from 1, of a text.
func anchor(text string, n int) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	return fmt.Sprintf("%d#%s", n, hashline.Hash(lines[n-1], n))
}

// op writes an edit by anchor; a nil lines is none.
func op(kind, pos, end string, lines []string) map[string]any {
	e := map[string]any{"op": kind}
	if pos != "" {
		e["pos"] = pos
	}
	if end != "" {
		e["end"] = end
	}
	if lines != nil {
		e["lines"] = lines
	}
	return e
}

func swap(old, now string) map[string]any { return map[string]any{"old_text": old, "new_text": now} }

func editArgs(t testing.TB, path string, edits ...map[string]any) string {
	t.Helper()
	args, err := json.Marshal(map[string]any{"path": path, "edits": edits})
	require.NoError(t, err)
	return string(args)
}

func TestEditFile(t *testing.T) {
	t.Parallel()
	const text = "one\ntwo\nthree\n\n}\nsix\n"
	a := func(n int) string { return anchor(text, n) }
	for _, c := range []struct {
		about       string
		before      string
		edits       []map[string]any
		after, head string
	}{
		{"a line", text, []map[string]any{op("replace", a(2), "", []string{"TWO"})}, "one\nTWO\nthree\n\n}\nsix\n", "applied 1 hashline edit(s) to f"},
		{"a range", text, []map[string]any{op("replace", a(2), a(5), []string{"x", "y"})}, "one\nx\ny\nsix\n", ""},
		{"a range, by copied lines", text, []map[string]any{op("replace", a(2)+":two", " "+a(3)+":three", []string{"x"})}, "one\nx\n\n}\nsix\n", ""},
		{"replace by nothing", text, []map[string]any{op("replace", a(2), "", []string{})}, "one\nthree\n\n}\nsix\n", ""},
		{"replace by an empty line", text, []map[string]any{op("replace", a(2), "", []string{""})}, "one\n\nthree\n\n}\nsix\n", ""},
		{"append", text, []map[string]any{op("append", a(6), "", []string{"seven"})}, text + "seven\n", ""},
		{"prepend", text, []map[string]any{op("prepend", a(1), "", []string{"zero"})}, "zero\n" + text, ""},
		{"at the ends", text, []map[string]any{op("append", "", "", []string{"Z"}), op("prepend", "", "", []string{"A"})}, "A\n" + text + "Z\n", "applied 2 hashline edit(s) to f"},
		{"delete", text, []map[string]any{op("delete", a(4), a(5), nil)}, "one\ntwo\nthree\nsix\n", ""},
		{"delete all", text, []map[string]any{op("delete", a(1), a(6), nil)}, "", ""},
		{"several, by the numbers before them", text, []map[string]any{op("append", a(1), "", []string{"i", "j"}), op("delete", a(3), "", nil), op("replace", a(6), "", []string{"VI"})}, "one\ni\nj\ntwo\n\n}\nVI\n", ""},
		{"around one place", text, []map[string]any{op("replace", a(2), "", []string{"T"}), op("append", a(1), "", []string{"after one"}), op("prepend", a(2), "", []string{"before two"}), op("append", a(2), "", []string{"after two"})},
			"one\nafter one\nbefore two\nT\nafter two\nthree\n\n}\nsix\n", ""},
		{"a line with a line break in it", text, []map[string]any{op("replace", a(2), "", []string{"x\r\ny\n"})}, "one\nx\ny\nthree\n\n}\nsix\n", ""},
		{"by text", text, []map[string]any{swap("two\nthree", "2\n3\n4")}, "one\n2\n3\n4\n\n}\nsix\n", "applied 1 edit(s) to f"},
		{"by text within lines", text, []map[string]any{swap("wo", "WO"), swap("t", "T")}, "", "ambiguous"},
		{"twice in one line", "a b c\n", []map[string]any{swap("a", "1"), swap("c", "3")}, "1 b 3\n", "applied 2 edit(s) to f"},
		{"all of them", "x x\nx\n", []map[string]any{{"old_text": "x", "new_text": "yy", "replace_all": true}}, "yy yy\nyy\n", ""},
		{"text over the end", "a\nb", []map[string]any{swap("b", "b\n")}, "a\nb\n", ""},
		{"text that takes the end", "a\nb\n", []map[string]any{swap("b\n", "b")}, "a\nb", ""},
		{"text of a whole line", "a\nb\nc", []map[string]any{swap("b\n", "")}, "a\nc", ""},
		{"text of the last line", "a\nb\nc", []map[string]any{swap("\nc", "")}, "a\nb", ""},
		{"both ways", text, []map[string]any{swap("six", "6"), op("delete", a(1), "", nil)}, "two\nthree\n\n}\n6\n", "applied 1 hashline + 1 legacy edit(s) to f"},
		{"the last line without a newline", "a\nb", []map[string]any{op("replace", anchor("a\nb", 2), "", []string{"B", "C"})}, "a\nB\nC", ""},
		{"the last line goes", "a\nb", []map[string]any{op("delete", anchor("a\nb", 2), "", nil)}, "a", ""},
		{"an empty file", "", []map[string]any{op("append", "", "", []string{"a", "b"})}, "a\nb\n", ""},
		{"an empty file, by any anchor", "", []map[string]any{op("prepend", "1#MZZZ", "", []string{"a"})}, "a\n", ""},
		{"an empty file by text", "", []map[string]any{swap("", "a\nb")}, "a\nb", ""},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			d := project(t, map[string]string{"f": c.before}, nil)
			o := call(d, "edit_file", editArgs(t, "f", c.edits...))
			if c.head == "ambiguous" {
				require.Contains(t, o.Text, "ambiguous")
				assert.Equal(t, c.before, content(t, d, "f"))
				return
			}
			require.Equal(t, registry.StatusSuccess, o.Status, o.Text)
			assert.Equal(t, c.after, content(t, d, "f"))
			assert.True(t, strings.HasPrefix(o.Text, c.head), o.Text)
		})
	}
}

func TestEditFileShowsWhatChanged(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := 1; i <= 30; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	text := b.String()
	d := project(t, map[string]string{"f": text}, nil)
	o := call(d, "edit_file", editArgs(t, "f", op("append", anchor(text, 1), "", []string{"new"}),
		op("replace", anchor(text, 20), anchor(text, 22), []string{"line 20", "changed", "line 22"})))
	require.False(t, o.IsError, o.Text)
	row := func(mark, text string, n int) string {
		return mark + fmt.Sprintf("%2d#%s:%s", n, hashline.Hash(text, n), text)
	}
	want := []string{
		"applied 2 hashline edit(s) to f", "<diff>",
		row("  ", "line 1", 1), row("+ ", "new", 2), row("  ", "line 2", 3), row("  ", "line 3", 4), row("  ", "line 4", 5), "  ...",
		row("  ", "line 18", 19), row("  ", "line 19", 20), row("  ", "line 20", 21), row("- ", "line 21", 21), row("+ ", "changed", 22),
		row("  ", "line 22", 23), row("  ", "line 23", 24), row("  ", "line 24", 25), "</diff>", "<fresh-anchors>",
		row("  ", "line 1", 1), row("  ", "new", 2), row("  ", "line 2", 3), row("  ", "line 3", 4), row("  ", "line 4", 5), row("  ", "line 5", 6), row("  ", "line 6", 7), "  ...",
		row("  ", "line 16", 17), row("  ", "line 17", 18), row("  ", "line 18", 19), row("  ", "line 19", 20), row("  ", "line 20", 21), row("  ", "changed", 22),
		row("  ", "line 22", 23), row("  ", "line 23", 24), row("  ", "line 24", 25), row("  ", "line 25", 26), row("  ", "line 26", 27), "</fresh-anchors>",
		"These anchors are fresh: use them for further edits of these lines. Lines after 21 moved by +1.",
	}
	assert.Equal(t, strings.Join(want, "\n"), o.Text)
	assert.JSONEq(t, `{"path":"f","edits":2,"changed":true,"linesAdded":2,"linesRemoved":1}`, string(o.Structured))
	assert.Equal(t, []registry.Use{{Kind: "file", Target: "f", Effect: "read", Grant: "default"}, {Kind: "file", Target: "f", Effect: "write", Grant: "default"}}, o.Uses)

	// A change of everything is told within the budget.
	d = project(t, map[string]string{"f": text}, &registry.DoorOptions{TextLimit: 1500})
	o = call(d, "edit_file", editArgs(t, "f", map[string]any{"old_text": "line", "new_text": strings.Repeat("x", 500), "replace_all": true}))
	require.False(t, o.IsError, o.Text)
	assert.False(t, o.Truncated)
	assert.LessOrEqual(t, len(o.Text), 1500)
	assert.Contains(t, o.Text, "the rest of the diff is left out")
	o = call(d, "edit_file", editArgs(t, "f", swap(strings.Repeat("x", 500)+" 7\n", strings.Repeat("x", 500)+" 7\n")))
	assert.Equal(t, "applied 1 edit(s) to f: nothing changed, the text was so before", o.Text)
}

// What cannot be done leaves the bytes as they are and says why.
func TestEditFileFailuresChangeNothing(t *testing.T) {
	t.Parallel()
	const text = "one\ntwo\nthree\n\n}\nsix\n}\n"
	a := func(n int) string { return anchor(text, n) }
	for _, c := range []struct {
		about, want string
		edits       []map[string]any
	}{
		{"neither form", "edit 1 has neither op nor old_text", []map[string]any{{}}},
		{"both forms", "edit 1 has both op and old_text", []map[string]any{{"op": "delete", "pos": a(1), "old_text": "one", "new_text": ""}}},
		{"half a form", "edit 1 has no new_text", []map[string]any{{"old_text": "one"}}},
		{"no pos", "edit 2 has no pos", []map[string]any{op("delete", a(1), "", nil), op("delete", "", "", nil)}},
		{"no lines", "edit 1 has no lines", []map[string]any{op("replace", a(1), "", nil)}},
		{"lines to delete", "edit 1 deletes and has lines", []map[string]any{op("delete", a(1), "", []string{"x"})}},
		{"an end that has no use", "edit 1 has an end", []map[string]any{op("append", a(1), a(2), []string{"x"})}},
		{"no anchor", `edit 1, pos: "12" is no anchor: it has no #`, []map[string]any{op("delete", "12", "", nil)}},
		{"no anchor at the end", `edit 1, end: "2" is no anchor`, []map[string]any{op("delete", a(1), "2", nil)}},
		{"an end before the start", "edit 1 ends at line 1, before its pos at line 3", []map[string]any{op("delete", a(3), a(1), nil)}},
		{"beyond the end", "anchor 99#KYNT is out of range (the file has 7 lines)", []map[string]any{op("delete", "99#KYNT", "", nil)}},
		{"a stale anchor", "hash mismatch at anchor 2#KYNT", []map[string]any{op("delete", "2#KYNT", "", nil)}},
		{"a stale end", "hash mismatch at anchor 3#KYNT", []map[string]any{op("replace", a(1), "3#KYNT", []string{"x"})}},
		{"a brace of another line", "hash mismatch at anchor 6#" + hashline.Blank(6), []map[string]any{op("delete", "6#"+hashline.Blank(6), "", nil)}},
		{"one of several fails", "edit 2: hash mismatch", []map[string]any{op("delete", a(1), "", nil), op("delete", "2#KYNT", "", nil)}},
		{"overlap", "edits 1 and 2 overlap (lines 1-3 and lines 2-2)", []map[string]any{op("delete", a(1), a(3), nil), op("replace", a(2), "", []string{"x"})}},
		{"an insertion within", "edits 2 and 1 overlap (lines 1-3 and after line 2)", []map[string]any{op("append", a(2), "", []string{"x"}), op("delete", a(1), a(3), nil)}},
		{"overlapping texts", "edits 1 and 2 overlap at line 2", []map[string]any{swap("one\ntwo", "x"), swap("two\nthree", "y")}},
		{"text and line", "edits 2 and 1 overlap", []map[string]any{swap("wo", "x"), op("delete", a(1), a(2), nil)}},
		{"text that is not there", `edit 1: old_text not found in ` + "`f`" + `: "four"`, []map[string]any{swap("four", "x")}},
		{"text but for white space", "Its first line is, but for white space, at line 2.", []map[string]any{swap("  two\n", "x")}},
		{"an expression", `looks like a regular expression (\w+)`, []map[string]any{swap(`\w+`, "x")}},
		{"anchors in the text", "It holds anchors", []map[string]any{swap(a(1)+":one", "x")}},
		{"anchors in the lines", "edit 1 has an anchor in its lines", []map[string]any{op("replace", a(1), "", []string{a(1) + ":one", "x"})}},
		{"no text", "empty old_text", []map[string]any{swap("", "x")}},
		{"text that is there twice", "old_text is ambiguous (2 matches) in `f`, at lines 5, 7", []map[string]any{swap("}", "x")}},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			d := project(t, map[string]string{"f": text}, nil)
			o := call(d, "edit_file", editArgs(t, "f", c.edits...))
			assert.True(t, o.IsError)
			assert.Contains(t, o.Text, c.want)
			assert.Equal(t, text, content(t, d, "f"))
		})
	}
	d := project(t, map[string]string{"f": text, "bin": "a\x00b", "odd": "\xff\xfe\x00\xd8"}, nil)
	for path, want := range map[string]string{
		"g": `file "g" does not exist`, "../f": "outside the project root", ".env": "is protected", ".": "is a directory",
		"bin": "cannot be edited: it is not text", "odd": "damaged UTF-16LE",
	} {
		o := call(d, "edit_file", editArgs(t, path, swap("a", "b")))
		assert.True(t, o.IsError)
		assert.Contains(t, o.Text, want)
	}
	assert.Equal(t, registry.KindInvalidArgs, call(d, "edit_file", `{"path":"f","edits":[]}`).Failure.Kind)
	assert.Equal(t, registry.KindInvalidArgs, call(d, "edit_file", `{"path":"f","edits":[{"op":"insert"}]}`).Failure.Kind)
	stale := call(d, "edit_file", editArgs(t, "f", op("delete", "2#KYNT", "", nil))).Text
	assert.Contains(t, stale, "  2#"+hashline.Hash("two", 2)+":two\n", "the failure has the anchors as they are")
	assert.Contains(t, stale, "Nothing was written.")
}

// Item 17 of the weak spots: a stale anchor never hits another line.
func TestStaleAnchors(t *testing.T) {
	t.Parallel()
	const text = "alpha\n{\nbeta\n}\ngamma\nreturn\n}\ndelta\nreturn\n}\n"
	a := func(n int) string { return anchor(text, n) }

	t.Run("a line that moved is found when it stands alone", func(t *testing.T) {
		t.Parallel()
		d := project(t, map[string]string{"f": "new 1\nnew 2\n" + text}, nil)
		o := call(d, "edit_file", editArgs(t, "f", op("replace", a(3), a(5), []string{"x"})))
		require.False(t, o.IsError, o.Text)
		assert.Equal(t, "new 1\nnew 2\nalpha\n{\nx\nreturn\n}\ndelta\nreturn\n}\n", content(t, d, "f"))
		assert.Contains(t, o.Text, "  anchor "+a(3)+" resolved to 5#"+hashline.Hash("beta", 3)+" (the line moved by +2)\n")
		assert.Contains(t, o.Text, "Warning: hashes were stale.")
	})
	t.Run("not when there are two of it", func(t *testing.T) {
		t.Parallel()
		d := project(t, map[string]string{"f": "new\n" + text}, nil)
		before := content(t, d, "f")
		o := call(d, "edit_file", editArgs(t, "f", op("delete", a(6), "", nil)))
		assert.Equal(t, "stale_anchor", o.Failure.Code)
		assert.Equal(t, before, content(t, d, "f"))
	})
	t.Run("not when the ends moved apart", func(t *testing.T) {
		t.Parallel()
		moved := strings.Replace("new\n"+text, "beta\n", "beta\ninserted\n", 1)
		d := project(t, map[string]string{"f": moved}, nil)
		o := call(d, "edit_file", editArgs(t, "f", op("delete", a(3), a(5), nil)))
		assert.Contains(t, o.Text, "the one moved by +1, the other by +2")
		assert.Equal(t, moved, content(t, d, "f"))
	})
	t.Run("not far away", func(t *testing.T) {
		t.Parallel()
		moved := strings.Repeat("new\n", near+1) + text
		d := project(t, map[string]string{"f": moved}, nil)
		assert.Equal(t, "stale_anchor", call(d, "edit_file", editArgs(t, "f", op("delete", a(1), "", nil))).Failure.Code)
		assert.Equal(t, moved, content(t, d, "f"))
	})
	t.Run("a brace in the place of a brace", func(t *testing.T) {
		t.Parallel()
		// After the file was read, three lines went: line 7 is another brace now.
		d := project(t, map[string]string{"f": text}, nil)
		text1 := text
		_ = call(d, "read_file", `{"path":"f"}`)
		moved := strings.Replace(text1, "alpha\n{\nbeta\n", "", 1)
		put(t, d, "f", moved)
		require.Equal(t, "}", strings.Split(moved, "\n")[6])
		o := call(d, "edit_file", editArgs(t, "f", op("delete", a(7), "", nil)))
		assert.Equal(t, "stale_anchor", o.Failure.Code)
		assert.Contains(t, o.Text, "was not shown since the file last changed")
		assert.Equal(t, moved, content(t, d, "f"))
	})
	t.Run("an own edit moves what is below it", func(t *testing.T) {
		t.Parallel()
		const twins = "top\n}\n}\n}\n}\n}\n}\n}\n}\n}\n}\n}\n}\n}\nend\n"
		d := project(t, map[string]string{"f": twins}, nil)
		_ = call(d, "read_file", `{"path":"f"}`)
		require.False(t, call(d, "edit_file", editArgs(t, "f", op("append", anchor(twins, 1), "", []string{"more"}))).IsError)
		now := content(t, d, "f")
		o := call(d, "edit_file", editArgs(t, "f", op("delete", anchor(twins, 12), "", nil)))
		assert.Equal(t, "stale_anchor", o.Failure.Code, "the number is an old one, whatever stands there")
		assert.Equal(t, now, content(t, d, "f"))
		o = call(d, "edit_file", editArgs(t, "f", op("delete", anchor(now, 4), "", nil)))
		assert.False(t, o.IsError, "the fresh anchors hold")
		o = call(d, "edit_file", editArgs(t, "f", op("replace", anchor(now, 1), "", []string{"TOP"})))
		assert.False(t, o.IsError, "and so do those above")
		_ = call(d, "read_file", `{"path":"f"}`)
		now = content(t, d, "f")
		assert.False(t, call(d, "edit_file", editArgs(t, "f", op("delete", anchor(now, 12), "", nil))).IsError, "and all after reading again")
	})
	t.Run("an end that was changed", func(t *testing.T) {
		t.Parallel()
		changed := strings.Replace(text, "gamma", "other", 1)
		d := project(t, map[string]string{"f": changed}, nil)
		o := call(d, "edit_file", editArgs(t, "f", op("replace", a(3), a(5), []string{"x"})))
		assert.Equal(t, "stale_anchor", o.Failure.Code)
		assert.Equal(t, changed, content(t, d, "f"))
	})
}

// Cases 58, 59 and 60 of the list that this tool was made by.
func TestEditFileCases(t *testing.T) {
	t.Parallel()
	t.Run("58 two matches", func(t *testing.T) {
		t.Parallel()
		d := project(t, map[string]string{"f": "a x\nb x\n"}, nil)
		o := call(d, "edit_file", editArgs(t, "f", swap("x", "y")))
		assert.Contains(t, o.Text, "ambiguous (2 matches)")
		assert.Equal(t, "a x\nb x\n", content(t, d, "f"))
		o = call(d, "edit_file", editArgs(t, "f", map[string]any{"old_text": "x", "new_text": "y", "replace_all": true}))
		require.False(t, o.IsError, o.Text)
		assert.Equal(t, "a y\nb y\n", content(t, d, "f"))
		put(t, d, "f", "aaa\n")
		assert.Contains(t, call(d, "edit_file", editArgs(t, "f", swap("aa", "b"))).Text, "ambiguous (2 matches)", "matches that overlap")
	})
	t.Run("59 CRLF stays CRLF", func(t *testing.T) {
		t.Parallel()
		const text = "one\r\ntwo\r\nthree\r\n"
		for want, edits := range map[string][]map[string]any{
			"1\r\n2\r\nthree\r\n":             {swap("one\ntwo", "1\n2")},
			"1\r\n2\r\n3\r\nthree\r\n":        {swap("one\r\ntwo", "1\r\n2\r\n3")},
			"one\r\nx\r\ny\r\nthree\r\n":      {op("replace", anchor(text, 2), "", []string{"x", "y"})},
			"one\r\ntwo\r\nthree\r\nfour\r\n": {op("append", "", "", []string{"four\r\n"})},
		} {
			d := project(t, map[string]string{"f": text}, nil)
			o := call(d, "edit_file", editArgs(t, "f", edits...))
			require.False(t, o.IsError, o.Text)
			assert.Equal(t, want, content(t, d, "f"))
		}
		d := project(t, map[string]string{"f": "a\r\nb\nc\r\nd"}, nil)
		require.False(t, call(d, "edit_file", editArgs(t, "f", swap("b\nc", "B\nC\nX"))).IsError)
		assert.Equal(t, "a\r\nB\nC\r\nX\r\nd", content(t, d, "f"), "mixed endings stay where they are")
	})
	t.Run("60 other encodings", func(t *testing.T) {
		t.Parallel()
		for before, after := range map[string]string{
			"caf\xe9\nx\n\xfc\n":                        "caf\xe9\ny\xe9\n\xfc\n",               // Latin-1
			"\xef\xbb\xbfcaf\xc3\xa9\nx\n":              "\xef\xbb\xbfcaf\xc3\xa9\ny\xc3\xa9\n", // a byte order mark
			"\xff\xfex\x00\n\x00z\x00":                  "\xff\xfey\x00\xe9\x00\n\x00z\x00",     // UTF-16
			"\xfe\xff\x00x\x00\r\x00\n\xd8\x3d\xde\x00": "\xfe\xff\x00y\x00\xe9\x00\r\x00\n\xd8\x3d\xde\x00",
		} {
			d := project(t, map[string]string{"f": before}, nil)
			o := call(d, "edit_file", editArgs(t, "f", swap("x", "yé")))
			require.False(t, o.IsError, o.Text)
			assert.Equal(t, after, content(t, d, "f"))
		}
		for before, want := range map[string]string{"caf\xe9\nx\n": "Latin-1, which has no '☕'", "caf\xe9\ncafé\nx\n": "mixes UTF-8 and Latin-1"} {
			d := project(t, map[string]string{"f": before}, nil)
			o := call(d, "edit_file", editArgs(t, "f", swap("x", "☕")))
			assert.Contains(t, o.Text, want)
			assert.Equal(t, before, content(t, d, "f"))
			require.False(t, call(d, "edit_file", editArgs(t, "f", swap("x", "ascii"))).IsError)
			assert.Equal(t, strings.Replace(before, "x", "ascii", 1), content(t, d, "f"))
		}
	})
}

func TestEditFileKeepsTheMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes are another thing there")
	}
	d := project(t, map[string]string{"f": "x\n"}, nil)
	p := filepath.Join(projectRoot(t, d), "f")
	require.NoError(t, os.Chmod(p, 0o751))
	require.False(t, call(d, "edit_file", editArgs(t, "f", swap("x", "y"))).IsError)
	require.False(t, call(d, "write_file", `{"path":"f","content":"z"}`).IsError)
	info, err := os.Stat(p)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o751), info.Mode().Perm())
	require.NoError(t, os.Symlink("f", filepath.Join(projectRoot(t, d), "link")))
	require.False(t, call(d, "edit_file", editArgs(t, "link", swap("z", "through the link"))).IsError)
	assert.Equal(t, "through the link", content(t, d, "f"))
}

func TestWriteFile(t *testing.T) {
	t.Parallel()
	d := project(t, map[string]string{"old.txt": "a\nb\nc\n", "bin": "\x00", "win": "a\r\nb\r\n"}, nil)
	row := func(mark, text string, n int) string {
		return fmt.Sprintf("%s%d#%s:%s\n", mark, n, hashline.Hash(text, n), text)
	}
	assert.Equal(t, "wrote 3 bytes to new/dir/f (created)", textOf(t, d, "write_file", `{"path":"new/dir/f","content":"é\n"}`))
	assert.Equal(t, "é\n", content(t, d, "new/dir/f"))
	assert.Equal(t, "wrote 3 bytes to new/dir/f (overwritten with the same content)", textOf(t, d, "write_file", `{"path":"new/dir/f","content":"é\n"}`))
	o := call(d, "write_file", `{"path":"./old.txt","content":"a\nB\nc\n"}`)
	assert.Equal(t, "wrote 6 bytes to old.txt (overwritten): 1 lines added, 1 removed\n<diff>\n"+row("  ", "a", 1)+row("- ", "b", 2)+row("+ ", "B", 2)+row("  ", "c", 3)+"</diff>\n", o.Text)
	assert.JSONEq(t, `{"path":"old.txt","bytes":6,"created":false,"changed":true}`, string(o.Structured))
	assert.Equal(t, []registry.Use{{Kind: "file", Target: "old.txt", Effect: "write", Grant: "default"}}, o.Uses)
	assert.Equal(t, "wrote 1 bytes to bin (overwritten); the old content is no text", textOf(t, d, "write_file", `{"path":"bin","content":"x"}`))
	assert.Contains(t, textOf(t, d, "write_file", `{"path":"win","content":"a\nb\n"}`), "lines ended in CRLF and end in LF")
	long := strings.Repeat("line\n", 10_000)
	args, err := json.Marshal(map[string]string{"path": "old.txt", "content": long})
	require.NoError(t, err)
	got := textOf(t, d, "write_file", string(args))
	assert.Less(t, len(got), 5000)
	assert.Equal(t, long, content(t, d, "old.txt"))
	for path, want := range map[string]string{"../x": "outside the project", ".env": "is protected", "new": "is a directory", ".git/hooks/x": "is protected", "old.txt/x": "leads through a file"} {
		o := call(d, "write_file", fmt.Sprintf(`{"path":%q,"content":""}`, path))
		assert.True(t, o.IsError, path)
		assert.Contains(t, o.Text, want)
	}
}

func TestEditFileWarnsOfBrokenSyntax(t *testing.T) {
	t.Parallel()
	const goText = "package p\n\nfunc f() {\n\tif true {\n\t\tg()\n\t}\n}\n\nfunc g() {}\n"
	d := project(t, map[string]string{
		"f.go": goText, "broken.go": "package\n", "a.json": "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n",
		"a.toml": "[t]\nlist = [\n  1,\n  2,\n]\nb = 1\n", "x.up": "lower\n", "plain.txt": "(\n",
	}, nil)
	o := call(d, "edit_file", editArgs(t, "f.go", op("replace", anchor(goText, 6), "", []string{"\tok()"})))
	require.False(t, o.IsError, o.Text)
	assert.Contains(t, o.Text, "[warning] f.go no longer parses: line 9, column ")
	assert.Contains(t, o.Text, `[warning] edit 1 start splits a 'if statement' node: "if true {..."`)
	o = call(d, "edit_file", editArgs(t, "f.go", swap("ok()", "}")))
	assert.NotContains(t, o.Text, "warning", "what is mended is not warned of")
	now := content(t, d, "f.go")
	o = call(d, "edit_file", editArgs(t, "f.go", op("delete", anchor(now, 2), anchor(now, 4), nil)))
	assert.Contains(t, o.Text, `edit 1 end splits a 'if statement' node`)
	o = call(d, "edit_file", editArgs(t, "broken.go", swap("package", "pack age")))
	assert.Contains(t, o.Text, "broken.go does not parse, and did not before: line 1")
	o = call(d, "edit_file", editArgs(t, "a.json", swap("    2\n  ]\n", "    2\n")))
	assert.Contains(t, o.Text, "a.json no longer parses: line 5, column 1")
	assert.Contains(t, o.Text, `edit 1 start splits a 'array' node: "[..."`)
	o = call(d, "edit_file", editArgs(t, "a.toml", swap("  2,\n]\n", "  2,\n")))
	assert.Contains(t, o.Text, "a.toml no longer parses: line")
	assert.Contains(t, o.Text, `splits a 'key and value' node: "list = [..."`)
	assert.NotContains(t, call(d, "edit_file", editArgs(t, "plain.txt", swap("(", "(("))).Text, "warning")
	var structured struct{ Warnings []string }
	require.NoError(t, json.Unmarshal(o.Structured, &structured))
	assert.Len(t, structured.Warnings, 2)
}

type upper struct{}

func (upper) CheckSyntax(_ string, src []byte) Syntax {
	if strings.ToUpper(string(src)) == string(src) {
		return Syntax{Nodes: []SyntaxNode{{Kind: "shout", Start: 0, End: len(src) - 1}}}
	}
	return Syntax{Err: &SyntaxError{Message: "it is not loud"}}
}

func TestCheckersOfTheHost(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "x.UP"), []byte("A\nB\nC\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "x.go"), []byte("package p\n"), 0o644))
	r := registry.New()
	require.NoError(t, Register(r, Options{Root: root, Checkers: map[string]SyntaxChecker{".up": upper{}, ".go": nil}}))
	d := registry.NewDoor(r, nil)
	o := call(d, "edit_file", editArgs(t, "x.UP", swap("C", "c")))
	assert.Contains(t, o.Text, "[warning] x.UP no longer parses: it is not loud\n[warning] edit 1 start splits a 'shout' node: \"A...\"\n")
	assert.NotContains(t, call(d, "edit_file", editArgs(t, "x.go", swap("package", "pack"))).Text, "warning")
}

func TestCheckersStandWhatNobodyWrites(t *testing.T) {
	t.Parallel()
	for ending, c := range ownCheckers() {
		for _, text := range []string{strings.Repeat("[", maxChecked/4), "a = " + strings.Repeat("[", maxChecked/4), "a = " + strings.Repeat("{a=", maxChecked/8), strings.Repeat("(", maxChecked/4), "package p\nvar x = " + strings.Repeat("(", maxChecked/4), strings.Repeat("a.", maxChecked/8) + "b = 1", ""} {
			_ = c.CheckSyntax("f"+ending, []byte(text))
		}
	}
}
