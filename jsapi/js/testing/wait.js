// vi.waitFor and vi.waitUntil.
(function (host, use) {
  "use strict";
  const { isThenable } = use("testing/base");
  const runner = use("testing/runner");
  const ErrorClass = Error, PromiseClass = Promise;

  const limits = (o) => ({ interval: 50, timeout: 1000, ...(typeof o === "number" ? { timeout: o } : o) });

  // again calls check until it says that it is done, or time is over.
  function again(options, check, late) {
    const { interval, timeout } = limits(options);
    const start = runner.now();
    return new PromiseClass((resolve, reject) => {
      let pending = false, over = false;
      const end = (f, v) => { if (!over) { over = true; f(v); } };
      const ask = () => {
        if (over) return;
        const timers = use("testing/fake_timers");
        if (timers.active()) timers.members.advanceTimersByTime(interval);
        if (!pending) {
          const wait = check((v) => end(resolve, v), (e) => end(reject, e));
          if (wait !== undefined) { pending = true; wait.then(() => { pending = false; }); }
        }
        if (over) return;
        if (runner.now() - start >= timeout) return end(reject, late());
        runner.setTimer(ask, interval, false);
      };
      ask();
    });
  }

  const members = {
    waitFor(callback, options) {
      const trace = new ErrorClass("Timed out in waitFor!");
      let last, failed = false;
      const note = (e) => { last = e; failed = true; };
      return again(options, (done) => {
        try {
          const got = callback();
          if (!isThenable(got)) { done(got); return undefined; }
          return got.then(done, note);
        } catch (e) { note(e); return undefined; }
      }, () => (failed ? last : trace));
    },
    waitUntil(callback, options) {
      const trace = new ErrorClass("Timed out in waitUntil!");
      return again(options, (done, fail) => {
        try {
          const got = callback();
          if (isThenable(got)) return got.then((v) => { if (v) done(v); }, fail);
          if (got) done(got);
        } catch (e) { fail(e); }
        return undefined;
      }, () => trace);
    },
  };
  return { members };
})
