package permission

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// realDir is a folder without symbolic links.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

func mustGrant(t *testing.T, kind Kind, text, root string) Grant {
	t.Helper()
	g, err := ParseGrant(kind, text, root)
	require.NoError(t, err, "%s %s", kind, text)
	return g
}

func symlink(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
}

func TestParseGrantGivesOneSpelling(t *testing.T) {
	t.Parallel()
	root := realDir(t)
	for _, tt := range []struct {
		kind       Kind
		text, want string
	}{
		{KindNet, "API.GitHub.com", "api.github.com"},
		{KindNet, " https://api.github.com/ ", "api.github.com"},
		{KindNet, "*.example.org:8443", "*.example.org:8443"},
		{KindNet, "::1", "[::1]"},
		{KindRead, ".", "."},
		{KindRead, "./", "."},
		{KindRead, "a/../b/./c", "b/c"},
		{KindRead, root, "."},
		{KindWrite, root + "/out/", "out"},
		{KindWrite, root + "/x/../../" + filepath.Base(root) + "/out", "out"},
		{KindWrite, " spaces ", " spaces "},
		{KindWrite, "~x", "~x"},
		{KindWrite, "./~/x", "./~/x"},
		{KindRun, "git", "git"},
		{KindRun, "  npm \t test ", ""}, // a tab is a control character
		{KindRun, "  npm   test ", "npm test"},
		{KindRun, "scripts/../x.sh -v", "./x.sh -v"},
		{KindRun, "./x.sh", "./x.sh"},
		{KindRun, "/usr/bin/git", "/usr/bin/git"},
		{KindRun, "*", "*"},
		{KindEnv, "GITHUB_TOKEN", "GITHUB_TOKEN"},
		{KindTool, "read_*", "read_*"},
		{KindHook, "tool_call", "tool_call"},
	} {
		g, err := ParseGrant(tt.kind, tt.text, root)
		if tt.want == "" {
			require.Error(t, err, "%s %q", tt.kind, tt.text)
			continue
		}
		require.NoError(t, err, "%s %q", tt.kind, tt.text)
		require.Equal(t, Grant{tt.kind, tt.want}, g)
		again, err := ParseGrant(g.Kind, g.Target, root)
		require.NoError(t, err)
		require.Equal(t, g, again, "it is read as itself")
	}
}

func TestParseGrantRefusesWhatNamesNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range Kinds {
		for _, text := range []string{"", "  ", "a\x00b", "a\nb", "a\x1b[31m", "a\x7f", "a\u009b", "a\xff", strings.Repeat("a", maxTarget+1)} {
			_, err := ParseGrant(kind, text, "/p")
			require.Error(t, err, "%s %q", kind, text)
			require.NotContains(t, err.Error(), "\x1b")
			require.Less(t, len(err.Error()), 300)
		}
	}
	for _, tt := range []struct {
		kind       Kind
		text, want string
	}{
		{KindNet, "https://a.test/path", "it has a path"},
		{KindRun, "* --version", "name the program"},
		{KindEnv, "A B", "such as GITHUB_TOKEN"},
		{KindEnv, "1A", "such as GITHUB_TOKEN"},
		{KindEnv, "*", "such as GITHUB_TOKEN"},
		{KindTool, "read_[", "such as read_file"},
		{KindHook, "tool", "expected tool_call, tool_result, before_model"},
		{"fly", "away", `unknown kind of grant "fly"`},
	} {
		_, err := ParseGrant(tt.kind, tt.text, "/p")
		require.ErrorContains(t, err, tt.want)
	}
	_, err := ParseGrant(KindRead, "a", "")
	require.ErrorContains(t, err, "is relative, and there is no project")
}

func TestPathsBesideTheProjectAreAbsolute(t *testing.T) {
	t.Parallel()
	base := realDir(t)
	root := filepath.Join(base, "out")
	require.NoError(t, os.Mkdir(root, 0o700))
	for text, want := range map[string]string{
		"..":        base,
		"../x":      filepath.Join(base, "x"),
		"../outer":  filepath.Join(base, "outer"), // begins like the project's name
		"a/../../x": filepath.Join(base, "x"),
		"../out/x":  "x",
		root + "er": root + "er",
		"/":         "/",
	} {
		if runtime.GOOS == "windows" && text == "/" {
			continue
		}
		require.Equal(t, filepath.ToSlash(want), mustGrant(t, KindRead, text, root).Target, text)
	}
}

func TestHomeIsThePersonsOwn(t *testing.T) {
	home := realDir(t)
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	root := realDir(t)
	require.Equal(t, filepath.ToSlash(home), mustGrant(t, KindRead, "~", root).Target)
	require.Equal(t, filepath.ToSlash(home)+"/notes", mustGrant(t, KindRead, "~/notes", root).Target)
	require.Equal(t, "notes", mustGrant(t, KindRead, "~/notes", home).Target, "the home is the project")
	// A folder that is called ~ cannot pass itself off as the home.
	n := NeedPath(KindRead, filepath.Join(root, "~", "notes"), root)
	require.Equal(t, "./~/notes", n.Grant.Target)
	require.Equal(t, n.Grant, mustGrant(t, KindRead, n.Grant.Target, root))
	n.Given = "~/notes"
	require.Equal(t, n.Grant, n.shown())
}

