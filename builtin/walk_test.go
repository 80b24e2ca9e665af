package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

// call runs a tool of the project.
func call(d *registry.Door, tool, args string) *registry.Outcome {
	return d.Call(context.Background(), registry.Request{Tool: tool, Arguments: json.RawMessage(args)})
}

// textOf is the answer of a call that must succeed.
func textOf(t testing.TB, d *registry.Door, tool, args string) string {
	t.Helper()
	o := call(d, tool, args)
	require.Equal(t, registry.StatusSuccess, o.Status, o.Text)
	require.False(t, o.Truncated)
	return o.Text
}

func lineList(lines ...string) string { return strings.Join(lines, "\n") }

var treeFiles = map[string]string{
	".gitignore": "*.log\n/build/\n!keep.log\n", "a.txt": "one\ntwo needle\n", "a/b.txt": "needle\n", "a.b/c": "x\n",
	"a/x.log": "needle\n", "a/keep.log": "needle\n", "build/out.txt": "needle\n", "a/build/in.txt": "needle\n",
	"a/deep/.gitignore": "*\n!.gitignore\n!y*\n", "a/deep/yes.go": "needle\n", "a/deep/no.go": "needle\n",
	".ignore": "own.txt\n", "own.txt": "needle\n", ".hidden/h.go": "needle\n", ".env": "needle\n", ".git/config": "needle\n",
	"bin": "needle\x00\n", "z [odd]\n.txt": "Needle\n",
}

func TestListDir(t *testing.T) {
	t.Parallel()
	d := project(t, treeFiles, nil)
	odd := `"z [odd]\n.txt"`
	assert.Equal(t, lineList(".gitignore", ".hidden/", ".ignore", "a.b/", "a.txt", "a/", "bin", odd), textOf(t, d, "list_dir", `{}`))
	assert.Equal(t, lineList("a/b.txt", "a/build/", "a/deep/", "a/keep.log"), textOf(t, d, "list_dir", `{"path":"a"}`))
	assert.Equal(t, lineList(".gitignore", ".hidden/", ".hidden/h.go", ".ignore", "a.b/", "a.b/c", "a.txt", "a/", "a/b.txt", "a/build/", "a/build/in.txt",
		"a/deep/", "a/deep/.gitignore", "a/deep/yes.go", "a/keep.log", "bin", odd), textOf(t, d, "list_dir", `{"recursive":true}`))
	assert.Equal(t, lineList("build/out.txt"), textOf(t, d, "list_dir", `{"path":"build/"}`), "what is named is listed")
	o := call(d, "list_dir", `{"path":"./a/../a/deep"}`)
	assert.JSONEq(t, `{"path":"a/deep","entries":["a/deep/.gitignore","a/deep/yes.go"],"truncated":false}`, string(o.Structured))
	require.Len(t, o.Uses, 1)
	assert.Equal(t, "a/deep", o.Uses[0].Target)

	for args, want := range map[string]string{
		`{"path":"a.txt"}`: `"a.txt" is not a directory: name one, or use read_file`,
		`{"path":"biuld"}`: `directory "biuld" does not exist (did you mean "build"?)`,
		`{"path":"../x"}`:  `path "../x" is outside the project root: use a path inside it, relative to the root`,
	} {
		o := call(d, "list_dir", args)
		assert.True(t, o.IsError)
		assert.Equal(t, want, o.Text)
	}
	assert.Equal(t, registry.StatusDenied, call(d, "list_dir", `{"path":".git"}`).Status)
	empty := project(t, nil, nil)
	assert.Equal(t, "(empty directory)", textOf(t, empty, "list_dir", `{}`))
}

func TestListDirKeepsWithinTheBudget(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 500 {
		files[fmt.Sprintf("dir-%d/file", i)] = ""
	}
	d := project(t, files, &registry.DoorOptions{TextLimit: 1000})
	o := call(d, "list_dir", `{"recursive":true}`)
	assert.False(t, o.Truncated)
	lines := strings.Split(o.Text, "\n")
	assert.Equal(t, "dir-0/", lines[0])
	assert.Equal(t, "dir-0/file", lines[1])
	assert.Equal(t, fmt.Sprintf("… more entries not shown (showing first %d; list a directory below it, or use find_files)", len(lines)-1), lines[len(lines)-1])
}

func TestListDirSaysWhatItCouldNotRead(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("nothing is forbidden to this user")
	}
	d := project(t, map[string]string{"a/b": "", "c": ""}, nil)
	root := projectRoot(t, d)
	require.NoError(t, os.Chmod(filepath.Join(root, "a"), 0))
	t.Cleanup(func() { os.Chmod(filepath.Join(root, "a"), 0o755) })
	assert.Equal(t, lineList("a/", "c", "(1 entries could not be read)"), textOf(t, d, "list_dir", `{"recursive":true}`))
}

