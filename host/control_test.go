package host_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

func TestAReportNamesWhatChangedOfEachTool(t *testing.T) {
	t.Parallel()
	tool := func(name, description, parameters, body string) string {
		return `{ name: "` + name + `", description: "` + description + `", risk: "read", parameters: ` + parameters + `, execute: ` + body + ` }`
	}
	ext := func(tools ...string) string {
		return `export default { name: "x", tools: [` + strings.Join(tools, ",") + `] }`
	}
	same, plain := `{ a: { type: "string" } }`, `() => "ok"`
	p := newProject(t, map[string]string{"x.ts": ext(tool("a", "A", same, plain), tool("b", "B", same, plain), tool("c", "C", same, plain), tool("d", "D", same, plain))})
	dir := filepath.Join(p.root, ".rho", "extensions")
	writeFiles(t, dir, map[string]string{"x.ts": ext(tool("a", "A", same, `() => "other code"`), tool("b", "Better", same, plain),
		tool("c", "C", `{ a: { type: "number" }, tags: { type: "array" } }`, plain), tool("e", "E", same, plain), tool("f", "F", same, `() => fetch("https://a.test/")`))})
	r, err := p.host.Reload(t.Context())
	require.NoError(t, err)
	require.Len(t, r.Changes, 1)
	c := r.Changes[0]
	require.Equal(t, host.ChangeReloaded, c.Kind)
	require.Equal(t, 2, c.Version)
	require.Equal(t, []string{"a", "b", "c", "e", "f"}, c.Serving)
	require.Equal(t, []host.ToolChange{
		{Name: "b", Kind: host.ChangeReloaded, What: []string{"description"}},
		{Name: "c", Kind: host.ChangeReloaded, What: []string{"schema: ~a +tags"}},
		{Name: "e", Kind: host.ChangeAdded}, {Name: "f", Kind: host.ChangeAdded}, {Name: "d", Kind: host.ChangeRemoved},
	}, c.Tools)
	require.Equal(t, "extension x was reloaded (v2), tools a, b, c, e, f; changed: b (description), c (schema: ~a +tags), +e, +f, -d", r.Text())

	writeFiles(t, dir, map[string]string{"x.ts": ext(tool("a", "A", same, `() => fetch("https://a.test/")`)), "y.ts": manifest("y")})
	r, err = p.host.Reload(t.Context())
	require.NoError(t, err)
	require.Contains(t, r.Text(), "a (effects: read → read net)")
	require.Contains(t, r.Text(), "extension y was added, tool y")

	writeFiles(t, dir, map[string]string{"x.ts": "export default {"})
	r, err = p.host.Reload(t.Context())
	require.NoError(t, err)
	require.Contains(t, r.Text(), "extension x failed to load; v3, the last that worked, is still serving\n  .rho/extensions/x.ts:1:17: ")
	require.Equal(t, []string{"a"}, r.Changes[0].Serving)
	require.NotEmpty(t, r.Changes[0].Failures[0].Frame)

	// Back to what serves: nothing is loaded, and the failure is gone.
	writeFiles(t, dir, map[string]string{"x.ts": ext(tool("a", "A", same, `() => fetch("https://a.test/")`))})
	r, err = p.host.Reload(t.Context())
	require.NoError(t, err)
	require.Equal(t, "extension x is right again: v3 serves, tool a", r.Text())
	require.Empty(t, p.host.Failures())

	require.NoError(t, os.Remove(filepath.Join(dir, "y.ts")))
	r, err = p.host.Reload(t.Context())
	require.NoError(t, err)
	require.Equal(t, "extension y was removed; changed: -y", r.Text())
	r, err = p.host.Reload(t.Context())
	require.NoError(t, err)
	require.Empty(t, r.Text())
}

func TestOneExtensionIsReloadedByName(t *testing.T) {
	t.Parallel()
	count := `let n = 0; export default { name: "x", tools: [{ name: "NAME", description: "d", risk: "read", execute: () => ++n }] }`
	p := newProject(t, map[string]string{"a.ts": strings.Replace(count, "NAME", "a", 1), "b.ts": strings.Replace(count, "NAME", "b", 1), "c.ts": "export default {"})
	for _, name := range []string{"a", "b"} {
		require.Equal(t, "1", p.call(name, "{}").Text)
	}
	writeFiles(t, filepath.Join(p.root, ".rho", "extensions"), map[string]string{"b.ts": manifest("b2"), "d.ts": manifest("d")})
	r, err := p.host.Reload(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, r.Reloaded)
	require.Equal(t, "1", p.call("a", "{}").Text, "a new runtime, though nothing has changed")
	require.Equal(t, "2", p.call("b", "{}").Text, "the others are left alone")
	require.Equal(t, registry.KindNotFound, p.call("d", "{}").Failure.Kind)
	require.Len(t, p.host.Failures(), 1, "what is known of the others stays known")
	require.Len(t, p.host.Extensions(), 3)

	_, err = p.host.Reload(t.Context(), "aa")
	require.ErrorContains(t, err, `there is no extension "aa"`)
	r, err = p.host.Reload(t.Context())
	require.NoError(t, err)
	require.Equal(t, host.Report{Added: []string{"d"}, Reloaded: []string{"b"}, Unchanged: []string{"a"}, Failures: r.Failures}, plain(r))
}

