package builtin

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

// goModule is a small module: package good is in order, wrong does not compile,
// odd is for vet, and fails has tests of all kinds.
var goModule = map[string]string{
	"go.mod":           "module example.org/m\n\ngo 1.24\n",
	"good/good.go":     "package good\n\nfunc Two() int { return 2 }\n",
	"good/a_test.go":   "package good\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestLater(t *testing.T) { t.Skip(\"later\") }\n",
	"wrong/wrong.go":   "package wrong\n\nfunc F() int { return \"x\" }\n\nvar y = undefined\n",
	"odd/odd.go":       "package odd\n\nimport \"fmt\"\n\nfunc F() { fmt.Printf(\"%d\\n\", \"x\") }\n",
	"fails/f_test.go":  "package fails\n\nimport \"testing\"\n\nfunc TestGood(t *testing.T) {}\n\nfunc TestBad(t *testing.T) {\n\tt.Run(\"part\", func(t *testing.T) { t.Error(\"two is not three\") })\n\tt.Run(\"other\", func(t *testing.T) {})\n}\n",
	"panics/p_test.go": "package panics\n\nimport \"testing\"\n\nfunc TestPanics(t *testing.T) { panic(\"no way\") }\n",
	"exits/e_test.go":  "package exits\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { println(\"gone\"); os.Exit(3) }\n\nfunc TestX(t *testing.T) {}\n",
	"broken/go.mod":    "module !!!\n",
	"broken/b.go":      "package b\n",
}

func needsGo(t testing.TB) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go program in PATH")
	}
}

func TestGoBuild(t *testing.T) {
	needsGo(t)
	t.Parallel()
	w := newWorkshop(t, goModule, CommandOptions{}, nil)
	var a buildAnswer
	o := w.call(t, "go_build", map[string]any{"package": "./good"}, &a)
	assert.Equal(t, "go build: no errors or warnings", o.Text)
	assert.True(t, a.OK)

	a = buildAnswer{}
	o = w.call(t, "go_build", map[string]any{"package": "./..."}, &a)
	assert.True(t, o.IsError)
	assert.Equal(t, 2, a.Errors)
	assert.Equal(t, diagnosticShape{Level: "error", Message: `cannot use "x" (untyped string constant) as int value in return statement`, File: "wrong/wrong.go", Line: 3, Column: 23}, a.Diagnostics[0])
	assert.Contains(t, o.Text, "go build: 2 error(s), 0 warning(s)")
	assert.Contains(t, o.Text, "wrong/wrong.go:5:9")
	require.IsType(t, Diagnostics{}, o.Details)

	o = w.call(t, "go_build", map[string]any{"package": "./...", "cwd": "broken"}, &a)
	assert.True(t, o.IsError, "a broken go.mod is no success")
	assert.Contains(t, o.Text, "malformed module path")
	o = w.call(t, "go_build", map[string]any{"package": "./nope"}, &a)
	assert.True(t, o.IsError)
	assert.Contains(t, o.Text, "nope")
	entries, err := os.ReadDir(w.root)
	require.NoError(t, err)
	assert.Len(t, entries, 8, "building leaves nothing in the project")
}

func TestGoVet(t *testing.T) {
	needsGo(t)
	t.Parallel()
	w := newWorkshop(t, goModule, CommandOptions{}, nil)
	var a buildAnswer
	o := w.call(t, "go_vet", map[string]any{"package": "./odd"}, &a)
	assert.True(t, o.IsError)
	require.Len(t, a.Diagnostics, 1, o.Text)
	assert.Equal(t, "odd/odd.go", a.Diagnostics[0].File)
	assert.Contains(t, a.Diagnostics[0].Message, "wrong type string")
	o = w.call(t, "go_vet", map[string]any{"package": "./good"}, &a)
	assert.Equal(t, "go vet: no errors or warnings", o.Text)
	o = w.call(t, "go_vet", map[string]any{"package": "./wrong"}, &a)
	assert.True(t, o.IsError, "what does not compile is not in order")
	assert.Contains(t, o.Text, "wrong/wrong.go:5:9")
}

