package permission

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// setOf makes a set of texts such as "net a.test"; each is its own By.
func setOf(t *testing.T, root string, texts ...string) *Set {
	t.Helper()
	var held []Held
	for _, text := range texts {
		held = append(held, Held{grantOf(t, text, root), text})
	}
	return NewSet(root, held...)
}

// grantOf reads "net a.test".
func grantOf(t *testing.T, text, root string) Grant {
	t.Helper()
	for _, k := range Kinds {
		if rest, ok := cutWord(text, string(k)); ok {
			return mustGrant(t, k, rest, root)
		}
	}
	t.Fatalf("%q has no kind", text)
	return Grant{}
}

func cutWord(s, word string) (string, bool) {
	if len(s) > len(word) && s[:len(word)+1] == word+" " {
		return s[len(word)+1:], true
	}
	return s, false
}

func TestASetGrantsWhatItNamesAndNothingBeside(t *testing.T) {
	t.Parallel()
	const root = "/p"
	path := func(k Kind, p string) Need { return NeedPath(k, filepath.FromSlash(p), root) }
	run := func(words ...string) Need { return NeedRun(words[0], words[1:], root) }
	for _, tt := range []struct {
		name  string
		held  string
		need  Need
		grant bool
	}{
		{"a file below a folder", "write out", path(KindWrite, "/p/out/a/b"), true},
		{"the folder itself", "write out", path(KindWrite, "/p/out"), true},
		{"a folder that begins so", "write out", path(KindWrite, "/p/outside"), false},
		{"the folder above", "write out/a", path(KindWrite, "/p/out"), false},
		{"another case", "write out", path(KindWrite, "/p/Out/a"), false},
		{"all of the project", "write .", path(KindWrite, "/p/x"), true},
		{"a project that begins so", "write .", path(KindWrite, "/pp/x"), false},
		{"outside it", "write .", path(KindWrite, "/q/x"), false},
		{"the root of all", "read /", path(KindRead, "/etc/passwd"), true},
		{"what may be changed may be read", "write out", path(KindRead, "/p/out/a"), true},
		{"what may be read may not be changed", "read out", path(KindWrite, "/p/out/a"), false},
		{"a program with any arguments", "run git", run("git", "push", "--force"), true},
		{"a program that begins so", "run git", run("git-lfs"), false},
		{"a program elsewhere", "run git", run("/tmp/git"), false},
		{"a program in the project", "run git", run("./git"), false},
		{"the arguments that were named", "run npm test", run("npm", "test", "--", "x"), true},
		{"other arguments", "run npm test", run("npm", "publish"), false},
		{"an argument that begins so", "run npm test", run("npm", "test2"), false},
		{"two words in one argument", "run npm test", run("npm", "test x"), false},
		{"no arguments", "run npm test", run("npm"), false},
		{"the words as one program", "run npm test", run("npm test"), false},
		{"another case of a program", "run git", run("GIT"), false},
		{"any program", "run *", run("/bin/rm", "-rf"), true},
		{"the project's own program", "run ./x.sh", run("./x.sh"), true},
		{"the same by its whole path", "run ./x.sh", run("/p/x.sh"), true},
		{"the same in a roundabout way", "run ./x.sh", run("a/../x.sh"), true},
		{"a program of that name in PATH", "run ./x.sh", run("x.sh"), false},
		{"a variable", "env TOKEN", NeedName(KindEnv, "TOKEN"), true},
		{"a variable that begins so", "env TOKEN", NeedName(KindEnv, "TOKEN_2"), false},
		{"another case of a variable", "env TOKEN", NeedName(KindEnv, "token"), false},
		{"a tool", "tool read_file", NeedName(KindTool, "read_file"), true},
		{"a tool by pattern", "tool read_*", NeedName(KindTool, "read_file"), true},
		{"a tool that no pattern fits", "tool read_*", NeedName(KindTool, "write_file"), false},
		{"a variable is no tool", "env read_file", NeedName(KindTool, "read_file"), false},
		{"an event", "hook tool_call", NeedName(KindHook, "tool_call"), true},
		{"another event", "hook tool_call", NeedName(KindHook, "tool_result"), false},
		{"a host on any port", "net a.test", NeedNet("http", "a.test", 8080), true},
		{"a host in another case", "net a.test", NeedNet("https", "A.TEST.", 443), true},
		{"its port", "net a.test:8080", NeedNet("http", "a.test", 8080), true},
		{"another port", "net a.test:8080", NeedNet("http", "a.test", 80), false},
		{"a host below", "net a.test", NeedNet("https", "b.a.test", 443), false},
		{"a host that ends so", "net *.a.test", NeedNet("https", "evila.test", 443), false},
		{"a wildcard's own name", "net *.a.test", NeedNet("https", "a.test", 443), false},
		{"a host below a wildcard", "net *.a.test", NeedNet("https", "c.b.a.test", 443), true},
		{"a private address by a wildcard", "net *", NeedNet("http", "192.168.0.1", 80), false},
		{"one by its own name", "net 192.168.0.1", NeedNet("http", "192.168.0.1", 80), true},
	} {
		held, ok := tt.need.coveredBy(setOf(t, root, tt.held))
		require.Equal(t, tt.grant, ok, tt.name)
		if ok {
			require.Equal(t, tt.held, held.By, tt.name)
		}
		_, ok = tt.need.coveredBy(nil)
		require.False(t, ok, "no set grants anything")
	}
}

