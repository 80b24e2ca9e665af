(function (host, use) {
  "use strict";
  const { expose, need, isObject, dictionary, inspectors } = use("webidl");
  const { Headers } = use("headers");
  const { Body, extract, methods } = use("body");
  const { URL, hrefOf } = use("url");
  const { AbortSignal, isSignal } = use("abort");

  const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
  const usual = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"];
  const redirects = ["follow", "error", "manual"];
  let inner;

  function methodOf(v) {
    const method = `${v}`, upper = method.toUpperCase();
    if (!token.test(method)) throw new TypeError(`Request: ${JSON.stringify(method.slice(0, 100))} is not a valid method`);
    if (upper === "CONNECT" || upper === "TRACE" || upper === "TRACK") throw new TypeError(`Request: the method ${upper} is not allowed`);
    return usual.includes(upper) ? upper : method;
  }

  function urlOf(input) {
    const text = hrefOf(input) ?? `${input}`;
    const url = URL.parse(text);
    if (url === null) throw new TypeError(`Request: ${JSON.stringify(text.slice(0, 200))} is not an absolute URL`);
    if (url.username !== "" || url.password !== "") {
      throw new TypeError("Request: the URL must not hold a user name or password; use an Authorization header");
    }
    return url.href;
  }

  class Request {
    #url; #method = "GET"; #headers; #redirect = "follow"; #signal; #exposed; #body;

    constructor(input, init = undefined) {
      need(arguments, 1, "Request constructor");
      init = dictionary(init, "The init argument of Request");
      const from = isObject(input) && #url in input ? input : undefined;
      if (from !== undefined) {
        this.#url = from.#url;
        this.#method = from.#method;
        this.#redirect = from.#redirect;
        this.#signal = from.#signal;
      } else {
        this.#url = urlOf(input);
      }
      if (init.method !== undefined) this.#method = methodOf(init.method);
      if (init.redirect !== undefined) {
        this.#redirect = `${init.redirect}`;
        if (!redirects.includes(this.#redirect)) throw new TypeError(`Request: redirect must be one of ${redirects.join(", ")}`);
      }
      if (init.signal !== undefined) {
        if (init.signal !== null && !isSignal(init.signal)) throw new TypeError("Request: signal must be an AbortSignal");
        this.#signal = init.signal ?? undefined;
      }
      this.#headers = new Headers(init.headers ?? from?.#headers);
      const given = init.body !== undefined && init.body !== null;
      if ((given || from?.#body.source) && (this.#method === "GET" || this.#method === "HEAD")) {
        throw new TypeError(`Request: a ${this.#method} request cannot have a body`);
      }
      if (given) {
        const { source, type } = extract(init.body);
        if (type !== null && !this.#headers.has("content-type")) this.#headers.append("content-type", type);
        this.#body = new Body(source);
      } else if (from !== undefined) {
        this.#body = from.#body.clone();
        from.#body.used = from.#body.source !== null;
      } else {
        this.#body = new Body(null);
      }
    }

    get method() { return this.#method; }
    get url() { return this.#url; }
    get headers() { return this.#headers; }
    get redirect() { return this.#redirect; }
    // A signal of its own, as the standard wants; made when somebody looks.
    get signal() { return (this.#exposed ??= AbortSignal.any(this.#signal === undefined ? [] : [this.#signal])); }
    clone() {
      const body = this.#body.clone();
      const r = new Request(this.#url, { method: this.#method, headers: this.#headers, redirect: this.#redirect, signal: this.#signal });
      r.#body = body;
      return r;
    }

    static {
      inner = (r) => ({ url: r.#url, method: r.#method, headers: r.#headers, redirect: r.#redirect, signal: r.#signal, body: r.#body });
      methods(Request, (r) => r.#body);
      inspectors.push((v) => (#url in v ? { method: v.#method, url: v.#url, headers: v.#headers } : undefined));
    }
  }
  expose(Request, "Request");

  return { Request, inner };
})
