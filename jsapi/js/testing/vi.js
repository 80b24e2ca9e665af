// vi, with members that are made when a test uses them.
(function (host, use) {
  "use strict";
  const { defineProperty } = use("testing/base");
  const { refuse } = use("testing/module");
  const runner = use("testing/runner");
  const vi = {};

  const groups = {
    mock: ["fn", "spyOn", "isMockFunction", "clearAllMocks", "resetAllMocks", "restoreAllMocks"],
    fake_timers: ["useFakeTimers", "useRealTimers", "isFakeTimers", "setSystemTime", "getMockedSystemTime", "getRealSystemTime", "getTimerCount", "clearAllTimers",
      "advanceTimersByTime", "advanceTimersByTimeAsync", "advanceTimersToNextTimer", "advanceTimersToNextTimerAsync",
      "runAllTimers", "runAllTimersAsync", "runOnlyPendingTimers", "runOnlyPendingTimersAsync", "runAllTicks"],
    stub: ["stubGlobal", "unstubAllGlobals", "stubEnv", "unstubAllEnvs"],
    wait: ["waitFor", "waitUntil"],
  };
  for (const script of Object.keys(groups)) {
    for (const name of groups[script]) {
      const run = (...args) => {
        const all = use(`testing/${script}`), f = all.members?.[name] ?? all[name];
        const got = f.apply(vi, args);
        return script === "mock" && name.endsWith("AllMocks") ? vi : got;
      };
      defineProperty(run, "name", { value: name });
      defineProperty(vi, name, { value: run, enumerable: true, writable: true, configurable: true });
    }
  }

  let before;
  const own = {
    hoisted: (fn) => fn(), // imports run first all the same: nothing here needs to be moved
    mocked: (v) => v,
    setConfig({ testTimeout, hookTimeout } = {}) {
      before ??= { ...runner.options };
      if (testTimeout !== undefined) runner.options.timeoutMs = testTimeout;
      if (hookTimeout !== undefined) runner.options.hookTimeoutMs = hookTimeout;
    },
    resetConfig() { if (before !== undefined) Object.assign(runner.options, before); },
  };
  for (const name of Object.keys(own)) defineProperty(vi, name, { value: own[name], enumerable: true, writable: true, configurable: true });

  const modules = "modules are bundled before they run; give what is to be replaced as an argument, or put it on an object and use vi.spyOn; for the network use mockFetch";
  const absent = {
    mock: modules, doMock: modules, unmock: modules, doUnmock: modules, importActual: modules, importMock: modules, mockObject: modules,
    resetModules: "each test file has its own runtime, and each test its own extension", dynamicImportSettled: "imports are part of the bundle",
    defineHelper: "use a plain function", advanceTimersToNextFrame: "the sandbox draws nothing", setTimerTickMode: "use advanceTimersByTimeAsync",
  };
  for (const name of Object.keys(absent)) {
    defineProperty(vi, name, { get: () => refuse(`vi.${name}`, absent[name]), configurable: true });
  }
  return { vi, vitest: vi };
})
