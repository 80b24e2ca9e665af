import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFailed, onTestFinished, test } from "vitest";

const log: string[] = [];

describe("order", () => {
  const seen: string[] = [];
  beforeAll(() => { seen.push("all 1"); return () => { log.push("undo all"); }; });
  beforeAll(() => { seen.push("all 2"); });
  beforeEach(() => { seen.push("outer before 1"); return () => { seen.push("undo 1"); }; });
  beforeEach(() => { seen.push("outer before 2"); });
  afterEach(() => { seen.push("outer after 1"); });
  afterEach(() => { seen.push("outer after 2"); });
  describe("inner", () => {
    beforeEach(async () => { await null; seen.push("inner before"); });
    afterEach(() => { seen.push("inner after"); });
    test("first", () => {
      onTestFinished(() => { seen.push("finished 1"); });
      onTestFinished(() => { seen.push("finished 2"); });
      seen.push("test");
      expect(seen).toEqual(["all 1", "all 2", "outer before 1", "outer before 2", "inner before", "test"]);
      seen.length = 0;
    });
    test("second", () => {
      expect(seen).toEqual(["inner after", "outer after 2", "outer after 1", "undo 1", "finished 2", "finished 1", "outer before 1", "outer before 2", "inner before"]);
    });
  });
  afterAll(() => { log.push("after all 1"); });
  afterAll(() => { log.push("after all 2"); });
});

test("suites end before what follows", () => { expect(log).toEqual(["after all 2", "after all 1", "undo all"]); });

describe("failing beforeEach", () => {
  const ran: string[] = [];
  beforeEach(() => { throw new Error("before"); });
  afterEach(() => { ran.push("after"); });
  test("does not run", () => { ran.push("test"); });
  test("does not run either", () => {});
  afterAll(() => { log.push(ran.join()); });
});
test("afterEach ran all the same", () => { expect(log.at(-1)).toBe("after,after"); });

describe("failing afterEach", () => {
  afterEach(() => { throw new Error("after"); });
  test("passes but fails", () => {});
  test("fails twice", () => { expect(1).toBe(2); });
});

describe("failing beforeAll", () => {
  beforeAll(() => { throw new Error("all"); });
  test("is left out", () => {});
  describe("deeper", () => { test("too", () => {}); });
});

describe("failing afterAll", () => {
  test("passes", () => {});
  afterAll(() => { throw new Error("after all"); });
});

describe("failed", () => {
  const seen: string[] = [];
  test("a failing one", ({ onTestFailed: failed, onTestFinished: finished }) => {
    failed(({ task }) => { seen.push(`failed ${task.name}`); });
    onTestFailed(() => { seen.push("failed too"); });
    finished(() => { seen.push("finished"); });
    throw new Error("on purpose");
  });
  test("was told", () => { expect(seen).toEqual(["finished", "failed too", "failed a failing one"]); });
  test("a passing one", () => { onTestFailed(() => { seen.push("never"); }); });
  test("was not told", () => { expect(seen).not.toContain("never"); });
});

describe("context", () => {
  beforeEach((context) => { (context as any).extra = 5; });
  test("is passed on", (context) => { expect((context as any).extra).toBe(5); });
  test("task", ({ task }) => { expect(task.name).toBe("task"); expect(task.suite!.name).toBe("context"); expect(task.type).toBe("test"); });
  test("own expect", ({ expect: mine }) => { mine(1).toBe(2); });
  test("skips itself", ({ skip }) => { skip("not today"); throw new Error("unreachable"); });
  test("skips where so", ({ skip }) => { skip(false); expect(1).toBe(1); });
  test("signal", ({ signal }) => { expect(signal.aborted).toBe(false); });
});

describe("fixtures", () => {
  const order: string[] = [];
  const extended = test.extend<{ a: number; b: string; unused: number }>({
    a: async ({}, use) => { order.push("a up"); await use(1); order.push("a down"); }, // eslint-disable-line no-empty-pattern
    b: async ({ a }, use) => { order.push("b up"); await use(`b${a}`); order.push("b down"); },
    unused: async ({}, use) => { order.push("unused"); await use(0); }, // eslint-disable-line no-empty-pattern
  });
  extended("uses", ({ b, a }) => { expect(b).toBe("b1"); expect(a).toBe(1); });
  extended("order", () => { expect(order).toEqual(["a up", "b up", "b down", "a down"]); });
  const withValue = test.extend({ list: [1, 2] as number[] });
  withValue("value", ({ list }) => { expect(list).toEqual([1, 2]); });
  const failing = test.extend<{ bad: number }>({ bad: async ({}, use) => { throw new Error("fixture"); await use(1); } }); // eslint-disable-line
  failing("a fixture that fails", ({ bad }) => { expect(bad).toBe(1); });
});
