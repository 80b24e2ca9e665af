// vi, with members that are made when a test uses them.
(function (host, use) {
  "use strict";
  const { defineProperty } = use("testing/base");
  const { refuse } = use("testing/module");
  const runner = use("testing/runner");
  const { keys } = Object;

  const groups = {
    mock: ["fn", "spyOn", "isMockFunction", "clearAllMocks", "resetAllMocks", "restoreAllMocks"],
    fake_timers: ["useFakeTimers", "useRealTimers", "isFakeTimers", "setSystemTime", "getMockedSystemTime", "getRealSystemTime", "getTimerCount", "clearAllTimers",
      "advanceTimersByTime", "advanceTimersByTimeAsync", "advanceTimersToNextTimer", "advanceTimersToNextTimerAsync",
      "runAllTimers", "runAllTimersAsync", "runOnlyPendingTimers", "runOnlyPendingTimersAsync", "runAllTicks"],
    stub: ["stubGlobal", "unstubAllGlobals", "stubEnv", "unstubAllEnvs"],
    wait: ["waitFor", "waitUntil"],
  };
  let before;
  const own = {
    hoisted: (fn) => fn(), // imports run first all the same: nothing here needs to be moved
    mocked: (v) => v,
    setConfig({ testTimeout, hookTimeout } = {}) {
      before ??= { ...runner.options };
      runner.options.changed = true; // the runner does not know these
      if (testTimeout !== undefined) runner.options.timeoutMs = testTimeout;
      if (hookTimeout !== undefined) runner.options.hookTimeoutMs = hookTimeout;
    },
    resetConfig() { if (before !== undefined) Object.assign(runner.options, { changed: false }, before); },
  };
  const modules = "modules are bundled before they run; give what is to be replaced as an argument, or put it on an object and use vi.spyOn; for the network use mockFetch";
  const absent = {
    mock: modules, doMock: modules, unmock: modules, doUnmock: modules, importActual: modules, importMock: modules, mockObject: modules,
    resetModules: "each test file has its own runtime, and each test its own extension", dynamicImportSettled: "imports are part of the bundle",
    defineHelper: "use a plain function", advanceTimersToNextFrame: "the sandbox draws nothing", setTimerTickMode: "use advanceTimersByTimeAsync",
  };
  // find makes a member when it is first asked for.
  function find(name) {
    if (own[name] !== undefined) return own[name];
    for (const script of keys(groups)) {
      if (!groups[script].includes(name)) continue;
      const all = use(`testing/${script}`), f = all.members?.[name] ?? all[name];
      return { [name](...args) {
        const got = f.apply(vi, args);
        return name.endsWith("AllMocks") ? vi : got;
      } }[name];
    }
    return undefined;
  }
  const vi = Object.create(new Proxy({}, { get: (target, name) => {
    if (typeof name === "symbol" || name in target) return target[name];
    if (absent[name] !== undefined) return refuse(`vi.${name}`, absent[name]);
    const f = find(name);
    if (f !== undefined) defineProperty(vi, name, { value: f, enumerable: true, writable: true, configurable: true });
    return f;
  } }));
  return { vi, vitest: vi, names: () => [...keys(own), ...keys(groups).flatMap((script) => groups[script])], absent: () => keys(absent) };
})
