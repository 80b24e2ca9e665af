// Runs the parts of a test file that the runner asks for.
(function (host, use) {
  "use strict";
  const { stringify, parse, isThenable, keys, defineProperty } = use("testing/base");
  const runner = use("testing/runner");
  const { nodes, DAY } = use("testing/suites");
  const { Skip, placed, errorOf } = use("testing/failure");
  const { Context, task, abort } = use("testing/context");
  const { starters, endOf } = use("testing/lifetime");
  const PromiseClass = Promise, Wrong = Error;

  // State is what is known of the test, or of the hooks of a suite, that runs.
  // What most tests do not change is on its prototype.
  class State {
    constructor(node) { this.node = node; }
    get context() {
      const c = new Context(this);
      defineProperty(this, "context", { value: c });
      return c;
    }
    // reset prepares for another attempt.
    reset() {
      this.assertions += this.asserted;
      const keep = ["node", "context", "tells", "assertions", "ends", "clock", "calls"], have = keys(this);
      for (let i = 0; i < have.length; i++) if (!keep.includes(have[i])) delete this[have[i]];
    }
    // push adds to one of the lists below.
    push(list, v) {
      if (this[list].length === 0) this[list] = [v];
      else this[list][this[list].length] = v;
      return v;
    }
    fail(e, where = this.where) {
      if (e instanceof Skip) this.skipped = e;
      else this.push("errors", errorOf(e, where));
    }
    later(what, fn, timeout) {
      if (typeof fn !== "function") throw new TypeError(`${what}: expected a function`);
      if (this.where !== undefined && this.where !== "beforeEach") throw new Wrong(`Cannot call "${what}" inside a test hook.`);
      this.push(what === "onTestFailed" ? "failed" : "finished", { fn, timeout: timeout ?? runner.options.hookTimeoutMs, place: runner.place() });
      this.tells = true;
    }
  }
  const none = Object.freeze([]);
  Object.assign(State.prototype, {
    tells: false, // the runner of each phase
    errors: none, snapshots: none, // so far
    counts: undefined, // of snapshots, by their names
    assertions: 0, asserted: 0, // of earlier attempts, and of this one
    skipped: undefined,
    planned: undefined, needed: undefined, // what expect.assertions and expect.hasAssertions said
    finished: none, failed: none, // functions of onTestFinished and onTestFailed
    open: none, // promises of assertions that nobody has awaited
    where: undefined, // the hook that runs
    waiting: undefined, // how to end the phase that waits
    undo: undefined, // takes fixtures down
    ends: undefined, // see lifetime.js
    calls: 0, // of tools, so far
    clock: undefined, // a promise: the extension under test follows the clock
  });

  // late is the error of a phase that took too long, in vitest's words.
  function late(s, timeout, hook, place) {
    const what = hook ? "Hook" : "Test", small = hook ? "hook" : "test";
    const e = placed(`${what} timed out in ${timeout}ms.\nIf this is a long-running ${small}, pass a longer time as the last argument${small === "test" ? ", or --timeout for all of them" : ""}.`, place);
    abort(s.context, e);
    return e;
  }

  // phase runs one function under its deadline. It gives what the function
  // gives: only what waits makes a promise.
  function phase(s, name, fn, arg, timeout, place) {
    const hook = name !== "test";
    if (s.tells) runner.tell("phase", { name, timeoutMs: timeout > 0 && timeout < DAY ? timeout : DAY });
    const start = runner.now();
    const got = fn(arg);
    if (!isThenable(got)) {
      if (timeout > 0 && runner.now() - start >= timeout) throw late(s, timeout, hook, place);
      return got;
    }
    return new PromiseClass((resolve, reject) => {
      let timer = 0;
      const over = (end) => (v) => {
        if (s.waiting !== waits) return;
        s.waiting = undefined;
        runner.clearTimer(timer);
        end(v);
      };
      const waits = { stop: over(reject), late: () => late(s, timeout, hook, place) };
      s.waiting = waits;
      if (timeout > 0 && timeout < DAY) timer = runner.setDeadline(() => waits.stop(waits.late()), timeout);
      got.then(over((v) => {
        if (timeout > 0 && runner.now() - start >= timeout) reject(late(s, timeout, hook, place));
        else resolve(v);
      }), waits.stop);
    });
  }

  async function hooks(s, name, list, arg, backwards, teardowns) {
    for (let i = 0; i < list.length; i++) {
      const h = list[backwards ? list.length - 1 - i : i];
      s.where = name;
      const got = await phase(s, name, h.fn, arg, h.timeout, h.place);
      if (teardowns !== undefined && typeof got === "function") teardowns[teardowns.length] = { fn: got, timeout: h.timeout, place: h.place };
      s.where = undefined;
    }
  }

  // each runs hooks that do not stop one another.
  async function each(s, name, list, backwards) {
    for (let i = 0; i < list.length; i++) {
      const h = list[backwards ? list.length - 1 - i : i];
      s.where = name;
      try { await phase(s, name, h.fn, s.context, h.timeout, h.place); } catch (e) { s.fail(e); }
      s.where = undefined;
    }
  }

  // chain gives the suites around a test, outermost first.
  function chain(n) {
    if (n.chain !== undefined) return n.chain;
    const out = n.parent === undefined ? [] : chain(n.parent).slice();
    if (n.suite) out[out.length] = n;
    return (n.chain = out);
  }
  function hooked(n) {
    if (n.hooked === undefined) n.hooked = n.beforeEach.length > 0 || n.afterEach.length > 0 || (n.parent !== undefined && hooked(n.parent));
    return n.hooked;
  }

  // expected checks what the test said of its assertions.
  function expected(s) {
    if (s.planned !== undefined && s.planned.n !== s.asserted) throw s.planned.error(s.asserted);
    if (s.needed !== undefined && s.asserted === 0) throw s.needed;
  }

  // promised waits for assertions that nobody has awaited.
  async function promised(s) {
    while (s.open.length > 0) {
      const list = s.open;
      s.open = none;
      for (let i = 0; i < list.length; i++) await list[i];
    }
  }

  async function attempt(s, n, timeout) {
    const suites = chain(n.parent), teardowns = [], { context } = s;
    try {
      for (let i = 0; i < suites.length; i++) await hooks(s, "beforeEach", suites[i].beforeEach, context, false, teardowns);
      if (n.fixtures === undefined) await phase(s, "test", n.fn, s.context, timeout, n.place);
      else await phase(s, "test", () => use("testing/fixtures").run(s, n), undefined, timeout, n.place);
      await promised(s);
      expected(s);
    } catch (e) { s.fail(e); }
    try {
      for (let i = suites.length - 1; i >= 0; i--) await hooks(s, "afterEach", suites[i].afterEach, context, true);
      await hooks(s, "beforeEach's teardown", teardowns, undefined, true);
      if (s.undo !== undefined) await s.undo();
    } catch (e) { s.fail(e); }
    if (s.finished.length > 0) await each(s, "onTestFinished", s.finished, true);
    if (s.errors.length > 0 && s.failed.length > 0) await each(s, "onTestFailed", s.failed, true);
  }

  async function slow(s, n, timeout) {
    let retries = 0;
    s.tells ||= hooked(n.parent) || n.retry > 0 || n.repeats > 0;
    const errors = [];
    repeats: for (let i = 0; i <= n.repeats; i++) {
      const tries = [];
      for (let j = 0; ; j++) {
        if (i + j > 0) {
          s.reset();
        }
        await attempt(s, n, timeout);
        if (s.skipped !== undefined) break repeats;
        if (s.errors.length === 0) { tries.length = 0; break; }
        for (const e of s.errors) tries[tries.length] = e;
        if (j >= n.retry) break;
        retries++;
      }
      for (const e of tries) errors[errors.length] = e;
    }
    s.errors = errors;
    return result(s, n, retries);
  }

  function result(s, n, retries = 0) {
    endOf(s);
    if (n.fails && s.skipped === undefined) {
      s.errors = s.errors.length > 0 ? [] : [errorOf(placed("Expect test to fail", n.place))];
    }
    const assertions = s.assertions + s.asserted;
    if (s.skipped === undefined && s.errors.length === 0 && s.snapshots.length === 0 && retries === 0) return `{"state":"pass","assertions":${assertions}}`;
    const state = s.skipped !== undefined ? "skip" : s.errors.length > 0 ? "fail" : "pass";
    return stringify({
      state, note: s.skipped?.note, assertions, retries: retries === 0 ? undefined : retries,
      errors: s.errors.length > 0 && state === "fail" ? s.errors : undefined, snapshots: s.snapshots.length > 0 ? s.snapshots : undefined,
    });
  }

  // test runs a test with its hooks. Most tests have none and do not wait.
  function test(n) {
    const s = new State(n), timeout = n.timeout > 0 ? n.timeout : runner.options.timeoutMs;
    runner.setState(s);
    if (runner.options.changed) s.tells = true;
    for (let i = 0; i < starters.length; i++) starters[i](s);
    if (n.fixtures !== undefined || n.retry > 0 || n.repeats > 0 || hooked(n.parent)) return slow(s, n, timeout);
    let got;
    try { got = phase(s, "test", n.fn, s.context, timeout, n.place); } catch (e) { s.fail(e); }
    if (got === undefined && s.open.length === 0 && s.finished.length === 0 && s.failed.length === 0) {
      try { if (s.errors.length === 0) expected(s); } catch (e) { s.fail(e); }
      return result(s, n);
    }
    return (async () => {
      try {
        await got;
        await promised(s);
        if (s.skipped === undefined && s.errors.length === 0) expected(s);
      } catch (e) { s.fail(e); }
      if (s.finished.length > 0) await each(s, "onTestFinished", s.finished, true);
      if (s.errors.length > 0 && s.failed.length > 0) await each(s, "onTestFailed", s.failed, true);
      return result(s, n);
    })();
  }

  async function suiteHooks(n, name) {
    const s = new State(n);
    s.tells = true;
    runner.setState(s);
    for (let i = 0; i < starters.length; i++) starters[i](s);
    try {
      if (name === "beforeAll") await hooks(s, name, n.beforeAll, task(n), false, n.teardowns);
      else {
        await hooks(s, name, n.afterAll, task(n), true);
        await hooks(s, "beforeAll's teardown", n.teardowns, undefined, true);
        endOf(n, s);
      }
      await promised(s);
    } catch (e) { s.fail(e, name); }
    return result(s, n);
  }

  function run(part, text) {
    const args = parse(text);
    if (part === "fetch") return use("testing/mock_fetch").answer(args);
    const n = nodes[args.id];
    if (n === undefined) throw new Wrong(`the test file has no node ${args.id}`);
    if (part === "test") {
      if (n.suite || n.fn === undefined) throw new Wrong(`node ${args.id} is no test that can run`);
      return test(n);
    }
    if (part !== "beforeAll" && part !== "afterAll") throw new Wrong(`a test file has no part ${part}`);
    return suiteHooks(n, part);
  }

  // stuck ends a phase that waits for what can never come, as its deadline would.
  // Tests that run side by side may wait for one that has not begun. It says what
  // becomes of the phase: it has ended, it waits, or nothing.
  function stuck(s) {
    if (s === undefined || s.waiting === undefined) return "";
    if (s.node.concurrent) return "waits";
    const e = s.waiting.late();
    e.hint = "what it waits for can never come: no timer and no request is pending";
    s.waiting.stop(e);
    return "ended";
  }
  // crash fails a phase with what nobody caught.
  function crash(s, e) {
    if (s === undefined || s.waiting === undefined) return false;
    s.waiting.stop(e);
    return true;
  }

  return { run, stuck, crash };
})
