import { afterEach, beforeEach, describe, expect, test } from "vitest";

const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
const log: string[] = [];

describe("concurrent", () => {
  test.concurrent("slow", async ({ expect }) => { log.push("slow in"); await sleep(30); log.push("slow out"); expect(1).toBe(1); });
  test.concurrent("fast", async ({ expect }) => { log.push("fast in"); await sleep(5); log.push("fast out"); expect(1).toBe(2); });
  test.concurrent("counts", async ({ expect }) => { expect.assertions(2); expect(1).toBe(1); await sleep(10); expect(2).toBe(2); });
});
test("they overlapped", () => { expect(log.slice(0, 2)).toEqual(["slow in", "fast in"]); expect(log.at(-1)).toBe("slow out"); });

describe.concurrent("suite", () => {
  let running = 0, most = 0;
  beforeEach(() => { running++; most = Math.max(most, running); });
  afterEach(() => { running--; });
  test("a", async () => { await sleep(10); });
  test("b", async () => { await sleep(10); });
  test("c", async ({ expect }) => { await sleep(5); expect(most).toBe(3); });
  test.sequential("alone", async ({ expect }) => { await sleep(1); expect(running).toBe(1); });
});
describe.concurrent("failures stay apart", () => {
  test("one", async () => { await sleep(5); throw new Error("one"); });
  test("two", async () => { await sleep(1); throw new Error("two"); });
  test("three", async () => { await sleep(8); });
});
