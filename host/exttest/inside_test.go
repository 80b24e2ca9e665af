package exttest_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNothingIsWrittenThroughALinkThatLeavesTheFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	outside := t.TempDir()
	p := newProject(t, map[string]string{"x.ts": counter, "x.test.ts": `
import { expect, mockFetch, test } from "rho-ext/test";
test("snapshot", () => { expect(1).toMatchSnapshot(); });
test("cassette", () => { mockFetch({ cassette: "secrets" }); });`})
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secrets.http.json"), []byte("[]"), 0o644))
	require.NoError(t, os.Symlink(outside, p.path("__snapshots__")))
	require.NoError(t, os.Symlink(outside, p.path("__fixtures__")))
	got := outcome(p.run())
	require.Contains(t, got, "the snapshots cannot be read")
	require.NoError(t, os.Remove(p.path("__snapshots__")))
	require.Contains(t, outcome(p.run()), "fail cassette | mockFetch: the cassette .rho/extensions/__fixtures__/secrets.http.json cannot be read")
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

func TestACassetteIsNamedPlainly(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"x.ts": counter, "x.test.ts": `
import { mockFetch, test } from "rho-ext/test";
test.each(["../x", "a/b", "", ".hidden", "x".repeat(200)])("%j", (name) => { mockFetch({ cassette: name }); });`})
	rep := p.run()
	require.Equal(t, 5, rep.Failed, outcome(rep))
}
