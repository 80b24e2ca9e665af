// Uses the types of rho-ext/test: tsc accepts it where they say what they should.
import { afterAll, afterEach, assert, beforeAll, beforeEach, callCommand, callHook, callTool, completeCommand, describe, expect, it, mockFetch, onTestFailed, onTestFinished, project, settings, test, vi, type Mock, type ToolOutcome } from "rho-ext/test";
import { test as same, vi as sameVi } from "vitest";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
const is = <T extends true>(_?: T) => {};
is<Same<typeof same, typeof test>>();
is<Same<typeof sameVi, typeof vi>>();

beforeAll(async () => () => {}, 1000);
afterAll(() => {});
beforeEach(({ task }) => { const s: string = task.name; void s; });
afterEach(() => {});
describe("suite", { timeout: 5, retry: 1 }, () => {});
describe.skip.concurrent("suite", () => {});
describe.each([1, 2])("%d", (n) => { is<Same<typeof n, number>>(); });
it("works", () => {}, 100);
test.only.fails("x", { repeats: 2 }, async ({ skip, signal, onTestFinished: f }) => { skip(true, "no"); f(() => {}); const a: boolean = signal.aborted; void a; });
test.each([[1, "a"], [2, "b"]])("%s", (n, s) => { is<Same<typeof n, number>>(); is<Same<typeof s, string>>(); });
test.each([{ a: 1 }])("$a", ({ a }) => { is<Same<typeof a, number>>(); });
test.for([{ a: 1 }])("$a", ({ a }, { expect: e }) => { e(a).toBe(1); });
test.each`a|b
${1}|${2}`("t", ({ a }) => { void a; });
// @ts-expect-error the options stand before the function
test("x", () => {}, { timeout: 5 });

const extended = test.extend<{ n: number; s: string }>({ n: 1, s: async ({ n }, use) => { await use(`${n}`); } });
extended("x", ({ n, s }) => { is<Same<typeof n, number>>(); is<Same<typeof s, string>>(); });

test("expect", async () => {
  expect(1).toBe(1);
  expect({ a: 1 }).not.toEqual({ a: expect.any(Number) });
  await expect(Promise.resolve(1)).resolves.toBe(1);
  await expect(Promise.reject(new Error("x"))).rejects.not.toThrow("y");
  await expect.poll(() => 1, { interval: 5 }).toBeGreaterThan(0);
  expect.soft("a").toMatch(/a/);
  expect({ id: 1 }).toMatchSnapshot({ id: expect.any(Number) });
  expect(1).toMatchInlineSnapshot(`1`);
  expect.assertions(3);
  expect.extend({ toBeEven(received: number) { return { pass: received % 2 === 0 && !this.isNot, message: () => this.utils.printReceived(received) }; } });
  // @ts-expect-error there is no such matcher
  expect(1).toBeNice();
  // @ts-expect-error resolves gives a promise
  const n: number = expect(Promise.resolve(1)).resolves.toBe(1);
  void n;
  const v: unknown = "a";
  assert(typeof v === "string");
  is<Same<typeof v, string>>();
  onTestFinished(() => {});
  onTestFailed(() => {});
});

test("mocks", async () => {
  const f = vi.fn((a: number, b?: string) => `${a}${b}`);
  is<Same<typeof f, Mock<(a: number, b?: string) => string>>>();
  const s: string = f(1);
  const calls: [a: number, b?: string | undefined][] = f.mock.calls;
  f.mockReturnValue("x").mockReturnValueOnce("y");
  // @ts-expect-error it returns a string
  f.mockReturnValue(1);
  // @ts-expect-error it needs a number
  f("a");
  const typed = vi.fn<(n: number) => Promise<boolean>>();
  typed.mockResolvedValue(true);
  // @ts-expect-error it resolves with a boolean
  typed.mockResolvedValue("no");
  const o = { m(n: number) { return n; }, v: 1, async later() { return "a"; } };
  vi.spyOn(o, "m").mockReturnValue(2);
  vi.spyOn(o, "later").mockResolvedValue("b");
  vi.spyOn(o, "v", "get").mockReturnValue(3);
  // @ts-expect-error v is no function
  vi.spyOn(o, "v");
  vi.useFakeTimers({ toFake: ["Date"] }).setSystemTime(0).advanceTimersByTime(5);
  await vi.advanceTimersByTimeAsync(5);
  vi.stubEnv("A", "b").stubGlobal("c", 1);
  const w: string = await vi.waitFor(() => "x");
  void [s, calls, w];
});

test("the extension", async () => {
  const net = mockFetch({ strict: true }).get("https://a/b", { query: { q: /x/, n: 1 } }).reply(200, { a: 1 }, { "x-a": "b" });
  net.post("https://a/c", { body: { a: 1 } }).reply(201, (r) => r.json()).times(2).replyError("gone");
  net.any(/a/).reply(async (r) => ({ status: 200, body: r.body }));
  const url: string = net.calls[0]!.url;
  const r = await callTool<{ n: number }>("t", { a: 1 }, { signal: new AbortController().signal, callId: "c", values: { v: 1 }, timeoutMs: 5 });
  is<Same<typeof r, ToolOutcome<{ n: number }>>>();
  const n: number | undefined = r.structured?.n;
  // @ts-expect-error the arguments are an object
  await callTool("t", "{}");
  const d = await callHook("onToolCall", { toolName: "t", args: {} });
  if (d && "block" in d) d.block.trim();
  const c = await callCommand("hello", "world");
  const list: string[] = await completeCommand("hello");
  settings({ a: "b", n: 1, gone: null });
  await project.write("a", "b");
  const all: string[] = [...(await project.list()), project.root, await project.read("a")];
  void [url, n, c.text, list, all];
});
