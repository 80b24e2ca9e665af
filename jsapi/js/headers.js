(function (host, use) {
  "use strict";
  const { expose, need, isObject, iteratorPrototype, inspectors } = use("webidl");
  const { ownKeys, apply } = Reflect;
  const { getOwnPropertyDescriptor } = Object;
  const { iterator } = Symbol;

  const iterate = iteratorPrototype("Headers Iterator");
  const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
  let listOf, received, lock;

  function nameOf(v) {
    const name = `${v}`;
    if (!token.test(name)) throw new TypeError(`Headers: ${JSON.stringify(name.slice(0, 100))} is not a valid header name`);
    return name.toLowerCase();
  }

  // The text of a value is not shown: it may be a secret.
  function valueOf(name, v) {
    const value = `${v}`.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
    for (let i = 0; i < value.length; i++) {
      const c = value.charCodeAt(i);
      if (c === 0 || c === 10 || c === 13 || c > 255) {
        const what = c > 255 ? "characters above U+00FF" : "a line break or NUL";
        throw new TypeError(`Headers: the value of ${name} must not have ${what}`);
      }
    }
    return value;
  }

  class Headers {
    #list = []; // [lower-case name, value], in order of adding
    #locked = false;
    #sorted = null;

    constructor(init = undefined) {
      if (init !== undefined) this.#fill(init);
    }

    #fill(init) {
      if (!isObject(init)) throw new TypeError("Headers constructor: the argument must be an object or an iterable of pairs");
      const method = init[iterator];
      if (method !== undefined && method !== null) {
        for (const pair of { [iterator]: () => apply(method, init, []) }) {
          const two = isObject(pair) ? [...pair] : [];
          if (two.length !== 2) throw new TypeError("Headers constructor: each pair must be an iterable of a name and a value");
          this.append(two[0], two[1]);
        }
        return;
      }
      for (const key of ownKeys(init)) {
        if (!getOwnPropertyDescriptor(init, key)?.enumerable) continue;
        this.append(key, init[key]);
      }
    }

    #edit() {
      if (this.#locked) throw new TypeError("Headers: these headers cannot be changed");
      this.#sorted = null;
    }

    append(name, value) {
      need(arguments, 2, "Headers.append");
      name = nameOf(name);
      value = valueOf(name, value);
      this.#edit();
      this.#list.push([name, value]);
    }
    delete(name) {
      need(arguments, 1, "Headers.delete");
      name = nameOf(name);
      this.#edit();
      this.#list = this.#list.filter((h) => h[0] !== name);
    }
    get(name) {
      need(arguments, 1, "Headers.get");
      name = nameOf(name);
      const values = this.#list.filter((h) => h[0] === name).map((h) => h[1]);
      return values.length === 0 ? null : values.join(", ");
    }
    getSetCookie() { return this.#list.filter((h) => h[0] === "set-cookie").map((h) => h[1]); }
    has(name) {
      need(arguments, 1, "Headers.has");
      name = nameOf(name);
      return this.#list.some((h) => h[0] === name);
    }
    set(name, value) {
      need(arguments, 2, "Headers.set");
      name = nameOf(name);
      value = valueOf(name, value);
      this.#edit();
      const first = this.#list.find((h) => h[0] === name);
      if (first === undefined) {
        this.#list.push([name, value]);
        return;
      }
      first[1] = value;
      this.#list = this.#list.filter((h) => h[0] !== name || h === first);
    }

    // By name, values combined; each Set-Cookie stands alone.
    #combined() {
      if (this.#sorted !== null) return this.#sorted;
      const out = [], byName = { __proto__: null };
      for (const [name, value] of this.#list) {
        if (name === "set-cookie" || byName[name] === undefined) {
          out.push((byName[name] = [name, value]));
        } else {
          byName[name][1] += `, ${value}`;
        }
      }
      out.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      return (this.#sorted = out);
    }
    forEach(callback, thisArg = undefined) {
      need(arguments, 1, "Headers.forEach");
      if (typeof callback !== "function") throw new TypeError("Headers.forEach: the callback must be a function");
      for (let i = 0; i < this.#combined().length; i++) {
        const [name, value] = this.#combined()[i];
        apply(callback, thisArg, [value, name, this]);
      }
    }
    entries() { return iterate(this.#at(), (h) => [h[0], h[1]]); }
    keys() { return iterate(this.#at(), (h) => h[0]); }
    values() { return iterate(this.#at(), (h) => h[1]); }
    #at() {
      this.#list; // throws for anything but Headers
      return (i) => this.#combined()[i];
    }

    static {
      listOf = (h) => h.#list;
      // What came over the network is taken as it is and cannot be changed.
      received = (pairs) => {
        const h = new Headers();
        for (const [name, value] of pairs) h.#list.push([name.toLowerCase(), value]);
        h.#locked = true;
        return h;
      };
      lock = (h) => {
        h.#locked = true;
        return h;
      };
      inspectors.push((v) => {
        if (!(#list in v)) return undefined;
        const o = { __proto__: null };
        for (const [name, value] of v.#combined()) o[name] = name in o ? `${o[name]}, ${value}` : value;
        return o;
      });
    }
  }
  expose(Headers, "Headers");
  Object.defineProperty(Headers.prototype, iterator, { value: Headers.prototype.entries, writable: true, configurable: true });

  return { Headers, listOf, received, lock };
})