func TestFindFiles(t *testing.T) {
	t.Parallel()
	d := project(t, treeFiles, nil)
	for args, want := range map[string]string{
		`{"pattern":"*.txt"}`:                       lineList("a.txt", "a/b.txt", "a/build/in.txt", `"z [odd]\n.txt"`),
		`{"pattern":"*.txt","path":"a"}`:            lineList("a/b.txt", "a/build/in.txt"),
		`{"pattern":"a/*.txt"}`:                     "a/b.txt",
		`{"pattern":"a/**/*.{txt,go}"}`:             lineList("a/b.txt", "a/build/in.txt", "a/deep/yes.go"),
		`{"pattern":"build/*","path":"a"}`:          "a/build/in.txt",
		`{"pattern":"a/build/*","path":"a"}`:        "a/build/in.txt",
		`{"pattern":"**/*.go"}`:                     "a/deep/yes.go",
		`{"pattern":"*.go","hidden":true}`:          lineList(".hidden/h.go", "a/deep/yes.go"),
		`{"pattern":".hidden/**"}`:                  ".hidden/h.go",
		`{"pattern":"[a-b].txt"}`:                   lineList("a.txt", "a/b.txt"),
		`{"pattern":"*.zig"}`:                       "No files matching '*.zig'",
		`{"pattern":"*.env"}`:                       "No files matching '*.env'",
		`{"pattern":"*","max_results":2}`:           lineList("a.b/c", "a.txt", "… more files not shown (showing first 2; raise max_results up to 1000, or narrow the pattern or path)"),
		`{"pattern":"*.txt","max_results":4}`:       lineList("a.txt", "a/b.txt", "a/build/in.txt", `"z [odd]\n.txt"`),
		`{"pattern":"z*","hidden":true,"path":"."}`: `"z [odd]\n.txt"`,
	} {
		assert.Equal(t, want, textOf(t, d, "find_files", args), args)
	}
	o := call(d, "find_files", `{"pattern":"*.{go"}`)
	assert.Equal(t, registry.KindInvalidArgs, o.Failure.Kind)
	assert.Contains(t, o.Text, "invalid glob '*.{go'")
	assert.Contains(t, call(d, "find_files", `{"pattern":"/etc/*"}`).Text, "starts with a slash")
	assert.Contains(t, call(d, "find_files", `{"pattern":"*","path":"nope"}`).Text, `directory "nope" does not exist`)
}

func TestSearchFiles(t *testing.T) {
	t.Parallel()
	d := project(t, treeFiles, nil)
	for _, c := range []struct{ args, want string }{
		{`{"pattern":"needle"}`, lineList("a.txt:2: two needle", "a/b.txt:1: needle", "a/build/in.txt:1: needle", "a/deep/yes.go:1: needle", "a/keep.log:1: needle")},
		{`{"pattern":"needle","path":"a/b.txt"}`, "a/b.txt:1: needle"},
		{`{"pattern":"needle","path":"own.txt"}`, "own.txt:1: needle"},
		{`{"pattern":"needle","path":"a/deep"}`, "a/deep/yes.go:1: needle"},
		{`{"pattern":"needle","glob":"*.go","hidden":true}`, lineList(".hidden/h.go:1: needle", "a/deep/yes.go:1: needle")},
		{`{"pattern":"needle","glob":"a/**/*.txt"}`, lineList("a/b.txt:1: needle", "a/build/in.txt:1: needle")},
		{`{"pattern":"needle","glob":"!a/**"}`, "a.txt:2: two needle"},
		{`{"pattern":"^NEEDLE$","ignore_case":true,"glob":"z*"}`, `"z [odd]\n.txt":1: Needle`},
		{`{"pattern":"two","context":1}`, lineList("a.txt-1- one", "a.txt:2: two needle")},
		{`{"pattern":"one\\ntwo","multiline":true}`, lineList("a.txt:1: one", "a.txt:2: two needle")},
	} {
		note, file, body := framed(t, textOf(t, d, "search_files", c.args))
		assert.Equal(t, c.want, body, c.args)
		assert.Empty(t, note+file)
	}
	assert.Equal(t, "No matches for '.'", textOf(t, project(t, nil, nil), "search_files", `{"pattern":"."}`))
	assert.Equal(t, "No matches for 'a.b'", textOf(t, project(t, map[string]string{"f": "axb"}, nil), "search_files", `{"pattern":"a.b","literal":true}`))
	assert.Equal(t, "No matches for 'needle'", textOf(t, d, "search_files", `{"pattern":"needle","path":"bin"}`), "binary")
	o := call(d, "search_files", `{"pattern":"x","path":"../x"}`)
	assert.Equal(t, registry.StatusDenied, o.Status)
	assert.Equal(t, registry.StatusDenied, call(d, "search_files", `{"pattern":"x","path":".env"}`).Status)
	o = call(d, "search_files", `{"pattern":"needle","max_results":2}`)
	assert.JSONEq(t, `{"matches":2,"files":["a.txt","a/b.txt"],"truncated":true}`, string(o.Structured))
}

