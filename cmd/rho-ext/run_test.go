package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/permission"
)

// project is a folder with the extensions of testdata/project and more files,
// whose paths are relative to .rho/extensions.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir := filepath.Join(root, ".rho", "extensions")
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	require.NoError(t, copyMissing(dir, filepath.Join("testdata", "project")))
	return root
}

// trusting is a user's own folder that trusts a project.
func trusting(t *testing.T, root string) string {
	t.Helper()
	home := t.TempDir()
	require.NoError(t, permission.NewTrust(home).Set(root, true))
	return home
}

type ran struct {
	code     int
	out, err string
}

// rhoExt runs the program in this process, away from the user's own files.
func rhoExt(t *testing.T, root, stdin string, args ...string) ran {
	t.Helper()
	t.Setenv("RHO_HOME", trusting(t, root))
	var out, errs bytes.Buffer
	code := run(t.Context(), append(args, "--root", root), streams{in: strings.NewReader(stdin), out: &out, err: &errs})
	return ran{code: code, out: out.String(), err: errs.String()}
}

const brokenExt = "export default { name: \"bad\", tools: [\n  { name: \"half\" description: \"d\" } ] };\n"

func TestExitCodesAreThoseOfTheTable(t *testing.T) {
	whole := project(t, nil)
	broken := project(t, map[string]string{"bad.ts": brokenExt})
	for _, tc := range []struct {
		name, root, args string
		code             int
		json             string // the document with --json: outcome, list, failures, or empty for none
	}{
		{"success", whole, "run types", 0, "outcome"},
		{"a protected file", whole, "run read_file --arg path=.rho/extensions/demo.ts", 4, "outcome"},
		{"list", whole, "list", 0, "list"},
		{"the tool threw", whole, "run fails", 1, "outcome"},
		{"the tool says that it failed", whole, "run refuses", 1, "outcome"},
		{"arguments break the schema", whole, "run greet", 1, "outcome"},
		{"arguments are no object", whole, "run greet --args 7", 1, "outcome"},
		{"unknown tool", whole, "run nope", 1, "outcome"},
		{"unknown name", whole, "info nope", 1, ""},
		{"arguments are no JSON", whole, "run greet --args {", 2, ""},
		{"unknown flag", whole, "run greet --nope", 2, ""},
		{"unknown verb", whole, "nope", 2, ""},
		{"no tool", whole, "run", 2, ""},
		{"in-process isolation", whole, "list --isolation in-process", 0, "list"},
		{"isolation that is none", whole, "list --isolation x", 2, ""},
		{"root that is none", "nowhere", "list", 2, ""},
		{"name that may be in a broken extension", broken, "run half", 3, "failures"},
		{"unknown name while one failed", broken, "run nope", 3, "failures"},
		{"info of the broken one", broken, "info bad", 3, "failures"},
		{"list with a failure", broken, "list", 3, "list"},
		{"another tool beside a failure", broken, "run types", 0, "outcome"},
		{"the guard refused", whole, "run calls_out", 4, "outcome"},
		{"the deadline passed in a loop", whole, "run spins --timeout 100ms", 124, "outcome"},
		{"the deadline passed at await", whole, "run waits --timeout 100ms", 124, "outcome"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			args := strings.Fields(tc.args)
			plain := rhoExt(t, tc.root, "", args...)
			require.Equal(t, tc.code, plain.code, plain.err)
			if tc.code != 0 && args[0] == "run" {
				require.Empty(t, plain.out, "a failure is told on stderr alone")
				require.NotEmpty(t, plain.err)
			}
			got := rhoExt(t, tc.root, "", append(args, "--json")...)
			require.Equal(t, tc.code, got.code, got.err)
			if tc.json == "" {
				require.Empty(t, got.out)
				return
			}
			validate(t, tc.json, got.out)
		})
	}
}

