import { afterEach, beforeEach, describe, expect, test } from "vitest";

const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
const log: string[] = [];

// Tests wait for one another, so that it matters that they run together.
function gate() {
  let open = () => {};
  const passed = new Promise<void>((r) => { open = r; });
  return { open, passed };
}

describe("concurrent", () => {
  const fast = gate();
  test.concurrent("slow", async ({ expect }) => { log.push("slow in"); await fast.passed; log.push("slow out"); expect(1).toBe(1); });
  test.concurrent("fast", async ({ expect }) => { log.push("fast in"); await sleep(5); log.push("fast out"); fast.open(); expect(1).toBe(2); });
  test.concurrent("counts", async ({ expect }) => { expect.assertions(2); expect(1).toBe(1); await sleep(10); expect(2).toBe(2); });
});
test("they overlapped", () => { expect(log.slice(0, 2).sort()).toEqual(["fast in", "slow in"]); expect(log.at(-1)).toBe("slow out"); });

describe.concurrent("suite", () => {
  const all = gate();
  let running = 0;
  beforeEach(() => { if (++running === 3) all.open(); });
  afterEach(() => { running--; });
  test("a", async () => { await all.passed; });
  test("b", async () => { await all.passed; });
  test("c", async ({ expect }) => { await all.passed; expect(running).toBeGreaterThan(0); });
  test.sequential("alone", async ({ expect }) => { await sleep(1); expect(running).toBe(1); });
});
describe.concurrent("failures stay apart", () => {
  test("one", async () => { await sleep(5); throw new Error("one"); });
  test("two", async () => { await sleep(1); throw new Error("two"); });
  test("three", async () => { await sleep(8); });
});
