// The matchers of mock functions.
(function (host, use) {
  "use strict";
  const { ordinal, isArray } = use("testing/base");
  const { equals, equal } = use("testing/equal");
  const { check, wrong, fill } = use("testing/expect");
  const { isMockFunction } = use("testing/mock");
  const { inspect } = use("testing/display");
  const { compare } = use("testing/diff");
  const { AssertionError } = use("testing/failure");
  const WrongType = TypeError;

  function spyOf(a) {
    if (!isMockFunction(a.value)) throw new WrongType(`${inspect(a.value)} is not a spy or a call to a spy!`);
    return a.value;
  }
  function sameArgs(a, b) {
    if (a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equal(a[i], b[i])) return false;
    return true;
  }
  const indent = (text) => text.split("\n").map((line) => `    ${line}`).join("\n");
  const show = (v) => indent(use("testing/hinted").utils.stringify(v));
  const header = "- Expected\n+ Received\n\n";
  // against shows a value as what differs from another one.
  function against(v, expected) {
    const text = compare(v, expected);
    return text.startsWith(header) ? text.slice(header.length) : text || show(v);
  }

  // withCalls adds what the mock was called with.
  function withCalls(spy, message, expected) {
    const { calls } = spy.mock;
    if (calls.length > 0) {
      message += `\n\nReceived:\n\n${calls.map((call, i) => {
        const text = expected !== undefined ? against(call, expected) : show(call);
        return `  ${ordinal(i + 1)} ${spy.getMockName()} call:\n\n${text}\n`;
      }).join("\n")}`;
    }
    return `${message}\n\nNumber of calls: ${calls.length}\n`;
  }
  function withReturns(spy, results, message, expected) {
    if (results.length > 0) {
      message += `\n\nReceived:\n\n${results.map((r, i) => `  ${ordinal(i + 1)} ${spy.getMockName()} call return:\n\n${against(r.value, expected)}\n`).join("\n")}`;
    }
    return `${message}\n\nNumber of calls: ${spy.mock.calls.length}\n`;
  }
  // decide throws a message of many lines, without a difference of its own.
  function decide(a, pass, message, negated, expected, more) {
    if (!pass === a.negated) return;
    throw new AssertionError(more(fill(a, a.negated ? negated : message, expected)), { showDiff: false });
  }

  const called = {
    toHaveBeenCalledTimes(n) {
      const spy = spyOf(this), name = spy.getMockName(), got = spy.mock.calls.length;
      check(this, got === n, `expected "${name}" to be called #{exp} times, but got ${got} times`, `expected "${name}" to not be called #{exp} times`, n, got, false);
    },
    toHaveBeenCalledOnce() {
      const spy = spyOf(this), name = spy.getMockName(), got = spy.mock.calls.length;
      check(this, got === 1, `expected "${name}" to be called once, but got ${got} times`, `expected "${name}" to not be called once`, 1, got, false);
    },
    toHaveBeenCalled() {
      const spy = spyOf(this), name = spy.getMockName(), got = spy.mock.calls.length;
      decide(this, got > 0, `expected "${name}" to be called at least once`, `expected "${name}" to not be called at all, but actually been called ${got} times`, undefined,
        (text) => (got > 0 ? withCalls(spy, text) : text));
    },
    toHaveBeenCalledWith(...args) {
      const spy = spyOf(this), name = spy.getMockName();
      decide(this, spy.mock.calls.some((call) => sameArgs(call, args)), `expected "${name}" to be called with arguments: #{exp}`, `expected "${name}" to not be called with arguments: #{exp}`, args,
        (text) => withCalls(spy, text, args));
    },
    toHaveBeenCalledExactlyOnceWith(...args) {
      const spy = spyOf(this), name = spy.getMockName(), { calls } = spy.mock;
      decide(this, calls.length === 1 && sameArgs(calls[0], args), `expected "${name}" to be called once with arguments: #{exp}`, `expected "${name}" to not be called once with arguments: #{exp}`, args,
        (text) => withCalls(spy, text, args));
    },
    toHaveBeenNthCalledWith(n, ...args) {
      const spy = spyOf(this), name = spy.getMockName(), { calls } = spy.mock, call = calls[n - 1], there = n <= calls.length;
      check(this, call !== undefined && sameArgs(call, args), `expected ${ordinal(n)} "${name}" call to have been called with #{exp}${there ? "" : `, but called only ${calls.length} times`}`,
        `expected ${ordinal(n)} "${name}" call to not have been called with #{exp}`, args, call, there);
    },
    toHaveBeenLastCalledWith(...args) {
      const spy = spyOf(this), name = spy.getMockName(), call = spy.mock.lastCall;
      check(this, call !== undefined && sameArgs(call, args), `expected last "${name}" call to have been called with #{exp}`, `expected last "${name}" call to not have been called with #{exp}`, args, call);
    },
    toHaveBeenCalledBefore(other, mustBe = true) {
      const spy = spyOf(this);
      if (!isMockFunction(other)) throw new WrongType(`${inspect(other)} is not a spy or a call to a spy`);
      check(this, before(spy, other, mustBe), `expected "${spy.getMockName()}" to have been called before "${other.getMockName()}"`,
        `expected "${spy.getMockName()}" to not have been called before "${other.getMockName()}"`, undefined, undefined, false);
    },
    toHaveBeenCalledAfter(other, mustBe = true) {
      const spy = spyOf(this);
      if (!isMockFunction(other)) throw new WrongType(`${inspect(other)} is not a spy or a call to a spy`);
      check(this, before(other, spy, mustBe), `expected "${spy.getMockName()}" to have been called after "${other.getMockName()}"`,
        `expected "${spy.getMockName()}" to not have been called after "${other.getMockName()}"`, undefined, undefined, false);
    },
  };
  function before(first, second, mustBe) {
    const a = first.mock.invocationCallOrder, b = second.mock.invocationCallOrder;
    if (a.length === 0) return !mustBe;
    return b.length > 0 && a[0] < b[0];
  }

  // What a mock returned, and what its promises came to, are told alike.
  const family = (word, doing, list, good) => ({
    [`toHave${word}`](...none) {
      const spy = spyOf(this), pass = list(spy).some(good);
      check(this, pass, `expected "${spy.getMockName()}" to be successfully ${doing} at least once`, `expected "${spy.getMockName()}" to not be successfully ${doing}`, pass, !pass, false);
      return none[0];
    },
    [`toHave${word}Times`](n) {
      const spy = spyOf(this), got = list(spy).filter(good).length;
      check(this, got === n, `expected "${spy.getMockName()}" to be successfully ${doing} ${n} times`, `expected "${spy.getMockName()}" to not be successfully ${doing} ${n} times`, n, got, false);
    },
  });
  const values = (word, doing, list, type) => ({
    [`toHave${word}With`](value) {
      const spy = spyOf(this), name = spy.getMockName();
      decide(this, list(spy).some((r) => r.type === type && equals(value, r.value)), `expected "${name}" to ${doing} with: #{exp} at least once`, `expected "${name}" to not ${doing} with: #{exp}`, value,
        (text) => withReturns(spy, list(spy), text, value));
    },
    [`toHaveLast${word}With`](value) {
      const spy = spyOf(this), name = spy.getMockName(), all = list(spy), r = all[all.length - 1];
      check(this, r !== undefined && r.type === type && equals(r.value, value), `expected last "${name}" call to ${doing} #{exp}`, `expected last "${name}" call to not ${doing} #{exp}`, value, r?.value);
    },
    [`toHaveNth${word}With`](n, value) {
      const spy = spyOf(this), name = spy.getMockName(), r = list(spy)[n - 1];
      check(this, r !== undefined && r.type === type && equals(r.value, value), `expected ${ordinal(n)} call "${name}" call to ${doing} #{exp}`, `expected ${ordinal(n)} call "${name}" call to not ${doing} #{exp}`, value, r?.value);
    },
  });
  const results = (spy) => spy.mock.results, settled = (spy) => spy.mock.settledResults;
  const matchers = {
    ...called,
    ...family("Returned", "called", results, (r) => r.type !== "throw"), ...values("Returned", "return", results, "return"),
    ...family("Resolved", "resolved", settled, (r) => r.type === "fulfilled"), ...values("Resolved", "resolve", settled, "fulfilled"),
  };
  const also = { toBeCalled: "toHaveBeenCalled", toBeCalledTimes: "toHaveBeenCalledTimes", toBeCalledWith: "toHaveBeenCalledWith",
    toReturn: "toHaveReturned", toReturnTimes: "toHaveReturnedTimes", toReturnWith: "toHaveReturnedWith" };
  for (const key of Object.keys(also)) matchers[key] = matchers[also[key]];
  return { matchers, isArray, wrong };
})
