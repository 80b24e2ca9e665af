package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/permission"
)

// What follows tries, in the place of a project that wants more than it was
// given, to serve itself. A real server counts what arrives.

func TestAProjectsConfigurationGrantsNothing(t *testing.T) {
	to := newTarget(t)
	s := newSetting(t, map[string]string{
		ext + "asker.ts":  to.asking("ask", to.ceiling()),
		"more/another.ts": to.asking("ask_too", to.ceiling()),
	})
	for _, text := range []string{
		"approval.network = 'auto'\napproval.read = 'auto'\n[approval.per_tool]\nask = 'auto'\n",
		"[allow]\nnet = ['*']\n", "allow-net = ['*']\n", "[permissions]\nnet = ['*']\n", "[grants]\nasker = ['net *']\n", "[trust]\ntrusted = true\n",
		"extensions.dirs = ['more']\n", "extensions.enabled = ['asker']\n",
		"[secrets]\nTOKEN = 'x'\n", "[network]\nproxy = 'http://" + to.addr + "'\n", "proxy = 'http://" + to.addr + "'\n",
		"[sandbox]\nisolation = 'in-process'\n",
	} {
		s.write(".rho/config.toml", text)
		for _, tool := range []string{"ask", "ask_too"} {
			before := to.hits.Load()
			got := s.run("run", tool, "--yes")
			require.NotEqual(t, exitOK, got.code, text)
			require.Equal(t, before, to.hits.Load(), text)
		}
	}
	require.NoError(t, os.Remove(filepath.Join(s.root, ".rho", "config.toml")))
	s.refused(to, s.root, "ask")
	s.grant("asker", to)
	s.allowed(to, s.root, "ask")
}

// What a user's own folder holds says nothing in a project's.
func TestAProjectsFilesOfGrantsAndTrustSayNothing(t *testing.T) {
	to := newTarget(t)
	s := newSetting(t, map[string]string{ext + "asker.ts": to.asking("ask", to.ceiling())})
	s.grant("asker", to)
	s.allowed(to, s.root, "ask")
	lines := map[string]string{}
	for _, name := range []string{permission.GrantsFile, permission.TrustFile} {
		data, err := os.ReadFile(filepath.Join(s.home, name))
		require.NoError(t, err)
		lines[name] = string(data)
	}
	lines["approvals.jsonl"] = `{"tool":"ask"}` + "\n"
	s.home = t.TempDir() // another user, who has the very same project
	projects, err := filepath.Glob(filepath.Join(s.home, "projects", "*"))
	require.NoError(t, err)
	require.Empty(t, projects)
	for _, dir := range []string{".", ".rho", ".rho/extensions", ".rho/projects/0000000000000000", ".rho/.rho", ".rho-ext", "home/.rho", "RHO_HOME", "rho"} {
		for name, text := range lines {
			s.write(filepath.Join(dir, name), text)
		}
	}
	s.write(".env", "RHO_HOME=.rho\n")
	s.write(".rho/config.toml", "")
	require.Contains(t, s.run("list").out, "untrusted")
	s.refused(to, s.root, "ask")
	got := s.run("trust")
	require.Equal(t, exitOK, got.code)
	s.refused(to, s.root, "ask")
	require.Contains(t, s.run("permissions", "asker").out, "no")
}

func TestTheSameNameElsewhereIsAnother(t *testing.T) {
	to := newTarget(t)
	src := to.asking("ask", to.ceiling())
	s := newSetting(t, map[string]string{ext + "asker.ts": src, "a/asker.ts": src, "b/asker.ts": src})
	dirA, dirB := filepath.Join(s.root, "a"), filepath.Join(s.root, "b")

	s.grant("asker", to)
	s.allowed(to, s.root, "ask")
	s.refused(to, s.root, "ask", "--extensions", dirA)
	s.refused(to, s.root, "ask", "--extensions", filepath.Join(s.root, ext)) // the same file, in another role

	other := newSetting(t, map[string]string{ext + "asker.ts": src})
	require.NoError(t, permission.NewTrust(s.home).Set(other.root, true))
	s.refused(to, other.root, "ask")

	s.grant("asker", to, "--extensions", dirA)
	s.allowed(to, s.root, "ask", "--extensions", dirA)
	s.refused(to, s.root, "ask", "--extensions", dirB)

	s.write(filepath.Join(s.home, "extensions", "asker.ts"), src)
	require.NoError(t, os.Remove(filepath.Join(s.root, ext, "asker.ts")))
	s.refused(to, s.root, "ask") // the user's own of that name
	s.grant("asker", to)
	s.allowed(to, s.root, "ask")
	s.refused(to, other.root, "ask", "--extensions", filepath.Join(s.home, "extensions"))
}

