import { describe, expect, test, vi } from "vitest";

class Point { constructor(public x: number, public y: number) {} }

// The texts are those that vitest writes.
describe("inline", () => {
  test("object", () => {
    expect({ b: 1, a: [1, "two", null, undefined, true] }).toMatchInlineSnapshot(`
      {
        "a": [
          1,
          "two",
          null,
          undefined,
          true,
        ],
        "b": 1,
      }
    `);
  });
  test("text", () => expect("plain").toMatchInlineSnapshot(`"plain"`));
  test("lines", () => {
    expect("one\ntwo").toMatchInlineSnapshot(`
      "one
      two"
    `);
  });
  test("number", () => expect(-0).toMatchInlineSnapshot(`-0`));
  test("class", () => {
    expect(new Point(1, 2)).toMatchInlineSnapshot(`
      Point {
        "x": 1,
        "y": 2,
      }
    `);
  });
  test("collections", () => {
    expect([new Map([["k", { v: 1 }]]), new Set([1]), new Date(0), /a.b/g, Symbol("s"), 10n, () => 1, new Error("e"), new Uint8Array([1])]).toMatchInlineSnapshot(`
      [
        Map {
          "k" => {
            "v": 1,
          },
        },
        Set {
          1,
        },
        1970-01-01T00:00:00.000Z,
        /a\\.b/g,
        Symbol(s),
        10n,
        [Function],
        [Error: e],
        Uint8Array [
          1,
        ],
      ]
    `);
  });
  test("empty", () => expect([{}, [], new Map(), new Set()]).toMatchInlineSnapshot(`
    [
      {},
      [],
      Map {},
      Set {},
    ]
  `));
  test("quotes", () => expect('say "hi" \\ `x` ${y}').toMatchInlineSnapshot(`"say "hi" \\ \`x\` \${y}"`));
  test("circle", () => {
    const o: any = { a: 1 };
    o.o = o;
    expect(o).toMatchInlineSnapshot(`
      {
        "a": 1,
        "o": [Circular],
      }
    `);
  });
  test("matchers", () => {
    expect({ id: 5, at: new Date(), list: [1] }).toMatchInlineSnapshot({ id: expect.any(Number), at: expect.any(Date) }, `
      {
        "at": Any<Date>,
        "id": Any<Number>,
        "list": [
          1,
        ],
      }
    `);
  });
  test("mock", () => {
    const f = vi.fn((a: number) => a + 1);
    f(1);
    expect(f).toMatchInlineSnapshot(`
      [MockFunction] {
        "calls": [
          [
            1,
          ],
        ],
        "results": [
          {
            "type": "return",
            "value": 2,
          },
        ],
      }
    `);
  });
  test("error", () => expect(() => { throw new TypeError("bad"); }).toThrowErrorMatchingInlineSnapshot(`[TypeError: bad]`));
  test("rejects", async () => { await expect(Promise.reject(new Error("no"))).rejects.toThrowErrorMatchingInlineSnapshot(`[Error: no]`); });
  test("differs", () => expect({ a: 1 }).toMatchInlineSnapshot(`
    {
      "a": 2,
    }
  `));
  test("properties differ", () => expect({ a: "1" }).toMatchInlineSnapshot({ a: expect.any(Number) }, `{}`));
  test("not", () => expect(1).not.toMatchInlineSnapshot(`1`));
  test("does not throw", () => expect(() => 1).toThrowErrorMatchingInlineSnapshot(`1`));
  test("no object", () => expect(1).toMatchInlineSnapshot({ a: 1 } as never, `1`));
  test("toJSON", () => expect({ toJSON: () => ({ j: 1 }) }).toMatchInlineSnapshot(`
    {
      "j": 1,
    }
  `));
});

describe("files", () => {
  test("one", () => expect({ a: 1 }).toMatchSnapshot());
  test("several", () => { expect(1).toMatchSnapshot(); expect(2).toMatchSnapshot("with a hint"); });
  test("differs", () => expect({ now: "other" }).toMatchSnapshot());
  test("shape", () => expect({ id: 7 }).toMatchSnapshot({ id: expect.any(Number) }));
  test("thrown", () => expect(() => { throw new Error("x"); }).toThrowErrorMatchingSnapshot());
  test("lines", () => expect("one\ntwo").toMatchSnapshot());
  test("missing", () => expect("never recorded").toMatchSnapshot());
});
