package host_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/host/reading"
	"github.com/rho-ext/rho-ext/jsapi"
	"github.com/rho-ext/rho-ext/registry"
)

// effectSnippet is an extension with a tool that reaches for an effect in some
// way, and what reading says of each of its tools.
type effectSnippet struct {
	name   string
	files  map[string]string // below the extension's folder; it begins at ext.ts
	before string            // a tool to call first
	tool   string            // the one to call
	args   map[string]string // beside effectArgs
	tries  string            // what a call of tool attempts, as in "read net", and callTool
	// What reading says of tools, hooks and commands, in the same words.
	want, hooks, commands map[string]string
	// missed: the call attempts more than reading sees, and is to be refused.
	missed bool
}

// effectArgs are the arguments of every call: what to fetch, write, read and
// run.
var effectArgs = map[string]string{"url": "http://192.0.2.1/", "path": "note.txt", "cmd": "true"}

const snippetParameters = `const parameters = { url: { type: "string" }, path: { type: "string" }, cmd: { type: "string" }, key: { type: "string" } };
`

// beside makes an extension of a tool t with the given function, code before
// it, and two more tools that reading must tell apart from it.
func beside(before, execute string, more ...string) map[string]string {
	files := map[string]string{"ext.ts": before + "\n" + snippetParameters + `export default { name: "x", tools: [
  { name: "t", description: "d", risk: "read", parameters, execute: ` + execute + ` },
  { name: "pure", description: "d", risk: "read", parameters, execute: (args: any) => args.url.trim() },
  { name: "noisy", description: "d", risk: "read", parameters, execute: async (args: any) => { await fetch(args.url); return rho.runCommand(args.cmd, []) } },
] }`}
	return with(files, more...)
}

// with adds files: name, text, name, text.
func with(files map[string]string, more ...string) map[string]string {
	for i := 0; i+1 < len(more); i += 2 {
		files[more[i]] = more[i+1]
	}
	return files
}

// file is an extension of one file.
func file(text string) map[string]string {
	return map[string]string{"ext.ts": snippetParameters + text}
}

// of are the wanted effects of the tools that beside makes.
func of(t string) map[string]string {
	return map[string]string{"t": t, "pure": "", "noisy": "net run"}
}

const everything = "read write net run"

func snippetTool(name, execute string) string {
	return `{ name: "` + name + `", description: "d", risk: "read", parameters, execute: ` + execute + ` }`
}

// snippetBundle bundles a snippet and reads it.
func snippetBundle(t testing.TB, files map[string]string) *reading.Script {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	writeFiles(t, root, files)
	b, err := bundle.Build(bundle.Options{ID: "ext", Entry: filepath.Join(root, "ext.ts"), Root: root, Limit: root, Modules: jsapi.Modules()})
	require.NoError(t, err)
	s, fail := reading.Parse("ext.js", b.Script, b.SourceMap)
	require.Nil(t, fail)
	return s
}

func words(u reading.Uses) string {
	s := u.Effects.String()
	if u.CallsTools {
		if s != "" {
			s += " "
		}
		s += "callTool"
	}
	return s
}

// The rows are parallel among themselves alone: they would starve tests that
// watch the clock.
func TestWhatReadingSaysOfEachTool(t *testing.T) {
	for _, row := range effectSnippets {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := snippetBundle(t, row.files)
			got := map[string]string{}
			for name := range row.want {
				u := s.UsesOf(name)
				got[name] = words(u)
				assert.True(t, s.Uses.Effects.Has(u.Effects), "the script has what its tool %s has", name)
			}
			assert.Equal(t, row.want, got)
			for name, want := range row.hooks {
				assert.Equal(t, want, words(s.HookUses(name)), name)
			}
			for name, want := range row.commands {
				assert.Equal(t, want, words(s.CommandUses(name)), name)
			}
			seen := slices.Collect(maps.Keys(row.want))
			assert.Contains(t, seen, row.tool)
			tries, can := wordSet(row.tries), wordSet(row.want[row.tool])
			assert.NotEmpty(t, tries)
			var more []string
			for w := range tries {
				if !can[w] {
					more = append(more, w)
				}
			}
			assert.Equal(t, row.missed, len(more) > 0, "missed: %v", more)
		})
	}
}

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// arguments are those of a call of the snippet's tools.
func (s effectSnippet) arguments() string {
	args := maps.Clone(effectArgs)
	maps.Copy(args, s.args)
	text, _ := json.Marshal(args) // strings always can be
	return string(text)
}

// Parallel as in TestWhatReadingSaysOfEachTool.
func TestEachToolIsRegisteredWithItsOwnEffects(t *testing.T) {
	for _, row := range effectSnippets {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"x/package.json": `{"main":"ext.ts"}`}
			for name, text := range row.files {
				files["x/"+name] = text
			}
			p := newProject(t, files)
			require.Empty(t, p.host.Failures())
			for name, want := range row.want {
				e, ok := p.reg.Snapshot().Lookup(name)
				require.True(t, ok, name)
				set := wordSet(want)
				delete(set, "callTool")
				set["read"] = true // as declared
				assert.Equal(t, set, wordSet(e.Info.Effects.String()), name)
			}
			if row.before != "" {
				require.Equal(t, registry.StatusSuccess, p.call(row.before, row.arguments()).Status)
			}
			out := p.call(row.tool, row.arguments())
			if row.tries == "net" { // and nothing is granted
				require.Equal(t, registry.StatusDenied, out.Status, out.Text)
				require.Equal(t, registry.KindPermissionDenied, out.Failure.Kind)
			}
		})
	}
}
