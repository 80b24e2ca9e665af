// What toMatchObject shows: the part of an object that it looks at.
(function (host, use) {
  "use strict";
  const { isArray, isObject, keys, enumerableSymbols, defineProperty } = use("testing/base");
  const { matches, inherits } = use("testing/equal");
  const all = (o) => [...keys(o), ...enumerableSymbols(o)];

  // reduce gives the part of actual that expected speaks of, and how many
  // members were left out.
  function reduce(actual, expected) {
    let left = 0;
    const seen = new Map();
    const walk = (a, e) => {
      if (isArray(a)) return isArray(e) && e.length === a.length ? e.map((x, i) => walk(a[i], x)) : a;
      if (a instanceof Date || !isObject(a) || !isObject(e)) return a;
      if (matches(a, e)) return e;
      const part = {};
      seen.set(a, part);
      if (typeof a.constructor?.name === "string") defineProperty(part, "constructor", { enumerable: false, value: a.constructor });
      for (const key of all(a)) {
        if (inherits(e, key)) part[key] = seen.has(a[key]) ? seen.get(a[key]) : walk(a[key], e[key]);
        else if (!seen.has(a[key])) {
          left += 1 + (isObject(a[key]) ? all(a[key]).length : 0);
          walk(a[key], e[key]);
        }
      }
      return all(part).length > 0 ? part : a;
    };
    return { part: walk(actual, expected), left };
  }
  return { reduce };
})
