package host_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/wire"
)

// manifest is a module with one tool of a name.
func manifest(tool string) string {
	return `export default { name: "` + tool + `", tools: [{ name: "` + tool + `", description: "d", risk: "read", execute: () => "` + tool + `" }] }`
}

func TestDiscoveryFindsEveryFormAndNothingElse(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{
		"a.ts": manifest("a"), "b.js": manifest("b"), "c.mts": manifest("c"), "d.mjs": manifest("d"), "e.tsx": manifest("e"),
		"mod/mod.ts": manifest("mod"), "mod/index.ts": manifest("wrong"),
		"index/index.ts":       manifest("index"),
		"main/package.json":    `{"main":"src/x.js"}`,
		"main/src/x.js":        manifest("main"),
		"exports/package.json": `{"main":"no.js","exports":{".":{"import":"./y.mjs"}}}`,
		"exports/y.mjs":        manifest("exports"),
		".hidden.ts":           "throw 1", "_helper.ts": "throw 1", "types.d.ts": "throw 1", "a.test.ts": "throw 1", "a.spec.ts": "throw 1",
		"node_modules/p/index.ts": "throw 1", "lib/helper.ts": "throw 1", "notes.md": "x", "_private/index.ts": "throw 1", ".git2/index.ts": "throw 1",
	})
	require.Empty(t, p.host.Failures())
	var ids []string
	for _, e := range p.host.Extensions() {
		ids = append(ids, e.ID)
	}
	require.Equal(t, []string{"a", "b", "c", "d", "e", "exports", "index", "main", "mod"}, ids)
	for _, id := range ids {
		require.Equal(t, id, p.call(id, "{}").Text)
	}
}

func TestALaterFolderWinsAndTheLoserIsShadowed(t *testing.T) {
	t.Parallel()
	user, extra := t.TempDir(), t.TempDir()
	writeFiles(t, user, map[string]string{"x.ts": manifest("user_tool"), "u.ts": manifest("u")})
	writeFiles(t, extra, map[string]string{"x.ts": manifest("extra_tool")})
	p := newProject(t, map[string]string{"x.ts": manifest("project_tool"), "x/index.ts": manifest("folder_tool")},
		func(o *host.Options) { o.UserDir, o.Dirs = user, []string{extra} })
	require.Empty(t, p.host.Failures())
	type row struct {
		id    string
		scope host.Scope
		state host.State
	}
	var got []row
	for _, e := range p.host.Extensions() {
		got = append(got, row{e.ID, e.Scope, e.State})
	}
	require.Equal(t, []row{
		{"u", host.ScopeUser, host.StateLoaded}, {"x", host.ScopeUser, host.StateShadowed},
		{"x", host.ScopeProject, host.StateShadowed}, {"x", host.ScopeProject, host.StateShadowed},
		{"x", host.ScopeExplicit, host.StateLoaded},
	}, got)
	require.Equal(t, "extra_tool", p.call("extra_tool", "{}").Text)
	twice := newProject(t, nil, func(o *host.Options) { o.Dirs = []string{extra, filepath.Join(extra, ".")} })
	require.Len(t, twice.host.Extensions(), 1, "a folder that is named twice counts once")
	for _, gone := range []string{"user_tool", "project_tool", "folder_tool"} {
		require.Equal(t, "not_found", string(p.call(gone, "{}").Failure.Kind))
	}
}

func TestLinksMayNotLeadOutOfAProject(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	outside := t.TempDir()
	writeFiles(t, outside, map[string]string{"out.ts": manifest("out")})
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir := filepath.Join(root, ".rho", "extensions")
	writeFiles(t, root, map[string]string{".rho/extensions/ok.ts": manifest("ok"), "shared/in.ts": manifest("in")})
	require.NoError(t, os.Symlink(filepath.Join(outside, "out.ts"), filepath.Join(dir, "out.ts")))
	require.NoError(t, os.Symlink(filepath.Join(root, "shared", "in.ts"), filepath.Join(dir, "in.ts")))
	require.NoError(t, os.Symlink(filepath.Join(root, "gone.ts"), filepath.Join(dir, "gone.ts")))
	p := openProject(t, root)
	require.Equal(t, "in", p.call("in", "{}").Text)
	require.Equal(t, "ok", p.call("ok", "{}").Text)
	require.Len(t, p.host.Failures(), 2)
	for _, f := range p.host.Failures() {
		require.Equal(t, wire.StageDiscover, f.Stage)
	}
	// What the user put into a folder of their own may lead anywhere.
	q := openProject(t, t.TempDir(), func(o *host.Options) { o.Dirs = []string{dir} })
	require.Equal(t, "out", q.call("out", "{}").Text)
}

func TestAFolderThatWasNamedMustExist(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil, func(o *host.Options) { o.Dirs = []string{filepath.Join(t.TempDir(), "nope")} })
	require.Len(t, p.host.Failures(), 1)
	require.Equal(t, wire.StageDiscover, p.host.Failures()[0].Stage)
}

