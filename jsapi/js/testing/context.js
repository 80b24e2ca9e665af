// The context that a test function gets.
(function (host, use) {
  "use strict";
  const { Skip } = use("testing/failure");
  const STATE = Symbol("state"), SIGNAL = Symbol("signal");

  // task tells of a node what tests may look at.
  function task(n) {
    if (n.task !== undefined) return n.task;
    const t = { id: `${n.id}`, name: n.name, type: n.suite ? "suite" : "test", mode: n.mode === "" ? "run" : n.mode, meta: {} };
    n.task = t;
    if (n.parent !== undefined) t.suite = task(n.parent);
    if (!n.suite) { t.timeout = n.timeout; t.retry = n.retry; t.repeats = n.repeats; t.fails = n.fails; t.concurrent = n.concurrent; }
    const names = [];
    for (let p = n; p !== undefined && p.parent !== undefined; p = p.parent) names.unshift(p.name);
    t.fullName = names.join(" > ");
    return t;
  }

  class Context {
    constructor(state) { this[STATE] = state; }
    get task() { return task(this[STATE].node); }
    get expect() { return use("testing/expect").expect; }
    get signal() { return (this[SIGNAL] ??= new (use("abort").AbortController)()).signal; }
    get skip() {
      return (condition, note) => {
        if (condition === false) return;
        throw new Skip(typeof condition === "string" ? condition : note);
      };
    }
    get onTestFinished() { const s = this[STATE]; return (fn, timeout) => s.later("onTestFinished", fn, timeout); }
    get onTestFailed() { const s = this[STATE]; return (fn, timeout) => s.later("onTestFailed", fn, timeout); }
    get annotate() { return async () => { throw new Error("annotate is not supported by rho-ext test: use console.log"); }; }
  }
  const abort = (context, reason) => { context[SIGNAL]?.abort(reason); };
  return { Context, task, abort };
})
