(function (host, use) {
  "use strict";
  const { expose, need, isObject } = use("webidl");
  const { Event, EventTarget, listening, handlerAttribute } = use("event");
  const { apply } = Reflect;
  const { dispatchEvent } = EventTarget.prototype;

  const token = Symbol("token"); // the right to make and to fire signals
  // Most signals never fire, so the class of their reasons is made on demand.
  const exception = (message, name) => new (use("dom_exception").DOMException)(message, name);
  const aborted = () => exception("This operation was aborted", "AbortError");

  const none = []; // stays empty: most signals are never used
  let isSignal, fire, follow, hasListeners;

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason = undefined;
    #steps = none; // functions to run before listeners hear of it
    #sources = none; // of AbortSignal.any
    #dependents = none;

    constructor(key) {
      if (key !== token) throw new TypeError("Illegal constructor");
      super();
    }

    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }

    static abort(reason) {
      const s = new AbortSignal(token);
      s.#aborted = true;
      s.#reason = reason === undefined ? aborted() : reason;
      return s;
    }

    static timeout(milliseconds) {
      need(arguments, 1, "AbortSignal.timeout");
      const ms = Math.trunc(+milliseconds);
      if (!(ms >= 0 && ms <= Number.MAX_SAFE_INTEGER)) {
        throw new TypeError("AbortSignal.timeout: the time must be a number of milliseconds from 0 up");
      }
      const s = new AbortSignal(token);
      host.setTimer(() => s.#fire(exception("The operation was aborted due to timeout", "TimeoutError")), ms < 1 ? 1 : ms, false);
      return s;
    }

    static any(signals) {
      need(arguments, 1, "AbortSignal.any");
      if (!isObject(signals)) throw new TypeError("AbortSignal.any: the argument must be an iterable of AbortSignals");
      const list = [];
      for (const s of signals) {
        if (!isSignal(s)) throw new TypeError("AbortSignal.any: each element must be an AbortSignal");
        list.push(s);
      }
      const result = new AbortSignal(token);
      for (const s of list) {
        if (s.#aborted) {
          result.#aborted = true;
          result.#reason = s.#reason;
          return result;
        }
      }
      // Only the first signals of a chain keep dependents, so that firing is flat.
      for (const s of list) {
        for (const source of s.#sources.length > 0 ? s.#sources : [s]) {
          if (result.#sources.includes(source)) continue;
          result.#sources = [...result.#sources, source];
          source.#dependents = [...source.#dependents, result];
        }
      }
      return result;
    }

    #mark(reason) {
      this.#aborted = true;
      this.#reason = reason;
    }

    #tell() {
      const steps = this.#steps;
      this.#steps = none;
      for (const step of steps) step();
      apply(dispatchEvent, this, [new Event("abort")]);
    }

    #fire(reason) {
      if (this.#aborted) return;
      this.#mark(reason);
      const heirs = [];
      for (const d of this.#dependents) {
        if (d.#aborted) continue;
        d.#mark(reason);
        heirs.push(d);
      }
      this.#dependents = none;
      this.#tell();
      for (const d of heirs) d.#tell();
    }

    static {
      isSignal = (v) => isObject(v) && #aborted in v;
      fire = (s, reason) => s.#fire(reason);
      follow = (s, step) => {
        s.#steps = [...s.#steps, step];
        return () => {
          const kept = [];
          for (const have of s.#steps) if (have !== step) kept.push(have);
          s.#steps = kept;
        };
      };
      hasListeners = (s) => {
        if (listening(s, "abort")) return true;
        for (const d of s.#dependents) if (listening(d, "abort")) return true;
        return false;
      };
    }
  }
  expose(AbortSignal, "AbortSignal");
  handlerAttribute(AbortSignal, "abort");

  class AbortController {
    #signal = new AbortSignal(token);
    get signal() { return this.#signal; }
    abort(reason) { fire(this.#signal, reason === undefined ? aborted() : reason); }
  }
  expose(AbortController, "AbortController");

  return {
    AbortController, AbortSignal, isSignal, hasListeners,
    // follow runs step when the signal fires, before its listeners hear of
    // it, and returns a function that undoes this.
    follow,
    newSignal: () => new AbortSignal(token),
    fire: (signal, name, message) => fire(signal, exception(message, name)),
  };
})