func TestExtensionsAreDisabledEnabledAndUnloadedByHand(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a.ts": manifest("a"), "b.ts": manifest("b"), "off.ts": manifest("off")}, func(o *host.Options) { o.Disabled = []string{"off"} })
	dir, ctx := filepath.Join(p.root, ".rho", "extensions"), t.Context()
	gone := func(tool string) {
		t.Helper()
		require.Equal(t, registry.KindNotFound, p.call(tool, "{}").Failure.Kind)
	}
	r, err := p.host.Disable(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, "extension a was disabled; changed: -a", r.Text())
	gone("a")
	require.Equal(t, host.StateDisabled, state(p.host, "a"))
	writeFiles(t, dir, map[string]string{"a.ts": manifest("a2")})
	_, err = p.host.Reload(ctx)
	require.NoError(t, err)
	gone("a2")
	_, err = p.host.Reload(ctx, "a")
	require.ErrorContains(t, err, "disabled: enable it first")
	r, err = p.host.Enable(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, r.Added)
	require.Equal(t, "a2", p.call("a2", "{}").Text)

	_, err = p.host.Enable(ctx, "off")
	require.NoError(t, err)
	require.Equal(t, "off", p.call("off", "{}").Text, "by hand it is enabled whatever the options say")

	_, err = p.host.Unload(ctx, "b")
	require.NoError(t, err)
	gone("b")
	_, err = p.host.Reload(ctx)
	require.NoError(t, err)
	gone("b")
	_, err = p.host.Reload(ctx, "b")
	require.NoError(t, err)
	require.Equal(t, "b", p.call("b", "{}").Text)
	_, err = p.host.Unload(ctx, "b")
	require.NoError(t, err)
	writeFiles(t, dir, map[string]string{"b.ts": manifest("b3")})
	_, err = p.host.Reload(ctx)
	require.NoError(t, err)
	require.Equal(t, "b3", p.call("b3", "{}").Text, "it comes back when its files change")

	for _, f := range []func(context.Context, string) (host.Report, error){p.host.Disable, p.host.Enable, p.host.Unload} {
		_, err = f(ctx, "none")
		require.ErrorContains(t, err, `there is no extension "none"`)
	}
}

func TestTrustThatIsTakenAwayEnds(t *testing.T) {
	t.Parallel()
	var trusted atomic.Bool
	trusted.Store(true)
	p := newProject(t, map[string]string{"a.ts": `export default { name: "a", tools: [{ name: "one", description: "d", risk: "read", execute: () => "1" }] }`},
		func(o *host.Options) { o.Trusted, o.IsTrusted = false, trusted.Load })
	require.Equal(t, "1", p.call("one", "{}").Text)
	trusted.Store(false)
	writeFiles(t, filepath.Join(p.root, ".rho", "extensions"), map[string]string{"b.ts": `export default { name: "b", tools: [{ name: "two", description: "d", risk: "read", execute: () => "2" }] }`})
	rep, err := p.host.Reload(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, rep.Removed)
	require.Empty(t, rep.Added)
	require.Equal(t, registry.KindNotFound, p.call("one", "{}").Failure.Kind)
	trusted.Store(true)
	rep, err = p.host.Reload(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, rep.Added)
}

func TestOneToolIsLoadedWithThoseThatItCalls(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{
		"a.ts": `export default { name: "a", tools: [{ name: "callee", description: "d", risk: "read", execute: () => "from a" }] }`,
		"b.ts": `import { defineExtension, defineTool } from "rho-ext";
export default defineExtension({ name: "b", permissions: { tools: ["callee"] }, tools: [
	defineTool({ name: "caller", description: "d", risk: "read", parameters: {}, execute: async (_, ctx) => (await ctx.callTool("callee", {})).text })] });`,
		"c.ts": `export default { name: "c", tools: [{ name: "other", description: "d", risk: "read", execute: () => "c" }] }`,
	}, func(o *host.Options) { o.Tool = "caller" }, allowing(t, "tool callee"))
	require.Equal(t, "from a", p.call("caller", "{}").Text)
}
