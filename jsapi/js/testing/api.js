// test, describe and the hooks, as vitest has them.
(function (host, use) {
  "use strict";
  const { isArray, defineProperty } = use("testing/base");
  const { add, parse, hook } = use("testing/suites");
  const runner = use("testing/runner");
  const { setPrototypeOf, create } = Object;
  const functions = Function.prototype;
  const WrongType = TypeError, Wrong = Error;
  const FLAGS = Symbol("flags");

  // A function of a family has the members of its prototype, and its own flags.
  function family(what, proto, call, flags) {
    const f = function (name, a, b) { return call(flags, name, a, b); };
    defineProperty(f, FLAGS, { value: flags });
    defineProperty(f, "name", { value: what });
    return setPrototypeOf(f, proto);
  }
  function chained(what, proto, call, words) {
    for (const word of words) {
      defineProperty(proto, word, { get() { return family(what, proto, call, { ...this[FLAGS], [word]: true }); }, configurable: true });
    }
    defineProperty(proto, "skipIf", { value(yes) { return yes ? this.skip : this; } });
    defineProperty(proto, "runIf", { value(yes) { return yes ? this : this.skip; } });
    // each spreads rows that are arrays; for gives each row as it is.
    defineProperty(proto, "each", { value(cases, ...rest) {
      const flags = this[FLAGS], { rowsOf, title, nameOf } = use("testing/each");
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
    } });
    defineProperty(proto, "for", { value(cases, ...rest) {
      const flags = this[FLAGS], { rowsOf, title, nameOf } = use("testing/each");
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
    } });
    return proto;
  }

  const nameOf = (name, what) => {
    if (typeof name === "string") return name;
    if (typeof name === "function") return name.name || "<anonymous>";
    throw new WrongType(`${what}: expected a name, got ${name === null ? "null" : typeof name}`);
  };

  const describeCall = (flags, name, a, b) => {
    const { options, fn } = parse("describe", a, b);
    add("describe", true, nameOf(name, "describe"), flags, options, fn);
  };
  const describeProto = chained("describe", create(functions), describeCall, ["skip", "only", "todo", "concurrent", "sequential"]);
  defineProperty(describeProto, "shuffle", { get() { throw new Wrong("describe.shuffle is not supported by rho-ext test: use rho-ext test --seed"); } });
  const describe = family("describe", describeProto, describeCall, {});

  function tests(fixtures) {
    const call = (flags, name, a, b) => {
      const { options, fn } = parse("test", a, b);
      add("test", false, nameOf(name, "test"), flags, options, fn, fixtures);
    };
    const proto = chained("test", create(functions), call, ["skip", "only", "todo", "concurrent", "sequential", "fails"]);
    const members = { describe, suite: describe, beforeAll, afterAll, beforeEach, afterEach,
      extend: (more, ...rest) => tests(use("testing/fixtures").extend(fixtures, more, rest)) };
    for (const key of Object.keys(members)) defineProperty(proto, key, { value: members[key] });
    return family("test", proto, call, {});
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
