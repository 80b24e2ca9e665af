// assert: the few functions of chai's that tests use beside expect.
(function (host, use) {
  "use strict";
  const { expect } = use("testing/expect");
  const { AssertionError } = use("testing/failure");
  const { display } = use("testing/display");
  const { strictlyEqual } = use("testing/equal");
  const { defineProperty, keys } = Object;

  function must(yes, message, text, more) {
    if (!yes) throw new AssertionError(message ? `${message}: ${text}` : text, more);
  }
  function assert(yes, message) { if (!yes) throw new AssertionError(message ?? "Unspecified AssertionError"); }
  const members = {
    ok: (v, m) => must(v, m, `expected ${display(v)} to be truthy`),
    isTrue: (v, m) => must(v === true, m, `expected ${display(v)} to be true`),
    isFalse: (v, m) => must(v === false, m, `expected ${display(v)} to be false`),
    isNull: (v, m) => must(v === null, m, `expected ${display(v)} to equal null`),
    isUndefined: (v, m) => must(v === undefined, m, `expected ${display(v)} to equal undefined`),
    isDefined: (v, m) => must(v !== undefined, m, `expected ${display(v)} to not equal undefined`),
    equal: (a, b, m) => must(a == b, m, `expected ${display(a)} to equal ${display(b)}`, { actual: a, expected: b, showDiff: true }),
    notEqual: (a, b, m) => must(a != b, m, `expected ${display(a)} to not equal ${display(b)}`),
    strictEqual: (a, b, m) => must(a === b, m, `expected ${display(a)} to equal ${display(b)}`, { actual: a, expected: b, showDiff: true }),
    notStrictEqual: (a, b, m) => must(a !== b, m, `expected ${display(a)} to not equal ${display(b)}`),
    deepEqual: (a, b, m) => must(strictlyEqual(a, b), m, `expected ${display(a)} to deeply equal ${display(b)}`, { actual: a, expected: b, showDiff: true }),
    notDeepEqual: (a, b, m) => must(!strictlyEqual(a, b), m, `expected ${display(a)} to not deeply equal ${display(b)}`),
    include: (a, b, m) => expect(a, m).toContain(b),
    match: (a, b, m) => expect(a, m).toMatch(b),
    instanceOf: (a, b, m) => expect(a, m).toBeInstanceOf(b),
    lengthOf: (a, n, m) => expect(a, m).toHaveLength(n),
    property: (a, k, m) => expect(a, m).toHaveProperty(k),
    throws: (f, e, m) => expect(f, m).toThrow(e),
    fail: (m) => { throw new AssertionError(m ?? "assert.fail()"); },
  };
  for (const key of keys(members)) defineProperty(assert, key, { value: members[key], enumerable: true, writable: true, configurable: true });
  return { assert };
})
