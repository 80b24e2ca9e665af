import { afterEach, describe, expect, test, vi } from "vitest";

afterEach(() => { vi.restoreAllMocks(); });

describe("fn", () => {
  test("records", () => {
    const f = vi.fn((a: number, b = 1) => a + b);
    expect(f(1)).toBe(2);
    f(1, 2);
    expect(f.mock.calls).toEqual([[1], [1, 2]]);
    expect(f.mock.results).toEqual([{ type: "return", value: 2 }, { type: "return", value: 3 }]);
    expect(f.mock.lastCall).toEqual([1, 2]);
    expect(f.mock.invocationCallOrder).toHaveLength(2);
    expect(f.length).toBe(1);
    expect(vi.isMockFunction(f)).toBe(true);
    expect(vi.isMockFunction(() => 1)).toBe(false);
  });
  test("contexts and instances", () => {
    const f = vi.fn(function (this: any) { this.a = 1; });
    const o = { f };
    o.f();
    const made = new (f as any)();
    expect(f.mock.contexts[0]).toBe(o);
    expect(f.mock.instances[1]).toBe(made);
    expect(made.a).toBe(1);
  });
  test("throws", () => {
    const f = vi.fn(() => { throw new Error("x"); });
    expect(f).toThrow("x");
    expect(f.mock.results[0]!.type).toBe("throw");
  });
  test("returns", () => {
    const f = vi.fn().mockReturnValue("d").mockReturnValueOnce("a").mockReturnValueOnce("b");
    expect([f(), f(), f()]).toEqual(["a", "b", "d"]);
  });
  test("resolves", async () => {
    const f = vi.fn().mockResolvedValueOnce(1).mockRejectedValueOnce(new Error("no")).mockResolvedValue(2);
    expect(await f()).toBe(1);
    await expect(f()).rejects.toThrow("no");
    expect(await f()).toBe(2);
    expect(f.mock.settledResults.map((r) => r.type)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });
  test("implementations", () => {
    const f = vi.fn(() => "first");
    f.mockImplementationOnce(() => "once");
    expect([f(), f()]).toEqual(["once", "first"]);
    f.mockImplementation(() => "other");
    expect(f()).toBe("other");
    f.withImplementation(() => "within", () => { expect(f()).toBe("within"); });
    expect(f()).toBe("other");
    expect(f.getMockImplementation()!()).toBe("other");
  });
  test("clear, reset and restore", () => {
    const f = vi.fn(() => 1);
    f.mockReturnValue(2);
    f();
    f.mockClear();
    expect(f).not.toHaveBeenCalled();
    expect(f()).toBe(2);
    f.mockReset();
    expect(f()).toBe(1);
    f.mockName("named");
    expect(f.getMockName()).toBe("named");
    f.mockRestore();
    expect(f.getMockName()).toBe("vi.fn()");
  });
  test("this", () => {
    const o: any = { f: vi.fn().mockReturnThis() };
    expect(o.f()).toBe(o);
  });
  test("an empty one gives nothing", () => { expect(vi.fn()()).toBeUndefined(); });
  test("classes", () => {
    class A { constructor(public n: number) {} get double() { return this.n * 2; } static s = 5; }
    const M = vi.fn(A);
    const a = new M(2);
    expect(a.n).toBe(2);
    expect(M.s).toBe(5);
    expect(M).toHaveBeenCalledWith(2);
  });
  test("cannot construct a value", () => {
    const F: any = vi.fn().mockReturnValue(1);
    expect(() => new F()).toThrow(TypeError);
  });
});

describe("spyOn", () => {
  test("calls through", () => {
    const o = { f: (n: number) => n + 1 };
    const s = vi.spyOn(o, "f");
    expect(o.f(1)).toBe(2);
    expect(s).toHaveBeenCalledWith(1);
    s.mockReturnValue(9);
    expect(o.f(1)).toBe(9);
    s.mockRestore();
    expect(o.f(1)).toBe(2);
    expect(vi.isMockFunction(o.f)).toBe(false);
  });
  test("prototype", () => {
    class A { m() { return 1; } }
    vi.spyOn(A.prototype, "m").mockReturnValue(2);
    expect(new A().m()).toBe(2);
    vi.restoreAllMocks();
    expect(new A().m()).toBe(1);
  });
  test("inherited", () => {
    class A { m() { return 1; } }
    const a = new A();
    vi.spyOn(a, "m").mockReturnValue(3);
    expect(a.m()).toBe(3);
    vi.restoreAllMocks();
    expect(Object.hasOwn(a, "m")).toBe(false);
  });
  test("getter", () => {
    const o = { get v() { return 1; } };
    const s = vi.spyOn(o, "v", "get").mockReturnValue(5);
    expect(o.v).toBe(5);
    expect(s).toHaveBeenCalledTimes(1);
    s.mockRestore();
    expect(o.v).toBe(1);
  });
  test("setter", () => {
    let got = 0;
    const o = { set v(n: number) { got = n; } };
    const s = vi.spyOn(o, "v", "set");
    o.v = 4;
    expect(s).toHaveBeenCalledWith(4);
    expect(got).toBe(4);
  });
  test("twice", () => {
    const o = { f() {} };
    expect(vi.spyOn(o, "f")).toBe(vi.spyOn(o, "f"));
  });
  test("nothing to spy on", () => { vi.spyOn({} as any, "nope"); });
  test("no function", () => { vi.spyOn({ a: 1 } as any, "a"); });
  test("undefined", () => { vi.spyOn(undefined as any, "a"); });
  test("console", () => {
    const s = vi.spyOn(console, "log").mockImplementation(() => {});
    console.log("quiet");
    expect(s).toHaveBeenCalledWith("quiet");
  });
});

describe("matchers", () => {
  const used = () => { const f = vi.fn((...args: unknown[]) => args.length); f(1, "a"); f({ b: 2 }); return f; };
  test("called", () => expect(used()).toHaveBeenCalled());
  test("called not", () => expect(vi.fn()).toHaveBeenCalled());
  test("not called", () => expect(used()).not.toHaveBeenCalled());
  test("times", () => expect(used()).toHaveBeenCalledTimes(2));
  test("other times", () => expect(used()).toHaveBeenCalledTimes(3));
  test("not times", () => expect(used()).not.toHaveBeenCalledTimes(2));
  test("once", () => expect(used()).toHaveBeenCalledOnce());
  test("with", () => expect(used()).toHaveBeenCalledWith({ b: 2 }));
  test("with asymmetric", () => expect(used()).toHaveBeenCalledWith(expect.any(Number), "a"));
  test("with other", () => expect(used()).toHaveBeenCalledWith({ b: 3 }));
  test("not with", () => expect(used()).not.toHaveBeenCalledWith(1, "a"));
  test("with fewer", () => expect(used()).toHaveBeenCalledWith(1));
  test("exactly once with", () => expect(used()).toHaveBeenCalledExactlyOnceWith(1, "a"));
  test("nth", () => expect(used()).toHaveBeenNthCalledWith(1, 1, "a"));
  test("nth other", () => expect(used()).toHaveBeenNthCalledWith(2, 1, "a"));
  test("nth beyond", () => expect(used()).toHaveBeenNthCalledWith(5, 1));
  test("last", () => expect(used()).toHaveBeenLastCalledWith({ b: 2 }));
  test("last other", () => expect(used()).toHaveBeenLastCalledWith(1));
  test("returned", () => expect(used()).toHaveReturned());
  test("returned not", () => expect(vi.fn()).toHaveReturned());
  test("returned times", () => expect(used()).toHaveReturnedTimes(2));
  test("returned other times", () => expect(used()).toHaveReturnedTimes(1));
  test("returned with", () => expect(used()).toHaveReturnedWith(1));
  test("returned with other", () => expect(used()).toHaveReturnedWith(7));
  test("last returned", () => expect(used()).toHaveLastReturnedWith(1));
  test("last returned other", () => expect(used()).toHaveLastReturnedWith(2));
  test("nth returned", () => expect(used()).toHaveNthReturnedWith(1, 2));
  test("nth returned other", () => expect(used()).toHaveNthReturnedWith(1, 3));
  test("resolved", async () => { const f = vi.fn(async () => 5); await f(); expect(f).toHaveResolvedWith(5); expect(f).toHaveResolvedTimes(1); expect(f).toHaveResolved(); });
  test("resolved other", async () => { const f = vi.fn(async () => 5); await f(); expect(f).toHaveResolvedWith(6); });
  test("before", () => { const a = vi.fn(), b = vi.fn(); a(); b(); expect(a).toHaveBeenCalledBefore(b); expect(b).toHaveBeenCalledAfter(a); });
  test("before not", () => { const a = vi.fn(), b = vi.fn(); a(); b(); expect(b).toHaveBeenCalledBefore(a); });
  test("no mock", () => expect((() => 1) as any).toHaveBeenCalled());
  test("named", () => { expect(vi.fn().mockName("load")).toHaveBeenCalled(); });
});

describe("stubs", () => {
  test("global", () => {
    vi.stubGlobal("answer", 42);
    expect((globalThis as any).answer).toBe(42);
    vi.unstubAllGlobals();
    expect((globalThis as any).answer).toBeUndefined();
  });
  test("all", () => {
    const f = vi.fn(() => 1).mockReturnValue(2);
    f();
    vi.clearAllMocks();
    expect(f).not.toHaveBeenCalled();
    expect(f()).toBe(2);
    vi.resetAllMocks();
    expect(f()).toBe(1);
  });
  test("hoisted and mocked", () => {
    const h = vi.hoisted(() => ({ n: 1 }));
    expect(vi.mocked(h)).toBe(h);
  });
  test("waitFor", async () => {
    let n = 0;
    await vi.waitFor(() => { if (++n < 3) throw new Error("not yet"); }, { interval: 5 });
    expect(n).toBe(3);
  });
  test("waitFor never", async () => { await vi.waitFor(() => { throw new Error("not yet"); }, { interval: 5, timeout: 20 }); });
  test("waitUntil", async () => {
    let n = 0;
    expect(await vi.waitUntil(() => ++n > 2 && "done", { interval: 5 })).toBe("done");
  });
  test("waitUntil never", async () => { await vi.waitUntil(() => false, { interval: 5, timeout: 20 }); });
});
