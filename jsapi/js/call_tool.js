// ctx.callTool: other tools, for one call.
(function (host, use) {
  "use strict";
  const { text } = use("check");
  const { toJSON } = use("json");
  const { isObject } = use("webidl");
  const { parse } = JSON;
  const { isArray } = Array;
  const { freeze } = Object;
  const Wrong = TypeError;

  function make(port) {
    const f = {
      async callTool(name, args) {
        text("ctx.callTool: the name", name);
        if (args !== undefined && (!isObject(args) || isArray(args))) throw new Wrong("ctx.callTool: args must be an object");
        const json = args === undefined ? "{}" : toJSON(args, "ctx.callTool: args");
        if (json[0] !== "{") throw new Wrong("ctx.callTool: args must be an object, also as JSON");
        const got = await host.call(port, name, json);
        const out = { text: got[0], isError: got[1] };
        if (got[2] !== "") {
          if (!host.shallow(got[2])) throw new Wrong(`ctx.callTool: the structured result of ${name} is nested too deeply`);
          out.structured = parse(got[2]);
        }
        return out;
      },
    };
    return freeze(f.callTool);
  }

  return { make };
})
