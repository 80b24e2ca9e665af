// What fails a test, and how it is told.
(function (host, use) {
  "use strict";
  const { isObject, parse } = use("testing/base");
  const runner = use("testing/runner");
  const ErrorClass = Error;
  const { defineProperty } = Object;

  // AssertionError is what matchers throw. more may hold expected, actual and
  // showDiff; it has no diff where showDiff is false.
  class AssertionError extends ErrorClass {
    constructor(message, more) {
      super(message);
      defineProperty(this, "name", { value: "AssertionError", writable: true, configurable: true });
      compared(this, more);
    }
  }
  function compared(e, more) {
    if (more === undefined) return;
    e.expected = more.expected;
    e.actual = more.actual;
    e.showDiff = more.showDiff;
  }
  // mismatch is what snapshots and matchers of authors throw: a plain error.
  function mismatch(message, more) {
    const e = new ErrorClass(message);
    compared(e, more);
    return e;
  }

  // Skip ends a test that skips itself.
  class Skip extends ErrorClass {
    constructor(note) {
      super("test is skipped; abort execution");
      this.note = note;
    }
  }

  // placed makes an error that points at where something is written.
  function placed(message, place) {
    const e = new ErrorClass(message), p = parse(place);
    const stack = p.line > 0 ? `Error: ${message}\n\tat ${p.file}:${p.line}:${p.column}\n` : `Error: ${message}\n`;
    defineProperty(e, "stack", { value: stack, writable: true, configurable: true });
    return e;
  }

  // errorOf makes a thrown value plain, with what differs.
  function errorOf(e, where, depth = 0) {
    const o = parse(runner.explain(e));
    if (where !== undefined) o.in = where;
    if (!isObject(e)) return o;
    try {
      if (e.showDiff || (e.showDiff === undefined && e.expected !== undefined && e.actual !== undefined)) {
        const { compare, pretty } = use("testing/diff");
        o.diff = compare(e.actual, e.expected);
        o.expected = pretty(e.expected);
        o.actual = pretty(e.actual);
      }
      if (isObject(e.cause) && depth < 5) o.cause = errorOf(e.cause, undefined, depth + 1);
    } catch {} // what an author's getters throw
    return o;
  }

  return { AssertionError, mismatch, Skip, placed, errorOf };
})
