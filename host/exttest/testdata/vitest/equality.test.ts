import { describe, expect, test } from "vitest";

class Point {
  constructor(public x: number, public y: number) {}
}
class Other {
  constructor(public x: number, public y: number) {}
}
const circular = (n: number) => {
  const o: Record<string, unknown> = { n };
  o.self = o;
  return o;
};

// Each row is compared by toBe, toEqual and toStrictEqual; half of the outcomes
// are failures on purpose.
const pairs: Record<string, [unknown, unknown]> = {
  "equal numbers": [1, 1],
  "other numbers": [1, 2],
  "nan": [NaN, NaN],
  "signs of zero": [0, -0],
  "number and text": [1, "1"],
  "null and undefined": [null, undefined],
  "texts": ["a", "a"],
  "equal objects": [{ a: 1, b: [1, 2] }, { a: 1, b: [1, 2] }],
  "other order": [{ a: 1, b: 2 }, { b: 2, a: 1 }],
  "a member that differs": [{ a: { b: 1 } }, { a: { b: 2 } }],
  "an undefined member": [{ a: 1, b: undefined }, { a: 1 }],
  "a missing member": [{ a: 1 }, { a: 1, b: 2 }],
  "a longer array": [[1, 2], [1, 2, 3]],
  "a hole": [[1, , 3], [1, undefined, 3]], // eslint-disable-line no-sparse-arrays
  "classes": [new Point(1, 2), new Point(1, 2)],
  "class and object": [new Point(1, 2), { x: 1, y: 2 }],
  "two classes": [new Point(1, 2), new Other(1, 2)],
  "null prototype": [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  "dates": [new Date(5), new Date(5)],
  "other dates": [new Date(5), new Date(6)],
  "invalid dates": [new Date(NaN), new Date(NaN)],
  "patterns": [/a/g, /a/g],
  "other flags": [/a/g, /a/i],
  "maps": [new Map([["a", { b: 1 }]]), new Map([["a", { b: 1 }]])],
  "maps in another order": [new Map([["a", 1], ["b", 2]]), new Map([["b", 2], ["a", 1]])],
  "other maps": [new Map([["a", 1]]), new Map([["a", 2]])],
  "sets": [new Set([1, { a: 1 }]), new Set([{ a: 1 }, 1])],
  "other sets": [new Set([1, 2]), new Set([1, 3])],
  "errors": [new Error("a"), new Error("a")],
  "other messages": [new Error("a"), new Error("b")],
  "other error classes": [new TypeError("a"), new Error("a")],
  "errors with causes": [new Error("a", { cause: 1 }), new Error("a", { cause: 2 })],
  "symbols": [Symbol.for("a"), Symbol.for("a")],
  "symbol keys": [{ [Symbol.for("a")]: 1 }, { [Symbol.for("a")]: 2 }],
  "big integers": [10n, 10n],
  "typed arrays": [new Uint8Array([1, 2]), new Uint8Array([1, 2])],
  "other typed arrays": [new Uint8Array([1, 2]), new Uint8Array([1, 3])],
  "kinds of typed arrays": [new Uint8Array([1]), new Int8Array([1])],
  "boxed and plain": [new String("a"), "a"],
  "circles": [circular(1), circular(1)],
  "other circles": [circular(1), circular(2)],
  "array and object": [[], {}],
  "functions": [() => 1, () => 1],
  "addresses": [new URL("http://a/b"), new URL("http://a/b")],
  "other addresses": [new URL("http://a/b"), new URL("http://a/c")],
  "deep": [{ a: [{ b: [{ c: 1 }] }] }, { a: [{ b: [{ c: 1 }] }] }],
};

describe.each(Object.keys(pairs))("%s", (name) => {
  const [a, b] = pairs[name]!;
  test("toBe", () => expect(a).toBe(b));
  test("toEqual", () => expect(a).toEqual(b));
  test("toStrictEqual", () => expect(a).toStrictEqual(b));
  test("not.toEqual", () => expect(a).not.toEqual(b));
});

describe("toMatchObject", () => {
  test("a part", () => expect({ a: 1, b: { c: 2, d: 3 } }).toMatchObject({ b: { c: 2 } }));
  test("another value", () => expect({ a: 1, b: { c: 2, d: 3 } }).toMatchObject({ b: { c: 3 } }));
  test("arrays are whole", () => expect({ a: [1, 2] }).toMatchObject({ a: [1] }));
  test("arrays of objects", () => expect([{ a: 1, b: 2 }, { a: 3 }]).toMatchObject([{ a: 1 }, { a: 3 }]));
  test("missing", () => expect({ a: 1 }).toMatchObject({ b: 1 }));
  test("not", () => expect({ a: 1, b: 2 }).not.toMatchObject({ a: 1 }));
  test("classes", () => expect(new Point(1, 2)).toMatchObject({ x: 1 }));
  test("maps", () => expect({ m: new Map([["a", 1]]) }).toMatchObject({ m: new Map([["a", 1]]) }));
});

describe("testers", () => {
  test("of the author", () => {
    expect.addEqualityTesters([
      function (a, b) {
        return a instanceof Point && b instanceof Point ? a.x === b.x : undefined;
      },
    ]);
    expect(new Point(1, 2)).toEqual(new Point(1, 3));
    expect([new Point(1, 2)]).toEqual([new Point(1, 3)]);
    expect(new Point(1, 2)).toEqual(new Point(2, 2));
  });
});
