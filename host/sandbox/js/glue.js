// Runs once in each fresh runtime, before any author's code, and keeps its own
// references to whatever it relies on.
(function (use, matches) {
  "use strict";
  const { toJSON } = use("json");
  const { stringify } = JSON;
  const { isArray } = Array;
  const { keys, getPrototypeOf, hasOwn } = Object;
  const { isFinite, isInteger } = Number;
  // What a runtime has not touched yet takes no memory: no Reflect, RegExp or Set.
  const { prototype } = Function;
  const uncurry = prototype.bind.bind(prototype.call);
  const StringOf = String, ErrorClass = Error, TypeErrorClass = TypeError, PromiseClass = Promise;
  const promiseThen = uncurry(Promise.prototype.then), promiseResolve = uncurry(Promise.resolve), functionText = uncurry(prototype.toString);
  const TOOL = Symbol.for("rho-ext.tool"), EXTENSION = Symbol.for("rho-ext.extension"), SCHEMA = Symbol.for("rho-ext.schema"), ERROR = Symbol.for("rho-ext.error");
  const RISKS = ["read", "write", "network", "destructive"];
  const isObject = (v) => typeof v === "object" && v !== null;

  // get reads a property of an author's value; a getter that throws is absent.
  const get = (o, k) => { try { return o[k]; } catch { return undefined; } };
  const text = (v) => { try { return typeof v === "string" ? v : v === undefined || v === null ? "" : StringOf(v); } catch { return ""; } };

  // describe makes plain strings of any thrown value.
  function describe(e) {
    if (!isObject(e) && typeof e !== "function") {
      return ["", typeof e === "symbol" ? "Symbol()" : typeof e === "bigint" ? StringOf(e) : text(e) || StringOf(e), "", "", "", "", "", false];
    }
    let isError = false;
    try { isError = e instanceof ErrorClass; } catch {}
    if (!isError && typeof get(e, "stack") !== "string") {
      let s;
      try { s = stringify(e); } catch {}
      return ["", s === undefined ? "an object that is no Error" : s, "", "", "", "", "", false];
    }
    const branded = hasOwnSafe(e, ERROR);
    const message = text(get(e, "message"));
    return [
      text(get(e, "name")), message, text(get(e, "stack")), text(get(e, "code")), text(get(e, "hint")),
      branded ? text(get(e, "kind")) : "", branded ? StringOf(get(e, "retryable")) : "", true, StringOf(branded),
    ];
  }
  const hasOwnSafe = (o, k) => { try { return hasOwn(o, k) || k in o; } catch { return false; } };
  const causeOf = (e) => (isObject(e) ? get(e, "cause") : undefined);

  const only = (o, allowed) => { const ks = keys(o); for (let i = 0; i < ks.length; i++) if (!allowed.includes(ks[i])) return false; return true; };

  // encode makes a tool's result plain and hands it to take:
  // (text, structured, content, details, isError).
  function encode(v, take) {
    if (v === undefined) return take("(no output)");
    if (typeof v === "string") return take(v);
    if (typeof v === "bigint") return take(StringOf(v));
    if (typeof v === "function" || typeof v === "symbol") throw new TypeErrorClass(`the tool returned a ${typeof v}, which is no result`);
    if (isObject(v) && !isArray(v)) {
      const content = v.content;
      if ((typeof content === "string" || blocks(content)) && only(v, ["content", "details", "isError"])) {
        return take(typeof content === "string" ? content : undefined, undefined, typeof content === "string" ? undefined : toJSON(checked(content), "content"),
          v.details === undefined ? undefined : toJSON(v.details, "details"), v.isError === true);
      }
      if (hasOwn(v, "output") && only(v, ["output", "details", "isError"])) {
        const out = v.output;
        return take(typeof out === "string" ? out : out === undefined ? "(no output)" : toJSON(out, "output"), undefined, undefined,
          v.details === undefined ? undefined : toJSON(v.details, "details"), v.isError === true);
      }
    }
    const s = toJSON(v, "the result");
    return s === undefined ? take("(no output)") : take(s, s);
  }
  const blocks = (c) => { if (!isArray(c)) return false; for (let i = 0; i < c.length; i++) if (!isObject(c[i]) || typeof c[i].type !== "string") return false; return true; };
  function checked(content) {
    const out = [];
    for (let i = 0; i < content.length; i++) {
      const b = content[i];
      const need = (ok, what) => { if (!ok) throw new TypeErrorClass(`content[${i}]: ${what}`); };
      if (b.type === "text") { need(typeof b.text === "string", "a text block needs a string text"); out[i] = { type: "text", text: b.text }; }
      else if (b.type === "json") { need(b.value !== undefined, "a json block needs a value"); out[i] = { type: "json", json: b.value }; }
      else if (b.type === "image") {
        need(typeof b.data === "string" || typeof b.url === "string", "an image block needs data (base64) or url");
        need(typeof b.data !== "string" || (b.data.length % 4 === 0 && matches("base64", b.data)), "data must be base64");
        need(typeof b.mimeType === "string" || typeof b.url === "string", "an image block needs a mimeType");
        out[i] = { type: "image", data: b.data, url: b.url, mimeType: b.mimeType };
      } else need(false, `unknown type ${stringify(b.type)}; expected "text", "json" or "image"`);
    }
    return out;
  }

  // Bad carries where in the manifest something is wrong.
  class Bad { constructor(message, hint, tool, index, key) { this.message = message; this.hint = hint; this.tool = tool; this.index = index; this.key = key; } }
  const kind = (v) => (v === null ? "null" : isArray(v) ? "an array" : typeof v === "object" ? "an object" : typeof v === "undefined" ? "nothing" : `${stringify(v) ?? typeof v}`);

  // parameters turns each accepted form into a JSON Schema.
  function parameters(p, bad) {
    if (p === undefined || p === null) return { type: "object", properties: {}, additionalProperties: false };
    if (!isObject(p) || isArray(p)) bad(`parameters must be an object, got ${kind(p)}`, 'write parameters: { path: { type: "string" } }');
    if (hasOwnSafe(p, SCHEMA)) {
      if (p.type !== "object") bad(`parameters must describe an object, got a schema of ${kind(p.type)}`, "wrap it: { value: s.string() }");
      return p;
    }
    if (isObject(p["~standard"])) bad("parameters: Standard Schema objects are not supported yet", "use the builder s, or a JSON Schema");
    if (p.type === "object" || (isObject(p.properties) && typeof p.properties.type !== "string")) return p.type === undefined ? { type: "object", ...p } : p;
    if (typeof p.type === "string") bad(`parameters must describe an object, got a schema of type ${stringify(p.type)}`, 'use { type: "object", properties: { … } }');
    const properties = {}, required = [];
    const ks = keys(p);
    for (let i = 0; i < ks.length; i++) {
      const k = ks[i], d = p[k];
      if (!isObject(d) || isArray(d)) bad(`parameter "${k}" must be an object with a type, got ${kind(d)}`, `write ${k}: { type: "string" }`);
      if (hasOwnSafe(d, SCHEMA)) {
        define(properties, k, d);
        if (!d[SCHEMA].optional) required[required.length] = k;
        continue;
      }
      if (typeof d.type !== "string") bad(`parameter "${k}" has no type`, `write ${k}: { type: "string" }, or a full JSON Schema with type: "object" at the top`);
      const out = {};
      const fields = keys(d);
      for (let j = 0; j < fields.length; j++) if (fields[j] !== "required" || isArray(d.required)) define(out, fields[j], d[fields[j]]);
      if (d.required !== undefined && typeof d.required !== "boolean" && !isArray(d.required)) bad(`parameter "${k}": required must be true or false, got ${kind(d.required)}`, `write ${k}: { type: ${stringify(d.type)}, required: true }`);
      define(properties, k, out);
      if (d.required === true) required[required.length] = k;
    }
    const schema = { type: "object", properties };
    if (required.length > 0) schema.required = required;
    schema.additionalProperties = false;
    return schema;
  }
  const { defineProperty } = Object;
  const define = (o, k, value) => defineProperty(o, k, { value, writable: true, enumerable: true, configurable: true });

  const str = (v, bad, what, optional, hint) => {
    if (v === undefined && optional) return undefined;
    if (typeof v !== "string" || v === "") bad(v === undefined ? `${what} is missing` : `${what} must be a non-empty string, got ${kind(v)}`, hint ?? "write it as text in quotes");
    return v;
  };

  function collectTool(t, index, seen) {
    let name;
    const at = (key) => (message, hint) => { throw new Bad(`${name === undefined ? `tools[${index}]` : `tool ${name}`}: ${message}`, hint, name, index, key); };
    if (!isObject(t)) at("")(`must be an object, got ${kind(t)}`, "a tool has name, description, risk and execute");
    const n = str(t.name, at("name"), "name", false, 'add name: "my_tool"; agents call it by that');
    name = n;
    if (!matches("tool", n)) at("name")("the name must have 1–64 letters, digits, _ or -, starting with a letter", "write it like my_tool");
    if (matches("command", n)) at("name")("a tool's name cannot begin with command-: commands have such names", "call it something else");
    if (hasOwn(seen, n)) at("name")("a second tool of this extension has the same name", "give each tool its own name");
    define(seen, n, true);
    const description = str(t.description, at("description"), "description", false, "say what the tool does: a model chooses by it");
    const risk = t.risk;
    if (!RISKS.includes(risk)) at("risk")(`risk must be one of "read", "write", "network", "destructive", got ${kind(risk)}`, 'use risk: "read" for a tool that changes nothing');
    const execute = t.execute;
    if (typeof execute !== "function") at("execute")(`execute must be a function, got ${kind(execute)}`, "write execute(args, ctx) { … }");
    const schema = parameters(t.parameters, at("parameters"));
    const timeout = t.timeoutMs;
    if (timeout !== undefined && (typeof timeout !== "number" || !(timeout > 0) || !isFinite(timeout))) at("timeoutMs")(`timeoutMs must be a positive number of milliseconds, got ${kind(timeout)}`, "write timeoutMs: 5000, or leave it out");
    let parametersJSON, outputJSON, examples;
    try { parametersJSON = toJSON(schema, "parameters"); } catch (e) { at("parameters")(e.message, "a schema is plain JSON"); }
    try { if (t.output !== undefined) outputJSON = toJSON(t.output, "output"); } catch (e) { at("output")(e.message, "a schema is plain JSON"); }
    if (t.examples !== undefined) {
      if (!isArray(t.examples)) at("examples")(`examples must be an array, got ${kind(t.examples)}`, "write examples: [{ args: { … } }]");
      examples = t.examples.map((x, i) => { if (!isObject(x) || !isObject(x.args)) at("examples")(`examples[${i}] needs args`, "write examples: [{ args: { … } }]"); return { args: x.args, note: x.note === undefined ? undefined : text(x.note) }; });
      try { examples = toJSON(examples, "examples"); } catch (e) { at("examples")(e.message, "arguments are plain JSON"); }
    }
    const declared = isObject(schema.properties) ? keys(schema.properties) : [];
    return {
      data: { name: n, title: str(t.title, at("title"), "title", true), description, risk, timeoutMs: timeout },
      parameters: parametersJSON, examples, output: outputJSON, execute, self: t, branded: hasOwnSafe(t, TOOL), source: functionText(execute), declared,
    };
  }

  // collect reads the module's default export.
  function collect(ns, id) {
    try {
      return { ok: collectManifest(ns, id), bad: undefined };
    } catch (e) {
      if (e instanceof Bad) return { bad: e };
      throw e;
    }
  }
  function collectManifest(ns, id) {
    const fail = (message, hint, key) => { throw new Bad(message, hint, undefined, -1, key ?? ""); };
    let m = ns.default;
    if (isObject(m) && m.__esModule === true && m.default !== undefined) m = m.default;
    const none = (message, hint) => { throw new Bad(message, hint, undefined, -2, ""); };
    if (m instanceof PromiseClass) none("the default export is a promise", "write export default await …");
    if (m === undefined || (isObject(m) && !isArray(m) && keys(m).length === 0 && !hasOwnSafe(m, TOOL))) none("the module exports no manifest", "write export default { name, tools: [ … ] }, or export default defineTool({ … })");
    if (!isObject(m) || isArray(m)) none(`the default export must be a manifest object, got ${typeof m === "function" ? "a function" : kind(m)}`, "write export default { name, tools: [ … ] }");
    const seen = {};
    if (hasOwnSafe(m, TOOL)) return { manifest: { name: id, version: "0.0.0" }, tools: [collectTool(m, 0, seen)], hooks: [], commands: [] };
    if (m.tools === undefined && typeof m.execute === "function") fail("the default export is a tool without its manifest", "wrap it in defineTool( … ), or write export default { name, tools: [tool] }", "execute");
    const bad = (key) => (message, hint) => fail(message, hint, key);
    if (m.name === undefined) fail("the manifest has no name", `add name: ${stringify(id)}`, "name");
    const name = str(m.name, bad("name"), "the manifest's name");
    const version = m.version === undefined ? "0.0.0" : str(m.version, bad("version"), "the manifest's version");
    const description = str(m.description, bad("description"), "the manifest's description", true);
    let engine;
    if (m.engines !== undefined) {
      if (!isObject(m.engines)) fail(`engines must be an object, got ${kind(m.engines)}`, 'write engines: { rhoExt: ">=0.1" }', "engines");
      engine = str(m.engines.rhoExt, bad("engines"), "engines.rhoExt", true);
    }
    const list = m.tools === undefined ? [] : m.tools;
    if (!isArray(list)) fail(`tools must be an array, got ${kind(list)}`, "write tools: [ … ]", "tools");
    if (m.dispose !== undefined && typeof m.dispose !== "function") fail(`dispose must be a function, got ${kind(m.dispose)}`, "write dispose() { … }", "dispose");
    const hooks = collectHooks(m.hooks, hasOwnSafe(m, EXTENSION), fail);
    const commands = collectCommands(m.commands, fail);
    const permissions = collectPermissions(m.permissions, fail);
    const settings = collectSettings(m.settings, fail);
    if (m.tools === undefined && hooks.length === 0 && commands.length === 0) fail("the manifest has no tools", "add tools: [ … ]");
    const tools = [];
    for (let i = 0; i < list.length; i++) tools[i] = collectTool(list[i], i, seen);
    return { manifest: { name, version, description, engine, permissions, settings, dispose: m.dispose !== undefined }, tools, hooks, commands, dispose: m.dispose, self: m };
  }

  const HOOKS = ["onLoad", "onToolCall", "onToolResult", "onBeforeModel"];
  function collectHooks(all, strict, fail) {
    if (all === undefined) return [];
    if (!isObject(all) || isArray(all)) fail(`hooks must be an object, got ${kind(all)}`, "write hooks: { onToolCall(event) { … } }", "hooks");
    const out = [];
    for (let i = 0; i < HOOKS.length; i++) {
      const run = all[HOOKS[i]];
      if (typeof run === "function") out[out.length] = { name: HOOKS[i], run, self: all, strict, source: functionText(run) };
      else if (strict && run !== undefined) fail(`hooks.${HOOKS[i]} must be a function, got ${kind(run)}`, `write ${HOOKS[i]}(event, ctx) { … }`, "hooks");
    }
    // Old files may hold anything; here a hook that is never called is an error.
    if (strict && !only(all, HOOKS)) fail(`hooks has members that are no hooks: ${keys(all).filter((k) => !HOOKS.includes(k)).join(", ")}`, `expected ${HOOKS.join(", ")}`, "hooks");
    return out;
  }

  // plainName allows what can be typed as one word, and told from EXTENSION:NAME.
  function plainName(name) {
    for (let i = 0; i < name.length; i++) {
      const c = name[i];
      if (c <= " " || (c >= "\x7f" && c <= "\xa0") || c === ":" || c === "/" || c === "\\" || c === "\u2028" || c === "\u2029") return false;
    }
    return true;
  }

  function collectCommands(list, fail) {
    if (list === undefined) return [];
    const bad = (message, hint) => fail(message, hint, "commands");
    if (!isArray(list) || list.length > 1000) bad(`commands must be an array of at most 1000, got ${isArray(list) ? list.length : kind(list)}`, "write commands: [{ name, description, run() { … } }]");
    const seen = {};
    const out = [];
    for (let i = 0; i < list.length; i++) {
      const c = list[i];
      if (!isObject(c)) bad(`commands[${i}] must be an object, got ${kind(c)}`, "a command has name, description and run");
      const name = str(c.name, bad, `commands[${i}].name`);
      if (name.length > 100 || !plainName(name)) bad(`commands[${i}].name must have 1–100 characters, and no space, colon or slash, got ${kind(name)}`, "write it like deploy-docs");
      if (hasOwn(seen, name)) bad(`a second command of this extension is called ${name}`, "give each command its own name");
      define(seen, name, true);
      const run = typeof c.run === "function" ? c.run : c.handler;
      if (typeof run !== "function") bad(`command ${name} has no handler function`, "add run(args, ctx) { … }");
      const complete = c.complete;
      if (complete !== undefined && typeof complete !== "function") bad(`command ${name}: complete must be a function, got ${kind(complete)}`, "write complete(prefix) { return [ … ]; }");
      out[i] = { data: { name, description: c.description === undefined ? undefined : text(c.description), completes: complete !== undefined }, run, complete, self: c };
    }
    return out;
  }

  // decide makes plain, as JSON text, what a hook returned; nothing gives
  // undefined. A value of which it is not clear what it means is an error, for
  // a hook that guards must not be ignored. Old files, whose hooks could
  // return anything, are warned by the second function instead.
  const ANSWERS = {
    onLoad: [], onToolCall: ["block", "args", "result", "stop"],
    onToolResult: ["content", "details", "isError", "stop"], onBeforeModel: ["messages"],
  };
  function decide(name, v, strict, ignored) {
    if (v === undefined || v === null || name === "onLoad") return undefined;
    if (!isObject(v) || isArray(v)) {
      if (strict) throw new TypeErrorClass(`${name} returned ${kind(v)}; expected nothing or { ${ANSWERS[name].join(" | ")} }`);
      ignored(`${name} returned ${kind(v)}, which means nothing; expected nothing or { ${ANSWERS[name].join(" | ")} }`);
      return undefined;
    }
    const ks = keys(v).filter((k) => v[k] !== undefined);
    const odd = ks.find((k) => !ANSWERS[name].includes(k));
    if (odd !== undefined) throw new TypeErrorClass(`${name} returned an object with ${stringify(odd)}; expected { ${ANSWERS[name].join(" | ")} }`);
    if (name === "onToolCall" && ks.length > 1) throw new TypeErrorClass(`onToolCall returned ${ks.join(" and ")} together; expected one of them`);
    const out = {};
    for (let i = 0; i < ks.length; i++) {
      const k = ks[i], x = v[k];
      const bad = (what) => { throw new TypeErrorClass(`${name} returned ${k}: ${what}, got ${kind(x)}`); };
      if (k === "block" || k === "stop") { if (typeof x !== "string") bad("expected a text that says why"); define(out, k, x); }
      else if (k === "args") { if (!isObject(x) || isArray(x)) bad("expected an object"); define(out, k, x); }
      else if (k === "isError") { if (typeof x !== "boolean") bad("expected true or false"); define(out, k, x); }
      else if (k === "details") define(out, k, x);
      else if (k === "messages") {
        if (!isArray(x)) bad("expected an array");
        const list = [];
        for (let j = 0; j < x.length; j++) {
          const m = x[j];
          if (!isObject(m) || typeof m.role !== "string" || m.role === "") throw new TypeErrorClass(`${name} returned messages[${j}]: expected { role, content }`);
          list[j] = { role: m.role, content: contentOf(m.content, `${name} returned messages[${j}].content`) };
        }
        define(out, k, list);
      } else define(out, k, contentOf(x, `${name} returned ${k}`));
    }
    return toJSON(out, `what ${name} returned`);
  }
  function contentOf(c, what) {
    if (typeof c === "string") return [{ type: "text", text: c }];
    if (!blocks(c)) throw new TypeErrorClass(`${what}: expected a text or an array of content blocks, got ${kind(c)}`);
    return checked(c);
  }

  // completions checks what complete returned.
  function completions(v) {
    if (!isArray(v) || v.length > 1000) throw new TypeErrorClass(`complete returned ${kind(v)}; expected an array of at most 1000 texts`);
    const out = [];
    for (let i = 0; i < v.length; i++) { if (typeof v[i] !== "string") throw new TypeErrorClass(`complete returned [${i}]: expected a text, got ${kind(v[i])}`); out[i] = v[i]; }
    return stringify(out);
  }

  const GRANTS = { net: '["api.github.com"]', read: '["."]', write: '["./out"]', run: '["git"]', env: '["GITHUB_TOKEN"]', tools: '["read_file"]', hooks: '["tool_call"]' };
  function collectPermissions(p, fail) {
    if (p === undefined) return undefined;
    if (!isObject(p) || isArray(p)) fail(`permissions must be an object, got ${kind(p)}`, 'write permissions: { net: ["api.github.com"] }', "permissions");
    const out = {};
    const ks = keys(p);
    for (let i = 0; i < ks.length; i++) {
      const k = ks[i], list = p[k];
      if (!hasOwn(GRANTS, k)) fail(`permissions has no ${stringify(k)}; expected ${keys(GRANTS).join(", ")}`, 'write permissions: { net: ["api.github.com"] }', "permissions");
      if (list === undefined) continue;
      if (!isArray(list) || list.length > 1000) fail(`permissions.${k} must be an array of at most 1000 texts, got ${isArray(list) ? list.length : kind(list)}`, `write ${k}: ${GRANTS[k]}`, "permissions");
      const copy = [];
      for (let j = 0; j < list.length; j++) {
        if (typeof list[j] !== "string" || list[j] === "") fail(`permissions.${k}[${j}] must be a non-empty string, got ${kind(list[j])}`, `write ${k}: ${GRANTS[k]}`, "permissions");
        copy[j] = list[j];
      }
      out[k] = copy;
    }
    return out;
  }

  function collectSettings(all, fail) {
    if (all === undefined) return undefined;
    const form = 'write settings: { apiKey: { type: "string", secret: true } }';
    if (!isObject(all) || isArray(all)) fail(`settings must be an object, got ${kind(all)}`, form, "settings");
    const out = {};
    const ks = keys(all);
    if (ks.length > 200) fail(`settings has ${ks.length} members, at most 200 are possible`, form, "settings");
    for (let i = 0; i < ks.length; i++) {
      const k = ks[i], d = all[k];
      const bad = (message) => fail(`settings.${k}: ${message}`, form, "settings");
      if (!matches("setting", k)) bad("the name must have 1–64 letters, digits, _ or -, starting with a letter or _");
      if (!isObject(d) || isArray(d)) bad(`must be an object, got ${kind(d)}`);
      if (d.type !== "string" && d.type !== "number" && d.type !== "boolean") bad(`type must be "string", "number" or "boolean", got ${kind(d.type)}`);
      if (d.default !== undefined && typeof d.default !== d.type) bad(`the default must be a ${d.type}, got ${kind(d.default)}`);
      if (typeof d.default === "number" && !isFinite(d.default)) bad("the default must be finite");
      if (d.default !== undefined && d.secret === true) bad("a secret has no default");
      if (d.secret !== undefined && typeof d.secret !== "boolean") bad(`secret must be true or false, got ${kind(d.secret)}`);
      if (d.secret === true && d.type !== "string") bad('a secret has the type "string"');
      if (d.description !== undefined && typeof d.description !== "string") bad(`description must be a string, got ${kind(d.description)}`);
      if (d.env !== undefined && (typeof d.env !== "string" || !matches("variable", d.env))) bad(`env must name a variable, got ${kind(d.env)}`);
      define(out, k, { type: d.type, description: d.description, default: d.default, secret: d.secret === true, env: d.env });
    }
    return out;
  }

  const then = (v, ok, no) => { promiseThen(promiseResolve(PromiseClass, v), ok, no); };
  const thenable = (v) => typeof v.then === "function";
  const failOnReject = (v, no) => { if (v instanceof PromiseClass) promiseThen(v, undefined, no); };

  const freezeDeep = (v) => { if (isObject(v)) { Object.freeze(v); keys(v).forEach((k) => freezeDeep(v[k])); } return v; };
  const progressOf = (u) => {
    if (typeof u === "string") return stringify({ message: u });
    if (!isObject(u)) throw new TypeErrorClass(`progress: expected a string or { message, done, total }, got ${kind(u)}`);
    const n = (v) => (typeof v === "number" && isFinite(v) ? v : undefined);
    return stringify({ message: u.message === undefined ? undefined : text(u.message), done: n(u.done), total: n(u.total) });
  };
  const data = (v) => { try { return v === undefined ? undefined : toJSON(v, "data"); } catch (e) { return stringify(e.message); } };

  return { describe, causeOf, encode, collect, then, thenable, failOnReject, freezeDeep, progressOf, data, decide, completions };
})