func TestGoTest(t *testing.T) {
	needsGo(t)
	t.Parallel()
	w := newWorkshop(t, goModule, CommandOptions{}, nil)
	var a testAnswer
	o := w.call(t, "go_test", map[string]any{"package": "./good"}, &a)
	assert.Equal(t, "go test: all tests passed: 1 passed, 1 ignored\n", o.Text)

	a = testAnswer{}
	o = w.call(t, "go_test", map[string]any{"package": "./fails"}, &a)
	assert.True(t, o.IsError)
	assert.Equal(t, []int{2, 2, 1}, []int{a.Passed, a.Failed, len(a.Failures)}, "a test and its failing part count, the part is shown")
	assert.Equal(t, "TestBad/part", a.Failures[0].Name)
	assert.Contains(t, a.Failures[0].Output, "two is not three")

	a = testAnswer{}
	o = w.call(t, "go_test", map[string]any{"package": "./wrong"}, &a)
	assert.True(t, o.IsError)
	a = testAnswer{}
	o = w.call(t, "go_test", map[string]any{"package": "./..."}, &a)
	assert.True(t, o.IsError)
	assert.Contains(t, o.Text, "wrong/wrong.go:3:23")
	assert.Contains(t, o.Text, "no way", "a panic shows")
	assert.Contains(t, o.Text, "(package)", "and a program that ends by itself")
	assert.NotEmpty(t, a.Diagnostics)

	o = w.call(t, "go_test", map[string]any{"package": "./good", "run": "Nothing"}, nil)
	assert.True(t, o.IsError)
	assert.Equal(t, `go test: no test matches run "Nothing" in ./good`, o.Text)
	o = w.call(t, "go_test", map[string]any{"run": "("}, nil)
	assert.Contains(t, o.Text, "is no regular expression")
}

func TestGoToolsWithoutGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	w := newWorkshop(t, goModule, CommandOptions{}, nil)
	for _, tool := range []string{"go_build", "go_vet", "go_test"} {
		o := w.call(t, tool, nil, nil)
		assert.Equal(t, "program_missing", o.Failure.Code)
		assert.Contains(t, o.Text, "there is no go program in PATH")
	}
}

// hostileValues are what an argument could hold that means to start another
// program or to reach something else.
var hostileValues = func() []string {
	touch := "touch hostile-was-here"
	out := []string{
		"-toolexec=" + touch, "--config=alias.x='!" + touch + "'", "-exec=" + touch, "-o/tmp/x", "--help", "-", "--",
		"--manifest-path=/etc/passwd", "--target-dir=/", "-vettool=/bin/sh", "-overlay=x.json", "-modfile=x.mod", "-C/", "--explain",
		"/etc/passwd", "../outside", "./../../x", "..", "a/../../b", `..\x`, `C:\x`, "file:///etc/passwd", "https://example.org/x@latest",
	}
	for _, f := range []string{"; %s", "| %s", "& %s", "&& %s", "|| %s", "$(%s)", "`%s`", "\n%s", "\r\n%s\r\n", "'; %s; '", `"; %s; "`, "x y; %s", "{%s}", "<(%s)", "> %s", "%%0a%s", "\x00%s", "\u2028%s", "../$(%s)", "x%s\t", "é; %s", "${IFS}%s"} {
		out = append(out, strings.ReplaceAll(f, "%s", touch))
	}
	return out
}()

// hostileCalls checks that no value of any text argument of a tool starts a
// program besides those that are allowed, or is taken for a success. The tools
// of the machine are replaced by a recorder.
func hostileCalls(t *testing.T, w *workshop, tool string, base map[string]any, params []string, lists ...string) {
	t.Helper()
	require.GreaterOrEqual(t, len(hostileValues), 40)
	for _, param := range append(params, lists...) {
		for _, v := range hostileValues {
			args := map[string]any{}
			for k, b := range base {
				args[k] = b
			}
			args[param] = v
			for _, l := range lists {
				if l == param {
					args[param] = []string{v}
				}
			}
			o := w.call(t, tool, args, nil)
			assert.NotEqual(t, registry.StatusSuccess, o.Status, "%s %s=%q: %s", tool, param, v, o.Text)
			assert.NotEmpty(t, o.Text)
		}
	}
	matches, err := filepath.Glob(filepath.Join(w.root, "*hostile*"))
	require.NoError(t, err)
	assert.Empty(t, matches)
}

func TestGoToolsWithHostileArguments(t *testing.T) {
	needsGo(t)
	t.Parallel()
	w := newWorkshop(t, map[string]string{"go.mod": "module example.org/m\n\ngo 1.24\n", "m.go": "package m\n", "m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestM(t *testing.T) {}\n"}, CommandOptions{}, nil)
	for _, tool := range []string{"go_build", "go_vet", "go_test"} {
		hostileCalls(t, w, tool, nil, []string{"package", "cwd"}, "tags")
	}
}

func TestGoTestWithHostileNames(t *testing.T) {
	needsGo(t)
	t.Parallel()
	w := newWorkshop(t, map[string]string{"go.mod": "module example.org/m\n\ngo 1.24\n", "m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestM(t *testing.T) {}\n"}, CommandOptions{}, nil)
	values := hostileValues
	if !long() {
		values = values[:8]
	}
	for _, v := range values {
		o := w.call(t, "go_test", map[string]any{"run": v}, nil)
		// Some match the test's name, as patterns.
		assert.True(t, o.IsError || strings.Contains(o.Text, "1 passed"), "%q: %s", v, o.Text)
	}
	assert.NoFileExists(t, filepath.Join(w.root, "hostile-was-here"))
}
