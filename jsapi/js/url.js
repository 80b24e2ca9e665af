(function (host, use) {
  "use strict";
  const { expose, need, isObject, usv, inspectors } = use("webidl");
  const { fresh } = use("search_params");

  // Places in the list that host.parse and host.set give.
  const RECORD = 0, HREF = 1, ORIGIN = 2, PROTOCOL = 3, USERNAME = 4, PASSWORD = 5,
    HOST = 6, HOSTNAME = 7, PORT = 8, PATHNAME = 9, SEARCH = 10, HASH = 11;
  let hrefOf;

  const parse = (url, base) => host.parse(usv(url), base === undefined ? undefined : usv(base));

  class URL {
    #parts;
    #query = null;

    constructor(url, base = undefined) {
      need(arguments, 1, "URL constructor");
      const parts = parse(url, base);
      if (parts === undefined) {
        const e = new TypeError(`Invalid URL: ${usv(url).slice(0, 200)}${base === undefined ? "" : ` with base ${usv(base).slice(0, 200)}`}`);
        Object.defineProperty(e, "code", { value: "ERR_INVALID_URL", writable: true, configurable: true });
        throw e;
      }
      this.#parts = parts;
    }

    static canParse(url, base = undefined) {
      need(arguments, 1, "URL.canParse");
      return parse(url, base) !== undefined;
    }
    static parse(url, base = undefined) {
      need(arguments, 1, "URL.parse");
      return parse(url, base) === undefined ? null : new URL(url, base);
    }

    #set(what, value) { this.#parts = host.set(this.#parts[RECORD], what, usv(value)); }
    #search() { this.#query?.reset(this.#parts[SEARCH].slice(1)); }

    get href() { return this.#parts[HREF]; }
    set href(v) {
      const parts = parse(v);
      if (parts === undefined) throw new TypeError(`Invalid URL: ${usv(v).slice(0, 200)}`);
      this.#parts = parts;
      this.#search();
    }
    get origin() { return this.#parts[ORIGIN]; }
    get protocol() { return this.#parts[PROTOCOL]; }
    set protocol(v) { this.#set("protocol", v); }
    get username() { return this.#parts[USERNAME]; }
    set username(v) { this.#set("username", v); }
    get password() { return this.#parts[PASSWORD]; }
    set password(v) { this.#set("password", v); }
    get host() { return this.#parts[HOST]; }
    set host(v) { this.#set("host", v); }
    get hostname() { return this.#parts[HOSTNAME]; }
    set hostname(v) { this.#set("hostname", v); }
    get port() { return this.#parts[PORT]; }
    set port(v) { this.#set("port", v); }
    get pathname() { return this.#parts[PATHNAME]; }
    set pathname(v) { this.#set("pathname", v); }
    get search() { return this.#parts[SEARCH]; }
    set search(v) {
      this.#set("search", v);
      this.#search();
    }
    get searchParams() {
      if (this.#query === null) {
        this.#query = fresh((query) => this.#set("search", query));
        this.#search();
      }
      return this.#query.params;
    }
    get hash() { return this.#parts[HASH]; }
    set hash(v) { this.#set("hash", v); }
    toJSON() { return this.#parts[HREF]; }
    toString() { return this.#parts[HREF]; }

    static {
      hrefOf = (v) => (isObject(v) && #parts in v ? v.#parts[HREF] : undefined);
      inspectors.push((v) => (#parts in v ? v.#parts[HREF] : undefined));
    }
  }
  expose(URL, "URL");

  return { URL, hrefOf };
})
