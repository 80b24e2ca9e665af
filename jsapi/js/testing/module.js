// What the module rho-ext/test exports, each made when it is first asked for.
(function (host, use) {
  "use strict";
  const Wrong = Error;
  const from = {
    __proto__: null,
    test: "api", it: "api", describe: "api", suite: "api",
    beforeAll: "api", afterAll: "api", beforeEach: "api", afterEach: "api", onTestFinished: "api", onTestFailed: "api",
    expect: "expect", assert: "assert", vi: "vi", vitest: "vi",
    callTool: "tools", callHook: "tools", callCommand: "tools", completeCommand: "tools", settings: "tools",
    mockFetch: "mock_fetch", project: "project",
  };
  // Members of vitest that are not here, and what to do instead.
  const absent = {
    __proto__: null,
    expectTypeOf: "types are checked by tsc, as rho-ext check does",
    assertType: "types are checked by tsc, as rho-ext check does",
    bench: "rho-ext bench TOOL measures a tool",
    chai: "use expect",
    should: "use expect",
    inject: "nothing is provided from outside; read a fixture file with an import",
    aroundEach: "use beforeEach and afterEach",
    aroundAll: "use beforeAll and afterAll",
  };

  // refuse makes a function that says what to do instead, whatever is done with it.
  const refuse = (what, hint) => {
    const fail = () => { throw new Wrong(`${what} is not supported by rho-ext test: ${hint}`); };
    return new Proxy(function () {}, { apply: fail, construct: fail, get: fail });
  };

  const entry = () => (name) => {
    if (absent[name] !== undefined) return refuse(name, absent[name]);
    return use(`testing/${from[name]}`)[name];
  };
  return { entry, refuse, absent: () => Object.keys(absent) };
})
