(function (host, use) {
  "use strict";
  const { expose, constants, need, isObject, dictionary } = use("webidl");
  const { defineProperty } = Object;
  const { apply } = Reflect;

  let stateOf, listening; // what only scripts of ours may see

  class Event {
    #type; #bubbles; #cancelable; #composed; #time = host.now();
    #state = { target: null, current: null, phase: 0, stop: false, stopNow: false, canceled: false, passive: false, dispatching: false };
    constructor(type, init) {
      need(arguments, 1, "Event constructor");
      const d = dictionary(init, "The init argument of Event");
      this.#type = `${type}`;
      this.#bubbles = !!d.bubbles;
      this.#cancelable = !!d.cancelable;
      this.#composed = !!d.composed;
    }
    get type() { return this.#type; }
    get target() { return this.#state.target; }
    get srcElement() { return this.#state.target; }
    get currentTarget() { return this.#state.current; }
    composedPath() { return this.#state.current === null ? [] : [this.#state.current]; }
    get eventPhase() { return this.#state.phase; }
    stopPropagation() { this.#state.stop = true; }
    get cancelBubble() { return this.#state.stop; }
    set cancelBubble(v) { if (v) this.#state.stop = true; }
    stopImmediatePropagation() { this.#state.stop = this.#state.stopNow = true; }
    get bubbles() { return this.#bubbles; }
    get cancelable() { return this.#cancelable; }
    get returnValue() { return !this.#state.canceled; }
    set returnValue(v) { if (!v) this.preventDefault(); }
    preventDefault() { if (this.#cancelable && !this.#state.passive) this.#state.canceled = true; }
    get defaultPrevented() { return this.#state.canceled; }
    get composed() { return this.#composed; }
    get isTrusted() { return false; }
    get timeStamp() { return this.#time; }
    static { stateOf = (e) => (#state in e ? e.#state : undefined); }
  }
  constants(expose(Event, "Event"), { NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 });

  class CustomEvent extends Event {
    #detail;
    constructor(type, init) {
      need(arguments, 1, "CustomEvent constructor");
      super(type, init);
      const detail = dictionary(init, "The init argument of CustomEvent").detail;
      this.#detail = detail === undefined ? null : detail;
    }
    get detail() { return this.#detail; }
  }
  expose(CustomEvent, "CustomEvent");

  const capture = (options) => (isObject(options) ? !!options.capture : !!options);

  const none = []; // stays empty: most signals never get a listener

  class EventTarget {
    #listeners = none; // {type, callback, capture, once, passive, removed}, in order of adding

    addEventListener(type, callback, options) {
      need(arguments, 2, "addEventListener");
      type = `${type}`;
      if (callback !== null && callback !== undefined && !isObject(callback)) {
        throw new TypeError("addEventListener: the listener must be a function or an object with handleEvent");
      }
      const opts = isObject(options) ? options : {};
      const l = { type, callback, capture: capture(options), once: !!opts.once, passive: !!opts.passive, removed: false };
      const { signal } = opts;
      if (signal !== undefined && !use("abort").isSignal(signal)) {
        throw new TypeError("addEventListener: options.signal must be an AbortSignal");
      }
      if (callback === null || callback === undefined || signal?.aborted) return;
      for (const have of this.#listeners) {
        if (have.type === type && have.callback === callback && have.capture === l.capture) return;
      }
      if (this.#listeners === none) this.#listeners = [l];
      else this.#listeners.push(l);
      if (signal !== undefined) use("abort").follow(signal, () => this.#drop(l));
    }

    removeEventListener(type, callback, options) {
      need(arguments, 2, "removeEventListener");
      type = `${type}`;
      const c = capture(options);
      for (const l of this.#listeners) {
        if (l.type === type && l.callback === callback && l.capture === c) return this.#drop(l);
      }
    }

    dispatchEvent(event) {
      need(arguments, 1, "dispatchEvent");
      const state = isObject(event) ? stateOf(event) : undefined;
      if (state === undefined) throw new TypeError("dispatchEvent: the argument must be an Event");
      if (state.dispatching) {
        const { DOMException } = use("dom_exception");
        throw new DOMException("The event is already being dispatched", "InvalidStateError");
      }
      this.#run(event, state);
      return !state.canceled;
    }

    #drop(l) {
      l.removed = true;
      const kept = [];
      for (const have of this.#listeners) if (have !== l) kept.push(have);
      this.#listeners = kept;
    }

    #run(event, state) {
      state.dispatching = true;
      state.target = state.current = this;
      state.phase = 2;
      const { type } = event;
      for (const l of [...this.#listeners]) {
        if (l.removed || l.type !== type) continue;
        if (l.once) this.#drop(l);
        state.passive = l.passive;
        try {
          if (typeof l.callback === "function") {
            apply(l.callback, this, [event]);
          } else {
            const { handleEvent } = l.callback;
            if (typeof handleEvent !== "function") throw new TypeError("the listener's handleEvent is not a function");
            apply(handleEvent, l.callback, [event]);
          }
        } catch (e) {
          host.report(e); // one bad listener does not stop the others
        }
        state.passive = false;
        if (state.stopNow) break;
      }
      state.dispatching = state.stop = state.stopNow = false;
      state.current = null;
      state.phase = 0;
    }

    static {
      listening = (target, type) => {
        for (const l of target.#listeners) if (l.type === type) return true;
        return false;
      };
    }
  }
  expose(EventTarget, "EventTarget");

  // An on… attribute: a listener that keeps its place when it is replaced.
  function handlerAttribute(C, type) {
    const handlers = new WeakMap();
    defineProperty(C.prototype, "on" + type, {
      get() { return handlers.get(this)?.handler ?? null; },
      set(v) {
        const handler = isObject(v) ? v : null;
        let h = handlers.get(this);
        if (h === undefined) handlers.set(this, (h = { handler: null, listener: null }));
        h.handler = handler;
        if (handler === null) {
          if (h.listener !== null) this.removeEventListener(type, h.listener);
          h.listener = null;
        } else if (h.listener === null) {
          h.listener = (e) => { if (typeof h.handler === "function") apply(h.handler, this, [e]); };
          this.addEventListener(type, h.listener);
        }
      },
      enumerable: true, configurable: true,
    });
  }

  return { Event, CustomEvent, EventTarget, listening, handlerAttribute };
})