// Case 62 of the list that this tool was made by.
func TestSearchFilesCase62(t *testing.T) {
	t.Parallel()
	files := map[string]string{"-dash": "needle -x\n", "sub/-rf": "needle -x\n"}
	for i := range 300 {
		files[fmt.Sprintf("many/%03d.txt", i)] = fmt.Sprintf("line\nmany %03d %s\n", i, strings.Repeat("x", 150))
	}
	d := project(t, files, nil)
	assert.Equal(t, "No matches for 'zzz'", textOf(t, d, "search_files", `{"pattern":"zzz"}`), "no match is a success")
	o := call(d, "search_files", `{"pattern":"a(?=b)"}`)
	assert.Equal(t, registry.StatusError, o.Status)
	assert.Equal(t, registry.KindInvalidArgs, o.Failure.Kind)
	assert.Contains(t, o.Text, "invalid regex pattern 'a(?=b)'")
	assert.Contains(t, o.Text, "look-around is not offered")
	_, _, body := framed(t, textOf(t, d, "search_files", `{"pattern":"-x"}`))
	assert.Equal(t, lineList("-dash:1: needle -x", "sub/-rf:1: needle -x"), body, "a pattern that starts with a dash")
	_, _, body = framed(t, textOf(t, d, "search_files", `{"pattern":"needle","path":"-dash"}`))
	assert.Equal(t, "-dash:1: needle -x", body, "a path that starts with a dash")
	_, _, body = framed(t, textOf(t, d, "search_files", `{"pattern":"-x","max_results":2}`))
	assert.Equal(t, 2, strings.Count(body, "\n")+1, "an exact fit is not called truncated")

	// 300 matches are more than the budget: the first ones are shown, whole.
	o = call(d, "search_files", `{"pattern":"many","max_results":500}`)
	require.Equal(t, registry.StatusSuccess, o.Status)
	assert.False(t, o.Truncated)
	frame, note, ok := strings.Cut(o.Text, ">\n… more matches truncated (showing first ")
	require.True(t, ok, o.Text)
	_, _, body = framed(t, frame+">")
	lines := strings.Split(body, "\n")
	assert.Contains(t, note, fmt.Sprintf("%d, all that fit", len(lines)))
	assert.Greater(t, len(lines), 100)
	for i, line := range lines {
		require.Equal(t, fmt.Sprintf("many/%03d.txt:2: many %03d %s", i, i, strings.Repeat("x", 150)), line)
	}
	frame, _, ok = strings.Cut(textOf(t, d, "search_files", `{"pattern":"many"}`), "\n… more matches truncated (showing first 100; raise max_results up to 500 or narrow the pattern/path)")
	require.True(t, ok)
	_, _, body = framed(t, frame)
	assert.True(t, strings.HasPrefix(body, "many/000.txt:2:"))
	assert.Equal(t, 99, strings.Count(body, "\n"))
}

func TestSearchFilesShowsTheLineAroundTheMatch(t *testing.T) {
	t.Parallel()
	d := project(t, map[string]string{
		"long":   strings.Repeat("é", 5000) + "needle" + strings.Repeat("y", 500),
		"latin":  "caf\xe9 latin\n",
		"utf16":  "\xff\xfew\x00i\x00d\x00e\x00",
		"spaces": "  kept  \t\r\n",
	}, nil)
	_, _, body := framed(t, textOf(t, d, "search_files", `{"pattern":"needle"}`))
	assert.Equal(t, "long:1: …"+strings.Repeat("é", 30)+"needle"+strings.Repeat("y", 204)+"…", body)
	_, _, body = framed(t, textOf(t, d, "search_files", `{"pattern":"latin|wide|kept"}`))
	assert.Equal(t, lineList("latin:1: café latin", "spaces:1:   kept", "utf16:1: wide"), body)
}

