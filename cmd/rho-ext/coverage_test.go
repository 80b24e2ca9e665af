package main

import (
	"bytes"
	"fmt"
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

// What follows looks for verbs, flags, exit codes and documents that no test is
// about. It reads the tests, it does not watch them:
//
//   - of a script, each line that runs rho-ext, the code that it expects, and
//     each flag in it; a flag in a line that expects 2 counts for nothing, since
//     it may be there to be refused;
//   - of a Go test, all of its texts together: a test function that names a verb
//     and a flag somewhere is taken to give the one to the other, and one that
//     names a verb and an exit code to expect it.
//
// So it finds what is nowhere; it does not prove that what is somewhere is
// tested well.

// exercised is what one script line or one Go test is about.
type exercised struct {
	words []string // that were typed, or may have been
	codes []int
	valid bool // a document is checked against its schema
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
			switch f := strings.Fields(expect); {
			case len(f) >= 2 && f[0] == "exits":
				code, err := strconv.Atoi(f[1])
				require.NoError(t, err, line)
				e.codes = []int{code}
			case len(f) > 0 && f[0] == "exec":
				e.codes = []int{exitOK}
			case len(f) < 2 || f[0] != "!":
				continue // not a line that runs it
			}
			if slices.Contains(e.codes, exitUsage) {
				e.words = slices.DeleteFunc(e.words, func(w string) bool { return strings.HasPrefix(w, "-") })
			}
			list = append(list, e)
		}
	}
	return list
}

// codeNames are the exit codes as Go tests write them.
var codeNames = map[string]int{
	"exitOK": exitOK, "exitFailed": exitFailed, "exitUsage": exitUsage, "exitLoad": exitLoad,
	"exitDenied": exitDenied, "exitTimeout": exitTimeout, "exitInterrupted": exitInterrupted,
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
					switch n.Kind {
					case token.STRING:
						if s, err := strconv.Unquote(n.Value); err == nil && !strings.Contains(s, "\n") {
							e.words = append(e.words, words(s)...)
						}
					case token.INT:
						if code, err := strconv.Atoi(n.Value); err == nil {
							e.codes = append(e.codes, code)
						}
					}
				case *ast.Ident:
					if code, ok := codeNames[n.Name]; ok {
						e.codes = append(e.codes, code)
					}
					e.valid = e.valid || n.Name == "validate"
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

var exitParagraph = regexp.MustCompile(`(?s)Exit status:(.*?)(?:\n\n|$)`)

func TestEveryExitCodeHasATest(t *testing.T) {
	t.Parallel()
	all := append(exercisedByScripts(t), exercisedByGo(t)...)
	var missing []string
	for name, code := range codeNames {
		if !slices.ContainsFunc(all, func(e *exercised) bool { return slices.Contains(e.codes, code) }) {
			missing = append(missing, name)
		}
	}
	told := 0
	for _, c := range verbs() {
		m := exitParagraph.FindStringSubmatch(c.Long)
		if m == nil {
			continue
		}
		for _, text := range regexp.MustCompile(`\b\d+\b`).FindAllString(m[1], -1) {
			code, err := strconv.Atoi(text)
			require.NoError(t, err)
			told++
			if !slices.ContainsFunc(all, func(e *exercised) bool { return e.runs(pathOf(c)) && slices.Contains(e.codes, code) }) {
				missing = append(missing, fmt.Sprintf("%s: %d", c.CommandPath(), code))
			}
		}
	}
	require.Positive(t, told)
	require.Empty(t, missing, "no test is about these")
}

// undocumented are the verbs that print no document with --json, and why.
var undocumented = map[string]string{
	"rho-ext serve": "it speaks the messages of its protocol",
}

// documents are the schemas of what verbs print with --json, where they are not
// called as the verb is.
var documents = map[string]string{
	"rho-ext run": "outcome", "rho-ext command": "outcome", "rho-ext grant": "grants", "rho-ext revoke": "grants",
	"rho-ext secret set": "secret", "rho-ext secret remove": "secret", "rho-ext secret list": "secrets",
}

func TestEveryDocumentIsCheckedAgainstItsSchema(t *testing.T) {
	t.Parallel()
	all := exercisedByGo(t)
	var missing []string
	known := map[string]bool{}
	for _, c := range verbs() {
		known[c.CommandPath()] = true
		if undocumented[c.CommandPath()] != "" {
			continue
		}
		schema := documents[c.CommandPath()]
		if schema == "" {
			schema = c.Name()
		}
		if _, err := os.Stat(filepath.Join("..", "..", "docs", "schemas", schema+".schema.json")); err != nil {
			missing = append(missing, c.CommandPath()+" (there is no schema "+schema+")")
			continue
		}
		if !slices.ContainsFunc(all, func(e *exercised) bool { return e.valid && e.has("--json") && e.has(schema) && e.runs(pathOf(c)) }) {
			missing = append(missing, c.CommandPath())
		}
	}
	for name := range undocumented {
		require.True(t, known[name], name)
	}
	require.Empty(t, missing, "no test checks what these print with --json")

	// A schema that no test names is of nothing, or of something that is not
	// checked.
	index, err := os.ReadFile(filepath.Join("..", "..", "docs", "schemas", "README.md"))
	require.NoError(t, err)
	paths, err := filepath.Glob(filepath.Join("..", "..", "docs", "schemas", "*.schema.json"))
	require.NoError(t, err)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".schema.json")
		require.True(t, slices.ContainsFunc(all, func(e *exercised) bool { return e.valid && e.has(name) }), "no test checks a document against %s", path)
		require.Contains(t, string(index), "("+filepath.Base(path)+")", "the index does not name it")
	}
}