// validate checks a document that was printed against docs/schemas.
func validate(t *testing.T, schema, text string) {
	t.Helper()
	const base = "https://raw.githubusercontent.com/rho-ext/rho-ext/main/docs/schemas/"
	paths, err := filepath.Glob(filepath.Join("..", "..", "docs", "schemas", "*.schema.json"))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		require.NoError(t, err, path)
		require.NoError(t, c.AddResource(base+filepath.Base(path), doc))
	}
	s, err := c.Compile(base + schema + ".schema.json")
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err, text)
	require.NoError(t, s.Validate(doc), text)
}

func TestOutcomeTellsProgramsWhatHappened(t *testing.T) {
	root := project(t, nil)
	var o struct {
		CallID, Tool string
		Arguments    json.RawMessage
		Failure      struct{ Kind, Message string }
		Uses         []struct {
			Target string
			Denied bool
		}
	}
	got := rhoExt(t, root, `{"n": 1, "l": [9007199254740993]}`, "run", "types", "--args", "-", "--json")
	require.Equal(t, 0, got.code)
	require.NoError(t, json.Unmarshal([]byte(got.out), &o))
	require.Equal(t, "types", o.Tool)
	require.NotEmpty(t, o.CallID)
	require.JSONEq(t, `{"n": 1, "l": [9007199254740993]}`, string(o.Arguments))

	got = rhoExt(t, root, "", "run", "calls_out", "--json")
	require.NoError(t, json.Unmarshal([]byte(got.out), &o))
	require.Equal(t, "permission_denied", o.Failure.Kind)
	require.Len(t, o.Uses, 1)
	require.True(t, o.Uses[0].Denied)
	require.NotContains(t, o.Uses[0].Target, "secret")
}

func TestEscapesInNamesAndTextsDoNotSteerTheTerminal(t *testing.T) {
	const evil = "\x1b[31mred\x1b]0;title\x07\u009b2J\u202eright\rover"
	src := `const evil = "\x1b[31mred\x1b]0;title\x07\x9b2J\u202eright\rover";
console.log(evil); console.error(new Error(evil));
export default { name: evil, version: evil, description: evil, tools: [
  { name: "throws", title: evil, description: evil, risk: "read", parameters: { a: { type: "string", description: evil } },
    execute(a, ctx) { ctx.progress(evil); ctx.log.warn(evil, { evil }); throw new Error(evil) } },
  { name: "denied", description: evil, risk: "network", execute: () => fetch("http://example.com/" + evil) },
] };`
	root := project(t, map[string]string{
		"evil\n\x1b[31m.ts":     src,
		"broken\x1b[2J\ttab.ts": "/* " + evil + " */ throw new Error(\"" + strings.ReplaceAll(evil, "\r", "\\r") + "\");",
		"syntax\x1b[2J.ts":      "const a = ; // " + evil + "\n",
		"lost.ts":               "import \"./" + evil[:5] + "\";",
	})
	for _, args := range [][]string{
		{"list"}, {"info", "throws"}, {"info", "evil\n\x1b[31m"}, {"info", "broken\x1b[2J\ttab"}, {"info", evil}, {"run", evil},
		{"run", "throws", "--trace"}, {"run", "denied"}, {"run", "throws", "--args", `{"` + evil[:4] + ``}, {"run", "throws", "--" + evil},
		{evil}, {"list", "--log-level", evil}, {"list", "--isolation", evil}, {"run", "throws", "--arg", evil},
	} {
		got := rhoExt(t, root, "", args...)
		for _, s := range []string{got.out, got.err} {
			for _, bad := range []string{"\x1b", "\x07", "\u009b", "\u202e", "\r"} {
				require.NotContains(t, s, bad, "%q", args)
			}
		}
		require.Regexp(t, `·|\\x1b`, got.out+got.err, "%q", args)
		if args[0] == "list" && len(args) == 1 {
			for line := range strings.Lines(got.out) {
				require.NotRegexp(t, `^·?\[31m`, line, "a file's name began a line of its own")
			}
		}
	}
}

