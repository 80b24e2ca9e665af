import { describe, expect, test } from "vitest";

test("left out", () => { throw new Error("must not run"); });
test.only("alone", () => { expect(1).toBe(1); });
test.only("alone and failing", () => { expect(1).toBe(2); });
describe("suite", () => {
  test("left out too", () => {});
  test.only("inner alone", () => {});
});
describe.only("only suite", () => {
  test("runs", () => {});
  test.skip("skipped all the same", () => {});
  describe("deeper", () => { test("runs too", () => {}); });
});
describe.only("only suite with only", () => {
  test("left out by its neighbour", () => {});
  test.only("preferred", () => {});
});
describe.skip("skipped suite", () => { test.only("inner", () => {}); });
