// Guards stand before functions of the engine that run in native code where no
// interrupt and no limit on the stack reaches them, and refuse what would end or
// hang the process. Each takes and gives what the original does. Installed before
// anything else, so that all the rest is guarded as well.
(function (host) {
  "use strict";
  const { shallow, sourceDepth } = host;
  const { defineProperty } = Object;
  const { isArray } = Array;
  const RangeErrorClass = RangeError, SyntaxErrorClass = SyntaxError, NumberOf = Number, ObjectOf = Object, FunctionClass = Function;
  const uncurry = FunctionClass.prototype.bind.bind(FunctionClass.prototype.call);

  // guard puts the method of the same name in place of the original.
  const guard = (object, name, make) => {
    const original = object[name];
    const value = make(uncurry(original), original)[name];
    defineProperty(value, "length", { value: original.length, configurable: true });
    defineProperty(object, name, { value, writable: true, enumerable: false, configurable: true });
  };

  // The engine's parser of JSON recurses: deep text overflows the stack of the
  // process.
  guard(JSON, "parse", (original) => ({
    parse(text, reviver) {
      const json = typeof text === "string" ? text : `${text}`;
      if (!shallow(json)) throw new RangeErrorClass("JSON.parse: the text is nested too deeply");
      return original(JSON, json, reviver);
    },
  }));

  // So does flattening: an array that holds itself has no end, and one that holds
  // itself twice no bound. Here an interrupt reaches it.
  const FLAT = 1000;
  const flatten = (out, list, depth, level) => {
    if (level > FLAT) throw new RangeErrorClass(`flat: it is nested more than ${FLAT} levels deep, or holds itself`);
    const n = list.length;
    for (let i = 0; i < n; i++) {
      if (!(i in list)) continue;
      if (depth > level && isArray(list[i])) flatten(out, list[i], depth, level + 1);
      else define(out, out.length, list[i]);
    }
    return out;
  };
  const define = (o, key, value) => defineProperty(o, key, { value, writable: true, enumerable: true, configurable: true });
  guard(Array.prototype, "flat", (original) => ({
    flat(depth) {
      const levels = depth === undefined ? 1 : NumberOf(depth);
      return levels > 1 ? flatten([], ObjectOf(this), levels, 0) : original(this, levels);
    },
  }));

  // A list of arguments takes memory before the function that gets it runs. What
  // it says of its length may be another thing each time.
  const ARGUMENTS = 1e6;
  guard(FunctionClass.prototype, "apply", (original) => ({
    apply(self, list) {
      if (typeof list !== "object" || list === null) return original(this, self, list);
      const n = NumberOf(list.length), copy = [];
      if (n > ARGUMENTS) throw new RangeErrorClass(`apply: more than ${ARGUMENTS} arguments`);
      for (let i = 0; i < n; i++) define(copy, i, list[i]);
      return original(this, self, copy);
    },
  }));

  // Texts have the length at most that they have elsewhere.
  const TEXT = 2 ** 29 - 24;
  const bounded = (length) => { if (length > TEXT) throw new RangeErrorClass("Invalid string length"); };
  guard(String.prototype, "repeat", (original) => ({
    repeat(count) {
      if (this === null || this === undefined) return original(this, count);
      const text = `${this}`, n = NumberOf(count);
      bounded(text.length * n);
      return original(text, n);
    },
  }));
  for (const name of ["padStart", "padEnd"]) {
    guard(String.prototype, name, (original) => ({
      [name](length, fill) {
        const n = NumberOf(length);
        bounded(n);
        return original(this, n, fill);
      },
    }));
  }

  // The parser of source recurses as well.
  const readable = (text) => {
    const limit = sourceDepth(text);
    if (limit !== "") throw new SyntaxErrorClass(`the source is nested too deeply: more than ${limit}`);
  };
  guard(globalThis, "eval", (original) => ({
    eval(text) {
      if (typeof text === "string") readable(text);
      return original(undefined, text);
    },
  }));
  // The engine knows no async generators; they are lowered.
  const makers = [FunctionClass, (async () => {}).constructor, (function* () {}).constructor];
  for (const Original of makers) {
    const Guarded = { [Original.name]: function (...parts) {
      if (parts.length === 0) return new Original();
      let names = "";
      const last = parts.length - 1;
      for (let i = 0; i < last; i++) names += (i > 0 ? "," : "") + `${parts[i]}`;
      const body = `${parts[last]}`;
      readable(names + "," + body);
      return new Original(names, body);
    } }[Original.name];
    defineProperty(Guarded, "length", { value: 1, configurable: true });
    defineProperty(Guarded, "prototype", { value: Original.prototype, writable: false });
    defineProperty(Original.prototype, "constructor", { value: Guarded, writable: Original === FunctionClass, enumerable: false, configurable: true });
  }
  defineProperty(globalThis, "Function", { value: FunctionClass.prototype.constructor, writable: true, enumerable: false, configurable: true });
  return {};
})
