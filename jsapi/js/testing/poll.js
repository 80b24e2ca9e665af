// expect.poll: asks again until the value is as expected.
(function (host, use) {
  "use strict";
  const { apply, isError, defineProperty } = use("testing/base");
  const runner = use("testing/runner");
  const ErrorClass = Error;
  const refused = ["toMatchSnapshot", "toMatchInlineSnapshot", "toThrowErrorMatchingSnapshot", "toThrowErrorMatchingInlineSnapshot", "toThrow", "toThrowError"];

  const wait = (ms) => new Promise((resolve) => runner.setTimer(resolve, ms, false));

  async function poll(a, name, fn, args) {
    if (a.test === undefined) throw new ErrorClass("expect.poll() must be called inside a test");
    if (refused.includes(name)) {
      throw new SyntaxError(`expect.poll() is not supported in combination with .${name}(). Use vi.waitFor() if your assertion condition is unstable.`);
    }
    const origin = new ErrorClass(name), start = runner.now();
    const { interval = 50, timeout = 1000 } = a.poll, ask = a.value;
    for (;;) {
      const last = runner.now() - start >= timeout;
      try {
        a.value = await ask();
        return await apply(fn, a, args);
      } catch (e) {
        if (last) {
          if (isError(e)) {
            if (e.cause === undefined) defineProperty(e, "cause", { value: new ErrorClass("Matcher did not succeed in time."), writable: true, configurable: true });
            e.stack = `${e.name}: ${e.message}\n${`${origin.stack}`.split("\n").slice(1).join("\n")}`;
          }
          throw e;
        }
        await wait(interval);
        const timers = use("testing/fake_timers");
        if (timers.active()) timers.members.advanceTimersByTime(interval);
      }
    }
  }
  return { poll };
})
