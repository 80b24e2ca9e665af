package host_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

// watched is a project that is watched, and what was heard of it.
type watched struct {
	*project
	dir string // .rho/extensions

	mu      sync.Mutex
	reports []host.Report
	synced  int
}

func watchProject(t testing.TB, files map[string]string, o host.WatchOptions, change ...func(*host.Options)) *watched {
	t.Helper()
	w := &watched{project: newProject(t, files, change...)}
	w.begin(o)
	return w
}

func (w *watched) begin(o host.WatchOptions) {
	w.t.Helper()
	w.dir = filepath.Join(w.root, ".rho", "extensions")
	o.Reloaded = func(r host.Report) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.reports = append(w.reports, r)
	}
	_, err := w.host.Watch(o)
	require.NoError(w.t, err)
}

// changes are the kinds of changes of one extension so far.
func (w *watched) changes(id string) (out []host.ChangeKind) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.reports {
		for _, c := range r.Changes {
			if c.Extension == id {
				out = append(out, c.Kind)
			}
		}
	}
	return out
}

// says gives the text of a tool that is there, or why it has none.
func (w *watched) says(tool string) string {
	o := w.call(tool, "{}")
	if o.Status != registry.StatusSuccess {
		return string(o.Failure.Kind)
	}
	return o.Text
}

func (w *watched) eventually(tool, text string) {
	w.t.Helper()
	require.Eventually(w.t, func() bool { return w.says(tool) == text }, 10*time.Second, time.Millisecond,
		"%s never says %q; failures %v", tool, text, w.host.Failures())
}

// sync waits until everything that was saved so far has been looked at: what is
// saved last is live.
func (w *watched) sync() {
	w.t.Helper()
	for range 2 { // the first may fall together with what came before
		w.synced++
		text := fmt.Sprint("sync ", w.synced)
		writeFiles(w.t, w.dir, map[string]string{"zsync.ts": answers("zsync", text)})
		w.eventually("zsync", text)
	}
}

// answers is an extension with one tool that gives a text.
func answers(tool, text string) string {
	return `export default { name: "` + tool + `", tools: [{ name: "` + tool + `", description: "d", risk: "read", execute: () => "` + text + `" }] }`
}

func move(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, os.Rename(from, to))
}

