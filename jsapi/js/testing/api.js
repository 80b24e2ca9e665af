// test, describe and the hooks, as vitest has them.
(function (host, use) {
  "use strict";
  const { isArray } = use("testing/base");
  const { add, parse, hook } = use("testing/suites");
  const runner = use("testing/runner");
  const { setPrototypeOf } = Object;
  const WrongType = TypeError, Wrong = Error;

  // A function of a family has the members of its prototype, and its own flags.
  function family(what, proto, call, flags) {
    const f = function (name, a, b) { return call(flags, name, a, b); };
    f.flags = { what, proto, call, flags };
    return setPrototypeOf(f, proto);
  }
  // flagged gives the same function with one flag more.
  function flagged(f, word) {
    const { what, proto, call, flags } = f.flags;
    return family(what, proto, call, { ...flags, [word]: true });
  }

  // What describe and test have alike.
  const chain = {
    __proto__: Function.prototype,
    get skip() { return flagged(this, "skip"); },
    get only() { return flagged(this, "only"); },
    get todo() { return flagged(this, "todo"); },
    get concurrent() { return flagged(this, "concurrent"); },
    get sequential() { return flagged(this, "sequential"); },
    skipIf(yes) { return yes ? this.skip : this; },
    runIf(yes) { return yes ? this : this.skip; },
    // each spreads rows that are arrays; for gives each row as it is.
    each(cases, ...rest) {
      const { what, call, flags } = this.flags, { rowsOf, title, nameOf } = use("testing/each");
      const rows = rowsOf(cases, rest, `${what}.each`);
      let spread = true;
      for (let i = 0; i < rows.length; i++) spread &&= isArray(rows[i]);
      return (name, a, b) => {
        const { options, fn } = parse(what, a, b);
        for (let i = 0; i < rows.length; i++) {
          const row = rows[i], items = isArray(row) ? row : [row];
          call(flags, title(nameOf(name), items, i), options, fn === undefined ? undefined : spread ? () => fn(...items) : () => fn(row));
        }
      };
    },
    for(cases, ...rest) {
      const { what, call, flags } = this.flags, { rowsOf, title, nameOf } = use("testing/each");
      const rows = rowsOf(cases, rest, `${what}.for`);
      return (name, a, b) => {
        const { options, fn } = parse(what, a, b);
        for (let i = 0; i < rows.length; i++) {
          const row = rows[i];
          const run = fn === undefined ? undefined : (context) => fn(row, context);
          if (run !== undefined) run.uses = { fn, at: 1 };
          call(flags, title(nameOf(name), isArray(row) ? row : [row], i), options, run);
        }
      };
    },
  };

  const nameOf = (name, what) => {
    if (typeof name === "string") return name;
    if (typeof name === "function") return name.name || "<anonymous>";
    throw new WrongType(`${what}: expected a name, got ${name === null ? "null" : typeof name}`);
  };

  const describeCall = (flags, name, a, b) => {
    const { options, fn } = parse("describe", a, b);
    add("describe", true, nameOf(name, "describe"), flags, options, fn);
  };
  const describeProto = {
    __proto__: chain,
    get shuffle() { throw new Wrong("describe.shuffle is not supported by rho-ext test: use rho-ext test --seed"); },
  };
  const describe = family("describe", describeProto, describeCall, {});

  const testProto = {
    __proto__: chain,
    get fails() { return flagged(this, "fails"); },
    get describe() { return describe; },
    get suite() { return describe; },
    get beforeAll() { return beforeAll; },
    get afterAll() { return afterAll; },
    get beforeEach() { return beforeEach; },
    get afterEach() { return afterEach; },
    extend(more, ...rest) { return tests(use("testing/fixtures").extend(this.flags.call.fixtures, more, rest)); },
  };
  function tests(fixtures) {
    const call = (flags, name, a, b) => {
      const { options, fn } = parse("test", a, b);
      add("test", false, nameOf(name, "test"), flags, options, fn, fixtures);
    };
    call.fixtures = fixtures;
    return family("test", testProto, call, {});
  }

  function beforeAll(fn, timeout) { hook("beforeAll", fn, timeout); }
  function afterAll(fn, timeout) { hook("afterAll", fn, timeout); }
  function beforeEach(fn, timeout) { hook("beforeEach", fn, timeout); }
  function afterEach(fn, timeout) { hook("afterEach", fn, timeout); }
  function onTestFinished(fn, timeout) { runner.owner("onTestFinished").later("onTestFinished", fn, timeout); }
  function onTestFailed(fn, timeout) { runner.owner("onTestFailed").later("onTestFailed", fn, timeout); }

  const test = tests(undefined);
  return { test, it: test, describe, suite: describe, beforeAll, afterAll, beforeEach, afterEach, onTestFinished, onTestFailed };
})
