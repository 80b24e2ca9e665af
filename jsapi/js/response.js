(function (host, use) {
  "use strict";
  const { expose, need, dictionary, usv, inspectors } = use("webidl");
  const { Headers, received, lock } = use("headers");
  const { Body, extract, methods, streamed } = use("body");
  const { stringify } = JSON;
  let fromNetwork;

  const noBody = (status) => status === 101 || status === 103 || status === 204 || status === 205 || status === 304;

  class Response {
    #status = 200; #statusText = ""; #headers; #type = "default"; #url = ""; #redirected = false; #body;

    constructor(body = null, init = undefined) {
      init = dictionary(init, "The init argument of Response");
      if (init.status !== undefined) {
        this.#status = Math.trunc(+init.status);
        if (!(this.#status >= 200 && this.#status <= 599)) throw new RangeError("Response: status must be from 200 to 599");
      }
      if (init.statusText !== undefined) {
        this.#statusText = `${init.statusText}`;
        if (/[^\t\x20-\x7e\x80-\xff]/.test(this.#statusText)) throw new TypeError("Response: statusText has characters that are not allowed");
      }
      this.#headers = new Headers(init.headers ?? undefined);
      if (body !== null && body !== undefined && noBody(this.#status)) {
        throw new TypeError(`Response: a response with status ${this.#status} cannot have a body`);
      }
      const { source, type } = extract(body);
      if (type !== null && !this.#headers.has("content-type")) this.#headers.append("content-type", type);
      this.#body = new Body(source);
    }

    static error() {
      const r = new Response();
      r.#status = 0;
      r.#type = "error";
      lock(r.#headers);
      return r;
    }
    static json(data, init = undefined) {
      need(arguments, 1, "Response.json");
      const text = stringify(data);
      if (text === undefined) throw new TypeError("Response.json: the value has no JSON form");
      const headers = new Headers(init?.headers ?? undefined);
      if (!headers.has("content-type")) headers.append("content-type", "application/json");
      return new Response(text, { status: init?.status, statusText: init?.statusText, headers });
    }
    static redirect(url, status = 302) {
      need(arguments, 1, "Response.redirect");
      const parsed = use("url").URL.parse(url);
      if (parsed === null) throw new TypeError(`Response.redirect: ${stringify(usv(url).slice(0, 200))} is not an absolute URL`);
      status = Math.trunc(+status);
      if (![301, 302, 303, 307, 308].includes(status)) throw new RangeError("Response.redirect: status must be 301, 302, 303, 307 or 308");
      const r = new Response(null, { status, headers: [["location", parsed.href]] });
      lock(r.#headers);
      return r;
    }

    get type() { return this.#type; }
    get url() { return this.#url; }
    get redirected() { return this.#redirected; }
    get status() { return this.#status; }
    get ok() { return this.#status >= 200 && this.#status <= 299; }
    get statusText() { return this.#statusText; }
    get headers() { return this.#headers; }
    clone() {
      const body = this.#body.clone();
      const r = new Response();
      r.#status = this.#status;
      r.#statusText = this.#statusText;
      r.#headers = new Headers(this.#headers);
      r.#type = this.#type;
      r.#url = this.#url;
      r.#redirected = this.#redirected;
      r.#body = body;
      return r;
    }

    static {
      fromNetwork = (head, stream, signal) => {
        const r = new Response();
        r.#status = head.status;
        r.#statusText = head.statusText;
        r.#headers = received(head.headers ?? []);
        r.#type = "basic";
        r.#url = head.url.split("#")[0];
        r.#redirected = head.redirected;
        if (stream !== 0) r.#body = streamed(stream, signal);
        return r;
      };
      methods(Response, (r) => r.#body);
      inspectors.push((v) => (#status in v ? { status: v.#status, statusText: v.#statusText, url: v.#url, headers: v.#headers, bodyUsed: v.#body.used } : undefined));
    }
  }
  expose(Response, "Response");

  return { Response, fromNetwork };
})
