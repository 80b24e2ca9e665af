(function (host, use) {
  "use strict";
  const { need, isObject, dictionary, isBuffer, inspectors } = use("webidl");
  const { DOMException, isDOMException } = use("dom_exception");
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, keys } = Object;
  const { apply } = Reflect;
  const { isView } = ArrayBuffer;
  const { indexOf } = Array.prototype;
  const { slice } = ArrayBuffer.prototype;
  const mapEach = Map.prototype.forEach, mapSet = Map.prototype.set, mapGet = Map.prototype.get;
  const setEach = Set.prototype.forEach, setAdd = Set.prototype.add;
  const dateValue = Date.prototype.getTime;
  const getter = (o, key) => getOwnPropertyDescriptor(o, key).get;
  const regexpSource = getter(RegExp.prototype, "source"), regexpFlags = getter(RegExp.prototype, "flags");
  const viewBuffer = getter(DataView.prototype, "buffer"), viewOffset = getter(DataView.prototype, "byteOffset"), viewLength = getter(DataView.prototype, "byteLength");
  const typed = getPrototypeOf(Uint8Array.prototype);
  const typedName = getter(typed, Symbol.toStringTag), typedBuffer = getter(typed, "buffer"), typedOffset = getter(typed, "byteOffset"), typedLength = getter(typed, "length");
  const M = Map, S = Set, D = Date, R = RegExp, V = DataView, O = Object;
  const valueOf = { __proto__: null, Number: Number.prototype.valueOf, String: String.prototype.valueOf, Boolean: Boolean.prototype.valueOf, BigInt: BigInt.prototype.valueOf };
  const weakMapHas = WeakMap.prototype.has, weakSetHas = WeakSet.prototype.has;
  const plain = O.prototype;
  const arrays = {
    __proto__: null, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
    Float32Array, Float64Array, BigInt64Array, BigUint64Array,
  };
  const errors = { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

  const refuse = (what) => new DOMException(`${what} could not be cloned`, "DataCloneError");
  const put = (o, key, value) => defineProperty(o, key, { value, writable: true, enumerable: true, configurable: true });
  const hidden = (o, key, value) => defineProperty(o, key, { value, writable: true, configurable: true });

  // A list of objects to fill stands in for recursion, so that deep data cannot
  // overflow the stack.
  function clone(root) {
    const memo = new M(), work = [];
    const copy = (v) => {
      if (typeof v === "symbol") throw refuse(String(v));
      if (!isObject(v)) return v;
      const have = apply(mapGet, memo, [v]);
      if (have !== undefined) return have;
      const made = shell(v, copy, work);
      apply(mapSet, memo, [v, made]);
      return made;
    };
    const result = copy(root);
    for (let i = 0; i < work.length; i++) work[i]();
    return result;
  }

  // The empty copy of an object; what fills it is put on the work list.
  function shell(v, copy, work) {
    if (typeof v === "function") throw refuse(`The function ${v.name || "(anonymous)"}`);
    if (host.proxyTarget(v) !== undefined) throw refuse("A Proxy");
    const kind = host.classOf(v);
    if (valueOf[kind] !== undefined) return O(apply(valueOf[kind], v, []));
    if (kind === "Date") return new D(apply(dateValue, v, []));
    if (kind === "RegExp") return new R(apply(regexpSource, v, []), apply(regexpFlags, v, []));
    if (kind === "Map") {
      const m = new M(), pairs = [];
      apply(mapEach, v, [(x, key) => { pairs.push([key, x]); }]);
      work.push(() => { for (const [key, x] of pairs) apply(mapSet, m, [copy(key), copy(x)]); });
      return m;
    }
    if (kind === "Set") {
      const s = new S(), items = [];
      apply(setEach, v, [(x) => { items.push(x); }]);
      work.push(() => { for (const x of items) apply(setAdd, s, [copy(x)]); });
      return s;
    }
    if (kind === "Array") {
      const a = [];
      a.length = v.length;
      work.push(() => properties(v, a, copy));
      return a;
    }
    if (kind === "Error") return error(v, copy, work);
    if (isBuffer(v)) return apply(slice, v, [0]);
    if (isView(v)) {
      const name = apply(typedName, v, []);
      if (name === undefined) return new V(copy(apply(viewBuffer, v, [])), apply(viewOffset, v, []), apply(viewLength, v, []));
      return new arrays[name](copy(apply(typedBuffer, v, [])), apply(typedOffset, v, []), apply(typedLength, v, []));
    }
    if ((kind !== "Object" && kind !== "Arguments") || isPlatform(v)) throw refuse(`An object of class ${kind === "Object" ? v.constructor?.name : kind}`);
    const o = {};
    work.push(() => properties(v, o, copy));
    return o;
  }

  function properties(from, to, copy) {
    for (const key of keys(from)) put(to, key, copy(from[key]));
  }

  function isPlatform(v) {
    const proto = getPrototypeOf(v);
    if (proto === plain || proto === null) return false;
    if (isWeak(weakMapHas, v) || isWeak(weakSetHas, v)) return true;
    for (const f of inspectors) if (f(v) !== undefined) return true;
    return false;
  }

  // A method of a weak collection throws on anything else.
  function isWeak(has, v) {
    try {
      apply(has, v, [v]);
      return true;
    } catch {
      return false;
    }
  }

  function error(v, copy, work) {
    if (isDOMException(v)) return new DOMException(v.message, v.name);
    const C = errors[v.name] ?? errors.Error;
    const message = getOwnPropertyDescriptor(v, "message")?.value;
    const e = message === undefined ? new C() : new C(`${message}`);
    const stack = getOwnPropertyDescriptor(v, "stack")?.value;
    if (typeof stack === "string") hidden(e, "stack", stack);
    const cause = getOwnPropertyDescriptor(v, "cause");
    if (cause !== undefined && "value" in cause) work.push(() => hidden(e, "cause", copy(cause.value)));
    return e;
  }

  return {
    structuredClone: function structuredClone(value, options) {
      need(arguments, 1, "structuredClone");
      const { transfer } = dictionary(options, "The options of structuredClone");
      const moved = transfer === undefined ? [] : [...transfer];
      for (let i = 0; i < moved.length; i++) {
        if (!isBuffer(moved[i])) throw refuse("A value in transfer that is not an ArrayBuffer");
        if (apply(indexOf, moved, [moved[i]]) !== i) throw refuse("An ArrayBuffer that is in transfer twice");
      }
      const result = clone(value);
      for (const buffer of moved) host.detach(buffer);
      return result;
    },
  };
})