// What was granted stays what it was, wherever a link leads later.
func TestALinkIsGrantedAsThePlaceThatItLedTo(t *testing.T) {
	t.Parallel()
	base, root := realDir(t), realDir(t)
	before, after := filepath.Join(base, "before"), filepath.Join(base, "after")
	require.NoError(t, os.Mkdir(before, 0o700))
	require.NoError(t, os.Mkdir(after, 0o700))
	link := filepath.Join(base, "link")
	symlink(t, before, link)
	g := mustGrant(t, KindWrite, filepath.Join(link, "not", "yet"), root)
	require.Equal(t, filepath.ToSlash(before)+"/not/yet", g.Target)

	require.NoError(t, os.Remove(link))
	symlink(t, after, link)
	set := NewSet(root, Held{Grant: g})
	for path, want := range map[string]bool{filepath.Join(before, "not", "yet"): true, filepath.Join(after, "not", "yet"): false} {
		n := NeedPath(KindWrite, path, root)
		_, ok := n.coveredBy(set)
		require.Equal(t, want, ok, path)
	}

	// In the project a link is granted by its own name, and gives nothing else.
	inside := filepath.Join(root, "link")
	symlink(t, before, inside)
	require.Equal(t, "link/x", mustGrant(t, KindWrite, "link/x", root).Target)
	n := NeedPath(KindWrite, filepath.Join(before, "x"), root)
	_, ok := n.coveredBy(NewSet(root, Held{Grant: Grant{KindWrite, "link/x"}}))
	require.False(t, ok)

	// The project by another name is the project.
	other := filepath.Join(base, "project")
	symlink(t, root, other)
	require.Equal(t, "out", mustGrant(t, KindWrite, filepath.Join(other, "out"), root).Target)
}

var awkward = []string{
	"a", "a b", "it's", `"`, "$HOME", "`id`", "$(id)", "a;b", "a|b", "a&b", "a>b", "*", "?", "[a]", "{a,b}", "~", "~/x", "!x", "#x", `\`, "a\\'b",
	"=ls", "-x", "--", "a=b", "é", "日本", "a\tb", "a\nb", "%1", "^x", "(x)", "''", "'", "@:+,%=./-_",
}

func TestFlagsSurviveAShell(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	for _, text := range awkward {
		want := "--allow-write=" + text
		out, err := exec.Command(sh, "-c", "printf %s "+Grant{KindWrite, text}.Flag()).Output()
		require.NoError(t, err, text)
		require.Equal(t, want, string(out))
		out, err = exec.Command(sh, "-c", "set -- "+ShellQuote(text)+`; printf '%s,%s' "$#" "$1"`).Output()
		require.NoError(t, err, text)
		require.Equal(t, "1,"+text, string(out))
	}
	require.Equal(t, "--allow-net=*.example.org:8443", strings.ReplaceAll(Grant{KindNet, "*.example.org:8443"}.Flag(), "'", ""))
	require.Equal(t, "--allow-net=api.github.com", Grant{KindNet, "api.github.com"}.Flag(), "no quotes where none are needed")
}

func FuzzShellQuote(f *testing.F) {
	for _, s := range awkward {
		f.Add(s)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		f.Skip("no shell here")
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsRune(s, 0) || len(s) > 1000 {
			return // no argument can hold it
		}
		out, err := exec.Command(sh, "-c", "printf %s. "+ShellQuote(s)).Output()
		require.NoError(t, err)
		require.Equal(t, s+".", string(out))
	})
}

// FuzzParseGrant: whatever is read is read again as itself, needs no more than
// one line, and is granted by what it names.
func FuzzParseGrant(f *testing.F) {
	for i, s := range append(awkward, "api.github.com", "*.a.test:1", "[::1]:80", "../x", "/etc/passwd", "git status", "./x y", "read_[a-z]*") {
		f.Add(i, s)
	}
	f.Fuzz(func(t *testing.T, kind int, s string) {
		k := Kinds[uint(kind)%uint(len(Kinds))]
		const root = "/no/such/project"
		g, err := ParseGrant(k, s, root)
		if err != nil {
			require.Equal(t, Grant{}, g)
			return
		}
		require.Equal(t, k, g.Kind)
		require.NotEmpty(t, g.Target)
		require.NotContains(t, g.Flag(), "\n")
		again, err := ParseGrant(k, g.Target, root)
		require.NoError(t, err, "%q", g.Target)
		require.Equal(t, g, again)
		require.Len(t, NewSet(root, Held{Grant: g}).Grants(), 1)
		line, err := encode(grantLine{Grant: g})
		require.NoError(t, err, "%s", line)
	})
}
