import { assert, describe, expect, test } from "vitest";

class Animal {}
class Dog extends Animal {}
const deep = { a: { b: [{ c: 1 }] }, "x.y": 2, u: undefined };

describe("truth", () => {
  for (const [name, v] of Object.entries({ zero: 0, one: 1, empty: "", text: "a", null: null, undefined: undefined, nan: NaN, object: {}, false: false })) {
    test(`${name} toBeTruthy`, () => expect(v).toBeTruthy());
    test(`${name} toBeFalsy`, () => expect(v).toBeFalsy());
    test(`${name} toBeNull`, () => expect(v).toBeNull());
    test(`${name} toBeUndefined`, () => expect(v).toBeUndefined());
    test(`${name} toBeDefined`, () => expect(v).toBeDefined());
    test(`${name} toBeNaN`, () => expect(v).toBeNaN());
    test(`${name} toBeNullable`, () => expect(v).toBeNullable());
    test(`${name} not.toBeTruthy`, () => expect(v).not.toBeTruthy());
  }
});

describe("types", () => {
  test("typeof", () => expect("a").toBeTypeOf("string"));
  test("other typeof", () => expect("a").toBeTypeOf("number"));
  test("not typeof", () => expect("a").not.toBeTypeOf("string"));
  test("instance", () => expect(new Dog()).toBeInstanceOf(Animal));
  test("no instance", () => expect(new Animal()).toBeInstanceOf(Dog));
  test("not instance", () => expect(new Dog()).not.toBeInstanceOf(Animal));
  test("no class", () => expect(new Dog()).toBeInstanceOf(5 as never));
});

describe("numbers", () => {
  test("greater", () => expect(2).toBeGreaterThan(1));
  test("not greater", () => expect(1).toBeGreaterThan(1));
  test("greater or equal", () => expect(1).toBeGreaterThanOrEqual(1));
  test("less", () => expect(2).toBeLessThan(1));
  test("less or equal", () => expect(2).toBeLessThanOrEqual(1));
  test("negated", () => expect(2).not.toBeGreaterThan(1));
  test("big integers", () => expect(2n).toBeGreaterThan(1n));
  test("mixed", () => expect(2n).toBeLessThan(1));
  test("text", () => expect("2" as never).toBeGreaterThan(1));
  test("close", () => expect(0.1 + 0.2).toBeCloseTo(0.3, 5));
  test("not close", () => expect(1.1).toBeCloseTo(1.2));
  test("close infinity", () => expect(Infinity).toBeCloseTo(Infinity));
  test("not.toBeCloseTo", () => expect(1.001).not.toBeCloseTo(1));
});

describe("texts", () => {
  test("match text", () => expect("hello world").toMatch("world"));
  test("match pattern", () => expect("hello world").toMatch(/w.r/));
  test("no match", () => expect("hello").toMatch(/x/));
  test("no match of text", () => expect("hello").toMatch("x"));
  test("not match", () => expect("hello").not.toMatch("ell"));
  test("match of a number", () => expect(5 as never).toMatch("5"));
  test("contain", () => expect("hello").toContain("ell"));
  test("contain not", () => expect("hello").toContain("elk"));
  test("not contain", () => expect("hello").not.toContain("ell"));
});

describe("collections", () => {
  test("array", () => expect([1, 2]).toContain(2));
  test("array without", () => expect([1, 2]).toContain(3));
  test("array not", () => expect([1, 2]).not.toContain(2));
  test("object by identity", () => expect([{ a: 1 }]).toContain({ a: 1 }));
  test("set", () => expect(new Set([1])).toContain(1));
  test("set without", () => expect(new Set([1])).toContain(2));
  test("containEqual", () => expect([{ a: 1 }]).toContainEqual({ a: 1 }));
  test("containEqual without", () => expect([{ a: 1 }]).toContainEqual({ a: 2 }));
  test("length", () => expect([1, 2]).toHaveLength(2));
  test("other length", () => expect([1, 2]).toHaveLength(3));
  test("length of text", () => expect("abc").toHaveLength(2));
  test("no length", () => expect({}).toHaveLength(2));
  test("not length", () => expect([1]).not.toHaveLength(1));
  test("one of", () => expect(1).toBeOneOf([1, 2]));
  test("none of", () => expect(3).toBeOneOf([1, 2]));
  test("satisfy", () => expect(2).toSatisfy((n: number) => n % 2 === 0));
  test("satisfy not", () => expect(3).toSatisfy((n: number) => n % 2 === 0));
});

describe("properties", () => {
  test("there", () => expect(deep).toHaveProperty("a"));
  test("deep", () => expect(deep).toHaveProperty("a.b[0].c"));
  test("deep with value", () => expect(deep).toHaveProperty("a.b[0].c", 1));
  test("deep with other value", () => expect(deep).toHaveProperty("a.b[0].c", 2));
  test("as list", () => expect(deep).toHaveProperty(["a", "b", 0, "c"], 1));
  test("with a dot", () => expect(deep).toHaveProperty(["x.y"], 2));
  test("missing", () => expect(deep).toHaveProperty("a.z"));
  test("undefined", () => expect(deep).toHaveProperty("u"));
  test("undefined value", () => expect(deep).toHaveProperty("u", undefined));
  test("not", () => expect(deep).not.toHaveProperty("a"));
  test("inherited", () => expect(new (class { get g() { return 1; } })()).toHaveProperty("g", 1));
  test("equal value", () => expect(deep).toHaveProperty("a", { b: [{ c: 1 }] }));
});

