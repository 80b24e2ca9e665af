package host_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

const notRun = "no PermissionDenied run"

// script puts a program into the project.
func script(name, text string) func(t *testing.T, o *host.Options) {
	return func(t *testing.T, o *host.Options) {
		write(t, o.Root, name, text)
		require.NoError(t, os.Chmod(filepath.Join(o.Root, name), 0o755))
	}
}

// runAttacks try to run what was not granted, or to call it.
var runAttacks = map[string]attack{
	"words of a rule in one argument": {allow: []string{"run echo test"},
		body: `return all(() => ctx.exec("echo", ["test --x"]), () => ctx.exec("echo test", []), () => ctx.exec("echo", ["tes", "t"]), () => ctx.exec("echo", ["test\u0000"]), () => ctx.exec("echo", [" test"]), () => ctx.exec("echo", ["--", "test"]), () => ctx.exec("echo", ["TEST"]), () => ctx.exec("echo", []), () => ctx.exec("echo", ["", "test"]))`,
		want: times(notRun, 9)},
	"a program by another way to it": {allow: []string{"run echo"},
		body: `return all(() => ctx.exec("/bin/echo"), () => ctx.exec("./echo"), () => ctx.exec("../bin/echo"), () => ctx.exec("ECHO"), () => ctx.exec("echo "), () => ctx.exec("echo\u0000"), () => ctx.exec("echo/../sh"), () => ctx.exec("env"), () => ctx.exec(""), () => rho.runCommand("sh", ["-c", "true"]))`,
		want: "~" + notRun, safe: nothingGot},
	"a project's own program for one of the system": {allow: []string{"run true", "write ."}, setup: script("true", "#!/bin/sh\necho SECRET\n"),
		body: `return all(() => ctx.exec("./true"), async () => (await ctx.exec("true", [], { cwd: "." })).stdout)`, want: notRun + ", got "},
	"a program of the project from another directory": {allow: []string{"run ./x.sh", "write sub"}, setup: func(t *testing.T, o *host.Options) {
		script("x.sh", "#!/bin/sh\necho right\n")(t, o)
		script("sub/x.sh", "#!/bin/sh\necho SECRET\n")(t, o)
	},
		body: `return all(async () => (await ctx.exec("./x.sh", [], { cwd: "sub" })).stdout.trim(), () => ctx.exec("./sub/x.sh"), () => ctx.exec("sub/x.sh"))`, want: "got right, " + notRun + ", " + notRun},
	"a directory to run in that may not be read": {permissions: `run: ["pwd"], read: ["src"]`, allow: []string{"run pwd", "read /"}, setup: files(map[string]string{"src/a": "", ".git/a": "", "l": "->/etc", "src/l": "->.."}),
		body: `return all(() => ctx.exec("pwd", [], { cwd: "/etc" }), () => ctx.exec("pwd", [], { cwd: ".git" }), () => ctx.exec("pwd", [], { cwd: "l" }), () => ctx.exec("pwd", [], { cwd: ".." }), () => ctx.exec("pwd", [], { cwd: "src/l" }), () => ctx.exec("pwd", [], { cwd: "src/a" }))`,
		want: times(unread, 5) + ", no Error EIO"},
	"variables by way of a program": {allow: []string{"run env"},
		body: `const r = await ctx.exec("env", []); return r.stdout.split("\n").map((l) => l.split("=")[0]).filter((n) => /TOKEN|SECRET|KEY|ATTACK|LD_PRELOAD/.test(n)).join() || "none"`, want: "none"},
	"objects in the place of a program": {allow: []string{"run true"},
		body: `let n = 0; const twice = { toString: () => n++ ? "sh" : "true" }; return all(() => ctx.exec(twice, ["-c", "echo SECRET"]), () => ctx.exec("true", { length: 1, 0: "x" }), () => ctx.exec(["sh", "-c", "echo SECRET"]), () => ctx.exec("true", [{ toString: () => "x" }]))`,
		want: "~no ", safe: nothingGot},
	"a tool that was not granted": {permissions: `tools: ["read_file"]`, allow: []string{"tool *"},
		body: `return all(...["write_file", "bash", "READ_FILE", "read_file ", " read_file", "read_file\u0000", "read_*", "", "t", "__proto__", "constructor", "x.read_file", "x/read_file"].map((n) => () => ctx.callTool(n, { path: "a" })))`,
		want: times("no PermissionDenied tool", 7) + ", no TypeError, " + times("no PermissionDenied tool", 5)},
	"itself, for ever": {allow: []string{"tool t"}, body: `const r = await ctx.callTool("t", {}); return r.isError ? "stopped" : r.text`, want: "stopped"},
	"an object in the place of a tool's name": {permissions: `tools: ["read_file"]`, allow: []string{"tool read_file"}, setup: files(map[string]string{"a": "SECRET"}),
		body: `let n = 0; return all(() => ctx.callTool({ toString: () => n++ ? "write_file" : "read_file" }, { path: "b", content: "x" }))`, want: "~no ", safe: nothingGot},
	"a file by way of a tool": {permissions: `tools: ["read_file"]`, allow: []string{"tool read_file", "tool glob", "tool grep"}, setup: files(map[string]string{".env": "SECRET", "../s": "SECRET"}),
		body: `const r = []; for (const path of [".env", "../s", "/etc/passwd", ".rho/extensions/x.ts"]) r.push((await ctx.callTool("read_file", { path })).isError); return r.join()`, want: "true,true,true,true"},
}

func nothingGot(t *testing.T, p *project, out *registry.Outcome) { nothingGotBut()(t, p, out) }

// nothingGotBut says that all that was tried was refused, but for what is known.
func nothingGotBut(known ...string) func(*testing.T, *project, *registry.Outcome) {
	return func(t *testing.T, _ *project, out *registry.Outcome) {
		text := out.Text
		for _, k := range known {
			text = strings.ReplaceAll(text, k, "")
		}
		assert.NotContains(t, text, "got", text)
	}
}

// A tool that is registered later, or again with more effects, is called by
// nobody who has not those.
func TestAToolThatGrowsIsNotCalledByThoseThatDidNot(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": attackHead + `export default defineExtension({ name: "x", permissions: { tools: ["later"] }, tools: [
		defineTool({ name: "t", description: "d", risk: "read", parameters: {}, execute: (_, ctx) => tried(async () => (await ctx.callTool("later", {})).text) }) ] });`,
		"a.ts": `export default { name: "a", tools: [{ name: "later", description: "d", risk: "read", parameters: {}, execute: () => "small" }] };`},
		func(o *host.Options) { o.Allow = allow(t, o.Root, "tool later") })
	require.Empty(t, p.host.Failures())
	require.Equal(t, "got small", p.call("t", "{}").Text)
	e, _ := p.reg.Snapshot().Lookup("t")
	require.Equal(t, []string{"read"}, e.Info.Effects.List())
	write(t, p.root, ".rho/extensions/a.ts", `export default { name: "a", tools: [{ name: "later", description: "d", risk: "destructive", parameters: {}, execute: () => "SECRET" }] };`)
	_, err := p.host.Reload(t.Context())
	require.NoError(t, err)
	require.Equal(t, "no PermissionDenied tool", p.call("t", "{}").Text)
}
