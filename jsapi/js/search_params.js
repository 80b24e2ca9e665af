(function (host, use) {
  "use strict";
  const { expose, need, isObject, usv, iteratorPrototype, inspectors } = use("webidl");
  const { ownKeys, apply } = Reflect;
  const { getOwnPropertyDescriptor } = Object;
  const { iterator } = Symbol;

  const iterate = iteratorPrototype("URLSearchParams Iterator");
  let fresh, listOf; // what URL and the body scripts need of the class

  function fromInit(init) {
    if (!isObject(init)) {
      const text = usv(init);
      return host.parseQuery(text.startsWith("?") ? text.slice(1) : text);
    }
    const list = [];
    const method = init[iterator];
    if (method !== undefined && method !== null) {
      for (const pair of { [iterator]: () => apply(method, init, []) }) {
        const two = isObject(pair) ? [...pair] : [];
        if (two.length !== 2) throw new TypeError("URLSearchParams constructor: each pair must be an iterable of two values");
        list.push([usv(two[0]), usv(two[1])]);
      }
      return list;
    }
    for (const key of ownKeys(init)) {
      if (!getOwnPropertyDescriptor(init, key)?.enumerable) continue;
      const name = usv(key), value = usv(init[key]);
      const have = list.find((p) => p[0] === name);
      if (have !== undefined) have[1] = value;
      else list.push([name, value]);
    }
    return list;
  }

  class URLSearchParams {
    #list;
    #changed = null; // tells the URL it belongs to

    constructor(init = "") {
      this.#list = fromInit(init);
    }

    #update() {
      if (this.#changed !== null) this.#changed(host.formatQuery(this.#list));
    }

    get size() { return this.#list.length; }
    append(name, value) {
      need(arguments, 2, "URLSearchParams.append");
      this.#list.push([usv(name), usv(value)]);
      this.#update();
    }
    delete(name, value = undefined) {
      need(arguments, 1, "URLSearchParams.delete");
      name = usv(name);
      if (value !== undefined) value = usv(value);
      this.#list = this.#list.filter((p) => p[0] !== name || (value !== undefined && p[1] !== value));
      this.#update();
    }
    get(name) {
      need(arguments, 1, "URLSearchParams.get");
      name = usv(name);
      const pair = this.#list.find((p) => p[0] === name);
      return pair === undefined ? null : pair[1];
    }
    getAll(name) {
      need(arguments, 1, "URLSearchParams.getAll");
      name = usv(name);
      return this.#list.filter((p) => p[0] === name).map((p) => p[1]);
    }
    has(name, value = undefined) {
      need(arguments, 1, "URLSearchParams.has");
      name = usv(name);
      if (value !== undefined) value = usv(value);
      return this.#list.some((p) => p[0] === name && (value === undefined || p[1] === value));
    }
    set(name, value) {
      need(arguments, 2, "URLSearchParams.set");
      name = usv(name);
      value = usv(value);
      const first = this.#list.find((p) => p[0] === name);
      if (first === undefined) {
        this.#list.push([name, value]);
      } else {
        first[1] = value;
        this.#list = this.#list.filter((p) => p[0] !== name || p === first);
      }
      this.#update();
    }
    sort() {
      // By UTF-16 units, as < compares strings; the engine's sort is stable.
      this.#list.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      this.#update();
    }
    toString() { return host.formatQuery(this.#list); }
    forEach(callback, thisArg = undefined) {
      need(arguments, 1, "URLSearchParams.forEach");
      if (typeof callback !== "function") throw new TypeError("URLSearchParams.forEach: the callback must be a function");
      for (let i = 0; i < this.#list.length; i++) {
        const [name, value] = this.#list[i];
        apply(callback, thisArg, [value, name, this]);
      }
    }
    entries() { return iterate((i) => this.#list[i], (p) => [p[0], p[1]]); }
    keys() { return iterate((i) => this.#list[i], (p) => p[0]); }
    values() { return iterate((i) => this.#list[i], (p) => p[1]); }

    static {
      // The parameters of a URL: reset replaces them, changed hears of edits.
      fresh = (changed) => {
        const p = new URLSearchParams();
        p.#changed = changed;
        return { params: p, reset: (query) => { p.#list = host.parseQuery(query); } };
      };
      listOf = (v) => (isObject(v) && #list in v ? v.#list : undefined);
      inspectors.push((v) => (#list in v ? host.formatQuery(v.#list) : undefined));
    }
  }
  expose(URLSearchParams, "URLSearchParams");
  Object.defineProperty(URLSearchParams.prototype, iterator, {
    value: URLSearchParams.prototype.entries, writable: true, configurable: true,
  });

  return { URLSearchParams, fresh, listOf };
})
