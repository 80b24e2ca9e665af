import { describe, expect, test } from "vitest";

test.each([[1, 1, 2], [1, 2, 3], [2, 2, 5]])("%i + %i = %i", (a, b, sum) => { expect(a + b).toBe(sum); });
test.each([1, 2])("one value %d", (n) => { expect(n).toBeLessThan(2); });
test.each([{ a: 1, name: "x" }, { a: 2, name: "y" }])("object $name has $a at %#", ({ a }) => { expect(a).toBe(1); });
test.each(["a", "b"])("index %# and number %$: %s", (s) => { expect(s).toBe("a"); });
test.each([["t", { k: [1] }]])("%s %j %o", (_, o) => { expect(o).toEqual({ k: [1] }); });
test.each([[1.5]])("float %f and int %i", () => {});
test.each([[undefined], [null], [true], [Symbol.for("s")], [5n]])("odd value %s", () => {});
test.each([{ user: { name: "ann", tags: ["q"] } }])("deep $user.name $user.tags $missing", () => {});
test.each([[{ a: 1 }, 2]])("first $a second $1", () => {});
test.each`
  a    | b    | sum
  ${1} | ${1} | ${2}
  ${2} | ${3} | ${6}
`("table $a + $b is $sum", ({ a, b, sum }) => { expect(a + b).toBe(sum); });
test.for([[1, 2], [3, 4]])("for %i %i", ([a, b], { task }) => { expect(a! + 1).toBe(b); expect(task.name).toContain("for"); });
test.for([{ n: 1 }])("for object $n", ({ n }) => { expect(n).toBe(1); });
test.skip.each([1, 2])("skipped %i", () => { expect(1).toBe(2); });
describe.each([[1], [2]])("suite %i", (n) => {
  test("inner", () => { expect(n).toBe(1); });
});
describe.for([{ k: "z" }])("suite for $k", ({ k }) => {
  test("inner", () => { expect(k).toBe("z"); });
});
test.each([])("nothing %s", () => {});
test.each([[[1, 2]], [[3]]])("nested %j", (list) => { expect(list.length).toBe(2); });
test(function namedFunction() {} as any, () => {});
test("no function");
test.each([1])("with options %i", { timeout: 1000 }, (n) => { expect(n).toBe(1); });