func save(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// imports is an extension whose tool gives what a module exports.
func imports(tool, from string) string {
	return `import { text } from "` + from + `"; export default { name: "` + tool + `", tools: [{ name: "` + tool + `", description: "d", risk: "read", execute: () => text }] }`
}

// pattern is a way in which files are saved.
type pattern struct {
	name  string
	files map[string]string // before; nothing means x.ts that says "old"
	links map[string]string // path → target, before
	// save does it. dir is .rho/extensions.
	save func(t *testing.T, dir string)
	want string // what x says then; "" is "new"
	// reloads are how many times at most the extension may be loaded for it; 0
	// means once. None is -1.
	reloads int
	// blips says that it may look broken or gone for a moment.
	blips bool
}

func text(s string) string { return `export const text = "` + s + `";` }

func savePatterns() []pattern {
	x, n := "x.ts", answers("x", "new")
	pause := func() { time.Sleep(30 * time.Millisecond) } // as the editor does
	return []pattern{
		{name: "in place", save: func(t *testing.T, d string) { save(t, filepath.Join(d, x), n) }},
		{name: "truncated, written a little later", save: func(t *testing.T, d string) {
			require.NoError(t, os.Truncate(filepath.Join(d, x), 0))
			pause()
			save(t, filepath.Join(d, x), n)
		}},
		{name: "temporary file, renamed over it", save: func(t *testing.T, d string) {
			save(t, filepath.Join(d, ".x.ts.tmp"), n)
			move(t, filepath.Join(d, ".x.ts.tmp"), filepath.Join(d, x))
		}},
		{name: "temporary file elsewhere, renamed over it", save: func(t *testing.T, d string) {
			tmp := filepath.Join(d, "..", "..", "tmp")
			save(t, tmp, n)
			move(t, tmp, filepath.Join(d, x))
		}},
		{name: "backup by renaming, then written anew", save: func(t *testing.T, d string) {
			move(t, filepath.Join(d, x), filepath.Join(d, x+"~"))
			save(t, filepath.Join(d, x), n)
		}},
		{name: "backup by renaming, written anew a little later", save: func(t *testing.T, d string) {
			move(t, filepath.Join(d, x), filepath.Join(d, x+"~"))
			pause()
			save(t, filepath.Join(d, x), n)
		}},
		{name: "vim", save: func(t *testing.T, d string) {
			save(t, filepath.Join(d, ".x.ts.swp"), "b0VIM")
			save(t, filepath.Join(d, "4913"), "")
			require.NoError(t, os.Remove(filepath.Join(d, "4913")))
			move(t, filepath.Join(d, x), filepath.Join(d, x+"~"))
			save(t, filepath.Join(d, x), n)
			require.NoError(t, os.Chmod(filepath.Join(d, x), 0o600))
			require.NoError(t, os.Remove(filepath.Join(d, x+"~")))
			require.NoError(t, os.Remove(filepath.Join(d, ".x.ts.swp")))
		}},
		{name: "VS Code: truncates and writes", save: func(t *testing.T, d string) {
			f, err := os.OpenFile(filepath.Join(d, x), os.O_WRONLY|os.O_TRUNC, 0)
			require.NoError(t, err)
			_, err = f.WriteString(n)
			require.NoError(t, err)
			require.NoError(t, f.Sync())
			require.NoError(t, f.Close())
		}},
		{name: "VS Code: atomic", save: func(t *testing.T, d string) {
			save(t, filepath.Join(d, "x.ts.vsctmp"), n)
			move(t, filepath.Join(d, "x.ts.vsctmp"), filepath.Join(d, x))
		}},
		{name: "emacs", save: func(t *testing.T, d string) {
			_ = os.Symlink("me@here.1", filepath.Join(d, ".#x.ts"))
			save(t, filepath.Join(d, "#x.ts#"), n)
			move(t, filepath.Join(d, x), filepath.Join(d, x+"~"))
			save(t, filepath.Join(d, x), n)
			_ = os.Remove(filepath.Join(d, ".#x.ts"))
			require.NoError(t, os.Remove(filepath.Join(d, "#x.ts#")))
		}},
		{name: "JetBrains", save: func(t *testing.T, d string) {
			save(t, filepath.Join(d, x+"___jb_tmp___"), n)
			move(t, filepath.Join(d, x), filepath.Join(d, x+"___jb_old___"))
			move(t, filepath.Join(d, x+"___jb_tmp___"), filepath.Join(d, x))
			require.NoError(t, os.Remove(filepath.Join(d, x+"___jb_old___")))
		}},
		{name: "hard link put in its place", save: func(t *testing.T, d string) {
			other := filepath.Join(d, "..", "..", "other.ts")
			save(t, other, n)
			require.NoError(t, os.Remove(filepath.Join(d, x)))
			require.NoError(t, os.Link(other, filepath.Join(d, x)))
		}},
		{name: "link turned to another file", files: map[string]string{"_v/1.ts": answers("x", "old"), "_v/2.ts": n}, links: map[string]string{x: "_v/1.ts"},
			save: func(t *testing.T, d string) {
				require.NoError(t, os.Symlink("_v/2.ts", filepath.Join(d, ".new")))
				move(t, filepath.Join(d, ".new"), filepath.Join(d, x))
			}},
		{name: "link removed and made anew a little later", files: map[string]string{"_v/1.ts": answers("x", "old"), "_v/2.ts": n}, links: map[string]string{x: "_v/1.ts"},
			save: func(t *testing.T, d string) {
				require.NoError(t, os.Remove(filepath.Join(d, x)))
				pause()
				require.NoError(t, os.Symlink("_v/2.ts", filepath.Join(d, x)))
			}},
		{name: "link in the middle turned", files: map[string]string{"/v1/x.ts": answers("x", "old"), "/v2/x.ts": n}, links: map[string]string{"/now": "v1", x: "../../now/x.ts"},
			save: func(t *testing.T, d string) {
				top := filepath.Join(d, "..", "..")
				require.NoError(t, os.Symlink("v2", filepath.Join(top, ".now")))
				move(t, filepath.Join(top, ".now"), filepath.Join(top, "now"))
			}},
		{name: "what a link leads to is saved", files: map[string]string{"/src/x.ts": answers("x", "old")}, links: map[string]string{x: "../../src/x.ts"},
			save: func(t *testing.T, d string) {
				save(t, filepath.Join(d, "..", "..", "src", ".tmp"), n)
				move(t, filepath.Join(d, "..", "..", "src", ".tmp"), filepath.Join(d, "..", "..", "src", x))
			}},
		{name: "a module in a linked folder", files: map[string]string{"/src/mod.ts": imports("x", "./lib/a"), "/src/lib/a.ts": text("old")}, links: map[string]string{"x": "../../src"},
			save: func(t *testing.T, d string) { save(t, filepath.Join(d, "..", "..", "src", "lib", "a.ts"), text("new")) }},
		{name: "folder swapped", files: map[string]string{"x/mod.ts": imports("x", "./a"), "x/a.ts": text("old"), "/next/mod.ts": imports("x", "./a"), "/next/a.ts": text("new")},
			save: func(t *testing.T, d string) {
				move(t, filepath.Join(d, "x"), filepath.Join(d, "..", "before"))
				move(t, filepath.Join(d, "..", "..", "next"), filepath.Join(d, "x"))
			}},
		{name: "folder swapped, then saved in the new one", files: map[string]string{"x/mod.ts": imports("x", "./a"), "x/a.ts": text("old"), "/next/mod.ts": imports("x", "./a"), "/next/a.ts": text("between")},
			save: func(t *testing.T, d string) {
				move(t, filepath.Join(d, "x"), filepath.Join(d, "..", "before"))
				move(t, filepath.Join(d, "..", "..", "next"), filepath.Join(d, "x"))
				pause()
				save(t, filepath.Join(d, "x", "a.ts"), text("new"))
			}, reloads: 2},
		{name: "folder removed and made anew", files: map[string]string{"x/mod.ts": imports("x", "./a"), "x/a.ts": text("old")},
			save: func(t *testing.T, d string) {
				require.NoError(t, os.RemoveAll(filepath.Join(d, "x")))
				save(t, filepath.Join(d, "x", "a.ts"), text("new"))
				save(t, filepath.Join(d, "x", "mod.ts"), imports("x", "./a"))
			}},
		{name: "touched", want: "old", reloads: -1, save: func(t *testing.T, d string) {
			now := time.Now()
			require.NoError(t, os.Chtimes(filepath.Join(d, x), now, now))
		}},
		{name: "saved without a change", want: "old", reloads: -1, save: func(t *testing.T, d string) { save(t, filepath.Join(d, x), answers("x", "old")) }},
		{name: "permissions changed", want: "old", reloads: -1, save: func(t *testing.T, d string) { require.NoError(t, os.Chmod(filepath.Join(d, x), 0o600)) }},
		{name: "written in pieces", blips: true, save: func(t *testing.T, d string) {
			f, err := os.Create(filepath.Join(d, x))
			require.NoError(t, err)
			for piece := range strings.SplitSeq(n, ",") {
				if strings.HasPrefix(piece, "export") {
					_, err = f.WriteString(piece)
				} else {
					_, err = f.WriteString("," + piece)
				}
				require.NoError(t, err)
				time.Sleep(15 * time.Millisecond)
			}
			require.NoError(t, f.Close())
		}},
		{name: "two files at once", files: map[string]string{x: imports("x", "./_a"), "_a.ts": text("old")}, save: func(t *testing.T, d string) {
			save(t, filepath.Join(d, "_b.ts"), text("new"))
			save(t, filepath.Join(d, x), imports("x", "./_b"))
			require.NoError(t, os.Remove(filepath.Join(d, "_a.ts")))
		}},
		{name: "removed and made anew", save: func(t *testing.T, d string) {
			require.NoError(t, os.Remove(filepath.Join(d, x)))
			save(t, filepath.Join(d, x), n)
		}},
		{name: "removed and made anew a little later", save: func(t *testing.T, d string) {
			require.NoError(t, os.Remove(filepath.Join(d, x)))
			pause()
			save(t, filepath.Join(d, x), n)
		}},
		{name: "removed for good", want: "not_found", reloads: -1, blips: true, save: func(t *testing.T, d string) { require.NoError(t, os.Remove(filepath.Join(d, x))) }},
		{name: "appears", files: map[string]string{"other.ts": answers("other", "o")}, save: func(t *testing.T, d string) { save(t, filepath.Join(d, x), n) }},
		{name: "folders made with a file in them", files: map[string]string{"other.ts": answers("other", "o")}, save: func(t *testing.T, d string) {
			save(t, filepath.Join(d, "x", "a", "b", "c.ts"), text("new"))
			save(t, filepath.Join(d, "x", "mod.ts"), imports("x", "./a/b/c"))
		}},
		{name: "the module first, what it imports a little later", blips: true, save: func(t *testing.T, d string) {
			save(t, filepath.Join(d, x), imports("x", "./_deep/er/a"))
			time.Sleep(200 * time.Millisecond)
			save(t, filepath.Join(d, "_deep", "er", "a.ts"), text("new"))
		}},
		{name: "a helper", files: map[string]string{x: imports("x", "./_lib/a"), "_lib/a.ts": text("old")}, save: func(t *testing.T, d string) { save(t, filepath.Join(d, "_lib", "a.ts"), text("new")) }},
		{name: "a JSON file that is imported", files: map[string]string{x: imports("x", "./_a.json"), "_a.json": `{"text":"old"}`}, save: func(t *testing.T, d string) { save(t, filepath.Join(d, "_a.json"), `{"text":"new"}`) }},
		{name: "a module that is meant in place of another now", files: map[string]string{x: imports("x", "./_a"), "_a/index.ts": text("old")}, save: func(t *testing.T, d string) { save(t, filepath.Join(d, "_a.ts"), text("new")) }},
		{name: "tsconfig paths", files: map[string]string{"x/mod.ts": imports("x", "@/a"), "x/one/a.ts": text("old"), "x/two/a.ts": text("new"), "x/tsconfig.json": `{"compilerOptions":{"paths":{"@/*":["./one/*"]}}}`},
			save: func(t *testing.T, d string) {
				save(t, filepath.Join(d, "x", "tsconfig.json"), `{"compilerOptions":{"paths":{"@/*":["./two/*"]}}}`)
			}},
		{name: "tsconfig of the project", files: map[string]string{"x/mod.ts": imports("x", "@/a"), "x/one/a.ts": text("old"), "x/two/a.ts": text("new"), "/tsconfig.json": `{"compilerOptions":{"paths":{"@/*":["./.rho/extensions/x/one/*"]}}}`},
			save: func(t *testing.T, d string) {
				save(t, filepath.Join(d, "..", "..", "tsconfig.json"), `{"compilerOptions":{"paths":{"@/*":["./.rho/extensions/x/two/*"]}}}`)
			}},
		{name: "package.json names another module", files: map[string]string{"x/package.json": `{"main":"a.ts"}`, "x/a.ts": answers("x", "old"), "x/b.ts": n}, save: func(t *testing.T, d string) {
			save(t, filepath.Join(d, "x", "package.json"), `{"main":"b.ts"}`)
		}},
		{name: "the folder with extensions made anew", blips: true, save: func(t *testing.T, d string) {
			require.NoError(t, os.RemoveAll(d))
			save(t, filepath.Join(d, x), n)
		}},
		{name: "the folder with extensions swapped", files: map[string]string{x: answers("x", "old"), "/next/x.ts": n}, save: func(t *testing.T, d string) {
			move(t, d, d+"-before")
			move(t, filepath.Join(d, "..", "..", "next"), d)
		}},
		{name: "all of .rho made anew", blips: true, save: func(t *testing.T, d string) {
			require.NoError(t, os.RemoveAll(filepath.Dir(d)))
			pause()
			save(t, filepath.Join(d, x), n)
		}},
		{name: "a file becomes a folder", save: func(t *testing.T, d string) {
			require.NoError(t, os.Remove(filepath.Join(d, x)))
			save(t, filepath.Join(d, "x", "mod.ts"), n)
		}},
		{name: "an extension gets another name", files: map[string]string{"old.ts": answers("x", "old")}, save: func(t *testing.T, d string) {
			move(t, filepath.Join(d, "old.ts"), filepath.Join(d, x))
			save(t, filepath.Join(d, x), n)
		}, blips: true},
		{name: "a package is edited", files: map[string]string{x: imports("x", "pkg"), "/node_modules/pkg/package.json": `{"main":"m.js"}`, "/node_modules/pkg/m.js": `exports.text = "old"`},
			save: func(t *testing.T, d string) {
				save(t, filepath.Join(d, "..", "..", "node_modules", "pkg", "m.js"), `exports.text = "new"`)
			}},
		{name: "a package is installed later", files: map[string]string{x: imports("x", "pkg")}, save: func(t *testing.T, d string) {
			save(t, filepath.Join(d, "..", "..", "node_modules", "pkg", "m.js"), `exports.text = "new"`)
			save(t, filepath.Join(d, "..", "..", "node_modules", "pkg", "package.json"), `{"main":"m.js"}`)
		}, blips: true},
		{name: "an older file of the same size", save: func(t *testing.T, d string) {
			tmp := filepath.Join(d, ".tmp")
			save(t, tmp, n)
			old := time.Now().Add(-time.Hour)
			require.NoError(t, os.Chtimes(tmp, old, old))
			move(t, tmp, filepath.Join(d, x))
		}},
		{name: "the same size and time as before", save: func(t *testing.T, d string) {
			st, err := os.Stat(filepath.Join(d, x))
			require.NoError(t, err)
			save(t, filepath.Join(d, x), n)
			require.NoError(t, os.Chtimes(filepath.Join(d, x), st.ModTime(), st.ModTime()))
		}},
		{name: "broken, then right", blips: true, save: func(t *testing.T, d string) {
			save(t, filepath.Join(d, x), "export default {")
			pause()
			save(t, filepath.Join(d, x), n)
		}},
		{name: "broken, then as it was", want: "old", reloads: -1, blips: true, save: func(t *testing.T, d string) {
			save(t, filepath.Join(d, x), "export default {")
			pause()
			save(t, filepath.Join(d, x), answers("x", "old"))
		}},
		{name: "saved ten times in a row", reloads: 10, save: func(t *testing.T, d string) {
			for i := range 10 {
				save(t, filepath.Join(d, x), answers("x", fmt.Sprint("draft ", i)))
			}
			save(t, filepath.Join(d, x), n)
		}},
	}
}

func TestASaveIsLiveHoweverItIsMade(t *testing.T) {
	t.Parallel()
	for _, p := range savePatterns() {
		for _, poll := range []bool{false, true} {
			name := p.name
			if poll {
				name += ", polled"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p.run(t, poll)
			})
		}
	}
}

