package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// page is what a program writes, for a test to read meanwhile.
type page struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *page) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func (p *page) expect(t *testing.T, part string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(p.String(), part) }, 20*time.Second, time.Millisecond, "%q never came:\n%v", part, p)
}

// develop runs dev in a project until the test ends.
func develop(t *testing.T, root string, args ...string) (out, errs *page) {
	t.Helper()
	t.Setenv("RHO_HOME", trusting(t, root))
	out, errs = &page{}, &page{}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"dev", "--root", root}, args...), streams{in: strings.NewReader(""), out: out, err: errs})
	}()
	t.Cleanup(func() {
		stop()
		require.Equal(t, 0, <-ended, errs.String())
	})
	return out, errs
}

func TestDevShowsSavesFailuresAndCalls(t *testing.T) {
	root := project(t, map[string]string{"live.ts": versioned("now", "one"), "bad.ts": brokenExt})
	out, page := develop(t, root)
	page.expect(t, "ready in ")
	require.Contains(t, page.String(), "watching .rho/extensions (")
	require.Regexp(t, `(?m)^  ✓ live +1 tool +bundle [\d.]+ ms  load [\d.]+ ms$`, page.String())
	require.Regexp(t, `(?m)^  ✗ bad +failed to load; other extensions keep running\n +\.rho/extensions/bad\.ts:2:18: Expected`, page.String())
	require.Regexp(t, `(?m)^ready in [\d.]+ m?s · \d+ tools · 1 failure$`, page.String())

	saveExtension(t, root, "live.ts", versioned("later", "two"))
	page.expect(t, "change live.ts → reloaded live (v2) in ")
	require.Contains(t, page.String(), "1 tool; +later, -now")

	saveExtension(t, root, "live.ts", "export default {")
	page.expect(t, "change live.ts → error .rho/extensions/live.ts:1:17: ")
	page.expect(t, "  · still serving v2\n")
	page.expect(t, "> 1 | export default {")

	// Another program calls a tool of the project.
	got := rhoExtBeside(t, root, "run", "read_file", "--arg", "path=none.txt")
	require.Equal(t, 1, got.code)
	page.expect(t, "  call  read_file {")
	page.expect(t, "to repeat it: rho-ext run read_file --args '{")
	require.Empty(t, out.String(), "stdout is for data")

	require.NoError(t, os.Remove(filepath.Join(root, ".rho", "extensions", "bad.ts")))
	page.expect(t, "→ removed bad")
}

// rhoExtBeside runs the program with the home directory that is set already.
func rhoExtBeside(t *testing.T, root string, args ...string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), append(args, "--root", root), streams{in: strings.NewReader(""), out: &out, err: &errs})
	return ran{code: code, out: out.String(), err: errs.String()}
}

func TestDevOfOneExtensionIsSilentAboutTheOthers(t *testing.T) {
	root := project(t, map[string]string{"live.ts": versioned("now", "one"), "bad.ts": brokenExt})
	_, page := develop(t, root, "live")
	page.expect(t, "ready in ")
	require.NotContains(t, page.String(), "✗ bad")
	saveExtension(t, root, "bad.ts", "export default [")
	saveExtension(t, root, "live.ts", versioned("now", "two"))
	page.expect(t, "change live.ts → reloaded live (v2)")
	require.NotContains(t, page.String(), "bad.ts")
}

func TestDevPrintsEventsAsJSON(t *testing.T) {
	root := project(t, map[string]string{"live.ts": versioned("now", "one")})
	out, errs := develop(t, root, "--json")
	out.expect(t, `"event":"ready"`)
	saveExtension(t, root, "live.ts", versioned("now", "two"))
	out.expect(t, `"change":"reloaded"`)
	rhoExtBeside(t, root, "run", "now")
	out.expect(t, `"event":"call"`)
	for line := range strings.Lines(out.String()) {
		var e map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &e), line)
		switch e["event"] {
		case "ready":
			require.NotEmpty(t, e["extensions"])
			require.Positive(t, e["durationMs"])
		case "change":
			require.Equal(t, "live", e["extension"])
			require.Equal(t, []any{".rho/extensions/live.ts"}, e["paths"])
			require.Equal(t, 2.0, e["version"])
		case "call":
			require.Equal(t, "now", e["outcome"].(map[string]any)["tool"])
		default:
			t.Fatal("unknown event ", line)
		}
	}
	require.Empty(t, errs.String())
}

func TestDevOfAnUnknownExtensionSaysWhichThereAre(t *testing.T) {
	root := project(t, map[string]string{"live.ts": versioned("now", "one")})
	got := rhoExt(t, root, "", "dev", "lives")
	require.Equal(t, 1, got.code)
	require.Contains(t, got.err, `there is no extension "lives" (did you mean live?)`)
	got = rhoExt(t, root, "", "dev", "a", "b")
	require.Equal(t, 2, got.code)
}
