// Matchers whose messages begin with how they were called, and what matchers of
// the author use for that.
(function (host, use) {
  "use strict";
  const { isArray } = use("testing/base");
  const { equals, testers, iterables, subset } = use("testing/equal");
  const { mismatch } = use("testing/failure");
  const { format } = use("testing/format");
  const WrongType = TypeError;

  const show = (v) => { try { return format(v, { depth: 10 }); } catch { return format(v, { depth: 10, json: false }); } };
  const dots = (s) => s.replace(/\s+$/gm, (spaces) => "·".repeat(spaces.length));
  const same = (s) => s;

  function matcherHint(name, received = "received", expected = "expected", o = {}) {
    let out = "", at = "expect";
    if (!o.isDirectExpectCall && received !== "") { out += `${at}(${received}`; at = ")"; }
    if (o.promise) { out += `${at}.${o.promise}`; at = ""; }
    if (o.isNot) { out += `${at}.not`; at = ""; }
    if (name.includes(".")) at += name;
    else { out += `${at}.${name}`; at = ""; }
    if (expected === "") at += "()";
    else { out += `${at}(${expected}${o.secondArgument ? `, ${o.secondArgument}` : ""}`; at = ")"; }
    return out + at + (o.comment ? ` // ${o.comment}` : "");
  }
  const utils = {
    matcherHint, stringify: show, iterableEquality: iterables, subsetEquality: subset,
    printReceived: (v) => dots(show(v)), printExpected: (v) => dots(show(v)),
    diff: (a, b) => use("testing/diff").compare(b, a), printDiffOrStringify: (a, b) => use("testing/diff").compare(a, b),
    EXPECTED_COLOR: same, RECEIVED_COLOR: same, INVERTED_COLOR: same, BOLD_WEIGHT: same, DIM_COLOR: same,
  };

  // decide throws where a matcher that gives pass and message fails.
  function decide(a, pass, message, more) {
    if (!!pass !== a.negated) return;
    const text = message();
    throw mismatch(a.message ? `${a.message}: ${text}` : text, more ?? { showDiff: false });
  }

  const matchers = {
    toSatisfy(accepts, text) {
      const pass = accepts(this.value), not = pass ? ".not" : "";
      decide(this, pass, () => `${matcherHint(`${not}.toSatisfy`, "received", "")}\n\nExpected value to ${pass ? "not " : ""}satisfy:\n${text || utils.printExpected(accepts)}\n${pass ? "" : "\n"}Received:\n${utils.printReceived(this.value)}`);
    },
    toBeOneOf(list) {
      if (!isArray(list) && !(list instanceof Set)) throw new WrongType(`You must provide an array or set to ${matcherHint(".toBeOneOf")}, not '${typeof list}'.`);
      const all = [...list], pass = all.length === 0 || all.some((item) => equals(item, this.value, testers)), not = pass ? ".not" : "";
      decide(this, pass, () => `${matcherHint(`${not}.toBeOneOf`, "received", "")}\n\nExpected value to ${pass ? "not " : ""}be one of:\n${utils.printExpected(list)}\n${pass ? "" : "\n"}Received:\n${utils.printReceived(this.value)}`);
    },
  };
  return { matchers, utils, decide };
})
