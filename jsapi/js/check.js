// Checks of arguments, with errors that say what was expected.
(function (host, use) {
  "use strict";
  const { bytesOf, isObject } = use("webidl");
  const { isArray } = Array;
  const { keys } = Object;
  const { apply } = Reflect;
  const { includes, join } = Array.prototype;
  const Wrong = TypeError;

  function text(what, v) {
    if (typeof v !== "string" || v === "") throw new Wrong(`${what} must be a string that is not empty`);
    return v;
  }

  // A copy of a list of strings; none given is an empty one.
  function strings(what, v) {
    if (v === undefined) return [];
    const bad = () => new Wrong(`${what} must be an array of strings`);
    if (!isArray(v)) throw bad();
    const out = [];
    for (let i = 0; i < v.length; i++) {
      if (typeof v[i] !== "string") throw bad();
      out[i] = v[i];
    }
    return out;
  }

  // Text or bytes, as the natives take them: they copy at once.
  function data(what, v) {
    if (typeof v === "string") return v;
    const view = bytesOf(v);
    if (view === undefined) throw new Wrong(`${what} must be a string, a Uint8Array or an ArrayBuffer`);
    return view;
  }

  // An object of options. One that is not known is a typing error, or asks for
  // what is not there; to ignore it would mislead.
  function options(what, v, known) {
    if (v === undefined || v === null) return {};
    if (!isObject(v) || isArray(v)) throw new Wrong(`${what}: the options must be an object`);
    const ks = keys(v);
    for (let i = 0; i < ks.length; i++) {
      if (v[ks[i]] !== undefined && !apply(includes, known, [ks[i]])) {
        throw new Wrong(`${what}: unknown option ${ks[i]}; known are ${apply(join, known, [", "])}`);
      }
    }
    return v;
  }

  return { text, strings, data, options };
})
