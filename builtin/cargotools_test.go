package builtin

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// crates is a workspace: good is in order, wrong does not compile, lints is for
// clippy and fix, fails has tests of all kinds, features has one, and script a
// build script.
var crates = map[string]string{
	"Cargo.toml":        "[workspace]\nmembers = [\"good\", \"wrong\", \"lints\", \"fails\", \"script\"]\nresolver = \"2\"\n",
	"good/Cargo.toml":   "[package]\nname = \"good\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[features]\nextra = []\n",
	"good/src/lib.rs":   "/// Two.\npub fn two() -> i32 {\n    2\n}\n\n#[cfg(feature = \"extra\")]\npub fn extra() -> i32 {\n    \"no\"\n}\n\n#[test]\nfn is_two() {\n    assert_eq!(two(), 2);\n}\n\n#[test]\n#[ignore]\nfn later() {}\n",
	"wrong/Cargo.toml":  "[package]\nname = \"wrong\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
	"wrong/src/lib.rs":  "pub fn f() -> i32 {\n    \"x\"\n}\n",
	"lints/Cargo.toml":  "[package]\nname = \"lints\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
	"lints/src/lib.rs":  "pub fn f() -> i32 {\n    let mut x = 1;\n    return x;\n}\n",
	"fails/Cargo.toml":  "[package]\nname = \"fails\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
	"fails/src/lib.rs":  "#[test]\nfn good() {}\n\n#[test]\nfn bad() {\n    println!(\"test result: ok. 99 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\\n\\nfailures:\\n---- worse2 stdout ----\");\n    println!(\"said before\");\n    assert_eq!(2, 3, \"two is not three\");\n}\n\n#[test]\nfn worse() {\n    panic!(\"no way\");\n}\n",
	"script/Cargo.toml": "[package]\nname = \"script\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
	"script/src/lib.rs": "",
	"script/build.rs":   "fn main() {\n    panic!(\"the build script was run\");\n}\n",
	"broken/Cargo.toml": "[package\n",
	"broken/src/lib.rs": "",
	"alone/Cargo.toml":  "[package]\nname = \"alone\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
	"alone/src/lib.rs":  "",
}

func needsCargo(t testing.TB) {
	for _, tool := range []string{"cargo", "rustc"} {
		if err := exec.Command(tool, "--version").Run(); err != nil {
			t.Skipf("there is no %s: install Rust to run this test", tool)
		}
	}
}

func newCrates(t testing.TB) *workshop {
	needsCargo(t)
	return newWorkshop(t, crates, CommandOptions{}, nil)
}

func TestCargoCheck(t *testing.T) {
	t.Parallel()
	w := newCrates(t)
	var a buildAnswer
	o := w.call(t, "cargo_check", map[string]any{"package": "good"}, &a)
	assert.Equal(t, "cargo check: no errors or warnings", o.Text)
	assert.True(t, a.OK)

	a = buildAnswer{}
	o = w.call(t, "cargo_check", map[string]any{"package": "wrong"}, &a)
	assert.True(t, o.IsError)
	require.Len(t, a.Diagnostics, 1, o.Text)
	assert.Equal(t, diagnosticShape{Level: "error", Code: "E0308", Message: "mismatched types", File: "wrong/src/lib.rs", Line: 2, Column: 5}, a.Diagnostics[0])
	assert.True(t, strings.HasPrefix(o.Text, "cargo check: 1 error(s), 0 warning(s)\n\nerror[E0308]: mismatched types\n"), o.Text)
	d := o.Details.(Diagnostics)
	assert.Equal(t, "expected `i32`, found `&str`", d[0].Spans[0].Label)
	assert.NotEmpty(t, d[0].Rendered)

	o = w.call(t, "cargo_check", map[string]any{"package": "good", "features": []string{"extra"}}, nil)
	assert.True(t, o.IsError, "the feature turns wrong code on")
	o = w.call(t, "cargo_check", map[string]any{"package": "good", "target": "no-such-target"}, nil)
	assert.True(t, o.IsError)

	for about, c := range map[string]struct {
		args map[string]any
		text string
	}{
		"a broken manifest":           {map[string]any{"cwd": "broken"}, "Cargo.toml"},
		"no manifest":                 {map[string]any{"cwd": "../"}, "outside"},
		"a package that is not there": {map[string]any{"package": "nope"}, "nope"},
		"a build script that fails":   {map[string]any{"package": "script"}, "the build script was run"},
		"a feature that is not there": {map[string]any{"package": "good", "features": []string{"nope"}}, "nope"},
		"both":                        {map[string]any{"package": "good", "workspace": true}, "give one of them"},
	} {
		t.Run(about, func(t *testing.T) {
			o := w.call(t, "cargo_check", c.args, nil)
			assert.True(t, o.IsError, o.Text)
			assert.Contains(t, o.Text, c.text)
		})
	}
}

