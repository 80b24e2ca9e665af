package ignore

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rules, path string
		dir         bool
		want        Verdict
	}{
		{"", "a", false, None},
		{"# a\n\n", "# a", false, None},
		{"*.log", "x/y.log", false, Ignore},
		{"*.log\n!keep.log", "x/keep.log", false, Keep},
		{"!keep.log\n*.log", "keep.log", false, Ignore},
		{"build/", "build", true, Ignore},
		{"build/", "build", false, None},
		{"/top", "top", false, Ignore},
		{"/top", "a/top", false, None},
		{"a/b", "a/b", false, Ignore},
		{"a/b", "x/a/b", false, None},
		{"**/a/b", "x/y/a/b", false, Ignore},
		{"**/a", "x/a", false, Ignore},
		{"a/**", "a", true, None},
		{"a/**", "a/b/c", false, Ignore},
		{"a/**/b", "a/b", false, Ignore},
		{"a/**/b", "a/x/y/b", false, Ignore},
		{"{a,b}.txt", "a.txt", false, None},
		{"{a,b}.txt", "{a,b}.txt", false, Ignore},
		{`\#x`, "#x", false, Ignore},
		{`\!x`, "!x", false, Ignore},
		{"x   ", "x", false, Ignore},
		{`x\ `, "x ", false, Ignore},
		{"x\r\ny\r\n", "x", false, Ignore},
		{"\ufeffx", "x", false, Ignore},
		{"file-[0-9]", "file-7", false, Ignore},
		{"file-[!0-9]", "file-7", false, None},
		{"tmp*", "tmp-1", false, Ignore},
		{"*", "anything", false, Ignore},
		{"[", "[", false, None},
	} {
		assert.Equal(t, c.want, Parse(c.rules).Match(c.path, path.Base(c.path), c.dir), "%q on %q", c.rules, c.path)
	}
}

// Random rules over a random tree: what git lists is what the rules keep.
func TestMatchAgreesWithGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	rounds := 25
	if os.Getenv("RHO_LONG") != "" {
		rounds = 1000
	}
	parts := []string{"a", "b", "ab", "a.b", "*", "**", "a*", "*b", "?", "[ab]", "[!a]", "a?", "*.b", "x{a,b}", "!", " "}
	names := []string{"a", "b", "ab", "a.b", "ba", "c", "xa"}
	for round := range rounds {
		r := rand.New(rand.NewPCG(1, uint64(round)))
		dir := t.TempDir()
		var files []string
		for range 40 {
			var p []string
			for range 1 + r.IntN(3) {
				p = append(p, names[r.IntN(len(names))])
			}
			name := path.Join(p...)
			full := filepath.Join(dir, filepath.FromSlash(name))
			if os.MkdirAll(filepath.Dir(full), 0o755) != nil || os.WriteFile(full, nil, 0o644) != nil {
				continue // a file is where a directory would have to be
			}
			files = append(files, name)
		}
		var text strings.Builder
		for range 1 + r.IntN(5) {
			line := ""
			if r.IntN(4) == 0 {
				line = "!"
			}
			if r.IntN(4) == 0 {
				line += "/"
			}
			for i := range 1 + r.IntN(3) {
				if i > 0 {
					line += "/"
				}
				line += parts[r.IntN(len(parts))]
			}
			if r.IntN(4) == 0 {
				line += "/"
			}
			text.WriteString(line + "\n")
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(text.String()), 0o644))

		run := func(args ...string) string {
			cmd := exec.Command(git, args...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			require.NoError(t, err, stderr.String())
			return string(out)
		}
		run("init", "-q")
		var want []string
		for _, name := range strings.Split(run("ls-files", "-z", "--others", "--exclude-standard"), "\x00") {
			if name != "" && name != ".gitignore" {
				want = append(want, name)
			}
		}
		rules := Parse(text.String())
		var got []string
		for _, name := range files {
			if kept(rules, name) && !slices.Contains(got, name) {
				got = append(got, name)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		require.Equal(t, want, got, fmt.Sprintf("round %d, rules:\n%s", round, text.String()))
	}
}

func kept(r *Rules, name string) bool {
	for i, c := range name {
		if c == '/' && r.Match(name[:i], path.Base(name[:i]), true) == Ignore {
			return false
		}
	}
	return r.Match(name, path.Base(name), false) != Ignore
}

func FuzzParse(f *testing.F) {
	f.Add("*.log\n!a/**/b\n[", "a/b/c.log")
	f.Add("{a,{b,c}}/**\n\\", "x")
	f.Fuzz(func(t *testing.T, rules, name string) {
		if len(rules) > 1000 || len(name) > 200 {
			return
		}
		Parse(rules).Match(name, path.Base(name), len(name)%2 == 0)
	})
}