// Items 22 of the weak spots: paths are the project's, in order, and .git and
// the user's own excludes are left out wherever a search starts.
func TestWalksObeyTheExcludesOfGit(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	t.Setenv("HOME", t.TempDir())
	require.NoError(t, os.Mkdir(filepath.Join(config, "git"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(config, "git", "ignore"), []byte("*.mine\n"), 0o644))
	d := project(t, map[string]string{
		".git/info/exclude": "*.local\n", ".gitignore": "*.top\n", "sub/.gitignore": "*.sub\n!ok.top\n",
		"sub/x/a.mine": "", "sub/x/a.local": "", "sub/x/a.top": "", "sub/x/ok.top": "", "sub/x/a.sub": "", "sub/x/a.go": "",
	}, nil)
	assert.Equal(t, lineList("sub/x/a.go", "sub/x/ok.top"), textOf(t, d, "find_files", `{"pattern":"*","path":"sub/x"}`))

	// A project inside of a repository.
	outer := t.TempDir()
	for name, content := range map[string]string{".git/info/exclude": "*.local", ".gitignore": "/pkg/gen\n*.top\n", "pkg/gen/a": "", "pkg/a.top": "", "pkg/a.local": "", "pkg/b": ""} {
		p := filepath.Join(outer, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(content), 0o644))
	}
	r := registry.New()
	require.NoError(t, Register(r, Options{Root: filepath.Join(outer, "pkg")}))
	assert.Equal(t, "b", textOf(t, registry.NewDoor(r, nil), "find_files", `{"pattern":"*"}`))
}

func TestExcludesFileOfGit(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]string{
		"": "", "[user]\nexcludesfile = x": "", "[core]\n\texcludesFile = ~/.ig\n": "~/.ig",
		"[CORE]\nExcludesFile=\"/a b\"\n[x]\ny=1": "/a b",
	} {
		assert.Equal(t, want, excludesFile(config), config)
	}
}

// However many run at once, what is found is the same and in order, and nothing
// stays open.
func TestWalksAreInOrder(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	var want []string
	for i := range 40 {
		for j := range 20 {
			name := fmt.Sprintf("d%02d/e%d.x/f-%02d", i, j%3, j)
			files[name] = "needle\n"
			want = append(want, name)
		}
	}
	slices.Sort(want)
	d := project(t, files, nil)
	open := openFiles(t)
	for round := range 30 {
		switch round % 3 {
		case 0:
			require.Equal(t, strings.Join(want, "\n"), textOf(t, d, "find_files", `{"pattern":"f-*","max_results":1000}`))
		case 1:
			o := call(d, "search_files", `{"pattern":"needle","max_results":7}`)
			require.Contains(t, o.Text, want[6]+":1: needle\n<context:end")
		default:
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			for _, tool := range []string{"list_dir", "find_files", "search_files"} {
				o := d.Call(ctx, registry.Request{Tool: tool, Arguments: json.RawMessage(`{"pattern":"x"}`)})
				require.True(t, o.IsError)
			}
		}
	}
	if open >= 0 {
		assert.LessOrEqual(t, openFiles(t), open+20, "directories stay open")
	}
}

// openFiles counts what this process has open, or is -1.
func openFiles(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	return len(entries)
}

func TestCompareEntriesSortsLikePaths(t *testing.T) {
	t.Parallel()
	entries := []entry{{name: "a", dir: true}, {name: "a.b", dir: true}, {name: "a.bc"}, {name: "ab"}, {name: "a-"}, {name: "a0", dir: true}, {name: "a00"}, {name: "b"}}
	slices.SortFunc(entries, compareEntries)
	path := func(e entry) string {
		if e.dir {
			return e.name + "/"
		}
		return e.name
	}
	assert.True(t, slices.IsSortedFunc(entries, func(a, b entry) int { return strings.Compare(path(a), path(b)) }))
}

// What is left out is what git leaves out.
func TestFindFilesAgreesWithGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	root := filepath.Join("..")
	cmd := exec.Command(git, "ls-files", "--cached", "--others", "--exclude-standard", "*.go")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skip("this is no checkout of git")
	}
	r := registry.New()
	require.NoError(t, Register(r, Options{Root: root}))
	want := strings.Fields(string(out))
	slices.Sort(want)
	want = slices.DeleteFunc(slices.Compact(want), func(name string) bool {
		_, err := os.Stat(filepath.Join(root, name))
		return err != nil || strings.HasPrefix(name, ".") || strings.Contains(name, "/.")
	})
	d := registry.NewDoor(r, &registry.DoorOptions{TextLimit: 1 << 20})
	got := strings.Split(textOf(t, d, "find_files", `{"pattern":"*.go","max_results":1000}`), "\n")
	if len(want) > 1000 {
		want = append(want[:1000], got[len(got)-1])
	}
	assert.Equal(t, want, got)
}
