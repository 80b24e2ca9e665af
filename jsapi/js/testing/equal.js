// Deep equality, as vitest and Jest define it.
(function (host, use) {
  "use strict";
  const { isArray, isObject, isError, is, tagOf, hasOwn, keys, enumerableSymbols, getPrototypeOf } = use("testing/base");
  const iterator = Symbol.iterator;
  const plainObject = Object.prototype;
  const deepest = 500; // more would overflow the stack
  const testers = []; // of the author, by expect.addEqualityTesters

  const asymmetric = (v) => typeof v === "object" && v !== null && typeof v.asymmetricMatch === "function";

  function memberKeys(o, strict) {
    const out = [];
    for (const key in o) if (hasOwn(o, key) && (strict || o[key] !== undefined)) out[out.length] = key;
    const symbols = enumerableSymbols(o);
    for (let i = 0; i < symbols.length; i++) if (strict || o[symbols[i]] !== undefined) out[out.length] = symbols[i];
    return out;
  }

  // equals compares by value. extra are functions that may decide about a pair
  // before the rest does; strict also tells undefined members from absent ones.
  const equals = (a, b, extra = none, strict = false) => eq(a, b, [], [], extra, strict);
  const none = [];
  const context = { equals };

  function eq(a, b, as, bs, extra, strict) {
    const left = asymmetric(a), right = asymmetric(b);
    if (left !== right) return left ? a.asymmetricMatch(b, extra) : b.asymmetricMatch(a, extra);
    for (let i = 0; i < extra.length; i++) {
      const decided = extra[i].call(context, a, b, extra);
      if (decided !== undefined) return decided;
    }
    if (is(a, b)) return true;
    if (!isObject(a) || !isObject(b)) {
      return false;
    }
    const tag = tagOf(a);
    if (tag !== tagOf(b)) return false;
    switch (tag) {
      case "Boolean": case "String": case "Number": return is(a.valueOf(), b.valueOf());
      case "Date": return is(+a, +b) || +a === +b;
      case "RegExp": return a.source === b.source && a.flags === b.flags;
      case "URL": return a.href === b.href;
    }
    if (as.length > deepest) throw new RangeError(`the values are nested more than ${deepest} levels deep`);
    for (let i = as.length - 1; i >= 0; i--) {
      if (as[i] === a) return bs[i] === b;
      if (bs[i] === b) return false;
    }
    if (isArray(a) && a.length !== b.length) return false;
    as[as.length] = a;
    bs[bs.length] = b;
    const same = isError(a) && isError(b) ? errors(a, b, as, bs, extra, strict) : members(a, b, as, bs, extra, strict);
    as.length--;
    bs.length--;
    return same;
  }

  function members(a, b, as, bs, extra, strict) {
    const ks = memberKeys(a, strict);
    if (memberKeys(b, strict).length !== ks.length) return false;
    for (let i = 0; i < ks.length; i++) {
      const k = ks[i];
      if (!hasOwn(b, k) || (!strict && b[k] === undefined)) return false;
      if (!eq(a[k], b[k], as, bs, extra, strict)) return false;
    }
    return true;
  }

  function errors(a, b, as, bs, extra, strict) {
    if (a.name !== b.name || a.message !== b.message) return false;
    if (b.cause !== undefined && !eq(a.cause, b.cause, as, bs, extra, strict)) return false;
    if (a instanceof AggregateError && b instanceof AggregateError && !eq(a.errors, b.errors, as, bs, extra, strict)) return false;
    return eq({ ...a }, { ...b }, as, bs, extra, strict);
  }

  // iterables compares what can be iterated, other than arrays: sets without
  // order, maps by their keys, the rest in order.
  function iterables(a, b, extra = none, as = [], bs = []) {
    if (!isObject(a) || !isObject(b) || isArray(a) || isArray(b) || !a[iterator] || !b[iterator]) return undefined;
    if (a.constructor !== b.constructor) return false;
    for (let i = as.length - 1; i >= 0; i--) if (as[i] === a) return bs[i] === b;
    const inner = [];
    for (let i = 0; i < extra.length; i++) if (extra[i] !== iterables && extra[i].iterables !== true) inner[inner.length] = extra[i];
    const nested = (x, y) => iterables(x, y, extra, [...as, a], [...bs, b]);
    nested.iterables = true;
    inner[inner.length] = nested;
    if (a.size !== undefined) {
      if (a.size !== b.size) return false;
      const tag = tagOf(a);
      if (tag === "Set") return every(a, (x) => b.has(x) || some(b, (y) => equals(x, y, inner)));
      if (tag === "Map") {
        return every(a, ([k, x]) => (b.has(k) && equals(x, b.get(k), inner)) || some(b, ([l, y]) => equals(k, l, inner) && equals(x, y, inner)));
      }
    }
    const other = b[iterator]();
    for (const x of a) {
      const y = other.next();
      if (y.done || !equals(x, y.value, inner)) return false;
    }
    if (!other.next().done) return false;
    return equals(Object.entries(a), Object.entries(b), inner);
  }
  function every(list, f) { for (const x of list) if (!f(x)) return false; return true; }
  function some(list, f) { for (const x of list) if (f(x)) return true; return false; }

  const types = (a, b) => (a === undefined || a === null || b === undefined || b === null || a.constructor === b.constructor ? undefined : false);

  function sparse(a, b, extra) {
    if (!isArray(a) || !isArray(b)) return undefined;
    const rest = [];
    for (let i = 0; i < extra.length; i++) if (extra[i] !== sparse) rest[rest.length] = extra[i];
    return equals(a, b, rest, true) && equals(keys(a), keys(b));
  }

  function buffers(a, b) {
    if (!isObject(a) || !isObject(b)) return undefined;
    let x = a, y = b;
    if (tagOf(a) === "ArrayBuffer" && tagOf(b) === "ArrayBuffer") { x = new DataView(a); y = new DataView(b); }
    else if (!(a instanceof DataView && b instanceof DataView)) return undefined;
    if (x.byteLength !== y.byteLength) return false;
    for (let i = 0; i < x.byteLength; i++) if (x.getUint8(i) !== y.getUint8(i)) return false;
    return true;
  }

  function inherits(o, key) {
    for (; isObject(o) && o !== plainObject; o = getPrototypeOf(o)) if (hasOwn(o, key)) return true;
    return false;
  }
  const keyed = (v) => isObject(v) && !isArray(v) && !isError(v) && !(v instanceof Date) && !(v instanceof Set) && !(v instanceof Map);

  // subset lets objects have more than is expected of them.
  function subset(a, b, extra = none) {
    const seen = [];
    const rest = [];
    for (let i = 0; i < extra.length; i++) if (extra[i] !== subset && extra[i].subset !== true) rest[rest.length] = extra[i];
    const within = (x, y) => {
      if (!keyed(y)) return undefined;
      const ks = keys(y);
      for (let i = 0; i < ks.length; i++) {
        const k = ks[i], v = y[k], deep = isObject(v);
        if (deep && seen.includes(v)) {
          if (!equals(x?.[k], v, rest)) return false;
          continue;
        }
        if (deep) seen.push(v);
        const ok = x !== undefined && x !== null && inherits(x, k) && equals(x[k], v, [...rest, within]);
        if (deep) seen.splice(seen.indexOf(v), 1);
        if (!ok) return false;
      }
      return true;
    };
    within.subset = true;
    return within(a, b);
  }

  const loose = () => (testers.length === 0 ? looseOnly : [...testers, iterables]);
  const looseOnly = [iterables];
  const exactOnly = [iterables, types, sparse, buffers];
  return {
    equals, testers, iterables, subset, inherits, asymmetric,
    // What toEqual, toStrictEqual and toMatchObject mean.
    equal: (a, b) => equals(a, b, loose()),
    strictlyEqual: (a, b) => equals(a, b, [...testers, ...exactOnly], true),
    matches: (a, b) => equals(a, b, [...testers, iterables, subset]),
  };
})
