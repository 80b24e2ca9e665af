package exttest_test

import (
	"testing"

	"github.com/rho-ext/rho-ext/host"
)

func TestTheExtensionFollowsTheClockOfTheTest(t *testing.T) {
	t.Parallel()
	const ext = `
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
const tool = (name: string, execute: () => Promise<string>) => ({ name, description: "d", risk: "read", parameters: {}, execute });
export default { name: "odd", tools: [
  tool("later", async () => { await sleep(60_000); return new Date().toISOString(); }),
  tool("twice", async () => { await sleep(1000); await fetch("https://a.org/"); await sleep(1000); return String(Date.now()); }),
] };`
	const file = `
import { afterEach, callTool, expect, mockFetch, test, vi } from "vitest";
afterEach(() => { vi.useRealTimers(); });
for (const n of [1, 2, 3]) {
  test("async " + n, async () => {
    vi.useFakeTimers({ now: 0 });
    const p = callTool("later");
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await p).text).toBe("1970-01-01T00:01:00.000Z");
  });
  test("sync " + n, async () => {
    vi.useFakeTimers({ now: 0 });
    const p = callTool("later");
    vi.advanceTimersByTime(30_000);
    vi.advanceTimersByTime(30_000);
    expect((await p).text).toBe("1970-01-01T00:01:00.000Z");
  });
}
test("a call that fetches on its way", async () => {
  vi.useFakeTimers({ now: 0 });
  mockFetch().get("https://a.org/").reply(200);
  const p = callTool("twice");
  await vi.advanceTimersByTimeAsync(2000);
  expect((await p).text).toBe("2000");
});
test("a call that was given up", async () => {
  vi.useFakeTimers({ now: 0 });
  await expect(callTool("later", {}, { signal: AbortSignal.abort() })).rejects.toThrow("cancelled");
  const p = callTool("later");
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await p).isError).toBe(false);
});
test("a set time", async () => {
  vi.setSystemTime(5);
  vi.useFakeTimers();
  const p = callTool("later");
  await vi.runAllTimersAsync();
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await p).text).toBe("1970-01-01T00:01:00.005Z");
});
`
	for _, mode := range []host.Isolation{host.InProcess, host.Process} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			p := newProject(t, map[string]string{"odd.ts": ext, "odd.test.ts": file})
			p.opts.Isolation = mode
			p.passes(9)
		})
	}
}
