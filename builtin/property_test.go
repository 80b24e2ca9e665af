package builtin

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/hashline"
	"github.com/rho-ext/rho-ext/internal/textenc"
	"github.com/rho-ext/rho-ext/registry"
)

// model is edit_file as one would write it without a thought for speed: each
// line of the old text with what is put before it, in its place, and after it.
type model struct {
	before, after map[int][]string // by line, from 1; before[n+1] is the end
	gone          map[int]bool
	instead       map[int][]string
}

func (m *model) text(lines []string, eol string, final bool) string {
	var out []string
	for i := 1; i <= len(lines)+1; i++ {
		out = append(out, m.after[i-1]...)
		out = append(out, m.before[i]...)
		out = append(out, m.instead[i]...)
		if i <= len(lines) && !m.gone[i] {
			out = append(out, lines[i-1])
		}
	}
	if len(out) == 0 {
		return ""
	}
	text := strings.Join(out, eol)
	if final {
		text += eol
	}
	return text
}

// Whatever the edits, the file is what the model says, and a call that fails
// leaves the bytes as they were.
func TestEditsDoWhatASimpleModelDoes(t *testing.T) {
	t.Parallel()
	rounds := 300
	if os.Getenv("RHO_LONG") != "" {
		rounds = 20_000
	}
	d := project(t, nil, nil)
	words := []string{"", "}", "a", "b", "  a", "return", "café", "x := 1", ");", "\t"}
	failed := 0
	for round := range rounds {
		r := rand.New(rand.NewPCG(3, uint64(round)))
		some := func(n int) []string {
			lines := make([]string, r.IntN(n+1))
			for i := range lines {
				lines[i] = words[r.IntN(len(words))]
			}
			return lines
		}
		lines := some(12)
		eol := []string{"\n", "\r\n"}[r.IntN(2)]
		final := r.IntN(3) > 0 || len(lines) > 0 && lines[len(lines)-1] == "" || len(lines) == 0
		text := strings.Join(lines, eol)
		if final && len(lines) > 0 {
			text += eol
		}
		name := fmt.Sprintf("f%d", round)
		put(t, d, name, text)

		m := &model{before: map[int][]string{}, after: map[int][]string{}, gone: map[int]bool{}, instead: map[int][]string{}}
		taken := map[int]bool{}
		inserted := map[int]bool{} // before that line
		var edits []map[string]any
		valid := true
		at := func(n int) string { return fmt.Sprintf("%d#%s", n, hashline.Hash(lines[n-1], n)) }
		for range 1 + r.IntN(4) {
			if len(lines) == 0 {
				new := append(some(3), "z")
				edits = append(edits, op("append", "", "", new))
				m.before[1] = append(m.before[1], new...)
				continue
			}
			n := 1 + r.IntN(len(lines))
			switch r.IntN(5) {
			case 0:
				new := append(some(2), "after")
				edits = append(edits, op("append", at(n), "", new))
				m.after[n] = append(m.after[n], new...)
				inserted[n+1] = true
			case 1:
				new := append(some(2), "before")
				edits = append(edits, op("prepend", at(n), "", new))
				m.after[n-1] = append(m.after[n-1], new...) // in the order of the call
				inserted[n] = true
			case 2: // a wrong anchor
				wrong := hashline.Hash("no line is like this", 1)
				edits = append(edits, op("delete", fmt.Sprintf("%d#%s", n, wrong), "", nil))
				valid = false
			default:
				last := min(n+r.IntN(3), len(lines))
				new := some(3)
				edits = append(edits, op("replace", at(n), at(last), new))
				m.instead[n] = new
				for i := n; i <= last; i++ {
					if taken[i] {
						valid = false
					}
					taken[i], m.gone[i] = true, true
					if i > n {
						inserted[-i] = true // nothing may be inserted before it
					}
				}
			}
		}
		for i := range inserted {
			if i < 0 && inserted[-i] {
				valid = false
			}
		}
		o := call(d, "edit_file", editArgs(t, name, edits...))
		got := content(t, d, name)
		if !valid {
			failed++
			require.True(t, o.IsError, "round %d: %v on %q: %s", round, edits, text, o.Text)
			require.Equal(t, text, got)
			continue
		}
		require.False(t, o.IsError, "round %d: %v on %q: %s", round, edits, text, o.Text)
		if len(lines) == 0 {
			eol, final = "\n", true
		} else if !strings.Contains(text, "\n") {
			eol = "\n"
		}
		require.Equal(t, m.text(lines, eol, final), got, "round %d: %v on %q", round, edits, text)

		// What the answer calls fresh is so.
		_, fresh, ok := strings.Cut(o.Text, "<fresh-anchors>\n")
		if !ok {
			continue
		}
		now := strings.Split(strings.ReplaceAll(got, "\r\n", "\n"), "\n")
		fresh, _, _ = strings.Cut(fresh, "</fresh-anchors>")
		for line := range strings.Lines(fresh) {
			if strings.TrimSpace(line) == "..." {
				continue
			}
			a, err := hashline.Parse(line)
			require.NoError(t, err)
			require.Equal(t, anchor(strings.Join(now, "\n"), a.Line), a.String())
		}
	}
	assert.Greater(t, failed, rounds/10)
	assert.Less(t, failed, rounds*9/10)
}

