// Timers and clocks that tests move.
(function (host, use) {
  "use strict";
  const { defineProperty, getOwnPropertyDescriptor, construct, apply, then } = use("testing/base");
  const runner = use("testing/runner");
  const { starters } = use("testing/lifetime");
  const RealDate = Date, ErrorClass = Error, WrongType = TypeError, PromiseClass = Promise;
  const realNow = Date.now;
  const { isFinite, parseInt } = Number;

  const known = ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"];
  let clock; // undefined: the timers are real
  let onlyDate; // milliseconds, where only Date is set
  let originals = {};

  const now = () => (clock !== undefined && clock.fakes.includes("Date") ? clock.now : (onlyDate ?? realNow()));
  function FakeDate(...args) {
    if (!new.target) return new RealDate(now()).toString();
    const C = new.target === FakeDate ? RealDate : new.target;
    return construct(RealDate, args.length === 0 ? [now()] : args, C);
  }
  FakeDate.prototype = RealDate.prototype;
  for (const key of ["UTC", "parse"]) defineProperty(FakeDate, key, getOwnPropertyDescriptor(RealDate, key));
  defineProperty(FakeDate, "now", { value: () => now(), writable: true, configurable: true });
  defineProperty(FakeDate, "name", { value: "Date" });
  defineProperty(FakeDate, "length", { value: 7 });
  defineProperty(FakeDate, "isFake", { value: true });

  function replace(name, value) {
    if (!(name in originals)) { globalThis[name]; originals[name] = getOwnPropertyDescriptor(globalThis, name); }
    defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }
  function putBack() {
    for (const name of Object.keys(originals)) {
      if (originals[name] === undefined) delete globalThis[name];
      else defineProperty(globalThis, name, originals[name]);
    }
    originals = {};
  }

  // tell lets the extension under test follow, in order. It must not block: what
  // the extension then does may ask the mocks of this test. What the test asks of
  // the extension waits for it.
  function tell(data) {
    const s = runner.state();
    if (s === undefined) return;
    const before = s.clock;
    if (s.calls > 0) data = { ...data, after: s.calls };
    const told = (async () => {
      if (before !== undefined) await before;
      await runner.ask("time", data, "vi");
    })();
    s.clock = told;
    then(told, () => { if (s.clock === told) s.clock = undefined; }, () => {});
  }
  const told = () => runner.state()?.clock;
  const clockIs = () => (clock !== undefined ? { fake: true, nowMs: clock.now } : onlyDate !== undefined ? { fake: false, nowMs: onlyDate } : undefined);
  starters.push(() => { const data = clockIs(); if (data !== undefined) tell(data); });

  let ids = 1000000;
  function add(fn, delay, args, every) {
    if (typeof fn !== "function") throw new WrongType(`[ERR_INVALID_CALLBACK]: Callback must be a function. Received ${fn} of type ${typeof fn}`);
    let ms = parseInt(delay, 10);
    ms = isFinite(ms) && ms > 0 && ms <= 2 ** 31 - 1 ? ms : 0;
    const t = { id: ++ids, fn, args, at: clock.now + (ms || (clock.ticking ? 1 : 0)), every: every ? ms || 1 : 0, made: clock.now };
    clock.timers.push(t);
    return t.id;
  }
  const remove = (id) => { if (clock !== undefined) clock.timers = clock.timers.filter((t) => t.id !== id); };
  const fakes = {
    setTimeout: (fn, ms, ...args) => add(fn, ms, args, false),
    setInterval: (fn, ms, ...args) => add(fn, ms, args, true),
    clearTimeout: remove, clearInterval: remove,
  };

  // first gives the timer that fires next, at limit at the latest.
  function first(limit = Infinity) {
    let best;
    for (const t of clock.timers) if (t.at <= limit && (best === undefined || t.at < best.at || (t.at === best.at && t.id < best.id))) best = t;
    return best;
  }
  function fire(t) {
    if (t.at > clock.now) move(t.at);
    if (t.every > 0) t.at += t.every;
    else remove(t.id);
    clock.ticking = true;
    try { apply(t.fn, undefined, t.args); } finally { if (clock !== undefined) clock.ticking = false; }
  }
  function move(to) {
    clock.elapsed += to - clock.now;
    clock.now = to;
  }
  function jobs() {
    if (clock === undefined) return;
    for (let i = 0; clock.jobs.length > 0; i++) {
      if (i >= clock.limit) throw new ErrorClass(`Aborting after running ${clock.limit} timers, assuming an infinite loop!`);
      clock.jobs.shift()();
    }
  }
  // Code that waits goes on before the next timer fires.
  const turn = () => new PromiseClass((resolve) => runner.setTimer(resolve, 0, false));

  function must() {
    if (clock === undefined) throw new ErrorClass("A function to advance timers was called but the timers APIs are not mocked. Call `vi.useFakeTimers()` in the test file first.");
  }
  function amount(ms) {
    const n = typeof ms === "number" ? ms : Number(ms);
    if (!(n >= 0)) throw new WrongType("Negative ticks are not supported");
    return n;
  }
  // The first error of a timer is thrown when all of them have fired.
  function tick(ms) {
    must();
    const to = clock.now + amount(ms), own = clock;
    tell({ fake: true, advanceMs: to - clock.now });
    let error, failed = false;
    jobs();
    for (let t; clock === own && (t = first(to)) !== undefined; ) {
      try { fire(t); } catch (e) { if (!failed) { failed = true; error = e; } }
      jobs();
    }
    if (clock === own && to > clock.now) move(to);
    if (failed) throw error;
  }
  async function tickAsync(ms) {
    must();
    const to = clock.now + amount(ms), own = clock;
    tell({ fake: true, advanceMs: to - clock.now });
    let error, failed = false;
    await told();
    await turn();
    jobs();
    for (let t; clock === own && (t = first(to)) !== undefined; ) {
      try { fire(t); } catch (e) { if (!failed) { failed = true; error = e; } }
      await turn();
      jobs();
    }
    if (clock === own && to > clock.now) move(to);
    await turn();
    if (failed) throw error;
  }
  const endless = () => new ErrorClass(`Aborting after running ${clock.limit} timers, assuming an infinite loop!`);
  const lastOf = () => { let at = clock.now; for (const t of clock.timers) if (t.at > at) at = t.at; return at; };
  // moved tells by how much a function has moved the clock.
  function moved(before) { if (clock !== undefined && clock.now !== before) tell({ fake: true, advanceMs: clock.now - before }); }

  const members = {
    useFakeTimers(config = {}) {
      const start = config.now !== undefined ? +new RealDate(config.now) : (onlyDate ?? realNow());
      const list = config.toFake ?? known.filter((name) => !(config.toNotFake ?? []).includes(name));
      for (const name of list) {
        if (known.includes(name) || name === "queueMicrotask" || ["setImmediate", "clearImmediate", "requestAnimationFrame", "cancelAnimationFrame", "requestIdleCallback", "cancelIdleCallback", "hrtime", "nextTick", "Intl"].includes(name)) continue;
        throw new WrongType(`vi.useFakeTimers: there is no ${name} to fake; known are ${known.join(", ")} and queueMicrotask`);
      }
      putBack();
      onlyDate = undefined;
      clock = { now: start, elapsed: 0, timers: [], jobs: [], fakes: list, limit: config.loopLimit ?? 10000, ticking: false };
      for (const name of list) {
        if (name === "Date") replace(name, FakeDate);
        else if (name === "performance") {
          const real = globalThis.performance, from = clock;
          const fake = { now: () => from.elapsed, timeOrigin: start, toJSON: () => ({ timeOrigin: start }) };
          replace(name, Object.setPrototypeOf(fake, Object.getPrototypeOf(real)));
        } else if (name === "queueMicrotask") replace(name, (fn) => { clock.jobs.push(fn); });
        else if (fakes[name] !== undefined) replace(name, fakes[name]);
      }
      tell(clockIs());
      return this;
    },
    useRealTimers() {
      const was = clock !== undefined || onlyDate !== undefined;
      putBack();
      clock = onlyDate = undefined;
      if (was) tell({ fake: false });
      return this;
    },
    isFakeTimers: () => clock !== undefined,
    setSystemTime(time) {
      const ms = time === undefined ? realNow() : +new RealDate(time instanceof RealDate ? time.getTime() : time);
      if (clock !== undefined) {
        const by = ms - clock.now;
        clock.now = ms;
        for (const t of clock.timers) t.at += by;
      } else {
        onlyDate = ms;
        replace("Date", FakeDate);
      }
      tell(clockIs());
      return this;
    },
    getMockedSystemTime: () => (clock !== undefined ? new RealDate(clock.now) : onlyDate !== undefined ? new RealDate(onlyDate) : null),
    getRealSystemTime: () => realNow(),
    getTimerCount() { must(); return clock.timers.length + clock.jobs.length; },
    clearAllTimers() { if (clock !== undefined) { clock.timers = []; clock.jobs = []; } return this; },
    advanceTimersByTime(ms) { tick(ms); return this; },
    async advanceTimersByTimeAsync(ms) { await tickAsync(ms); return members; },
    advanceTimersToNextTimer(steps = 1) {
      must();
      const before = clock.now;
      for (let i = 0; i < steps; i++) {
        const t = first();
        if (t === undefined) break;
        fire(t);
        for (let same; clock !== undefined && (same = first(clock.now)) !== undefined; ) fire(same);
        jobs();
      }
      moved(before);
      return this;
    },
    async advanceTimersToNextTimerAsync(steps = 1) {
      must();
      const before = clock.now;
      for (let i = 0; i < steps; i++) {
        await turn();
        const t = first();
        if (t === undefined) break;
        fire(t);
        await turn();
        for (let same; clock !== undefined && (same = first(clock.now)) !== undefined; ) fire(same);
        jobs();
      }
      moved(before);
      await told();
      return members;
    },
    runAllTimers() {
      must();
      const before = clock.now;
      jobs();
      for (let i = 0, t; clock !== undefined && (t = first()) !== undefined; i++) {
        if (i >= clock.limit) throw endless();
        fire(t);
        jobs();
      }
      moved(before);
      return this;
    },
    async runAllTimersAsync() {
      must();
      const before = clock.now;
      for (let i = 0; clock !== undefined; i++) {
        await turn();
        jobs();
        const t = first();
        if (t === undefined) break;
        if (i >= clock.limit) throw endless();
        fire(t);
      }
      moved(before);
      await told();
      return members;
    },
    runOnlyPendingTimers() { must(); tick(lastOf() - clock.now); return this; },
    async runOnlyPendingTimersAsync() { must(); await turn(); await tickAsync(lastOf() - clock.now); return members; },
    runAllTicks() { must(); jobs(); return this; },
  };

  return { members, active: () => clock !== undefined };
})
