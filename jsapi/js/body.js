// Bodies of requests and responses.
(function (host, use) {
  "use strict";
  const { usv, bytesOf } = use("webidl");
  const { defineProperty } = Object;
  const { parse } = JSON;
  const U8 = Uint8Array;
  const credit = 65536; // bytes asked of a stream at a time

  // What a body's bytes come from: bytes at hand, or a stream of the broker
  // that is pulled when somebody wants it. Clones share one.
  class Source {
    #bytes; #stream; #signal; #whole = null;
    constructor(bytes, stream, signal) {
      this.#bytes = bytes;
      this.#stream = stream;
      this.#signal = signal;
    }
    async all() {
      return this.#bytes ?? (await (this.#whole ??= this.#pull()));
    }
    #pull() {
      const stream = this.#stream, signal = this.#signal;
      return new Promise((resolve, reject) => {
        let undo = () => {};
        if (signal !== undefined) {
          const stop = () => {
            host.close(stream);
            reject(signal.reason);
          };
          if (signal.aborted) return stop();
          undo = use("abort").follow(signal, stop);
        }
        (async () => {
          try {
            const chunks = [];
            for (let chunk; (chunk = await host.read(stream, credit)) !== null; ) chunks.push(chunk);
            resolve(join(chunks));
          } catch (e) {
            reject(e);
          } finally {
            undo();
          }
        })();
      });
    }
  }

  function join(chunks) {
    let size = 0;
    for (const c of chunks) size += c.length;
    const out = new U8(size);
    let at = 0;
    for (const c of chunks) {
      out.set(c, at);
      at += c.length;
    }
    return out;
  }

  // Body init → {source, type}: the bytes, and the content type they imply.
  function extract(init) {
    if (init === undefined || init === null) return { source: null, type: null };
    const view = bytesOf(init);
    if (view !== undefined) return { source: new Source(view.slice()), type: null };
    const params = use("search_params").listOf(init);
    if (params !== undefined) {
      return { source: encode(init), type: "application/x-www-form-urlencoded;charset=UTF-8" };
    }
    return { source: encode(init), type: "text/plain;charset=UTF-8" };
  }
  const encode = (v) => new Source(new U8(host.encode(usv(v))));

  // One owner's body: a source, and whether the owner has read it.
  class Body {
    used = false;
    constructor(source) { this.source = source; }
    async take() {
      if (this.source === null) return new U8(0);
      if (this.used) throw new TypeError("Body is unusable: it has been read already");
      this.used = true;
      return await this.source.all();
    }
    clone() {
      if (this.used) throw new TypeError("Body is unusable: it has been read already, so it cannot be cloned");
      return new Body(this.source);
    }
  }

  // Gives a class the methods of Body; bodyOf(this) must throw for strangers.
  function methods(C, bodyOf) {
    const all = {
      async arrayBuffer() { return (await bodyOf(this).take()).slice().buffer; },
      async bytes() { return (await bodyOf(this).take()).slice(); },
      async json() {
        const text = host.text(await bodyOf(this).take());
        if (!host.shallow(text)) throw new SyntaxError("The body is JSON that is nested too deeply");
        return parse(text);
      },
      async text() { return host.text(await bodyOf(this).take()); },
    };
    for (const key of Object.keys(all)) {
      defineProperty(C.prototype, key, { value: all[key], writable: true, configurable: true });
    }
    defineProperty(C.prototype, "bodyUsed", { get() { return bodyOf(this).used; }, configurable: true });
  }

  return { Body, extract, methods, streamed: (stream, signal) => new Body(new Source(undefined, stream, signal)) };
})
