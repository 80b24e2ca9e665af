(function (host, use) {
  "use strict";
  const { need } = use("webidl");
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  const settled = Promise.resolve();

  function start(what, args, repeat) {
    need(args, 1, what);
    const [fn, delay, ...rest] = args;
    if (typeof fn !== "function") {
      throw new TypeError(`${what}: the callback must be a function, not ${fn === null ? "null" : typeof fn}`);
    }
    const ms = +delay;
    return host.set(fn, ms >= 1 && ms <= 2147483647 ? ms : 1, repeat, ...rest);
  }
  function stop(id) {
    const n = typeof id === "number" || typeof id === "string" ? +id : 0;
    if (n > 0) host.clear(n);
  }

  return {
    setTimeout: function setTimeout(callback, delay, ...args) { return start("setTimeout", arguments, false); },
    setInterval: function setInterval(callback, delay, ...args) { return start("setInterval", arguments, true); },
    clearTimeout: function clearTimeout(id) { stop(id); },
    clearInterval: function clearInterval(id) { stop(id); },
    queueMicrotask: function queueMicrotask(callback) {
      if (typeof callback !== "function") {
        throw new TypeError(`queueMicrotask: the callback must be a function, not ${callback === null ? "null" : typeof callback}`);
      }
      apply(then, settled, [() => {
        try {
          callback();
        } catch (e) {
          host.report(e);
        }
      }]);
    },
  };
})