describe("toThrow", () => {
  const fail = () => { throw new TypeError("bad thing"); };
  const fine = () => 1;
  test("any", () => expect(fail).toThrow());
  test("nothing", () => expect(fine).toThrow());
  test("text", () => expect(fail).toThrow("bad"));
  test("other text", () => expect(fail).toThrow("good"));
  test("pattern", () => expect(fail).toThrow(/b.d/));
  test("other pattern", () => expect(fail).toThrow(/g.d/));
  test("class", () => expect(fail).toThrow(TypeError));
  test("base class", () => expect(fail).toThrow(Error));
  test("other class", () => expect(fail).toThrow(RangeError));
  test("equal error", () => expect(fail).toThrow(new TypeError("bad thing")));
  test("other error", () => expect(fail).toThrow(new TypeError("other")));
  test("asymmetric", () => expect(fail).toThrow(expect.objectContaining({ message: "bad thing" })));
  test("other asymmetric", () => expect(fail).toThrow(expect.objectContaining({ message: "good" })));
  test("not", () => expect(fine).not.toThrow());
  test("not but does", () => expect(fail).not.toThrow());
  test("not text", () => expect(fail).not.toThrow("bad"));
  test("not other text", () => expect(fail).not.toThrow("good"));
  test("no function", () => expect(5 as never).toThrow());
  test("thrown text", () => expect(() => { throw "plain"; }).toThrow("plain"));
  test("class but nothing", () => expect(fine).toThrow(TypeError));
  test("toThrowError", () => expect(fail).toThrowError("bad"));
});

describe("promises", () => {
  const later = <T>(v: T) => new Promise<T>((r) => setTimeout(() => r(v), 1));
  const fails = () => Promise.reject(new RangeError("no"));
  test("resolves", async () => { await expect(later(1)).resolves.toBe(1); });
  test("resolves other", async () => { await expect(later(1)).resolves.toBe(2); });
  test("resolves not", async () => { await expect(later(1)).resolves.not.toBe(1); });
  test("resolves but rejects", async () => { await expect(fails()).resolves.toBe(1); });
  test("rejects", async () => { await expect(fails()).rejects.toThrow("no"); });
  test("rejects class", async () => { await expect(fails()).rejects.toThrow(RangeError); });
  test("rejects other", async () => { await expect(fails()).rejects.toThrow("yes"); });
  test("rejects other class", async () => { await expect(fails()).rejects.toThrow(TypeError); });
  test("rejects value", async () => { await expect(Promise.reject(5)).rejects.toBe(5); });
  test("rejects of a function", async () => { await expect(fails).rejects.toThrow(); });
  test("rejects but resolves", async () => { await expect(later(1)).rejects.toThrow(); });
  test("rejects not", async () => { await expect(fails()).rejects.not.toThrow("no"); });
  test("rejects instance", async () => { await expect(fails()).rejects.toBeInstanceOf(RangeError); });
  test("no promise", async () => { await expect(1 as never).resolves.toBe(1); });
  test("not awaited", () => { void expect(later(1)).resolves.toBe(1); });
});

describe("counts", () => {
  test("as planned", () => { expect.assertions(2); expect(1).toBe(1); expect(2).toBe(2); });
  test("too few", () => { expect.assertions(2); expect(1).toBe(1); });
  test("any", () => { expect.hasAssertions(); expect(1).toBe(1); });
  test("none", () => { expect.hasAssertions(); });
  test("unreachable", () => { expect.unreachable(); });
  test("unreachable with text", () => { expect.unreachable("here"); });
  test("with a message", () => { expect(1, "the count").toBe(2); });
});

describe("soft", () => {
  test("goes on", () => { expect.soft(1).toBe(2); expect.soft(3).toBe(4); });
  test("with a hard one", () => { expect.soft(1).toBe(2); expect(5).toBe(6); });
  test("fine", () => { expect.soft(1).toBe(1); });
});

describe("poll", () => {
  test("at last", async () => { let n = 0; await expect.poll(() => ++n, { interval: 5 }).toBe(3); });
  test("never", async () => { await expect.poll(() => 1, { interval: 5, timeout: 30 }).toBe(3); });
  test("not", async () => { let n = 0; await expect.poll(() => ++n, { interval: 5 }).not.toBe(1); });
});

describe("extend", () => {
  expect.extend({
    toBeEven(received: number) {
      return { pass: received % 2 === 0, message: () => `${received} is ${this.isNot ? "" : "not "}even` };
    },
    async toBeLater(received: number, expected: number) {
      await Promise.resolve();
      return { pass: received > expected, message: () => "is earlier" };
    },
  });
  const e = expect as any;
  test("pass", () => e(2).toBeEven());
  test("fail", () => e(3).toBeEven());
  test("not", () => e(2).not.toBeEven());
  test("async", async () => { await e(2).toBeLater(1); });
  test("async fail", async () => { await e(1).toBeLater(2); });
  test("asymmetric", () => expect({ n: 2 }).toEqual({ n: e.toBeEven() }));
  test("asymmetric fail", () => expect({ n: 3 }).toEqual({ n: e.toBeEven() }));
});

describe("assert", () => {
  test("true", () => { assert(true); });
  test("false", () => { assert(false, "must be"); });
  test("equal", () => { assert.equal(1, 2); });
  test("deepEqual", () => { assert.deepEqual({ a: 1 }, { a: 1 }); });
});
