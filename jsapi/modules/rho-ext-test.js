// The virtual modules "rho-ext/test" and "vitest". Each export is asked for when
// a test file imports it; the sandbox has them, for test files only.

const get = (name) => {
  if (typeof __rho_test === "undefined") {
    throw new Error('"rho-ext/test" and "vitest" are for test files, whose names end in .test.ts; the command rho-ext test runs those');
  }
  return __rho_test(name);
};

export const test = /* @__PURE__ */ get("test");
export const it = /* @__PURE__ */ get("it");
export const describe = /* @__PURE__ */ get("describe");
export const suite = /* @__PURE__ */ get("suite");
export const beforeAll = /* @__PURE__ */ get("beforeAll");
export const afterAll = /* @__PURE__ */ get("afterAll");
export const beforeEach = /* @__PURE__ */ get("beforeEach");
export const afterEach = /* @__PURE__ */ get("afterEach");
export const onTestFinished = /* @__PURE__ */ get("onTestFinished");
export const onTestFailed = /* @__PURE__ */ get("onTestFailed");
export const expect = /* @__PURE__ */ get("expect");
export const assert = /* @__PURE__ */ get("assert");
export const vi = /* @__PURE__ */ get("vi");
export const vitest = /* @__PURE__ */ get("vitest");
export const callTool = /* @__PURE__ */ get("callTool");
export const callHook = /* @__PURE__ */ get("callHook");
export const callCommand = /* @__PURE__ */ get("callCommand");
export const completeCommand = /* @__PURE__ */ get("completeCommand");
export const mockFetch = /* @__PURE__ */ get("mockFetch");
export const project = /* @__PURE__ */ get("project");
export const settings = /* @__PURE__ */ get("settings");
export const expectTypeOf = /* @__PURE__ */ get("expectTypeOf");
export const assertType = /* @__PURE__ */ get("assertType");
export const bench = /* @__PURE__ */ get("bench");
export const chai = /* @__PURE__ */ get("chai");
export const should = /* @__PURE__ */ get("should");
export const inject = /* @__PURE__ */ get("inject");
export const aroundEach = /* @__PURE__ */ get("aroundEach");
export const aroundAll = /* @__PURE__ */ get("aroundAll");
