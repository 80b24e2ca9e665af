package examples_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

type counts struct {
	Lines int `json:"lines"`
	Words int `json:"words"`
	Bytes int `json:"bytes"`
}

func wc(t *testing.T, path string) counts {
	t.Helper()
	cmd := exec.Command("wc", "-l", "-w", "-c")
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	cmd.Stdin = f
	out, err := cmd.Output()
	require.NoError(t, err)
	var c counts
	_, err = fmt.Sscan(string(out), &c.Lines, &c.Words, &c.Bytes)
	require.NoError(t, err)
	return c
}

func needWC(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("wc"); err != nil {
		t.Skip("there is no wc to compare with")
	}
}

func TestWordCountAgreesWithWC(t *testing.T) {
	t.Parallel()
	needWC(t)
	for name, text := range map[string]string{
		"empty":             "",
		"byte order mark":   "\ufeffa b\n",
		"one word":          "word\n",
		"no final newline":  "two words\nthree more words",
		"only newlines":     "\n\n\n",
		"only blanks":       "  \t \n \v\f\r ",
		"CRLF":              "a b\r\nc\r\n\r\nd",
		"lone CR":           "a\rb\rc",
		"all ASCII blanks":  "a\tb\vc\fd\re f\ng",
		"blanks around":     "  a  b \n  c  ",
		"UTF-8":             "Grüße an €uropa 😀 日本語\nça va\n",
		"combining":         "e\u0301 u\u0308ber\n",
		"control in a word": "a\x01b c\x00d\x1be\n",
		"quotes and such":   "it's \"quoted\", isn't-it?\n",
		"long line":         strings.Repeat("word ", 20_000),
		"many lines":        strings.Repeat("a line of ünï text\n", 5_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, "word_count", map[string]string{"file.txt": text})
			p.wordCountAgrees("file.txt")
		})
	}
}

// GNU wc also splits at blanks that are not ASCII; others may not.
func TestWordCountSplitsAtWideBlanksAsGNUDoes(t *testing.T) {
	t.Parallel()
	needWC(t)
	if out, err := exec.Command("wc", "--version").Output(); err != nil || !strings.Contains(string(out), "GNU coreutils") {
		t.Skip("wc is not GNU's")
	}
	text := ""
	for _, r := range "\u0085\u00a0\u00ad\u1680\u180e\u2000\u2006\u2007\u2008\u200a\u200b\u200e\u202f\u205f\u2060\u3000" {
		text += "a" + string(r) + "b\n"
	}
	open(t, "word_count", map[string]string{"wide.txt": text}).wordCountAgrees("wide.txt")
}

func TestWordCountAgreesWithWCOnThisRepository(t *testing.T) {
	t.Parallel()
	needWC(t)
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	p := openRoot(t, root, "word_count")
	for _, path := range []string{"go.mod", "go.sum", "examples/examples_test.go", "examples/extensions/unit_convert.ts", "registry/door.go"} {
		p.wordCountAgrees(path)
	}
}

func (p *project) wordCountAgrees(path string) {
	p.t.Helper()
	out := p.succeed("word_count", args{"path": path})
	var got counts
	require.NoError(p.t, json.Unmarshal(out.Structured, &got))
	require.Equal(p.t, wc(p.t, filepath.Join(p.host.Root(), path)), got, path)
	require.JSONEq(p.t, string(out.Structured), out.Text)
	require.Equal(p.t, []registry.Use{{Kind: "file", Target: path, Effect: "read", Grant: "default"}}, out.Uses)
}

func TestWordCountGivesNoNumbersForWhatIsNoText(t *testing.T) {
	t.Parallel()
	p := open(t, "word_count", map[string]string{"latin1.txt": "caf\xe9\n", "big.txt": strings.Repeat("x", 1<<20+1)})
	require.Contains(t, p.fail(registry.KindOther, "word_count", args{"path": "latin1.txt"}).Text, "latin1.txt is not UTF-8 text")
	require.Contains(t, p.fail(registry.KindOther, "word_count", args{"path": "missing.txt"}).Text, "missing.txt")
	require.Contains(t, p.fail(registry.KindOther, "word_count", args{"path": "big.txt"}).Text, "big.txt")
}

type todos struct {
	Scanned int    `json:"scanned"`
	Found   []todo `json:"found"`
	Errors  []struct {
		File    string `json:"file"`
		Message string `json:"message"`
	} `json:"errors"`
}

type todo struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Kind string `json:"kind"`
	Text string `json:"text"`
}