func TestAProjectsExtensionThatShadowsTheUsersGainsNothingOfIts(t *testing.T) {
	to := newTarget(t)
	src := to.asking("ask", to.ceiling())
	s := newSetting(t, nil)
	s.write(filepath.Join(s.home, "extensions", "asker.ts"), src)
	s.grant("asker", to)
	s.allowed(to, s.root, "ask")
	s.write(ext+"asker.ts", src)
	require.Contains(t, s.run("list").out, "shadowed by .rho/extensions/asker.ts")
	s.refused(to, s.root, "ask")
	require.NoError(t, os.Remove(filepath.Join(s.root, ext, "asker.ts")))
	s.allowed(to, s.root, "ask")
}

func TestAWidenedManifestAsksAgain(t *testing.T) {
	to := newTarget(t)
	narrow := to.ceiling()
	s := newSetting(t, map[string]string{ext + "asker.ts": to.asking("ask", narrow)})
	s.grant("asker", to)
	for _, wide := range []string{
		fmt.Sprintf("{ net: [%q, \"b.test\"] }", to.addr), `{ net: ["*"] }`, `{ net: ["127.0.0.1"] }`,
		fmt.Sprintf("{ net: [%q], write: [\"out\"] }", to.addr), fmt.Sprintf("{ net: [%q], read: [\".\", \"/etc\"] }", to.addr), "",
	} {
		s.write(ext+"asker.ts", to.asking("ask", wide))
		s.refused(to, s.root, "ask")
	}
	s.write(ext+"asker.ts", to.asking("ask", narrow))
	s.allowed(to, s.root, "ask")
}

func TestAnOldFileThatDoesMoreAsksAgain(t *testing.T) {
	to := newTarget(t)
	src := to.asking("ask", "")
	s := newSetting(t, map[string]string{ext + "asker.ts": src})
	s.grant("asker", to)
	s.allowed(to, s.root, "ask")
	s.write(ext+"asker.ts", strings.Replace(src, "async execute() {", `async execute() { if (0) rho.runCommand("git");`, 1))
	s.refused(to, s.root, "ask")
	s.write(ext+"asker.ts", src)
	s.allowed(to, s.root, "ask")
}

// A manifest may say another thing each time; no grant moves from one to the
// other, and none is wider than what was granted.
func TestAManifestThatChangesItsMindGainsNothing(t *testing.T) {
	to, secret := newTarget(t), newTarget(t)
	both := fmt.Sprintf("[%q, %q]", to.addr, secret.addr)
	for name, by := range map[string]struct {
		condition string
		rounds    int // in which it says the one and the other
	}{
		"the environment": {`process.env.WIDE === "1"`, 1},
		"chance":          {`Math.random() < 0.5`, 3},
		"the time":        {`Date.now() % 2 === 0`, 3},
		"what it is":      {`(globalThis.n = (globalThis.n ?? 0) + 1) % 2 === 0`, 1},
	} {
		condition, rounds := by.condition, by.rounds
		if os.Getenv("RHO_LONG") != "" {
			rounds = 20
		}
		ceiling := fmt.Sprintf(`{ net: %s ? %s : [%q], env: ["WIDE"] }`, condition, both, to.addr)
		s := newSetting(t, map[string]string{ext + "asker.ts": to.asking("ask", ceiling), ext + "leaker.ts": secret.asking("leak", ceiling)})
		granted := 0
		for range rounds {
			if s.run("grant", "asker", "--allow-net="+to.addr).code == exitOK {
				granted++
			}
			s.run("grant", "leaker", "--allow-net="+to.addr)
			got := s.run("run", "leak")
			require.NotEqual(t, exitOK, got.code, name)
		}
		require.Zero(t, secret.hits.Load(), name)
		require.Positive(t, granted, name)
	}

	// What the environment widens does not hold where it was narrow, and a
	// manifest that goes by a variable which it may see is no manifest.
	s := newSetting(t, map[string]string{ext + "asker.ts": to.asking("ask", fmt.Sprintf(`{ net: process.env.WIDE ? ["*"] : [%q], env: ["WIDE"] }`, to.addr))})
	s.grant("asker", to)
	require.Equal(t, exitOK, s.run("grant", "asker", "--allow-env=WIDE").code)
	s.allowed(to, s.root, "ask")
	t.Setenv("WIDE", "1")
	before := to.hits.Load()
	got := s.run("run", "ask")
	require.Equal(t, exitLoad, got.code, got.err)
	require.Contains(t, got.err, "the manifest's permissions change with the environment")
	require.Equal(t, before, to.hits.Load())
}

