package host_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
)

// A refusal tells of a place outside nothing but what the code has written:
// neither whether it exists, nor what it is, nor where it leads.
func TestARefusalTellsNothingOfWhatLiesOutside(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs symbolic links")
	}
	outside, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	var root string
	a := attack{permissions: `read: [".", "OUT/in"], write: ["OUT/in"]`, body: `
		const names = (await ctx.fs.read("names")).split("\n"); const seen = {};
		for (const n of names) for (const [how, f] of Object.entries({ read: ctx.fs.read, list: ctx.fs.list, stat: ctx.fs.stat, glob: ctx.fs.glob, remove: ctx.fs.remove, mkdir: ctx.fs.mkdir,
			write: (p) => ctx.fs.write(p, ""), sync: rho.readFile, exec: (p) => ctx.exec("true", [], { cwd: p }), from: (p) => ctx.fs.rename(p, "x"), to: (p) => ctx.fs.rename("names", p), under: (p) => ctx.fs.read(p + "/deep/er") }))
			try { await f(n); return "got " + how + " " + n } catch (e) {
				const told = [how, n.split("/").at(-2), e.name, e.code, e.message, e.hint].join("|").replaceAll(n, "NAME").replaceAll(n.split("/").at(-1), "NAME");
				(seen[how + n.split("/").at(-2)] ??= new Set()).add(told); }
		return Object.values(seen).filter((s) => s.size > 1).map((s) => [...s].join("\n")).join("\n\n") || "alike";`}
	a.permissions = strings.ReplaceAll(a.permissions, "OUT", filepath.ToSlash(outside))
	p := newProject(t, map[string]string{"x.ts": a.source()}, func(o *host.Options) {
		root = o.Root
		writeFiles(t, outside, map[string]string{"in/there": "SECRET", "in/folder/a": "", "other/folder/a": "", "other/there": "SECRET"})
		var names []string
		for _, dir := range []string{"in", "other"} {
			d := filepath.Join(outside, dir)
			for link, target := range map[string]string{"tofile": "/etc/passwd", "todir": "/etc", "toproject": root, "tohome": filepath.Join(root, "..", "home"), "dangling": "/nowhere", "loop": "loop", "tothere": filepath.Join(outside, "in", "there"), "toproc": "/proc/self/environ"} {
				require.NoError(t, os.Symlink(target, filepath.Join(d, link)))
			}
			for _, n := range []string{"there", "folder", "nope", "tofile", "todir", "toproject", "tohome", "dangling", "loop", "tothere", "toproc"} {
				names = append(names, filepath.ToSlash(filepath.Join(d, n)))
			}
		}
		writeFiles(t, o.Root, map[string]string{"names": strings.Join(names, "\n")})
		o.Allow = allow(t, o.Root, "run true", "write x")
		o.Home = filepath.Join(root, "..", "home")
	})
	require.Empty(t, p.host.Failures())
	assert.Equal(t, "alike", p.call("t", "{}").Text)
}

func TestVariablesThatWereNotGrantedDoNotExist(t *testing.T) {
	t.Parallel()
	a := attack{permissions: `env: ["NO_SUCH_NAME"], run: ["env"]`, body: `return JSON.stringify([process.env.PATH ?? null, "PATH" in process.env, Object.keys(process.env), process.env.HOME ?? null, process.env.constructor ?? null,
		Object.entries(process.env), { ...process.env }, Object.getOwnPropertyDescriptor(process.env, "PATH") ?? null, JSON.stringify(process.env), process.env["PATH\u0000"] ?? null, process.env["="] ?? null, process.env.path ?? null])`}
	p := newProject(t, map[string]string{"x.ts": a.source()}, func(o *host.Options) { o.Allow = allow(t, o.Root, "env PATH", "env HOME") })
	require.Equal(t, `[null,false,[],null,null,[],{},null,"{}",null,null,null]`, p.call("t", "{}").Text)
}

// The files of the system that show the variables of this program are not a
// part of what "everything" means.
func TestAGrantOfEverythingIsNoneOfWhatProgramsHoldInMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	t.Setenv("ATTACK_TEST", "SECRET")
	body := `return all(() => ctx.fs.read("/proc/self/environ"), () => ctx.fs.read("/proc/thread-self/environ"), () => ctx.fs.read("/proc/1/cmdline"), () => ctx.fs.write("/proc/self/mem", "x"), () => ctx.fs.list("/proc/self/fd"), () => ctx.fs.glob("/proc/self/*"))`
	attack{allow: []string{"read /", "write /"}, body: body, want: strings.Join([]string{unread, unread, unread, denied, unread, unread}, ", ")}.run(t)
	g, err := permission.ParseGrant(permission.KindRead, "/proc", "")
	require.NoError(t, err)
	attack{body: `return (await ctx.fs.read("/proc/self/status")).slice(0, 4)`, want: "Name", setup: func(_ *testing.T, o *host.Options) { o.Allow = []permission.Grant{g} }}.run(t)
}