func TestSignalsEndARunWith130(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("signals cannot be sent there")
	}
	t.Parallel()
	self := program(t)
	root := project(t, nil)
	for _, tc := range []struct {
		tool string
		sig  syscall.Signal
		json bool
	}{{"waits", syscall.SIGINT, false}, {"waits", syscall.SIGTERM, true}, {"spins", syscall.SIGINT, true}} {
		t.Run(tc.tool+" "+tc.sig.String(), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, self)
			cmd.Args = []string{"rho-ext", "run", tc.tool, "--root", root, "--trace"}
			if tc.json {
				cmd.Args = append(cmd.Args, "--json")
			}
			cmd.Env = append(os.Environ(), "RHO_HOME="+trusting(t, root))
			var out bytes.Buffer
			cmd.Stdout = &out
			errs, err := cmd.StderrPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			buf := make([]byte, 4096)
			said := ""
			begun := map[string]string{"waits": "waiting", "spins": "arguments are passed"}[tc.tool]
			for !strings.Contains(said, begun) {
				n, err := errs.Read(buf)
				require.NoError(t, err, said)
				said += string(buf[:n])
			}
			start := time.Now()
			require.NoError(t, cmd.Process.Signal(tc.sig))
			_, _ = bytes.NewBuffer(nil).ReadFrom(errs)
			err = cmd.Wait()
			require.Less(t, time.Since(start), 10*time.Second)
			require.Error(t, err)
			require.Equal(t, 130, cmd.ProcessState.ExitCode())
			if tc.json {
				validate(t, "outcome", out.String())
				require.Contains(t, out.String(), `"kind": "cancelled"`)
			} else {
				require.Empty(t, out.String())
			}
		})
	}
}

func TestSecretsStayOutOfWhatIsPrintedAboutACall(t *testing.T) {
	const secret = "ghp_R8x2mQ4vT7nB1kL9sW3yE6uH0jD5fG2cZ8aP"
	root := project(t, map[string]string{"talks.ts": `
console.log("loaded with ` + secret + `");
export default { name: "talks", tools: [{ name: "talks", description: "d", risk: "read",
  parameters: { type: "object", properties: { t: { type: "string" } } },
  execute: (args) => { console.error("called with", args.t); return "fine"; } }] };
`})
	got := rhoExt(t, root, "", "run", "talks", "--trace", "--args", `{"t":"`+secret+`"}`)
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.err, "called with [REDACTED:github_token]")
	require.NotContains(t, got.err, secret)
	got = rhoExt(t, root, "", "run", "talks", "--json", "--args", `{"t":"`+secret+`"}`)
	require.NotContains(t, got.out+got.err, secret)
}

func TestAProjectHasOneStateWhateverItsRootIsCalled(t *testing.T) {
	root := project(t, nil)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	home := t.TempDir()
	t.Setenv("RHO_HOME", home)
	for _, name := range []string{root, link} {
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{"run", "think", "--arg", "thought=x", "--root", name}, streams{in: strings.NewReader(""), out: &out, err: &errs})
		require.Equal(t, exitOK, code, errs.String())
	}
	states, err := os.ReadDir(filepath.Join(home, "projects"))
	require.NoError(t, err)
	require.Len(t, states, 1)
}

func TestADeniedPathStaysDeniedHoweverItIsSpelt(t *testing.T) {
	root := project(t, nil)
	require.NoError(t, os.Mkdir(filepath.Join(root, "secrets"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "secrets", "key"), []byte("the key"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".rho", "config.toml"),
		[]byte("[[approval.rule]]\naction = 'deny'\narg = 'path'\nmatch = 'secrets'\n"), 0o600))
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for _, path := range []string{"secrets/key", "./secrets/key", "x/../secrets/key", "secrets//key", filepath.Join(root, "secrets", "key"), root + "/./x/../secrets/key"} {
		for _, name := range []string{root, link} {
			got := rhoExt(t, name, "", "run", "read_file", "--yes", "--arg", "path="+path)
			require.Equal(t, exitDenied, got.code, "%s: %s", path, got.err)
			require.NotContains(t, got.out+got.err, "the key")
		}
	}
	got := rhoExt(t, link, "", "run", "read_file", "--arg", "path="+filepath.Join(link, "secrets", "key"))
	require.NotContains(t, got.out, "the key")
}
