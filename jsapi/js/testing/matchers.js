// The matchers of values.
(function (host, use) {
  "use strict";
  const { is, isArray, isObject, hasOwn, keys, tagOf, StringOf } = use("testing/base");
  const { equals, equal, strictlyEqual, matches, testers} = use("testing/equal");
  const display = (v) => use("testing/display").display(v);
  const WrongType = TypeError;
  const { from } = Array;
  const { abs } = Math;
  const { check, wrong, fill } = use("testing/expect");

  function numbers(actual, expected) {
    const bad = (name, v) => { throw new WrongType(`${name} value must be number or bigint, received "${typeof v}"`); };
    if (typeof actual !== "number" && typeof actual !== "bigint") bad("actual", actual);
    if (typeof expected !== "number" && typeof expected !== "bigint") bad("expected", expected);
  }
  const comparison = (text, holds) => function (expected) {
    const actual = this.value;
    numbers(actual, expected);
    check(this, holds(actual, expected), `expected ${actual} to be ${text} ${expected}`, `expected ${actual} to be not ${text} ${expected}`, expected, actual, false);
  };

  function includes(a, item) {
    const v = a.value;
    switch (tagOf(v)) {
      case "String": return v.indexOf(item) !== -1;
      case "WeakSet": case "Set": return v.has(item);
      default: return v.indexOf(item) !== -1 || (item !== item && v.includes(item));
    }
  }

  // property finds a.b[0] in a value: whether it is there, and what it is.
  function property(v, path) {
    if (isObject(v) && hasOwn(v, path)) return { found: true, value: v[path] };
    const all = typeof path === "symbol" ? [path] : split(StringOf(path));
    let at = v;
    for (let i = 0; i < all.length; i++) {
      if (at === undefined || at === null) return { found: false, value: undefined };
      const o = Object(at);
      if (i === all.length - 1) return { found: all[i] in o, value: at[all[i]] };
      at = at[all[i]];
    }
    return { found: false, value: undefined };
  }
  // split takes a path apart: dots, [0] and [name], and \ before what is meant as it is.
  function split(path) {
    const out = [];
    let part = "", any = false;
    for (let i = 0; i < path.length; i++) {
      const c = path[i];
      if (c === "\\" && (path[i + 1] === "." || path[i + 1] === "[" || path[i + 1] === "]")) { part += path[++i]; any = true; }
      else if (c === "." || c === "[" || c === "]") { if (any) out[out.length] = part; part = ""; any = false; }
      else { part += c; any = true; }
    }
    if (any) out[out.length] = part;
    return out;
  }

  const all = {
    toBe(expected) {
      const actual = this.value, pass = is(actual, expected);
      if (pass !== this.negated) return;
      if (pass) check(this, true, "", "expected #{this} not to be #{exp} // Object.is equality", expected, actual);
      const better = strictlyEqual(actual, expected) ? "toStrictEqual" : equal(actual, expected) ? "toEqual" : "";
      const message = "expected #{this} to be #{exp} // Object.is equality";
      check(this, false, better === "" ? message
        : `${message}\n\nIf it should pass with deep equality, replace "toBe" with "${better}"\n\nExpected: #{this}\nReceived: serializes to the same string\n`, "", expected, actual);
    },
    toEqual(expected) {
      check(this, equal(this.value, expected), "expected #{this} to deeply equal #{exp}", "expected #{this} to not deeply equal #{exp}", expected, this.value);
    },
    toStrictEqual(expected) {
      check(this, strictlyEqual(this.value, expected), "expected #{this} to strictly equal #{exp}", "expected #{this} to not strictly equal #{exp}", expected, this.value);
    },
    toMatchObject(expected) {
      const pass = matches(this.value, expected);
      if (pass !== this.negated) return;
      const { part, left } = use("testing/subset").reduce(this.value, expected);
      const text = fill(this, pass ? "expected #{this} to not match object #{exp}" : "expected #{this} to match object #{exp}", expected, part);
      throw wrong({ message: "" }, left === 0 ? text : `${text}\n(${left} matching ${left === 1 ? "property" : "properties"} omitted from actual)`,
        { showDiff: true, expected, actual: part });
    },
    toMatch(expected) {
      const v = this.value;
      if (typeof v !== "string") throw new WrongType(`.toMatch() expects to receive a string, but got ${typeof v}`);
      check(this, typeof expected === "string" ? v.includes(expected) : v.match(expected) !== null, "expected #{this} to match #{exp}", "expected #{this} not to match #{exp}", expected, v);
    },
    toContain(item) {
      if (typeof this.value === "string" && typeof item === "string") {
        check(this, this.value.includes(item), "expected #{this} to contain #{exp}", "expected #{this} not to contain #{exp}", item, this.value);
        return;
      }
      if (this.value === null || this.value === undefined) {
        throw wrong(this, `the given combination of arguments (${this.value} and ${typeof item}) is invalid for this assertion. You can use an array, a map, an object, a set, a string, or a weakset instead of a ${typeof item}`);
      }
      if (typeof this.value !== "string") this.value = from(this.value);
      check(this, includes(this, item), `expected #{this} to include ${use("testing/display").inspect(item)}`, `expected #{this} to not include ${use("testing/display").inspect(item)}`, undefined, undefined, false);
    },
    toContainEqual(expected) {
      let found = false;
      for (const item of from(this.value)) found ||= equals(item, expected, testers);
      check(this, found, "expected #{this} to deep equally contain #{exp}", "expected #{this} to not deep equally contain #{exp}", expected, this.value);
    },
    toBeTruthy() { check(this, !!this.value, "expected #{this} to be truthy", "expected #{this} to not be truthy", true, this.value); },
    toBeFalsy() { check(this, !this.value, "expected #{this} to be falsy", "expected #{this} to not be falsy", false, this.value); },
    toBeNaN() { check(this, this.value !== this.value, "expected #{this} to be NaN", "expected #{this} not to be NaN", NaN, this.value); },
    toBeUndefined() { check(this, this.value === undefined, "expected #{this} to be undefined", "expected #{this} not to be undefined", undefined, this.value); },
    toBeNull() { check(this, this.value === null, "expected #{this} to be null", "expected #{this} not to be null", null, this.value); },
    toBeNullable() { check(this, this.value === null || this.value === undefined, "expected #{this} to be nullish", "expected #{this} not to be nullish", null, this.value); },
    toBeDefined() { check(this, this.value !== undefined, "expected #{this} to be defined", "expected #{this} to be undefined", this.value, this.value); },
    toBeTypeOf(expected) { check(this, typeof this.value === expected, "expected #{this} to be type of #{exp}", "expected #{this} not to be type of #{exp}", expected, typeof this.value); },
    toBeInstanceOf(C) {
      if (typeof C !== "function" && typeof C?.[Symbol.hasInstance] !== "function") {
        throw wrong(this, `The instanceof assertion needs a constructor but ${tagOf(C)} was given.`);
      }
      const name = typeof C.name === "string" && C.name !== "" ? C.name : "an unnamed constructor";
      check(this, this.value instanceof C, `expected #{this} to be an instance of ${name}`, `expected #{this} to not be an instance of ${name}`, undefined, undefined, false);
    },
    toBeGreaterThan: comparison("greater than", (a, b) => a > b),
    toBeGreaterThanOrEqual: comparison("greater than or equal to", (a, b) => a >= b),
    toBeLessThan: comparison("less than", (a, b) => a < b),
    toBeLessThanOrEqual: comparison("less than or equal to", (a, b) => a <= b),
    toBeCloseTo(expected, precision = 2) {
      const actual = this.value;
      let pass = false, most = 0, got = 0;
      if ((actual === Infinity && expected === Infinity) || (actual === -Infinity && expected === -Infinity)) pass = true;
      else {
        most = 10 ** -precision / 2;
        got = abs(actual - expected);
        pass = got < most;
      }
      check(this, pass, `expected #{this} to be close to #{exp}, received difference is ${got}, but expected ${most}`,
        `expected #{this} to not be close to #{exp}, received difference is ${got}, but expected ${most}`, expected, actual, false);
    },
    toHaveLength(n) {
      const v = this.value, kind = tagOf(v);
      const word = kind === "Map" || kind === "Set" ? "size" : "length";
      if (word === "length" && (v === null || v === undefined)) throw wrong(this, "Target cannot be null or undefined.");
      if (word === "length" && !(word in Object(v))) throw wrong(this, `expected ${display(v)} to have property 'length'`);
      check(this, v[word] == n, `expected #{this} to have a ${word} of #{exp} but got #{act}`, `expected #{this} to not have a ${word} of #{act}`, n, v[word]);
    },
    toHaveProperty(path, ...rest) {
      if (this.value === null || this.value === undefined) throw new WrongType("Cannot convert undefined or null to object");
      if (isArray(path)) path = path.map((k) => StringOf(k).replace(/([.[\]])/g, "\\$1")).join(".");
      const { found, value } = property(this.value, path);
      const pass = found && (rest.length === 0 || equals(rest[0], value, testers));
      const text = rest.length === 0 ? "" : ` with value ${display(rest[0])}`;
      check(this, pass, `expected #{this} to have property "${StringOf(path)}"${text}`, `expected #{this} to not have property "${StringOf(path)}"${text}`, rest[0], found ? value : undefined);
    },
  };

  // Those that have scripts of their own.
  const others = [
    ["throws", /^toThrow(?:Error)?$/], ["hinted", /^to(?:Satisfy|BeOneOf)$/], ["snapshot", /Snapshot$/],
    ["mock_matchers", /^to(?:HaveBeen|BeCalled|HaveReturned|Return|HaveLast|HaveNth|HaveResolved)/],
  ];
  // find gives the function of a matcher, or undefined.
  function find(name) {
    if (hasOwn(all, name)) return all[name];
    for (const [script, pattern] of others) if (pattern.test(name)) return use(`testing/${script}`).matchers[name];
    return undefined;
  }

  return { find, property, names: () => keys(all) };
})
