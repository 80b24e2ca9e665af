package host_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

func says(tool, text string) string {
	return `import { word } from "./_word"; export default { name: "x", tools: [{ name: "` + tool + `", description: "d", risk: "read",
  execute: async (_, ctx) => { await new Promise((r) => setTimeout(r, 20)); return "` + text + ` " + word } }] }`
}

func TestReloadPutsWorkingVersionsInPlaceAndKeepsTheLastGoodOne(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"_word.ts": `export const word = "one"`, "x.ts": says("x", "v1"), "y.ts": says("y", "y1"), "z.ts": manifest("z")})
	dir := filepath.Join(p.root, ".rho", "extensions")
	ctx := context.Background()
	require.Equal(t, "v1 one", p.call("x", "{}").Text)

	r, err := p.host.Reload(ctx)
	require.NoError(t, err)
	require.Equal(t, host.Report{Unchanged: []string{"x", "y", "z"}}, r)

	// A module that is imported counts, though the entry is the same.
	writeFiles(t, dir, map[string]string{"_word.ts": `export const word = "two"`, "n.ts": manifest("n")})
	require.NoError(t, os.Remove(filepath.Join(dir, "z.ts")))
	r, err = p.host.Reload(ctx)
	require.NoError(t, err)
	require.Equal(t, host.Report{Added: []string{"n"}, Reloaded: []string{"x", "y"}, Removed: []string{"z"}}, r)
	require.Equal(t, "v1 two", p.call("x", "{}").Text)
	require.Equal(t, registry.KindNotFound, p.call("z", "{}").Failure.Kind)

	for _, broken := range []string{"", "export default {", `throw new Error("no")`, manifest("y"), `export default { name: "x", tools: [{ name: "x" }] }`} {
		writeFiles(t, dir, map[string]string{"x.ts": broken})
		r, err = p.host.Reload(ctx)
		require.NoError(t, err)
		require.Len(t, r.Failures, 1, broken)
		require.Equal(t, "x", r.Failures[0].Extension)
		require.Equal(t, "v1 two", p.call("x", "{}").Text, "the last good version serves")
		require.Equal(t, "y1 two", p.call("y", "{}").Text)
	}
	writeFiles(t, dir, map[string]string{"x.ts": says("x2", "v2")})
	r, err = p.host.Reload(ctx)
	require.NoError(t, err)
	require.Empty(t, r.Failures)
	require.Equal(t, []string{"x"}, r.Reloaded)
	require.Equal(t, "v2 two", p.call("x2", "{}").Text)
	require.Equal(t, registry.KindNotFound, p.call("x", "{}").Failure.Kind)
}

func TestCallsFinishOnTheVersionTheyBeganOn(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"_word.ts": `export const word = "w"`, "x.ts": says("x", "v0")})
	dir := filepath.Join(p.root, ".rho", "extensions")
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if o := p.within(10*time.Second, "x", "{}"); o.Status != registry.StatusSuccess {
					t.Errorf("%s: %+v", o.Status, o.Failure)
					return
				}
			}
		})
	}
	for i := range 30 {
		writeFiles(t, dir, map[string]string{"x.ts": says("x", "v"+string(rune('A'+i)))})
		r, err := p.host.Reload(context.Background())
		require.NoError(t, err)
		require.Equal(t, []string{"x"}, r.Reloaded)
	}
	close(done)
	wg.Wait()
}