func TestADisabledExtensionIsListedAndNotLookedInto(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a.ts": manifest("a"), "b.ts": manifest("b"), "broken.ts": "this is no code", "odd/package.json": "{", "throws.ts": "throw 1",
	}
	states := func(change func(*host.Options)) (p *project, out string) {
		p = newProject(t, files, change)
		for _, e := range p.host.Extensions() {
			out += e.ID + "=" + string(e.State) + " "
		}
		return p, out
	}
	p, got := states(func(o *host.Options) { o.Disabled = []string{"b", "broken", "odd", "throws", "unknown"} })
	require.Equal(t, "a=loaded b=disabled broken=disabled throws=disabled ", got)
	require.Empty(t, p.host.Failures())
	require.Equal(t, "a", p.call("a", "{}").Text)
	require.Equal(t, "not_found", string(p.call("b", "{}").Failure.Kind))

	p, got = states(func(o *host.Options) { o.Enabled, o.Disabled = []string{"a", "b"}, []string{"b"} })
	require.Equal(t, "a=loaded b=disabled broken=disabled throws=disabled ", got, "disabled wins")
	require.Empty(t, p.host.Failures())
	_, err := p.host.Reload(t.Context())
	require.NoError(t, err)
	require.Empty(t, p.host.Failures())

	// A folder that cannot be read is told all the same.
	p, _ = states(func(o *host.Options) { o.Enabled, o.Dirs = []string{"a"}, []string{filepath.Join(t.TempDir(), "gone")} })
	require.Len(t, p.host.Failures(), 1)
	require.Equal(t, "gone", p.host.Failures()[0].Extension)
}

func TestFindRoot(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	writeFiles(t, home, map[string]string{
		".rho/config.toml": "", "p/.git/HEAD": "", "p/sub/deep/x": "", "p/inner/go.mod": "", "p/inner/a/x": "", "plain/x": "",
		"cargo/Cargo.toml": "", "py/pyproject.toml": "", "js/package.json": "", "rho/.rho/x": "",
	})
	for dir, want := range map[string]string{
		"p": "p", "p/sub/deep": "p", "p/inner/a": "p/inner", "plain": "plain", "cargo": "cargo", "py": "py", "js": "js", "rho": "rho",
	} {
		got, err := host.FindRoot(filepath.Join(home, dir))
		require.NoError(t, err)
		require.Equal(t, filepath.Join(home, want), got)
	}
	for _, dir := range []string{home, filepath.VolumeName(home) + string(filepath.Separator)} {
		_, err := host.FindRoot(dir)
		require.ErrorIs(t, err, host.ErrNoRoot)
		require.ErrorContains(t, err, "--root")
	}
}

func TestEnginesAreChecked(t *testing.T) {
	t.Parallel()
	with := func(r string) string {
		return `export default { name: "x", engines: { rhoExt: "` + r + `" }, tools: [] }`
	}
	p := newProject(t, map[string]string{"ok.ts": with(">=0.1"), "new.ts": with(">=99"), "bad.ts": with("soon")})
	require.Len(t, p.host.Failures(), 2)
	require.Equal(t, "bad", p.host.Failures()[0].Extension)
	require.Contains(t, p.host.Failures()[0].Message, "no version range")
	require.Contains(t, p.host.Failures()[1].Message, "needs rho-ext >=99")
	for _, f := range p.host.Failures() {
		require.Equal(t, wire.StageManifest, f.Stage)
		require.Equal(t, 1, f.Line)
	}
}

func TestBundlesWithPackagesJSONAndText(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{
		"multi/index.ts": `import { greet } from "./lib/greet.js";
import data from "./data.json";
import note from "./note.md";
import raw from "./raw.dat" with { type: "text" };
import { up } from "up";
import scoped from "@s/cope";
import shared from "shared";
enum Mark { A = "!" }
export default { name: "multi", tools: [{ name: "multi", description: "d", risk: "read",
  execute: async () => [greet("x"), data.n, note.trim(), raw.trim(), up("y"), scoped.z, shared, Mark.A, import.meta.url, (await import("./lib/lazy")).late].join("|") }] }`,
		"multi/lib/greet.ts": `import { deep } from "./deep"; export const greet = (s: string) => "hi " + s + deep`,
		"multi/lib/deep.ts":  `export const deep: number = 7`,
		"multi/lib/lazy.ts":  `export const late = "late"`,
		"multi/data.json":    `{"n":1}`, "multi/note.md": "note\n", "multi/raw.dat": "raw\n",
		"multi/node_modules/up/package.json":     `{"name":"up","exports":{".":{"types":"./no.d.ts","import":"./m.js"}}}`,
		"multi/node_modules/up/m.js":             `export const up = (s) => s.toUpperCase()`,
		"multi/node_modules/@s/cope/index.js":    `module.exports = { z: require("./other") }`,
		"multi/node_modules/@s/cope/other.js":    `exports.k = 1; module.exports = "cjs"`,
		"../../node_modules/shared/package.json": `{"main":"./s"}`,
		"../../node_modules/shared/s.js":         `export default "from the project"`,
	})
	require.Empty(t, p.host.Failures())
	require.Equal(t, "hi x7|1|note|raw|Y|cjs|from the project|!|rho://multi/index.ts|late", p.call("multi", "{}").Text)
}

func TestAPackageFileThatIsADeviceIsRefusedAndNotRead(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	writeFiles(t, root, map[string]string{".rho/extensions/x.ts": manifest("x"), ".rho/extensions/p/readme.md": ""})
	if err := os.Symlink("/dev/zero", filepath.Join(root, ".rho", "extensions", "p", "package.json")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	p := openProject(t, root)
	require.Len(t, p.host.Failures(), 1)
	require.Equal(t, "package.json is no regular file, or too large", p.host.Failures()[0].Message)
	require.Equal(t, "x", p.call("x", "{}").Text)
}