func (p *project) scan(paths ...string) todos {
	p.t.Helper()
	var got todos
	require.NoError(p.t, json.Unmarshal(p.succeed("todo_scan", args{"paths": paths}).Structured, &got))
	return got
}

func TestTodoScanFindsMarkersInCommentsOnly(t *testing.T) {
	t.Parallel()
	for file, tc := range map[string]struct {
		text string
		want []todo
	}{
		"a.go": {
			"package a // TODO: name it\n\n/* FIXME(ann) one\n * XXX two */ var s = \"// TODO no\" // HACK: yes\nvar r = `\n// TODO no\n`\nvar q = '\"' // TODO quote\n",
			[]todo{{Line: 1, Kind: "TODO", Text: "name it"}, {Line: 3, Kind: "FIXME", Text: "one"}, {Line: 4, Kind: "XXX", Text: "two"}, {Line: 4, Kind: "HACK", Text: "yes"}, {Line: 8, Kind: "TODO", Text: "quote"}},
		},
		"b.ts":       {"const TODO = 1; f('it\\'s // TODO no'); // TODO yes\r\n/** @deprecated\r\n * TODO: last */", []todo{{Line: 1, Kind: "TODO", Text: "yes"}, {Line: 3, Kind: "TODO", Text: "last"}}},
		"c.rs":       {"fn f<'a>(x: &'a str) {} // TODO: it's real\n", []todo{{Line: 1, Kind: "TODO", Text: "it's real"}}},
		"d.py":       {"\"\"\"TODO no\n# TODO no\n\"\"\"\nx = '#'  # FIXME yes\n", []todo{{Line: 4, Kind: "FIXME", Text: "yes"}}},
		"e.sql":      {"select '-- TODO no'; -- TODO yes\n", []todo{{Line: 1, Kind: "TODO", Text: "yes"}}},
		"f.html":     {"<p>TODO no</p>\n<!--\n  TODO yes -->\n", []todo{{Line: 3, Kind: "TODO", Text: "yes"}}},
		"dir/g.yaml": {"a: 1 # XXX\n", []todo{{Line: 1, Kind: "XXX", Text: ""}}},
		"Makefile":   {"all: # HACK around\n", []todo{{Line: 1, Kind: "HACK", Text: "around"}}},
		"notes.txt":  {"\n- TODO: bread\n- todo no, TODOS no\n", []todo{{Line: 2, Kind: "TODO", Text: "bread"}}},
		"open.c":     {"int x; /* TODO never closed", []todo{{Line: 1, Kind: "TODO", Text: "never closed"}}},
		"empty.go":   {"", []todo{}},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			got := open(t, "todo_scan", map[string]string{file: tc.text}).scan(file)
			for i := range tc.want {
				tc.want[i].File = file
			}
			require.Equal(t, tc.want, got.Found)
			require.Empty(t, got.Errors)
			require.Equal(t, 1, got.Scanned)
		})
	}
}

func TestTodoScanReportsAMissingFileBesideTheOthers(t *testing.T) {
	t.Parallel()
	p := open(t, "todo_scan", map[string]string{"a.go": "// TODO one\n", "b.go": "\n// FIXME two\n", ".env": "# TODO secret\n"})
	got := p.scan("a.go", "missing.go", "../out.go", ".env", "b.go")
	require.Equal(t, []todo{{"a.go", 1, "TODO", "one"}, {"b.go", 2, "FIXME", "two"}}, got.Found)
	require.Equal(t, 2, got.Scanned)
	require.Len(t, got.Errors, 3)
	for i, file := range []string{"missing.go", "../out.go", ".env"} {
		require.Equal(t, file, got.Errors[i].File)
		require.NotEmpty(t, got.Errors[i].Message)
	}
	require.Contains(t, got.Errors[0].Message, "missing.go")
}

func TestTodoScanTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	p := open(t, "todo_scan", map[string]string{"a.go": "", "b.go": ""})
	p.scan("a.go", "b.go")
	require.Equal(t, []registry.Progress{
		{Message: "a.go", Done: 0, Total: 2}, {Message: "b.go", Done: 1, Total: 2}, {Message: "done", Done: 2, Total: 2},
	}, p.progress)
}

func TestTodoScanOfManyFilesKeepsTheirOrder(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	var paths []string
	for i := range 120 {
		name := fmt.Sprintf("f%03d.go", i)
		files[name] = fmt.Sprintf("// TODO %d\n", i)
		paths = append(paths, name)
	}
	got := open(t, "todo_scan", files).scan(paths...)
	require.Len(t, got.Found, 120)
	for i, f := range got.Found {
		require.Equal(t, todo{paths[i], 1, "TODO", fmt.Sprint(i)}, f)
	}
}
