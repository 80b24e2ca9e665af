import { describe, expect, test } from "vitest";

test.skip("skipped", () => { throw new Error("must not run"); });
test.todo("todo");
test("skip option", { skip: true }, () => { throw new Error("must not run"); });
test("todo option", { todo: true }, () => {});
test.skipIf(true)("skipIf true", () => { throw new Error("must not run"); });
test.skipIf(false)("skipIf false", () => {});
test.runIf(true)("runIf true", () => {});
test.runIf(false)("runIf false", () => { throw new Error("must not run"); });
test.fails("fails as it should", () => { expect(1).toBe(2); });
test.fails("fails but passes", () => {});
test.fails("fails later", async () => { await Promise.reject(new Error("x")); });
test("fails option", { fails: true }, () => { throw new Error("x"); });
describe.skip("skipped suite", () => {
  test("inner", () => { throw new Error("must not run"); });
  describe("deeper", () => { test("inner", () => {}); });
});
describe.todo("todo suite", () => { test("inner of todo", () => {}); });
describe.skipIf(true)("skipIf suite", () => { test("inner", () => {}); });
describe.runIf(true)("runIf suite", () => { test("inner", () => {}); });
describe("suite without a function");
describe("retry", () => {
  let n = 0;
  test("at the third", { retry: 3 }, () => { expect(++n).toBe(3); });
  let m = 0;
  test("never", { retry: 2 }, () => { m++; expect(m).toBe(10); });
  test("that many times", () => { expect(m).toBe(3); });
  let r = 0;
  test("repeats", { repeats: 4 }, () => { r++; });
  test("that many repeats", () => { expect(r).toBe(5); });
  let p = 0;
  test("repeats until it fails", { repeats: 4 }, () => { expect(++p).toBeLessThan(3); });
});
describe("inherited", { retry: 1 }, () => {
  let n = 0;
  test("retry", () => { expect(++n).toBe(2); });
});
describe("timeouts", () => {
  const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
  test("too slow", async () => { await sleep(300); }, 20);
  test("too slow by option", { timeout: 20 }, async () => { await sleep(300); });
  test("quick enough", async () => { await sleep(1); }, 1000);
  test("a busy one", () => { const end = performance.now() + 40; while (performance.now() < end); }, 20);
  describe("of a suite", { timeout: 20 }, () => {
    test("slow", async () => { await sleep(300); });
  });
});
describe("errors", () => {
  test("plain", () => { throw new Error("plain"); });
  test("class", () => { throw new RangeError("range"); });
  test("own class", () => { class Mine extends Error { override name = "Mine"; } throw new Mine("own"); });
  test("text", () => { throw "only a text"; });
  test("null", () => { throw null; });
  test("cause", () => { throw new Error("outer", { cause: new Error("inner") }); });
  test("rejects", async () => { await Promise.reject(new TypeError("rejected")); });
  test("reference", () => { (globalThis as any).nothing.at.all; });
  test("nested test", () => { test("inside", () => {}); });
  test("nested suite", () => { describe("inside", () => {}); });
});
describe("async suites", async () => {
  await Promise.resolve();
  test("are waited for", () => {});
});