func (p pattern) run(t *testing.T, poll bool) {
	files, links := p.files, p.links
	if files == nil {
		files = map[string]string{"x.ts": answers("x", "old")}
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir := filepath.Join(root, ".rho", "extensions")
	place := func(name string) string {
		if rest, ok := strings.CutPrefix(name, "/"); ok {
			return filepath.Join(root, filepath.FromSlash(rest))
		}
		return filepath.Join(dir, filepath.FromSlash(name))
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for name, text := range files {
		save(t, place(name), text)
	}
	for name, target := range links {
		if err := os.Symlink(target, place(name)); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	w := &watched{project: openProject(t, root)}
	w.begin(host.WatchOptions{Poll: poll, Every: 30 * time.Millisecond})
	before := w.says("x")
	p.save(t, dir)
	want := p.want
	if want == "" {
		want = "new"
	}
	w.eventually("x", want)
	w.sync()
	require.Equal(t, want, w.says("x"))

	loaded, other := 0, 0
	for _, kind := range w.changes("x") {
		if kind == host.ChangeAdded || kind == host.ChangeReloaded {
			loaded++
		} else {
			other++
		}
	}
	most := max(p.reloads, 1)
	if p.reloads < 0 {
		most = 0
	}
	require.LessOrEqual(t, loaded, most, "%v", w.changes("x"))
	if before != want && want != "not_found" {
		require.GreaterOrEqual(t, loaded, 1)
	}
	if !p.blips && !poll {
		require.Zero(t, other, "%v", w.changes("x"))
	}
}

// As a checkout of another branch does.
func TestHundredsOfFilesAtOnce(t *testing.T) {
	t.Parallel()
	const extensions, helpers = 20, 15
	branch := func(name string) map[string]string {
		files := map[string]string{}
		for i := range extensions {
			id := fmt.Sprint("e", i)
			src := ""
			for j := range helpers {
				src += fmt.Sprintf("import { text as t%d } from \"./h%d\";\n", j, j)
				files[fmt.Sprintf("%s/h%d.ts", id, j)] = text(name)
			}
			files[id+"/mod.ts"] = src + fmt.Sprintf("const text = new Set([t0, t%d]).size === 1 ? t0 : \"mixed\";", helpers-1) + strings.TrimPrefix(imports(id, ""), `import { text } from "";`)
		}
		return files
	}
	w := watchProject(t, branch("old"), host.WatchOptions{})
	require.Equal(t, "old", w.says("e0"))
	files := branch("new")
	delete(files, "e1/mod.ts") // that branch has one less and one more
	files["more/mod.ts"] = answers("more", "new")
	require.NoError(t, os.RemoveAll(filepath.Join(w.dir, "e1")))
	for name, text := range files { // in any order
		path := filepath.Join(w.dir, filepath.FromSlash(name))
		_ = os.Remove(path) // as git does
		save(t, path, text)
	}
	for i := range extensions {
		if i != 1 {
			w.eventually(fmt.Sprint("e", i), "new")
		}
	}
	w.eventually("more", "new")
	w.eventually("e1", "not_found")
	w.sync()
	require.Empty(t, w.host.Failures())
	require.Len(t, w.host.Extensions(), extensions+1)
}

func TestOnlyWhatChangedIsBuiltAgain(t *testing.T) {
	t.Parallel()
	// One that takes long to fail must not hold up the saves of another.
	w := watchProject(t, map[string]string{"x.ts": answers("x", "old"), "endless.ts": `for (;;) {} export default {}`}, host.WatchOptions{},
		func(o *host.Options) { o.LoadTimeout = 2 * time.Second })
	require.Len(t, w.host.Failures(), 1)
	start := time.Now()
	for i := range 3 {
		save(t, filepath.Join(w.dir, "x.ts"), answers("x", fmt.Sprint(i)))
		w.eventually("x", fmt.Sprint(i))
	}
	require.Less(t, time.Since(start), 5*time.Second)
	require.Empty(t, w.changes("endless"), "what is known is not told again")
	save(t, filepath.Join(w.dir, "endless.ts"), answers("endless", "ended"))
	w.eventually("endless", "ended")
}