func FuzzEdits(f *testing.F) {
	f.Add([]byte("one\ntwo\r\nthree"), "two", "2\n2", false)
	f.Add([]byte("\xff\xfea\x00\n\x00"), "a", "b", true)
	f.Add([]byte("caf\xe9\n"), "caf", "", true)
	f.Add([]byte(""), "", "x", false)
	f.Add([]byte("aaa"), "aa", "a\r\n", true)
	f.Fuzz(func(t *testing.T, data []byte, old, now string, all bool) {
		if !utf8.ValidString(old) || !utf8.ValidString(now) {
			return // no JSON brings such text
		}
		doc, err := newDocument(data)
		if err != nil {
			return
		}
		same, err := doc.apply(nil)
		require.NoError(t, err)
		back, err := same.bytes()
		require.NoError(t, err)
		require.Equal(t, string(data), string(back), "no change is none")

		ed := &editor{doc: doc, path: "f"}
		changes, err := ed.changes([]edit{{OldText: &old, NewText: &now, ReplaceAll: all}})
		if err != nil {
			return
		}
		next, err := doc.apply(changes)
		if err != nil {
			return
		}
		text, _ := doc.text()
		got, _ := next.text()
		want := now
		unix := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
		if old != "" {
			want = strings.ReplaceAll(text, unix(old), unix(now))
		}
		if !strings.Contains(now, "\r") && !strings.Contains(text, "\r") && doc.enc != textenc.Mixed {
			require.Equal(t, unix(want), got)
		}
		_, err = next.bytes()
		_ = err // what cannot be encoded is refused
		hs := hunks(refine(doc, changes))
		_ = diff(doc, next, hs, 2000)
		_, _ = freshAnchors(next, hs, 2000)
	})
}

func FuzzCheckers(f *testing.F) {
	for _, s := range []string{"package p\nfunc f() {}", `{"a":[1,{}]}`, "a = [\n1]\n[t]\n\"b\" = 1", "[", "a.b = \"\"\"\nx\n\"\"\""} {
		f.Add([]byte(s))
	}
	checkers := ownCheckers()
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, c := range checkers {
			s := c.CheckSyntax("f", src)
			for _, n := range s.Nodes {
				if n.Start < 0 || n.End < n.Start || n.End > len(src) {
					t.Fatalf("%s at %d-%d of %d", n.Kind, n.Start, n.End, len(src))
				}
			}
		}
	})
}

// TestWriterForKills is no test: it is what is killed. It writes until then.
func TestWriterForKills(t *testing.T) {
	root := os.Getenv("RHO_KILL_ROOT")
	if root == "" {
		t.Skip("it is run by TestKilledWritesLeaveWholeFiles")
	}
	r := registry.New()
	require.NoError(t, Register(r, Options{Root: root}))
	d := registry.NewDoor(r, nil)
	first := int(time.Now().UnixMicro() % 900_000) // each process writes other things
	for i := first; ; i++ {
		now := strings.Repeat(fmt.Sprintf("%06d\n", i), 20_000)
		args, err := json.Marshal(map[string]string{"path": "written", "content": now})
		require.NoError(t, err)
		require.False(t, call(d, "write_file", string(args)).IsError)
		o := call(d, "edit_file", `{"path":"edited","edits":[{"op":"replace","pos":`+quoted(t, d, root, 1)+`,"lines":["line `+fmt.Sprint(i)+`"]},{"op":"replace","pos":`+quoted(t, d, root, 20_000)+`,"lines":["line `+fmt.Sprint(i)+`"]}]}`)
		require.False(t, o.IsError, o.Text)
		if i == first {
			require.NoError(t, os.WriteFile(filepath.Join(root, "started"), nil, 0o644))
		}
	}
}

func quoted(t *testing.T, _ *registry.Door, root string, line int) string {
	data, err := os.ReadFile(filepath.Join(root, "edited"))
	require.NoError(t, err)
	return `"` + anchor(string(data), line) + `"`
}

// A writer that is killed in the middle leaves each file whole: the old one or
// the new one.
func TestKilledWritesLeaveWholeFiles(t *testing.T) {
	t.Parallel()
	kills := 5
	if os.Getenv("RHO_LONG") != "" {
		kills = 500
	}
	root := t.TempDir()
	var edited strings.Builder
	edited.WriteString("line 0\n")
	for i := 2; i < 20_000; i++ {
		fmt.Fprintf(&edited, "middle %d\n", i)
	}
	edited.WriteString("line 0\n")
	middle := edited.String()[len("line 0\n") : edited.Len()-len("line 0\n")]
	require.NoError(t, os.WriteFile(filepath.Join(root, "edited"), []byte(edited.String()), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "written"), []byte(strings.Repeat("000000\n", 20_000)), 0o644))
	r := rand.New(rand.NewPCG(9, 9))
	seen := map[string]bool{}
	for kill := range kills {
		started := filepath.Join(root, "started")
		_ = os.Remove(started)
		cmd := exec.Command(os.Args[0], "-test.run", "^TestWriterForKills$")
		cmd.Env = append(os.Environ(), "RHO_KILL_ROOT="+root)
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool { _, err := os.Stat(started); return err == nil }, 30*time.Second, time.Millisecond)
		time.Sleep(time.Duration(r.IntN(20_000)) * time.Microsecond) // the moment of the kill is what varies
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()

		written, err := os.ReadFile(filepath.Join(root, "written"))
		require.NoError(t, err)
		require.Len(t, written, 7*20_000, "kill %d", kill)
		require.Equal(t, strings.Repeat(string(written[:7]), 20_000), string(written))
		seen[string(written[:7])] = true
		data, err := os.ReadFile(filepath.Join(root, "edited"))
		require.NoError(t, err)
		first, rest, _ := strings.Cut(string(data), "\n")
		require.True(t, strings.HasPrefix(rest, middle), "kill %d", kill)
		require.Equal(t, first+"\n", rest[len(middle):], "both ends are of the same edit")
	}
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	assert.Less(t, len(entries), 3+2*2, "what killed writers left is removed by the next ones")
	t.Logf("%d kills, %d different contents seen", kills, len(seen))
}