func TestTheRuleThatSaysMostCounts(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{
		{"net *", "net a.test", "net a.test:8443"},
		{"net a.test:8443", "net a.test", "net *"},
		{"net a.test", "net a.test:8443", "net *"},
	} {
		s := setOf(t, "/p", order...)
		for _, tt := range []struct {
			host string
			port uint16
			want string
		}{{"a.test", 8443, "net a.test:8443"}, {"a.test", 443, "net a.test"}, {"b.test", 8443, "net *"}} {
			n := NeedNet("https", tt.host, tt.port)
			held, ok := n.coveredBy(s)
			require.True(t, ok)
			require.Equal(t, tt.want, held.By)
			require.Equal(t, tt.want, "net "+n.Rule.String())
		}
	}
}

func TestNamesThatNobodyUsesUnaskedNeedAGrantOfTheirOwn(t *testing.T) {
	t.Parallel()
	for held, want := range map[string]bool{"read .": false, "read a": false, "read a/.git": true, "read a/.git/config": true, "read a/.gitx": false} {
		n := NeedPath(KindRead, filepath.FromSlash("/p/a/.git/config"), "/p")
		n.Below = filepath.FromSlash("/p/a/.git")
		_, ok := n.coveredBy(setOf(t, "/p", held))
		require.Equal(t, want, ok, held)
	}
}

func TestASetTakesOnlyWhatParseGrantMakes(t *testing.T) {
	t.Parallel()
	bad := []Held{{Grant: Grant{KindNet, "a b"}}, {Grant: Grant{KindRun, "  "}}, {Grant: Grant{}}, {Grant: Grant{KindNet, ""}}}
	s := NewSet("/p", bad...)
	for _, n := range []Need{NeedNet("http", "a", 80), NeedRun("", nil, "/p"), NeedNet("http", "", 0)} {
		_, ok := n.coveredBy(s)
		require.False(t, ok, "%+v", n)
	}
	require.Empty(t, NewSet("", Held{Grant: Grant{KindRead, "x"}}).Grants(), "without a project nothing is relative")
	require.Nil(t, (*Set)(nil).Grants())
}

// The least grant of a need is what a denial suggests: it must be readable, and
// must do.
func TestTheSuggestedGrantIsEnough(t *testing.T) {
	t.Parallel()
	const root = "/p"
	for _, n := range []Need{
		NeedNet("https", "a.test", 443), NeedNet("http", "a.test", 443), NeedNet("http", "::1", 8080),
		NeedPath(KindRead, "/p", root), NeedPath(KindRead, "/p/~/x", root), NeedPath(KindWrite, "/p/a b/' ", root), NeedPath(KindWrite, "/q", root),
		NeedRun("git", []string{"push"}, root), NeedRun("./a.sh", nil, root), NeedRun("/bin/ls", nil, root),
		NeedName(KindEnv, "TOKEN"), NeedName(KindTool, "read_file"), NeedName(KindHook, "tool_call"),
	} {
		g := mustGrant(t, n.Kind, n.Grant.Target, root)
		require.Equal(t, n.Grant, g)
		_, ok := n.coveredBy(NewSet(root, Held{Grant: g}))
		require.True(t, ok, "%s", g)
	}
}
