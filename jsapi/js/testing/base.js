// What the other scripts of the test library rely on, kept before a test file
// can change it.
(function (host) {
  "use strict";
  const { prototype } = Function;
  const uncurry = prototype.bind.bind(prototype.call);
  const { getPrototypeOf, getOwnPropertyDescriptor, getOwnPropertySymbols, defineProperty, keys, hasOwn, is } = Object;
  const objectText = uncurry(Object.prototype.toString);
  const slice = uncurry(String.prototype.slice);
  const arraySort = uncurry(Array.prototype.sort);
  const { isArray } = Array;
  const { apply, construct, ownKeys } = Reflect;
  const { stringify, parse } = JSON;
  const then = uncurry(Promise.prototype.then);

  const isObject = (v) => typeof v === "object" && v !== null;
  const isThenable = (v) => ((typeof v === "object" && v !== null) || typeof v === "function") && typeof v.then === "function";

  // tagOf is what Object.prototype.toString calls a value.
  const tagOf = (v) => slice(objectText(v), 8, -1);
  const isError = (v) => isObject(v) && (host.classOf(v) === "Error" || v instanceof Error);

  function enumerableSymbols(o) {
    const all = getOwnPropertySymbols(o), out = [];
    for (let i = 0; i < all.length; i++) if (getOwnPropertyDescriptor(o, all[i]).enumerable) out[out.length] = all[i];
    return out;
  }

  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  function ordinal(n) {
    const tens = n % 100, ones = n % 10;
    return `${n}${ones === 1 && tens !== 11 ? "st" : ones === 2 && tens !== 12 ? "nd" : ones === 3 && tens !== 13 ? "rd" : "th"}`;
  }

  return {
    isObject, isThenable, isError, tagOf, enumerableSymbols, plural, ordinal, isArray, keys, hasOwn, is,
    getPrototypeOf, defineProperty, getOwnPropertyDescriptor, getOwnPropertySymbols, arraySort,
    classOf: host.classOf, apply, construct, ownKeys, stringify, parse, then, PromiseClass: Promise, StringOf: String,
  };
})
