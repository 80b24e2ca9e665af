import { afterEach, describe, expect, test, vi } from "vitest";

afterEach(() => { vi.useRealTimers(); });

describe("sync", () => {
  test("advance", () => {
    vi.useFakeTimers();
    const log: string[] = [];
    setTimeout(() => log.push("b"), 20);
    setTimeout(() => log.push("a"), 10);
    setTimeout((x: string) => log.push(x), 20, "c");
    vi.advanceTimersByTime(15);
    expect(log).toEqual(["a"]);
    vi.advanceTimersByTime(5);
    expect(log).toEqual(["a", "b", "c"]);
  });
  test("intervals", () => {
    vi.useFakeTimers();
    const f = vi.fn();
    const id = setInterval(f, 10);
    vi.advanceTimersByTime(35);
    expect(f).toHaveBeenCalledTimes(3);
    clearInterval(id);
    vi.advanceTimersByTime(35);
    expect(f).toHaveBeenCalledTimes(3);
  });
  test("nested", () => {
    vi.useFakeTimers();
    const log: number[] = [];
    setTimeout(() => { log.push(Date.now()); setTimeout(() => log.push(Date.now()), 5); }, 5);
    const start = Date.now();
    vi.advanceTimersByTime(20);
    expect(log.map((t) => t - start)).toEqual([5, 10]);
    expect(Date.now() - start).toBe(20);
  });
  test("clearTimeout", () => {
    vi.useFakeTimers();
    const f = vi.fn();
    clearTimeout(setTimeout(f, 1));
    vi.runAllTimers();
    expect(f).not.toHaveBeenCalled();
  });
  test("runAllTimers", () => {
    vi.useFakeTimers();
    const f = vi.fn();
    setTimeout(() => setTimeout(f, 1000), 1000);
    vi.runAllTimers();
    expect(f).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });
  test("runAllTimers without end", () => {
    vi.useFakeTimers();
    setInterval(() => {}, 1);
    vi.runAllTimers();
  });
  test("only pending", () => {
    vi.useFakeTimers();
    const f = vi.fn();
    setTimeout(() => { f(); setTimeout(f, 10); }, 10);
    vi.runOnlyPendingTimers();
    expect(f).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(1);
  });
  test("next", () => {
    vi.useFakeTimers();
    const log: string[] = [];
    setTimeout(() => log.push("a"), 10);
    setTimeout(() => log.push("b"), 20);
    vi.advanceTimersToNextTimer();
    expect(log).toEqual(["a"]);
    vi.advanceTimersToNextTimer().advanceTimersToNextTimer();
    expect(log).toEqual(["a", "b"]);
  });
  test("clearAllTimers", () => {
    vi.useFakeTimers();
    setTimeout(() => {}, 5);
    expect(vi.getTimerCount()).toBe(1);
    vi.clearAllTimers();
    expect(vi.getTimerCount()).toBe(0);
  });
  test("without fakes", () => { vi.advanceTimersByTime(5); });
  test("a timer that throws", () => {
    vi.useFakeTimers();
    const f = vi.fn();
    setTimeout(() => { throw new Error("in a timer"); }, 1);
    setTimeout(f, 2);
    expect(() => vi.advanceTimersByTime(5)).toThrow("in a timer");
    expect(f).toHaveBeenCalledTimes(1);
  });
});

describe("async", () => {
  test("advance", async () => {
    vi.useFakeTimers();
    const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
    const log: string[] = [];
    void (async () => { await sleep(10); log.push("a"); await sleep(10); log.push("b"); })();
    await vi.advanceTimersByTimeAsync(25);
    expect(log).toEqual(["a", "b"]);
  });
  test("all", async () => {
    vi.useFakeTimers();
    const log: string[] = [];
    setTimeout(async () => { await null; setTimeout(() => log.push("inner"), 50); }, 50);
    await vi.runAllTimersAsync();
    expect(log).toEqual(["inner"]);
  });
  test("pending", async () => {
    vi.useFakeTimers();
    const f = vi.fn();
    setTimeout(f, 5);
    await vi.runOnlyPendingTimersAsync();
    expect(f).toHaveBeenCalledTimes(1);
  });
  test("next", async () => {
    vi.useFakeTimers();
    const f = vi.fn();
    setTimeout(f, 5);
    await vi.advanceTimersToNextTimerAsync();
    expect(f).toHaveBeenCalledTimes(1);
  });
});

describe("dates", () => {
  test("set", () => {
    vi.useFakeTimers();
    vi.setSystemTime(new Date("2020-01-02T03:04:05Z"));
    expect(new Date().toISOString()).toBe("2020-01-02T03:04:05.000Z");
    expect(Date.now()).toBe(Date.UTC(2020, 0, 2, 3, 4, 5));
    vi.advanceTimersByTime(1000);
    expect(new Date().toISOString()).toBe("2020-01-02T03:04:06.000Z");
    expect(vi.getMockedSystemTime()!.toISOString()).toBe("2020-01-02T03:04:06.000Z");
  });
  test("only the date", () => {
    vi.setSystemTime(1000);
    expect(Date.now()).toBe(1000);
    expect(vi.isFakeTimers()).toBe(false);
    vi.useRealTimers();
    expect(Date.now()).toBeGreaterThan(1000);
    expect(vi.getMockedSystemTime()).toBeNull();
  });
  test("now option", () => {
    vi.useFakeTimers({ now: 5000 });
    expect(Date.now()).toBe(5000);
    expect(vi.isFakeTimers()).toBe(true);
    expect(vi.getRealSystemTime()).toBeGreaterThan(5000);
  });
  test("dates are dates", () => {
    vi.useFakeTimers();
    expect(new Date(5)).toBeInstanceOf(Date);
    expect(new Date(5).getTime()).toBe(5);
    expect(typeof Date()).toBe("string");
    expect(Date.UTC(1970, 0, 1)).toBe(0);
    expect(Date.parse("1970-01-01T00:00:01Z")).toBe(1000);
    class Mine extends Date { mine = 1; }
    expect(new Mine(7).getTime()).toBe(7);
    expect(new Mine(7)).toBeInstanceOf(Mine);
  });
  test("toFake", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(7);
    expect(Date.now()).toBe(7);
    expect(vi.getTimerCount()).toBe(0);
  });
  test("performance", () => {
    vi.useFakeTimers();
    const a = performance.now();
    vi.advanceTimersByTime(100);
    expect(performance.now() - a).toBe(100);
  });
  test("timers keep their distance", () => {
    vi.useFakeTimers();
    const f = vi.fn();
    setTimeout(f, 100);
    vi.setSystemTime(0);
    vi.advanceTimersByTime(99);
    expect(f).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(f).toHaveBeenCalled();
  });
});
