// Mock functions: vi.fn and vi.spyOn.
(function (host, use) {
  "use strict";
  const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, isThenable, then } = use("testing/base");
  const PromiseClass = Promise, ErrorClass = Error, WrongType = TypeError;
  const { deleteProperty, ownKeys } = Reflect;
  const all = new Set(); // every mock function
  const replaced = new Set(); // what puts spied-on members back
  let order = 1;

  const isMockFunction = (f) => typeof f === "function" && f._isMockFunction === true;

  const newState = () => {
    const s = {
      calls: [], contexts: [], instances: [], invocationCallOrder: [], results: [], settledResults: [],
      get lastCall() { return s.calls[s.calls.length - 1]; },
    };
    return s;
  };
  const asFunction = (what) => { throw new WrongType(`Cannot use \`${what}\` when called with \`new\`. Use \`mockImplementation\` with a \`class\` keyword instead.`); };

  // make makes a mock function. original is called unless an implementation is
  // set; with initial, resetting goes back to that one.
  function make({ original, initial, restore, named }) {
    const state = newState();
    let implementation = initial, once = [], mockName = "vi.fn()";
    const name = original?.name || "Mock";
    const f = { [name]: function (...args) {
      const s = state, target = new.target, self = target ? undefined : this;
      s.calls.push(args);
      s.invocationCallOrder.push(order++);
      const result = { type: "incomplete", value: undefined }, settled = { type: "incomplete", value: undefined };
      s.results.push(result);
      s.settledResults.push(settled);
      const at = s.instances.push(self) - 1, instances = s.instances, contexts = s.contexts;
      contexts.push(self);
      const run = (once.length > 0 ? once.shift() : undefined) || implementation || original || function () {};
      let v;
      try {
        v = target ? construct(run, args, target) : apply(run, this, args);
      } catch (e) {
        result.type = "throw";
        settled.type = "rejected";
        result.value = settled.value = e;
        throw e;
      }
      result.type = "return";
      result.value = v;
      if (target) contexts[at] = instances[at] = v;
      if (v instanceof PromiseClass) {
        then(v, (x) => { settled.type = "fulfilled"; settled.value = x; }, (x) => { settled.type = "rejected"; settled.value = x; });
      } else {
        settled.type = "fulfilled";
        settled.value = v;
      }
      return v;
    } }[name];
    copyStatics(f, original ?? initial);
    defineProperty(f, "length", { value: (initial ?? original)?.length ?? 0, writable: true, configurable: true });
    if (named) mockName = name;
    const set = (key, value) => defineProperty(f, key, { value, writable: true, enumerable: true, configurable: true });
    set("_isMockFunction", true);
    defineProperty(f, "mock", { value: state, enumerable: true });
    const members = {
      getMockImplementation: () => once[0] || implementation,
      mockImplementation: (fn) => { implementation = fn; return f; },
      mockImplementationOnce: (fn) => { once.push(fn); return f; },
      withImplementation(fn, callback) {
        const before = implementation, onces = once;
        const back = () => { implementation = before; once = onces; };
        implementation = fn;
        once = [];
        const got = callback();
        if (isThenable(got)) return got.then(() => { back(); return f; });
        back();
        return f;
      },
      mockReturnThis: () => f.mockImplementation(function () { return this; }),
      mockClear() {
        state.calls = []; state.contexts = []; state.instances = []; state.invocationCallOrder = []; state.results = []; state.settledResults = [];
        return f;
      },
      mockReset() {
        f.mockClear();
        implementation = initial;
        once = [];
        mockName = named ? name : "vi.fn()";
        return f;
      },
      mockRestore() { f.mockReset(); return restore?.(); },
      mockName(text) { if (typeof text === "string") mockName = text; return f; },
      getMockName: () => mockName || "vi.fn()",
    };
    const values = {
      ReturnValue: (what, v) => function () { if (new.target) asFunction(what); return v; },
      ResolvedValue: (what, v) => function () { if (new.target) asFunction(what); return PromiseClass.resolve(v); },
      RejectedValue: (what, v) => function () { if (new.target) asFunction(what); return PromiseClass.reject(v); },
      Throw: (_, v) => function () { throw v; },
    };
    for (const key of Object.keys(values)) {
      const what = `mock${key}`;
      members[what] = (v) => f.mockImplementation(values[key](what, v));
      members[`${what}Once`] = (v) => f.mockImplementationOnce(values[key](`${what}Once`, v));
    }
    for (const key of Object.keys(members)) set(key, members[key]);
    if (Symbol.dispose) f[Symbol.dispose] = () => f.mockRestore();
    all.add(f);
    if (restore !== undefined) replaced.add(restore);
    return f;
  }

  // A mock of a class has the statics of the class.
  function copyStatics(f, from) {
    for (let o = from; typeof o === "function" && o !== Function.prototype; o = getPrototypeOf(o)) {
      for (const key of ownKeys(o)) {
        if (key === "length" || key === "name" || key === "prototype" || find(f, key) !== undefined) continue;
        defineProperty(f, key, getOwnPropertyDescriptor(o, key));
      }
    }
  }

  const fn = (implementation) => (isMockFunction(implementation) ? implementation : make({ initial: implementation }));

  function find(o, key) {
    for (let p = o; p !== null && p !== undefined; p = getPrototypeOf(p)) {
      const d = getOwnPropertyDescriptor(p, key);
      if (d !== undefined) return { owner: p, d };
    }
    return undefined;
  }

  function spyOn(object, key, access = "value") {
    if (object === undefined || object === null) throw new ErrorClass("The vi.spyOn() function could not find an object to spy upon. The first argument must be defined.");
    if (typeof object !== "object" && typeof object !== "function") throw new ErrorClass("Vitest cannot spy on a primitive value.");
    const { owner, d } = find(object, key) ?? {};
    if (d === undefined && !(key in object)) throw new ErrorClass(`The property "${String(key)}" is not defined on the ${typeof object}.`);
    // What a getter gives, such as an export of a module, is spied on behind it.
    const behind = access === "value" && d !== undefined && d.value === undefined && d.get !== undefined;
    if (behind) access = "get";
    let original = d === undefined ? (access === "value" ? object[key] : () => object[key]) : d[access];
    const inner = behind && original ? apply(original, object, []) : original;
    if (typeof inner !== "function" && (access === "value" || inner !== undefined)) {
      throw new ErrorClass(`vi.spyOn() can only spy on a function. Received ${typeof inner}.`);
    }
    if (isMockFunction(inner)) return inner;
    const assign = (v) => {
      const { value, ...rest } = d ?? { configurable: true, writable: true };
      if (access !== "value") delete rest.writable;
      try {
        defineProperty(object, key, { ...rest, [access]: v });
      } catch (e) {
        throw new WrongType(`vi.spyOn cannot replace "${String(key)}": it is not configurable, as the exports of a module are; put the function on an object and spy on that`, { cause: e });
      }
    };
    const restore = () => {
      if (owner !== object) deleteProperty(object, key);
      else if (d !== undefined && !original) defineProperty(object, key, d);
      else assign(original);
    };
    const mock = make({ original: inner, restore, named: true });
    assign(behind ? () => mock : mock);
    return mock;
  }

  const each = (what) => { for (const f of all) f[what](); };
  return {
    isMockFunction, fn, spyOn,
    clearAllMocks: () => each("mockClear"),
    resetAllMocks: () => each("mockReset"),
    restoreAllMocks: () => { for (const restore of replaced) restore(); replaced.clear(); },
  };
})
