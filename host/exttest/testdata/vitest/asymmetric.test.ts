import { describe, expect, test } from "vitest";

describe("any", () => {
  test("string", () => expect("a").toEqual(expect.any(String)));
  test("number", () => expect(1).toEqual(expect.any(Number)));
  test("function", () => expect(() => 1).toEqual(expect.any(Function)));
  test("boolean", () => expect(false).toEqual(expect.any(Boolean)));
  test("object", () => expect({}).toEqual(expect.any(Object)));
  test("bigint", () => expect(1n).toEqual(expect.any(BigInt)));
  test("class", () => expect(new Date()).toEqual(expect.any(Date)));
  test("other", () => expect("a").toEqual(expect.any(Number)));
  test("inside", () => expect({ id: 5, name: "x" }).toEqual({ id: expect.any(Number), name: "x" }));
  test("inside other", () => expect({ id: "5" }).toEqual({ id: expect.any(Number) }));
  test("nothing given", () => expect(1).toEqual((expect.any as any)()));
});

describe("anything", () => {
  test("value", () => expect(0).toEqual(expect.anything()));
  test("null", () => expect(null).toEqual(expect.anything()));
  test("undefined", () => expect(undefined).toEqual(expect.anything()));
});

describe("containing", () => {
  test("array", () => expect([1, 2, 3]).toEqual(expect.arrayContaining([3, 1])));
  test("array other", () => expect([1, 2, 3]).toEqual(expect.arrayContaining([4])));
  test("array of no array", () => expect("abc").toEqual(expect.arrayContaining(["a"])));
  test("not array", () => expect([1, 2]).toEqual(expect.not.arrayContaining([3])));
  test("not array but does", () => expect([1, 2]).toEqual(expect.not.arrayContaining([1])));
  test("object", () => expect({ a: 1, b: 2 }).toEqual(expect.objectContaining({ a: 1 })));
  test("object other", () => expect({ a: 1, b: 2 }).toEqual(expect.objectContaining({ a: 2 })));
  test("object nested", () => expect({ a: { b: 1, c: 2 } }).toEqual(expect.objectContaining({ a: { b: 1 } })));
  test("not object", () => expect({ a: 1 }).toEqual(expect.not.objectContaining({ b: 1 })));
  test("string", () => expect("hello").toEqual(expect.stringContaining("ell")));
  test("string other", () => expect("hello").toEqual(expect.stringContaining("x")));
  test("not string", () => expect("hello").toEqual(expect.not.stringContaining("x")));
  test("matching", () => expect("hello").toEqual(expect.stringMatching(/^h/)));
  test("matching other", () => expect("hello").toEqual(expect.stringMatching(/^x/)));
  test("closeTo", () => expect({ n: 0.1 + 0.2 }).toEqual({ n: expect.closeTo(0.3, 5) }));
  test("closeTo other", () => expect({ n: 0.4 }).toEqual({ n: expect.closeTo(0.3, 5) }));
  test("nested matchers", () => expect([{ a: "xyz" }]).toEqual([{ a: expect.stringContaining("y") }]));
  test("strict", () => expect({ a: 1 }).toStrictEqual({ a: expect.any(Number) }));
  test("match object", () => expect({ a: 1, b: 2 }).toMatchObject({ a: expect.any(Number) }));
  test("match object other", () => expect({ a: 1, b: 2 }).toMatchObject({ a: expect.any(String) }));
  test("wrong use", () => expect("a").toEqual((expect.stringContaining as any)(5)));
});