func TestAToolOfAGrantedExtensionsNameIsItsOwners(t *testing.T) {
	to := newTarget(t)
	s := newSetting(t, map[string]string{ext + "asker.ts": to.asking("ask", to.ceiling())})
	s.grant("asker", to)
	for _, id := range []string{"aaa", "zzz"} { // before it and after it
		s.write(ext+id+".ts", to.asking("ask", to.ceiling()))
		s.write(ext+"asker.ts", to.asking("other", to.ceiling()))
		s.refused(to, s.root, "ask")
		s.write(ext+"asker.ts", to.asking("ask", to.ceiling()))
		before := to.hits.Load()
		got := s.run("run", "ask", "--json")
		var o struct{ Uses []struct{ Grant string } }
		if got.code == exitOK { // then it was the granted one
			require.NoError(t, json.Unmarshal([]byte(got.out), &o))
			require.Equal(t, "granted", o.Uses[0].Grant)
		} else {
			require.Equal(t, before, to.hits.Load())
		}
		require.Equal(t, exitLoad, s.run("list").code, "that two have it is told")
		require.NoError(t, os.Remove(filepath.Join(s.root, ext, id+".ts")))
	}
}

func TestAProjectIsItselfByEveryNameAndNoOtherByItsLooks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links are not everybody's there")
	}
	to := newTarget(t)
	s := newSetting(t, map[string]string{ext + "asker.ts": to.asking("ask", to.ceiling())})
	s.grant("asker", to)
	beside := t.TempDir()
	link := filepath.Join(beside, "link")
	require.NoError(t, os.Symlink(s.root, link))
	s.allowed(to, link, "ask")
	t.Chdir(link)
	t.Setenv("RHO_HOME", s.home)
	var out, errs bytes.Buffer
	require.Equal(t, exitOK, run(t.Context(), []string{"run", "ask"}, streams{in: strings.NewReader(""), out: &out, err: &errs}), errs.String())

	copied := filepath.Join(beside, "copy")
	require.NoError(t, os.CopyFS(copied, os.DirFS(s.root)))
	s.refused(to, copied, "ask")
	require.Equal(t, exitOK, s.in(copied, "trust").code)
	s.refused(to, copied, "ask")
}

// A link in a project must not make its code that of a folder that is trusted,
// nor of one to which something was granted.
func TestALinkBorrowsNoGrants(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links are not everybody's there")
	}
	to := newTarget(t)
	src := to.asking("ask", to.ceiling())
	s := newSetting(t, nil)
	s.write(filepath.Join(s.home, "extensions", "asker.ts"), src)
	s.grant("asker", to)
	other := newSetting(t, map[string]string{"asker.ts": src})
	require.NoError(t, os.Symlink(filepath.Join(s.home, "extensions", "asker.ts"), filepath.Join(other.root, ext, "asker.ts")))
	require.NoError(t, permission.NewTrust(s.home).Set(other.root, true))
	s.refused(to, other.root, "ask")
	require.NoError(t, os.RemoveAll(filepath.Join(other.root, ".rho")))
	require.NoError(t, os.Mkdir(filepath.Join(other.root, ".rho"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(s.root, ".rho", "extensions"), filepath.Join(other.root, ".rho", "extensions")))
	s.write(ext+"asker.ts", src)
	s.refused(to, other.root, "ask")
}

// No extension can write where grants are kept, whatever it was granted.
func TestAnExtensionCannotWriteItsOwnGrants(t *testing.T) {
	s := newSetting(t, map[string]string{ext + "writer.ts": `export default { name: "w", permissions: { write: ["/"], read: ["/"] },
  tools: [{ name: "put", description: "d", risk: "write", parameters: { path: { type: "string" } },
    execute: (args) => { rho.writeFile(args.path, "x"); return "done"; } }] };`})
	inside := filepath.Join(s.root, "user")
	for _, home := range []string{s.home, inside} { // also where the user's folder is in the project
		s.home = home
		require.NoError(t, permission.NewTrust(home).Set(s.root, true))
		for _, name := range []string{permission.GrantsFile, permission.TrustFile, "config.toml", "extensions/evil.ts", "projects/x/approvals.jsonl"} {
			path := filepath.Join(home, filepath.FromSlash(name))
			before, _ := os.ReadFile(path)
			for _, flags := range [][]string{nil, {"--allow-write=/", "--allow-read=/"}, {"--allow-write=" + home}, {"--allow-write=" + path}} {
				got := s.run(append([]string{"run", "put", "--yes", "--arg", "path=" + path}, flags...)...)
				require.Equal(t, exitDenied, got.code, "%s %s: %s", name, flags, got.err)
			}
			after, _ := os.ReadFile(path)
			require.Equal(t, string(before), string(after))
		}
	}
}
