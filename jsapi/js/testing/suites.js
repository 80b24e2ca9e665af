// The tree of suites and tests, and how it is collected.
(function (host, use) {
  "use strict";
  const { stringify, isThenable } = use("testing/base");
  const runner = use("testing/runner");
  const Wrong = Error;
  const WrongType = TypeError;
  const { min } = Math;
  const DAY = 864e5; // what is told of a test without a deadline

  const nodes = [];
  let current, open = true;

  function node(name, suite, options, place) {
    const n = {
      id: nodes.length, name, suite, parent: current, options, place, children: [], fn: undefined,
      mode: "", concurrent: false, sequential: false, timeout: 0, fixtures: undefined,
      beforeAll: [], afterAll: [], beforeEach: [], afterEach: [], teardowns: [],
    };
    nodes[n.id] = n;
    return n;
  }
  const root = node("", true, {}, '{"line":0}');
  current = root;

  // parse sorts the arguments of test and describe.
  function parse(what, a, b) {
    if (typeof b === "object" && b !== null) throw new WrongType(`${what}(name, fn, { … }): give the options as the second argument, ${what}(name, { … }, fn)`);
    let options = {}, fn;
    if (typeof b === "number") options = { timeout: b };
    else if (typeof a === "object" && a !== null) options = a;
    if (typeof a === "function") {
      if (typeof b === "function") throw new WrongType(`${what}: expected one function; the second argument is for the options`);
      fn = a;
    } else if (typeof b === "function") fn = b;
    return { options, fn };
  }

  // add puts a suite or test where it is written.
  function add(what, suite, name, flags, options, fn, fixtures) {
    if (runner.state() !== undefined) {
      throw new Wrong(suite
        ? "Calling the suite function inside test function is not allowed. It can be only called at the top level or inside another suite function."
        : 'Calling the test function inside another test function is not allowed. Please put it inside "describe" or "suite" so it can be properly collected.');
    }
    if (!open) throw new Wrong(`${what}(${stringify(name)}) was called when the file's tests had been collected: call it at the top level or in describe`);
    const all = { ...current.options, ...options };
    const n = node(name, suite, all, runner.place());
    const asked = flags.concurrent || options.concurrent || options.sequential === false;
    const refused = flags.sequential || options.sequential || options.concurrent === false;
    n.concurrent = !!(asked || (all.concurrent && !refused)) && !refused;
    n.sequential = !!(refused || (all.sequential && !asked)) && !asked;
    all.concurrent = n.concurrent;
    all.sequential = n.sequential;
    n.mode = flags.only ?? options.only ? "only" : flags.skip ?? options.skip ? "skip" : flags.todo ?? options.todo ? "todo" : fn === undefined ? "todo" : "";
    delete all.only; delete all.skip; delete all.todo;
    n.fails = !!(flags.fails ?? all.fails);
    n.timeout = typeof all.timeout !== "number" ? 0 : all.timeout > 0 ? all.timeout : Infinity; // as in vitest, 0 is none
    n.retry = typeof all.retry === "number" ? all.retry : (all.retry?.count ?? 0);
    n.repeats = all.repeats ?? 0;
    n.fn = fn;
    n.fixtures = fixtures;
    current.children[current.children.length] = n;
    return n;
  }

  // hook adds a hook to the suite that is being written.
  function hook(kind, fn, timeout) {
    if (typeof fn !== "function") throw new WrongType(`${kind}: expected a function`);
    if (runner.state() !== undefined || !open) throw new Wrong(`${kind} was called inside of a test: call it at the top level or in describe`);
    const list = current[kind];
    list[list.length] = { fn, timeout: timeout ?? runner.options.hookTimeoutMs, place: runner.place() };
  }

  // As in vitest, the callbacks of a suite run when all of the level above is
  // there. Suites that wait are waited for.
  function fill(n) {
    current = n;
    const got = n.fn === undefined ? undefined : n.fn();
    if (isThenable(got)) return (async () => { await got; await level(n); })();
    return level(n);
  }
  function level(n, from = 0) {
    for (let i = from; i < n.children.length; i++) {
      const c = n.children[i];
      if (!c.suite) continue;
      const wait = fill(c);
      if (wait !== undefined) return (async () => { await wait; await level(n, i + 1); })();
    }
    return undefined;
  }

  function text(n) {
    let s = `{"id":${n.id},"name":${stringify(n.name)},"location":${n.place}`;
    if (n.suite) s += ',"suite":true';
    if (n.mode !== "") s += `,"mode":"${n.mode}"`;
    if (n.concurrent) s += ',"concurrent":true';
    if (n.sequential) s += ',"sequential":true';
    const timeout = n.timeout > 0 || !runner.options.changed ? n.timeout : runner.options.timeoutMs;
    if (!n.suite && timeout > 0) s += `,"timeoutMs":${min(timeout, DAY)}`;
    if (n.beforeAll.length > 0) s += ',"beforeAll":true';
    if (n.afterAll.length > 0 || n.beforeAll.length > 0) s += ',"afterAll":true'; // beforeAll may give one
    if (n.children.length > 0) {
      s += ',"children":[';
      for (let i = 0; i < n.children.length; i++) s += (i > 0 ? "," : "") + text(n.children[i]);
      s += "]";
    }
    return s + "}";
  }

  // collect gives the tree as JSON text, or a promise of it.
  function collect() {
    const done = () => { open = false; current = undefined; return text(root); };
    const wait = level(root);
    return wait === undefined ? done() : (async () => { await wait; return done(); })();
  }

  return { DAY, nodes, root, parse, add, hook, collect };
})