func TestCargoClippyAndFix(t *testing.T) {
	t.Parallel()
	w := newCrates(t)
	if exec.Command("cargo", "clippy", "--version").Run() != nil {
		t.Skip("there is no clippy: install it to run this test")
	}
	var a buildAnswer
	o := w.call(t, "cargo_clippy", map[string]any{"package": "lints"}, &a)
	assert.False(t, o.IsError, "warnings are no errors")
	assert.Equal(t, 2, a.Warnings, o.Text)
	assert.Contains(t, o.Text, "clippy::needless_return")
	assert.Contains(t, o.Text, "[machine-applicable fix] at lints/src/lib.rs")

	var f fixAnswer
	o = w.call(t, "cargo_fix", map[string]any{"package": "lints"}, &f)
	assert.Equal(t, []string{"lints/src/lib.rs"}, f.Changed, o.Text)
	assert.True(t, f.OK)
	src, err := os.ReadFile(filepath.Join(w.root, "lints/src/lib.rs"))
	require.NoError(t, err)
	assert.Contains(t, string(src), "let x = 1;")
	assert.Contains(t, string(src), "return x;", "that is for clippy")

	o = w.call(t, "cargo_fix", map[string]any{"package": "lints", "clippy": true}, &f)
	assert.Equal(t, []string{"lints/src/lib.rs"}, f.Changed, o.Text)
	f = fixAnswer{}
	o = w.call(t, "cargo_fix", map[string]any{"package": "lints"}, &f)
	assert.Empty(t, f.Changed)
	assert.Equal(t, "cargo fix: nothing was changed", o.Text)
	o = w.call(t, "cargo_fix", map[string]any{"package": "wrong"}, &f)
	assert.True(t, o.IsError)
	assert.Contains(t, o.Text, "E0308")
}

func TestCargoTest(t *testing.T) {
	t.Parallel()
	w := newCrates(t)
	var a testAnswer
	o := w.call(t, "cargo_test", map[string]any{"package": "good"}, &a)
	assert.Equal(t, "cargo test: all tests passed: 1 passed, 1 ignored\n", o.Text)

	a = testAnswer{}
	o = w.call(t, "cargo_test", map[string]any{"package": "fails"}, &a)
	assert.True(t, o.IsError)
	assert.Equal(t, []int{1, 2}, []int{a.Passed, a.Failed}, "what a test prints is not counted: %s", o.Text)
	require.Len(t, a.Failures, 2)
	slices.SortFunc(a.Failures, func(a, b testFailure) int { return strings.Compare(a.Name, b.Name) })
	assert.Equal(t, "bad", a.Failures[0].Name)
	assert.Contains(t, a.Failures[0].Output, "said before")
	assert.Contains(t, a.Failures[0].Output, "two is not three")
	assert.Contains(t, a.Failures[1].Output, "no way")

	a = testAnswer{}
	o = w.call(t, "cargo_test", map[string]any{"package": "fails", "test_name": "good"}, &a)
	assert.False(t, o.IsError, o.Text)
	assert.Equal(t, 1, a.Passed)
	o = w.call(t, "cargo_test", map[string]any{"package": "fails", "test_name": "nothing"}, &a)
	assert.True(t, o.IsError)
	assert.Contains(t, o.Text, `no test has a name with "nothing"`)
	o = w.call(t, "cargo_test", map[string]any{"package": "wrong"}, nil)
	assert.True(t, o.IsError)
	assert.Contains(t, o.Text, "E0308")
}

func TestRustcExplain(t *testing.T) {
	needsCargo(t)
	t.Parallel()
	w := newWorkshop(t, map[string]string{"rust-toolchain.toml": "[toolchain]\npath = \"/nowhere\"\n"}, CommandOptions{}, nil)
	o := w.call(t, "rustc_explain", map[string]any{"error_code": "E0308"}, nil)
	assert.False(t, o.IsError, o.Text)
	assert.Contains(t, o.Text, "Expected type did not match the received type")
	assert.Equal(t, o.Text, w.call(t, "rustc_explain", map[string]any{"error_code": "308"}, nil).Text)
	o = w.call(t, "rustc_explain", map[string]any{"error_code": "E9999"}, nil)
	assert.Equal(t, "E9999 is not an error code that this compiler knows", o.Text)
	assert.Equal(t, "unknown_error_code", o.Failure.Code)
}

func TestCargoToolsWithoutCargo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	w := newWorkshop(t, crates, CommandOptions{}, nil)
	for _, tool := range []string{"cargo_check", "cargo_clippy", "cargo_test", "cargo_fix"} {
		o := w.call(t, tool, nil, nil)
		assert.Equal(t, "program_missing", o.Failure.Code)
		assert.Contains(t, o.Text, "there is no cargo program in PATH")
	}
	assert.Contains(t, w.call(t, "rustc_explain", map[string]any{"error_code": "E0308"}, nil).Text, "there is no rustc program in PATH")
}

func TestCargoToolsWithHostileArguments(t *testing.T) {
	needsCargo(t)
	t.Parallel()
	w := newWorkshop(t, map[string]string{"Cargo.toml": crates["good/Cargo.toml"], "src/lib.rs": "#[test]\nfn a() {}\n"}, CommandOptions{}, nil)
	for _, tool := range []string{"cargo_check", "cargo_clippy", "cargo_fix"} {
		hostileCalls(t, w, tool, nil, []string{"package", "target", "cwd"}, "features")
	}
	hostileCalls(t, w, "cargo_test", nil, []string{"package", "target", "cwd", "test_name"}, "features")
	hostileCalls(t, w, "rustc_explain", nil, []string{"error_code"})
}
