// Globals and environment variables that tests replace.
(function (host, use) {
  "use strict";
  const { defineProperty, getOwnPropertyDescriptor } = use("testing/base");
  const runner = use("testing/runner");
  const { starters } = use("testing/lifetime");
  const WrongType = TypeError;
  const globals = new Map(), env = new Map();

  const tell = (name, value) => { if (runner.state() !== undefined) runner.tell("env", { name, value: value ?? null }); };
  // Each test has a fresh extension, which learns what is in force.
  starters.push(() => { for (const [name, now] of env) tell(name, now.value); });

  function setEnv(name, value) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
    tell(name, value);
  }

  const members = {
    stubGlobal(name, value) {
      if (!globals.has(name)) { globalThis[name]; globals.set(name, getOwnPropertyDescriptor(globalThis, name)); }
      defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
      return this;
    },
    unstubAllGlobals() {
      for (const [name, d] of globals) {
        if (d === undefined) delete globalThis[name];
        else defineProperty(globalThis, name, d);
      }
      globals.clear();
      return this;
    },
    stubEnv(name, value) {
      if (typeof name !== "string" || name === "") throw new WrongType("vi.stubEnv: expected the name of a variable");
      const text = value === undefined ? undefined : `${value}`;
      if (!env.has(name)) env.set(name, { original: runner.state() === undefined ? undefined : process.env[name], value: text });
      else env.get(name).value = text;
      setEnv(name, text);
      return this;
    },
    unstubAllEnvs() {
      for (const [name, { original }] of env) setEnv(name, original);
      env.clear();
      return this;
    },
  };
  return { members };
})
