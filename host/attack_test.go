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
	"github.com/rho-ext/rho-ext/registry"
)

// attack is an extension that tries what it may not.
type attack struct {
	permissions string   // of its manifest; empty is everything that its code uses
	allow       []string // as "kind target"
	setup       func(t *testing.T, o *host.Options)
	top         string // of the module, before the manifest
	body        string // of the function of its tool t
	tools       string // further tools
	want        string // what t returns; a part of it after a ~
	safe        func(t *testing.T, p *project, out *registry.Outcome)
}

// attackHead makes results of what is tried: "got …", or "no NAME CODE".
const attackHead = `import { defineExtension, defineTool, s } from "rho-ext";
const text = (v) => typeof v === "string" ? v : JSON.stringify(v) ?? "done";
const tried = async (f) => { try { return "got " + text(await f()) } catch (e) { return ("no " + e.name + " " + (e.code ?? "")).trim() } };
const all = async (...fs) => { const out = []; for (const f of fs) out.push(await tried(f)); return out.join(", ") };
`

func (a attack) source() string {
	permissions := ""
	if a.permissions != "" {
		permissions = "permissions: { " + strings.TrimPrefix(a.permissions, "none") + " }, "
	}
	return attackHead + a.top + "\nexport default defineExtension({ name: \"x\", " + permissions + "tools: [" + a.tools +
		` defineTool({ name: "t", description: "d", risk: "destructive", parameters: {}, async execute(_, ctx) { ` + a.body + " } }) ] });"
}

func (a attack) run(t *testing.T) {
	p := newProject(t, map[string]string{"x.ts": a.source()}, func(o *host.Options) {
		o.Home = filepath.Join(o.Root, "..", "home")
		if a.setup != nil {
			a.setup(t, o)
		}
		o.Allow = append(o.Allow, allow(t, o.Root, a.allow...)...)
	})
	require.Empty(t, p.host.Failures())
	out := p.call("t", "{}")
	if part, ok := strings.CutPrefix(a.want, "~"); ok {
		assert.Contains(t, out.Text, part)
	} else {
		assert.Equal(t, a.want, out.Text)
	}
	assert.NotContains(t, out.Text, "SECRET")
	if a.safe != nil {
		a.safe(t, p, out)
	}
}

func TestAttacksByExtensionsFail(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs symbolic links and Unix programs")
	}
	for _, table := range []map[string]attack{placeAttacks, fileAttacks, runAttacks} {
		for about, a := range table {
			t.Run(about, func(t *testing.T) { t.Parallel(); a.run(t) })
		}
	}
}

// files writes files below the root, and makes links of those that begin
// with ->.
func files(texts map[string]string) func(t *testing.T, o *host.Options) {
	return func(t *testing.T, o *host.Options) {
		t.Helper()
		for name, text := range texts {
			target, ok := strings.CutPrefix(text, "->")
			if !ok {
				write(t, o.Root, name, text)
				continue
			}
			path := filepath.Join(o.Root, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.Symlink(target, path))
		}
	}
}

// unchanged says that a file has the text that it had.
func unchanged(name, text string) func(*testing.T, *project, *registry.Outcome) {
	return func(t *testing.T, p *project, _ *registry.Outcome) {
		data, err := os.ReadFile(filepath.Join(p.root, name))
		require.NoError(t, err)
		assert.Equal(t, text, string(data))
	}
}

const emptyExtension = `export default { name: "other", tools: [] };`
