package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// What follows looks for verbs and flags that no test is about; documents and
// exit codes are run, in everyverb_test.go and everyexit_test.go. It reads the tests, it does not watch them:
//
//   - of a script, each line that runs rho-ext, and each flag in it; a flag in a line that expects 2 counts for nothing, since
//     it may be there to be refused;
//   - of a Go test, all of its texts together: a test function that names a verb
//     and a flag somewhere is taken to give the one to the other.
//
// So it finds what is nowhere; it does not prove that what is somewhere is
// tested well.

// exercised is what one script line or one Go test is about.
type exercised struct {
	words []string // that were typed, or may have been
}

func (e *exercised) has(word string) bool { return slices.Contains(e.words, word) }

// runs reports whether it is about a verb, such as secret set.
func (e *exercised) runs(path []string) bool {
	return !slices.ContainsFunc(path, func(w string) bool { return !e.has(w) })
}

var flagWord = regexp.MustCompile(`^--?[a-zA-Z][a-zA-Z-]*`)

func exercisedByScripts(t *testing.T) (list []*exercised) {
	paths, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		text, _, _ := strings.Cut("\n"+string(data), "\n-- ")
		for line := range strings.Lines(text) {
			expect, typed, ok := strings.Cut(line, "rho-ext ")
			if !ok || strings.HasPrefix(strings.TrimSpace(line), "#") {
				continue
			}
			e := &exercised{words: words(typed)}
			f := strings.Fields(expect)
			if len(f) == 0 || !slices.Contains([]string{"exits", "exec", "!"}, f[0]) {
				continue // not a line that runs it
			}
			if f[0] == "exits" && f[1] == strconv.Itoa(exitUsage) {
				e.words = slices.DeleteFunc(e.words, func(w string) bool { return strings.HasPrefix(w, "-") })
			}
			list = append(list, e)
		}
	}
	return list
}

func exercisedByGo(t *testing.T) (list []*exercised) {
	paths, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	for _, path := range paths {
		if path == "coverage_test.go" || path == "help_test.go" { // they are about no verb in particular
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(fn.Name.Name, "Test") {
				continue
			}
			e := &exercised{}
			ast.Inspect(fn, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					if s, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && !strings.Contains(s, "\n") {
						e.words = append(e.words, words(s)...)
					}
				case *ast.Ident:
					if verb, ok := helpers[n.Name]; ok {
						e.words = append(e.words, verb...)
					}
				}
				return true
			})
			list = append(list, e)
		}
	}
	return list
}

// helpers run a verb that the test itself does not name.
var helpers = map[string][]string{"develop": {"dev"}, "grant": {"grant"}}

// verbs are all that can be typed.
func verbs() (list []*cobra.Command) {
	root := (&app{streams: streams{out: &bytes.Buffer{}, err: &bytes.Buffer{}}, allow: allowFlags{}}).command()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if sub.Name() == "help" {
				continue
			}
			if sub.Runnable() {
				list = append(list, sub)
			}
			visit(sub)
		}
	}
	visit(root)
	return list
}

// pathOf is what is typed for a verb, such as secret and set.
func pathOf(c *cobra.Command) []string { return strings.Fields(c.CommandPath())[1:] }

func TestEveryVerbAndFlagHasATest(t *testing.T) {
	t.Parallel()
	all := append(exercisedByScripts(t), exercisedByGo(t)...)
	var missing []string
	given := func(e *exercised, f *pflag.Flag) bool {
		return slices.ContainsFunc(e.words, func(w string) bool {
			name := flagWord.FindString(w)
			return name == "--"+f.Name || f.Shorthand != "" && name == "-"+f.Shorthand
		})
	}
	for _, c := range verbs() {
		var mine []*exercised
		for _, e := range all {
			if e.runs(pathOf(c)) {
				mine = append(mine, e)
			}
		}
		if len(mine) == 0 {
			missing = append(missing, c.CommandPath())
			continue
		}
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !slices.ContainsFunc(mine, func(e *exercised) bool { return given(e, f) }) {
				missing = append(missing, c.CommandPath()+" --"+f.Name)
			}
		})
	}
	verbs()[0].Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !slices.ContainsFunc(all, func(e *exercised) bool { return given(e, f) }) {
			missing = append(missing, "--"+f.Name)
		}
	})
	require.Empty(t, missing, "no test is about these")
}
