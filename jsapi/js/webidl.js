// What every web class needs: conversions and the shape that WebIDL gives.
(function (host) {
  "use strict";
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  const { ownKeys, apply } = Reflect;
  const { toStringTag } = Symbol;
  const { isView } = ArrayBuffer;
  const U8 = Uint8Array;

  // Makes methods and accessors enumerable and sets the tag, as on the web.
  function expose(C, name) {
    const keys = ownKeys(C.prototype);
    for (let i = 0; i < keys.length; i++) { // for-of costs far more in this engine
      const key = keys[i];
      if (key === "constructor" || typeof key === "symbol") continue;
      const d = getOwnPropertyDescriptor(C.prototype, key);
      d.enumerable = true;
      defineProperty(C.prototype, key, d);
    }
    defineProperty(C.prototype, toStringTag, { value: name, configurable: true });
    return C;
  }

  function constants(C, values) {
    const keys = ownKeys(values);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      const d = { value: values[key], enumerable: true };
      defineProperty(C, key, d);
      defineProperty(C.prototype, key, d);
    }
  }

  // Refuses a call with too few arguments.
  function need(args, n, what) {
    if (args.length < n) {
      throw new TypeError(`${what}: ${n} argument${n === 1 ? "" : "s"} required, but only ${args.length} present`);
    }
  }

  const isObject = (v) => (typeof v === "object" && v !== null) || typeof v === "function";

  // An options argument: undefined and null mean none.
  function dictionary(v, what) {
    if (v === undefined || v === null) return {};
    if (!isObject(v)) throw new TypeError(`${what} must be an object`);
    return v;
  }

  const usv = (v) => host.usv(`${v}`);

  const isBuffer = (v) => host.classOf(v) === "ArrayBuffer";

  // The bytes of an ArrayBuffer or a view of one, not copied; undefined for
  // anything else.
  function bytesOf(v) {
    if (isView(v)) return new U8(v.buffer, v.byteOffset, v.byteLength);
    if (isBuffer(v)) return new U8(v);
    return undefined;
  }

  const bytes = (buffer) => new U8(buffer);

  // A map over pairs becomes an iterator object with the right prototype.
  const iteratorBase = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
  function iteratorPrototype(name) {
    const pairs = new WeakMap();
    const get = WeakMap.prototype.get;
    const proto = Object.create(iteratorBase, { [toStringTag]: { value: name, configurable: true } });
    defineProperty(proto, "next", {
      value: function next() {
        const it = apply(get, pairs, [this]);
        if (it === undefined) throw new TypeError(`next called on a value that is not a ${name}`);
        const pair = it.at(it.i);
        if (pair === undefined) return { value: undefined, done: true };
        it.i++;
        return { value: it.pick(pair), done: false };
      },
      writable: true, enumerable: true, configurable: true,
    });
    // at(i) gives the pair at i now, or undefined; pick turns it into the value.
    return (at, pick) => {
      const o = Object.create(proto);
      pairs.set(o, { at, pick, i: 0 });
      return o;
    };
  }

  // Functions that give the inspector a view of what a web object hides: a
  // string, an object, or undefined for a value of another class.
  const inspectors = [];

  return { inspectors, expose, constants, need, isObject, dictionary, usv, isBuffer, bytesOf, bytes, iteratorPrototype };
})
