// ctx.state: what an extension keeps, as JSON, for one call.
(function (host, use) {
  "use strict";
  const { text } = use("check");
  const { toJSON } = use("json");
  const { parse } = JSON;
  const { freeze } = Object;
  const encode = encodeURIComponent;
  const Wrong = TypeError;

  function name(what, key) {
    text(`ctx.state.${what}: the key`, key);
    if (key === "" || key.length > 1000) throw new Wrong(`ctx.state.${what}: the key must have 1 to 1000 characters, got ${key.length}`);
    try { encode(key); } catch { throw new Wrong(`ctx.state.${what}: the key is no valid text: it holds half a character`); }
    return key;
  }

  function make(port) {
    const members = {
      async get(key) {
        const json = await host.ask(port, "get", name("get", key));
        if (json === undefined) return undefined;
        if (!host.shallow(json)) throw new Wrong("ctx.state.get: the value is nested too deeply");
        return parse(json);
      },
      async set(key, value) {
        name("set", key);
        if (value === undefined) throw new Wrong("ctx.state.set: the value is undefined, which JSON cannot hold; use delete");
        const json = toJSON(value, "ctx.state.set: the value");
        await host.ask(port, "set", key, json);
      },
      async delete(key) {
        return await host.ask(port, "delete", name("delete", key));
      },
      async keys() {
        return await host.ask(port, "keys", "");
      },
    };
    freeze(members.get); freeze(members.set); freeze(members.delete); freeze(members.keys);
    return freeze(members);
  }

  return { make };
})
