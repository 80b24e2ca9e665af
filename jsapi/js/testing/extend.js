// expect.extend: matchers of the author.
(function (host, use) {
  "use strict";
  const { isThenable, isObject, keys, apply, defineProperty } = use("testing/base");
  const { equals, testers } = use("testing/equal");
  const { utils, decide } = use("testing/hinted");
  const { all, Matcher } = use("testing/asymmetric");
  const { expect } = use("testing/expect");
  const runner = use("testing/runner");
  const WrongType = TypeError, ErrorClass = Error;

  const context = (isNot, promise) => ({
    isNot, promise, equals, utils, customTesters: testers, expand: false, error: undefined, suppressedErrors: [],
    currentTestName: runner.state()?.context.task.fullName, testPath: runner.options.file, assertionCalls: runner.state()?.asserted ?? 0, task: runner.state()?.context.task,
  });
  const more = (r) => (r.actual !== undefined || r.expected !== undefined ? { actual: r.actual, expected: r.expected, showDiff: true } : { showDiff: false });

  function extend(matchers, matcher) {
    if (!isObject(matchers)) throw new WrongType("expect.extend: expected an object of functions");
    const names = keys(matchers);
    for (let i = 0; i < names.length; i++) {
      const name = names[i], fn = matchers[name];
      if (typeof fn !== "function") throw new WrongType(`expect.extend: ${name} is no function`);
      matcher(name, function (...args) {
        const end = (r) => decide(this, r.pass, r.message, more(r));
        const got = apply(fn, context(this.negated, this.promise), [this.value, ...args]);
        return isThenable(got) ? (async () => end(await got))() : end(got);
      });

      // It also stands for values, as expect.NAME(…).
      class Custom extends Matcher {
        constructor(inverse, args) { super(args, inverse); }
        matches(other) {
          const r = apply(fn, context(this.inverse, ""), [other, ...this.sample]);
          if (isThenable(r)) throw new ErrorClass(`expect.${name}: a matcher that waits cannot stand for a value`);
          return r.pass;
        }
        toString() { return `${this.inverse ? "not." : ""}${name}`; }
        getExpectedType() { return "any"; }
        toAsymmetricMatcher() { return `${this.toString()}<${this.sample.map((v) => utils.stringify(v)).join(", ")}>`; }
      }
      defineProperty(expect, name, { value: (...args) => new Custom(false, args), writable: true, configurable: true, enumerable: true });
      all.not[name] = (...args) => new Custom(true, args);
    }
  }
  return { extend };
})
