package exttest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var block = regexp.MustCompile("(?ms)^```ts\n(.*?)^```")

// TestThePageAboutTestsTellsTheTruth runs what docs/testing.md shows.
func TestThePageAboutTestsTellsTheTruth(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "testing.md"))
	require.NoError(t, err)
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	weather := regexp.MustCompile("(?ms)^```ts\n// .rho/extensions/weather.ts\n(.*?)^```").FindSubmatch(readme)
	require.NotNil(t, weather, "the README has the extension that the page tests")
	blocks := block.FindAllSubmatch(page, -1)
	require.Len(t, blocks, 2)
	p := newProject(t, map[string]string{
		"weather.ts":      string(weather[1]),
		"weather.test.ts": string(blocks[0][1]),
		"routes.test.ts": `import { expect, mockFetch, test } from "rho-ext/test";
test("routes", async () => {
` + string(blocks[1][1]) + `
  const asked = async (url: string, init?: any) => { const r = await fetch(url, init); return r.status + " " + await r.text(); };
  expect(await asked("https://api.example/items?page=2", { headers: { accept: "application/json" } })).toBe("200 [1,2]");
  expect(await asked("https://api.example/items", { method: "POST", body: '{"a":1}' })).toBe('201 {"a":1}');
  await expect(asked("https://api.example/slow")).rejects.toThrow("connection reset");
  expect(await asked("https://api.example/once")).toBe("200 ");
});`,
	})
	p.passes(3)
}
