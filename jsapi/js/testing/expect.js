// expect: what a test says of values. The matchers are in scripts of their own.
(function (host, use) {
  "use strict";
  const { isThenable, isError, apply, defineProperty } = use("testing/base");
  const runner = use("testing/runner");
  const { AssertionError, placed } = use("testing/failure");
  const ErrorClass = Error, WrongType = TypeError;

  // Assertion is what expect(value) gives. The matchers are on its prototype.
  class Assertion {
    get not() { return changed(this, "negated", !this.negated); }
    get resolves() {
      if (this.poll !== undefined) throw new SyntaxError("expect.poll() is not supported in combination with .resolves");
      if (typeof this.value?.then !== "function") throw new WrongType(`You must provide a Promise to expect() when using .resolves, not '${typeof this.value}'.`);
      return promised(this, "resolves", this.value);
    }
    get rejects() {
      if (this.poll !== undefined) throw new SyntaxError("expect.poll() is not supported in combination with .rejects");
      const v = typeof this.value === "function" ? this.value() : this.value;
      if (typeof v?.then !== "function") throw new WrongType(`You must provide a Promise to expect() when using .rejects, not '${typeof v}'.`);
      return promised(this, "rejects", v);
    }
  }
  const proto = Assertion.prototype;
  Object.assign(proto, {
    negated: false,
    promise: "", // resolves or rejects
    soft: false,
    poll: undefined, // {interval, timeout}
    origin: undefined, // an error from where the promise was asked for
  });
  // test is whose code asks, or undefined. A literal spares the look-up of each
  // member in what stands behind the prototype.
  const assertion = (value, message, test) => ({ __proto__: proto, value, message, test });
  // What is not there is looked up in the scripts when a test uses it, so that a
  // file pays for the matchers it needs.
  Object.setPrototypeOf(proto, new Proxy(Object.create(null), { get: (_, name) => {
    const fn = typeof name === "string" ? use("testing/matchers").find(name) : undefined;
    if (fn !== undefined) { matcher(name, fn); return proto[name]; }
    if (chaiWords.includes(name)) throw new ErrorClass(`expect(…).${name}: chai's assertions are not supported by rho-ext test: use matchers such as toBe and toEqual`);
    if (typeof name === "string" && /^to[A-Z]/.test(name)) throw new ErrorClass(`expect(…) has no matcher ${name}; expect.extend adds one`);
    return Object.prototype[name];
  } }));
  const chaiWords = ["to", "be", "have", "been", "is", "that", "and", "deep", "equal", "eql", "ok", "throw", "include", "contain"];

  const changed = (a, key, v) => ({
    __proto__: proto, value: a.value, message: a.message, test: a.test, negated: a.negated, promise: a.promise, soft: a.soft, poll: a.poll, origin: a.origin, [key]: v,
  });
  function promised(a, how, v) {
    const b = changed(a, "promise", how);
    b.value = v;
    b.origin = new ErrorClass(how);
    return b;
  }

  // fill puts values into the message of a matcher.
  function fill(a, message, expected, actual) {
    const text = message.replace(/#\{(this|exp|act)\}/g, (_, what) => use("testing/display").display(what === "this" ? a.value : what === "exp" ? expected : actual));
    return a.message ? `${a.message}: ${text}` : text;
  }

  // check throws unless pass is what the assertion wants. diff says whether the
  // two values are worth comparing.
  function check(a, pass, message, negated, expected, actual, diff = true) {
    if (!pass === a.negated) return;
    throw new AssertionError(fill(a, a.negated ? negated : message, expected, actual),
      { expected, actual, showDiff: diff && (expected !== undefined || actual !== undefined) });
  }
  const wrong = (a, message, more) => new AssertionError(a.message ? `${a.message}: ${message}` : message, more);

  // run runs a matcher on a value that is there.
  function run(a, fn, args) {
    if (!a.soft) return apply(fn, a, args);
    if (a.test === undefined) throw new ErrorClass("expect.soft() can only be used inside a test");
    try {
      const got = apply(fn, a, args);
      return isThenable(got) ? softly(a, got) : got;
    } catch (e) {
      a.test.fail(e);
      return undefined;
    }
  }
  async function softly(a, p) { try { return await p; } catch (e) { a.test.fail(e); return undefined; } }

  // A failure is told where the assertion is written, not where the promise is.
  function moved(e, origin) {
    if (isError(e) && typeof origin.stack === "string") {
      try { e.stack = `${e.name}: ${e.message}\n${origin.stack.split("\n").slice(1).join("\n")}`; } catch {}
    }
    return e;
  }

  // later runs a matcher when the value's promise has settled. The test waits
  // for it also when nobody else does.
  function later(a, fn, args) {
    const p = (async () => {
      const b = changed(a, "value", undefined);
      let failed = false;
      try { b.value = await a.value; } catch (e) { failed = true; b.value = e; }
      if (a.promise === "resolves" && failed) {
        const e = wrong(a, `promise rejected "${use("testing/display").inspect(b.value)}" instead of resolving`, { showDiff: false });
        defineProperty(e, "cause", { value: b.value, writable: true, configurable: true });
        throw moved(e, a.origin);
      }
      if (a.promise === "rejects" && !failed) {
        throw moved(wrong(a, `promise resolved "${use("testing/display").inspect(b.value)}" instead of rejecting`, { showDiff: true, expected: new ErrorClass("rejected promise"), actual: b.value }), a.origin);
      }
      b.soft = false;
      try { return await apply(fn, b, args); } catch (e) { throw moved(e, a.origin); }
    })();
    return watched(a, a.soft ? softly(a, p) : p);
  }
  function watched(a, p) {
    const s = a.test;
    if (s === undefined) return p;
    s.push("open", p);
    const done = () => { const i = s.open.indexOf(p); if (i >= 0) s.open.splice(i, 1); };
    // Awaiting it takes it over.
    const out = {
      then(yes, no) { done(); return p.then(yes, no); },
      catch(no) { done(); return p.catch(no); },
      finally(f) { done(); return p.finally(f); },
    };
    defineProperty(out, Symbol.toStringTag, { value: "Promise" });
    p.then(done, () => {});
    return out;
  }

  // matcher adds a matcher. fn is called on the assertion with its arguments.
  function matcher(name, fn) {
    const f = { [name](...args) {
      if (this.poll !== undefined) return watched(this, use("testing/poll").poll(this, name, fn, args));
      if (this.promise !== "") return later(this, fn, args);
      return run(this, fn, args);
    } }[name];
    defineProperty(proto, name, { value: f, writable: true, configurable: true });
  }

  function expect(value, message) {
    const s = runner.state();
    if (s !== undefined) s.asserted++;
    return assertion(value, message, s);
  }

  const members = {
    soft(value, message) {
      const a = expect(value, message);
      a.soft = true;
      return a;
    },
    poll(fn, options) {
      if (typeof fn !== "function") throw new WrongType("expect.poll: expected a function");
      const a = expect(fn, options?.message);
      a.poll = options ?? {};
      return a;
    },
    assertions(n) {
      const s = runner.owner("expect.assertions"), place = runner.place();
      s.planned = { n, error: (got) => placed(`expected number of assertions to be ${n}, but got ${got}`, place) };
    },
    hasAssertions() {
      const s = runner.owner("expect.hasAssertions");
      s.needed = placed("expected any number of assertion, but got none", runner.place());
    },
    unreachable(message) {
      throw new AssertionError(`expected${message ? ` "${message}" ` : " "}not to be reached`);
    },
    extend(matchers) { use("testing/extend").extend(matchers, matcher); },
    addEqualityTesters(list) { use("testing/equal").testers.push(...list); },
    addSnapshotSerializer(p) { use("testing/format").addPlugin(p); },
    getState() {
      const s = runner.state();
      return { assertionCalls: s?.asserted ?? 0, currentTestName: s?.context.task.fullName, testPath: runner.options.file };
    },
  };
  // expect.any and its kin, and matchers of the author that stand for values.
  Object.setPrototypeOf(members, new Proxy(Function.prototype, { get: (target, name) => use("testing/asymmetric").all[name] ?? target[name] }));
  Object.setPrototypeOf(expect, members);

  const exports = { expect, Assertion, matcher, check, wrong, fill };
  defineProperty(exports, "assert", { get: () => use("testing/assert").assert });
  return exports;
})
