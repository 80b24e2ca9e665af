// toThrow.
(function (host, use) {
  "use strict";
  const { isError, tagOf, isObject } = use("testing/base");
  const { equal } = use("testing/equal");
  const { check, wrong } = use("testing/expect");
  const { display } = use("testing/display");
  const isPattern = (v) => tagOf(v) === "RegExp";

  // text is what is compared with a text or a pattern.
  const text = (e) => (e?.message ? e.message : typeof e === "string" ? e : "");
  const nameOf = (v) => (typeof v === "function" ? v.name : v?.constructor?.name) ?? "";

  function toThrow(expected) {
    let thrown, did = false;
    const value = this.value;
    if (this.promise === "rejects") { thrown = value; did = true; }
    else if (this.promise === "resolves" && typeof value !== "function") {
      if (this.negated) return;
      throw wrong(this, "expected promise to throw an error, but it didn't", { showDiff: false });
    } else {
      if (typeof value !== "function") throw wrong(this, `expected ${display(value)} to be a function`, { showDiff: false });
      try { value(); } catch (e) { thrown = e; did = true; }
    }
    const words = typeof expected === "string" || expected === undefined || isPattern(expected);
    // What chai shows is the function that was called, also of a promise.
    if (this.promise === "rejects" && words) this.value = () => { throw thrown; };

    if (words) {
      if (expected === "") expected = /^$/;
      if (expected === undefined || !this.negated) {
        const actual = isError(thrown) ? `${thrown}` : typeof thrown === "string" ? thrown : isObject(thrown) ? nameOf(thrown) : thrown;
        check(this, did, "expected #{this} to throw an error", "expected #{this} to not throw an error but #{act} was thrown", undefined, actual);
      }
      if (expected === undefined || !did) return;
      const message = text(thrown);
      const match = typeof expected === "string" ? message.indexOf(expected) !== -1 : expected.test(message);
      const how = typeof expected === "string" ? "including" : "matching";
      check(this, match, `expected #{this} to throw error ${how} #{exp} but got #{act}`, `expected #{this} to throw error not ${how} #{exp}`, expected, message);
      return;
    }
    if (!did && !this.negated) throw wrong(this, "expected function to throw an error, but it didn't", { showDiff: false });
    if (typeof expected === "function") {
      const name = expected.name || expected.prototype?.constructor?.name;
      check(this, !!thrown && thrown instanceof expected, `expected error to be instance of ${name}`, `expected error not to be instance of ${name}`, expected, thrown);
    } else if (isError(expected)) {
      check(this, equal(thrown, expected), "expected a thrown error to be #{exp}", "expected a thrown error not to be #{exp}", expected, thrown);
    } else if (isObject(expected) && typeof expected.asymmetricMatch === "function") {
      check(this, !!thrown && expected.asymmetricMatch(thrown), "expected error to match asymmetric matcher", "expected error not to match asymmetric matcher", expected, thrown);
    } else {
      check(this, equal(thrown, expected), "expected a thrown value to equal #{exp}", "expected a thrown value not to equal #{exp}", expected, thrown);
    }
  }

  return { matchers: { toThrow, toThrowError: toThrow } };
})
