// mockFetch: what the network answers in a test.
(function (host, use) {
  "use strict";
  const { isObject, isArray, isThenable, tagOf, keys, defineProperty } = use("testing/base");
  const runner = use("testing/runner");
  const { atEnd } = use("testing/lifetime");
  const { bytesOf } = use("webidl");
  const { equal, asymmetric } = use("testing/equal");
  const { display } = use("testing/display");
  const { stringify, parse } = JSON;
  const WrongType = TypeError, ErrorClass = Error;
  const active = []; // mocks, the newest first

  const isPattern = (v) => tagOf(v) === "RegExp";
  // fits compares a text with what is expected of it.
  function fits(want, got) {
    if (isPattern(want)) { want.lastIndex = 0; return got !== undefined && want.test(got); }
    if (asymmetric(want)) return want.asymmetricMatch(got);
    if (typeof want === "function") return want(got) === true;
    return got !== undefined && sameBut(`${want}`, got);
  }
  // sameBut compares texts, but for secrets that a recording does not hold.
  function sameBut(want, got) {
    const parts = want.split("[redacted]"), last = parts.length - 1;
    if (last === 0) return want === got;
    if (!got.startsWith(parts[0])) return false;
    let at = parts[0].length;
    for (let i = 1; i < last; i++) {
      at = got.indexOf(parts[i], at);
      if (at < 0) return false;
      at += parts[i].length;
    }
    return got.length - parts[last].length >= at && got.endsWith(parts[last]);
  }
  const show = (v) => (typeof v === "string" ? stringify(v) : isPattern(v) ? `${v}` : typeof v === "function" ? "a function" : display(v));

  class Seen {
    #bytes;
    constructor(r) {
      this.url = r.url;
      this.method = r.method;
      this.headers = new (use("headers").Headers)(r.headers ?? []);
      this.#bytes = new Uint8Array(host.decode(r.body ?? ""));
    }
    get body() { return host.text(this.#bytes); }
    get bytes() { return this.#bytes.slice(); }
    get query() { return Object.fromEntries(new (use("url").URL)(this.url).searchParams); }
    json() { return parse(this.body); }
  }

  // Route is one kind of request and its answers.
  class Route {
    #mock; #method; #url; #match; #replies = []; #times = Infinity; #name;
    constructor(mock, method, url, match = {}, name = undefined) {
      if (typeof url !== "string" && !isPattern(url) && typeof url !== "function" && !(url instanceof use("url").URL)) throw new WrongType(`mockFetch: the address must be a text, a RegExp or a function, got ${show(url)}`);
      if (!isObject(match)) throw new WrongType("mockFetch: what to match must be an object with query, headers or body");
      for (const k of keys(match)) if (k !== "query" && k !== "headers" && k !== "body") throw new WrongType(`mockFetch: cannot match ${k}; known are query, headers and body`);
      this.calls = [];
      this.#mock = mock; this.#method = method; this.#url = typeof url === "object" && !isPattern(url) ? `${url}` : url; this.#match = match; this.#name = name;
      for (const verb of verbs) defineProperty(this, verb, { value: (...args) => mock[verb](...args) });
    }
    // reply(status, body, headers), where body may be a function of the request;
    // or reply(function of the request that gives { status, body, headers }).
    // Several replies are given one after the other, and the last again.
    reply(status, body, headers) {
      if (typeof status !== "function" && !(status >= 100 && status <= 599)) throw new WrongType(`mockFetch: the status must be a number from 100 to 599, got ${show(status)}`);
      this.#replies.push({ status, body, headers });
      return this;
    }
    replyError(message = "the connection was refused") { this.#replies.push({ error: `${message}` }); return this; }
    times(n) {
      if (!(n > 0)) throw new WrongType("mockFetch: times needs a number above 0");
      this.#times = n;
      return this;
    }
    once() { return this.times(1); }
    persist() { this.#times = Infinity; return this; }
    toString() { return this.#name ?? `${this.#method.toUpperCase()} ${show(this.#url).replace(/^"|"$/g, "")}`; }
    get used() { return this.#times === Infinity ? this.calls.length > 0 : this.calls.length >= this.#times; }
    get exhausted() { return this.calls.length >= this.#times; }

    // why lists what differs; how far off the request is comes first.
    why(r) {
      const out = [];
      let far = 0;
      if (this.#method !== "any" && this.#method !== r.method.toLowerCase()) { out.push(`the method is ${r.method}, expected ${this.#method.toUpperCase()}`); far += 2; }
      const want = this.#url;
      const [address] = r.url.split("#"), [base] = address.split("?");
      if (typeof want !== "string") { if (!fits(want, address)) { out.push(`the address is no match for ${show(want)}`); far += 4; } }
      else if (want.endsWith("*")) { if (!address.startsWith(want.slice(0, -1))) { out.push(`the address does not begin with ${want.slice(0, -1)}`); far += 4 + apart(want, address); } }
      else {
        const [path, query] = want.split("#")[0].split("?");
        if (norm(base) !== norm(path)) { out.push(`the address is ${base}, expected ${path}`); far += 4 + apart(path, base); }
        if (query !== undefined) far += this.#query(Object.fromEntries(new (use("search_params").URLSearchParams)(query)), r, out);
      }
      if (this.#match.query !== undefined) far += this.#query(this.#match.query, r, out);
      for (const name of keys(this.#match.headers ?? {})) {
        const got = r.headers.get(name) ?? undefined;
        if (!fits(this.#match.headers[name], got)) { out.push(`the header ${name} is ${got === undefined ? "missing" : show(got)}, expected ${show(this.#match.headers[name])}`); far++; }
      }
      const body = this.#match.body;
      if (body !== undefined) {
        let same;
        if (isObject(body) && !isPattern(body) && !asymmetric(body)) { try { same = equal(parse(r.body), body); } catch { same = false; } }
        else if (typeof body === "function") same = body(r.body, r) === true;
        else if (asymmetric(body)) { let v = r.body; try { v = parse(r.body); } catch {} same = body.asymmetricMatch(v) || body.asymmetricMatch(r.body); }
        else same = fits(body, r.body);
        if (!same) { out.push(`the body is ${show(r.body.slice(0, 200))}, expected ${show(isObject(body) && !isPattern(body) && !asymmetric(body) ? stringify(body) : body)}`); far++; }
      }
      if (out.length === 0 && this.exhausted) { out.push(`it has answered ${this.calls.length} time${this.calls.length === 1 ? "" : "s"}, and answers no more`); far++; }
      return { far, text: out.join("; ") };
    }
    #query(want, r, out) {
      const got = new (use("url").URL)(r.url).searchParams;
      let far = 0;
      for (const name of keys(want)) {
        const have = got.get(name) ?? undefined;
        if (!fits(want[name], have)) { out.push(`the query's ${name} is ${have === undefined ? "missing" : show(have)}, expected ${show(want[name])}`); far++; }
      }
      return far;
    }

    async answer(r) {
      const n = this.calls.length;
      this.calls.push(r);
      const reply = this.#replies[n < this.#replies.length ? n : this.#replies.length - 1] ?? { status: 200 };
      if (reply.error !== undefined) return { error: reply.error };
      let { status, body, headers } = reply;
      if (typeof status === "function") {
        let got = status(r);
        if (isThenable(got)) got = await got;
        if (use("response").Response && got instanceof use("response").Response) return await ofResponse(got);
        if (isArray(got)) [status, body, headers] = got;
        else if (isObject(got) && ("status" in got || "body" in got || "headers" in got)) ({ status = 200, body, headers } = got);
        else { status = 200; body = got; }
      } else if (typeof body === "function") {
        body = body(r);
        if (isThenable(body)) body = await body;
      }
      return plain(status, body, headers);
    }
  }
  const norm = (url) => (url.endsWith("/") ? url.slice(0, -1) : url);
  // apart says how different two addresses are, from 0 to 1.
  function apart(a, b) {
    let i = 0;
    while (i < a.length && i < b.length && a[i] === b[i]) i++;
    return 1 - i / Math.max(a.length, b.length, 1);
  }

  function plain(status, body, headers) {
    const list = [...new (use("headers").Headers)(headers ?? {})], has = (name) => list.some(([k]) => k === name);
    let raw = "", type;
    const view = body === undefined || body === null ? undefined : bytesOf(body);
    if (view !== undefined) raw = host.encode(view);
    else if (typeof body === "string") { raw = host.encode(body); type = "text/plain;charset=UTF-8"; }
    else if (body !== undefined && body !== null) { raw = host.encode(stringify(body)); type = "application/json"; }
    if (type !== undefined && !has("content-type")) list.push(["content-type", type]);
    return { status, headers: list, body: raw === "" ? undefined : raw };
  }
  async function ofResponse(res) {
    return { status: res.status, statusText: res.statusText || undefined, headers: [...res.headers], body: host.encode(await res.bytes()) };
  }

  const verbs = ["get", "post", "put", "patch", "delete", "head", "any"];
  class Mock {
    constructor(options) {
      this.routes = [];
      this.calls = [];
      this.strict = options.strict ?? options.cassette !== undefined;
      this.state = runner.state();
      this.cassette = options.cassette;
      if (this.cassette !== undefined) this.#load(this.cassette);
      for (const verb of verbs) defineProperty(this, verb, { value: (url, match) => { const r = new Route(this, verb, url, match); this.routes.push(r); return r; } });
    }
    #load(name) {
      const tape = runner.tell("cassette", { name });
      this.record = tape.mode === "record";
      this.path = tape.path;
      if (this.record) return;
      if (!tape.found) throw new ErrorClass(`mockFetch: there is no recording ${tape.path}: make it with rho-ext test --record`);
      (tape.entries ?? []).forEach((e, i) => {
        const { match: m, response: res } = e;
        const r = new Route(this, m.method.toLowerCase(), m.url ?? `${m.url_prefix ?? ""}*`, { query: m.query ?? {}, headers: m.headers ?? {}, body: m.body === undefined || m.body === "" ? undefined : m.body },
          `${m.method} ${m.url ?? `${m.url_prefix}*`} (entry ${i + 1} of ${tape.path})`);
        r.reply(res.status, res.body_json !== undefined ? res.body_json : res.body_base64 !== undefined ? new Uint8Array(host.decode(res.body_base64)) : res.body, res.headers).times(e.times || 1);
        this.routes.push(r);
      });
    }
    end() {
      const at = active.indexOf(this);
      if (at >= 0) active.splice(at, 1);
      if (!this.strict || this.record) return;
      const idle = this.routes.filter((r) => !r.used);
      if (idle.length > 0) throw new ErrorClass(`mockFetch: the test ended, and these were expected but did not come: ${idle.join(", ")}`);
    }
  }

  // mockFetch makes an empty mock, which ends with the test that made it: one of
  // beforeAll with its suite, and one of the top level with the file. A route
  // answers any number of times, unless times says how often. Of several routes
  // that fit, the first of the newest mock answers.
  function mockFetch(options = {}) {
    if (!isObject(options)) throw new WrongType("mockFetch: the options must be an object");
    for (const k of keys(options)) if (k !== "strict" && k !== "cassette") throw new WrongType(`mockFetch: unknown option ${k}; known are strict and cassette`);
    if (options.cassette !== undefined && (typeof options.cassette !== "string" || options.cassette === "")) throw new WrongType("mockFetch: cassette must be a name");
    if (options.cassette !== undefined) runner.owner("mockFetch({ cassette })");
    const m = new Mock(options);
    active.unshift(m);
    const s = runner.state();
    if (s !== undefined) atEnd(s.node.suite ? s.node : s, () => m.end());
    return m;
  }

  // answer gives a request's answer: as JSON text, for the runner.
  async function answer(raw) {
    const r = new Seen(raw);
    let closest, tape;
    for (const m of active) {
      // Tests that run side by side have their own.
      if (m.state !== undefined && !m.state.node.suite && raw.test > 0 && m.state.node.id !== raw.test) continue;
      for (const route of m.routes) {
        const why = route.why(r);
        if (why.far === 0 && why.text === "") {
          m.calls.push(r);
          if (m.state !== undefined) runner.setState(m.state);
          return stringify(await route.answer(r));
        }
        if (closest === undefined || why.far < closest.far) closest = { ...why, route };
      }
      if (m.record && tape === undefined) tape = m;
    }
    if (tape !== undefined) { tape.calls.push(r); return stringify({ pass: tape.cassette }); }
    const line = `${r.method} ${r.url}`;
    if (closest === undefined) return stringify({ unmatched: `nothing answers ${line}: the test has no mockFetch() for it` });
    return stringify({ unmatched: `nothing answers ${line}; closest is ${closest.route}: ${closest.text}` });
  }

  return { mockFetch, answer };
})
