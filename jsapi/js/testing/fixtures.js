// test.extend: values that tests ask for by name.
(function (host, use) {
  "use strict";
  const { isArray, isObject, isThenable, keys, hasOwn, defineProperty } = use("testing/base");
  const functionText = Function.prototype.call.bind(Function.prototype.toString);
  const ErrorClass = Error, WrongType = TypeError, PromiseClass = Promise;

  // namesOf reads which members of its first parameter a function asks for.
  function namesOf(fn, at = 0) {
    const text = functionText(fn).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    let i = text.indexOf("(");
    if (i < 0) return [];
    const list = split(inside(text, i));
    const p = (list[at] ?? "").trim();
    if (p === "" || p[0] === "_") return [];
    if (p[0] !== "{") throw new ErrorClass(`the first argument of a test or fixture that uses fixtures must be written as { … }, got ${p}`);
    const names = [];
    for (const part of split(inside(p, 0))) {
      const name = part.split(/[:=]/)[0].trim();
      if (name.startsWith("...")) throw new ErrorClass(`a test or fixture cannot ask for the rest of the fixtures: ${name}`);
      if (name !== "") names.push(name.replace(/^["']|["']$/g, ""));
    }
    return names;
  }
  function inside(text, at) {
    let depth = 0;
    for (let i = at; i < text.length; i++) {
      if ("([{".includes(text[i])) depth++;
      else if (")]}".includes(text[i]) && --depth === 0) return text.slice(at + 1, i);
    }
    return "";
  }
  function split(text) {
    const out = [];
    let depth = 0, from = 0;
    for (let i = 0; i <= text.length; i++) {
      if ("([{".includes(text[i] ?? " ")) depth++;
      else if (")]}".includes(text[i] ?? " ")) depth--;
      else if (i === text.length || (text[i] === "," && depth === 0)) { out.push(text.slice(from, i)); from = i + 1; }
    }
    return out;
  }

  function one(name, given) {
    let value = given, options = {};
    if (isArray(given) && given.length === 2 && isObject(given[1]) && (hasOwn(given[1], "auto") || hasOwn(given[1], "scope") || hasOwn(given[1], "injected"))) [value, options] = given;
    if (options.scope !== undefined && options.scope !== "test") throw new ErrorClass(`test.extend: the scope ${options.scope} of ${name} is not supported by rho-ext test: use beforeAll`);
    return { value, auto: options.auto === true, needs: typeof value === "function" ? namesOf(value) : [] };
  }

  // extend gives the fixtures of a test function: those it has, and more.
  function extend(had, more, rest) {
    const all = { ...had };
    if (typeof more === "string") {
      const value = rest.length > 1 ? rest[1] : rest[0];
      if (typeof value !== "function") all[more] = { value, auto: false, needs: [] };
      else all[more] = { auto: rest.length > 1 && rest[0]?.auto === true, needs: namesOf(value), value: async (context, give) => {
        let cleanup;
        await give(await value(context, { onCleanup: (f) => { cleanup = f; } }));
        await cleanup?.();
      } };
    } else {
      if (!isObject(more)) throw new WrongType("test.extend: expected an object of fixtures");
      for (const name of keys(more)) all[name] = one(name, more[name]);
      // A fixture that overrides one of its own name gets the older one.
      for (const name of keys(more)) all[name].older = had?.[name];
    }
    return all;
  }

  // run makes what the test asks for, runs it, and takes things down again.
  async function run(s, n) {
    const { fixtures } = n, context = s.context, open = [];
    const uses = n.fn.uses ?? { fn: n.fn, at: 0 };
    const made = new Set();
    async function make(name, f, path) {
      if (path.includes(name)) throw new ErrorClass(`fixtures depend on one another in a circle: ${[...path, name].join(" <- ")}`);
      for (const need of f.needs) {
        if (need === name) { if (f.older) await make(name, f.older, []); continue; }
        if (hasOwn(fixtures, need) && !made.has(need)) await make(need, fixtures[need], [...path, name]);
      }
      made.add(name);
      const put = (v) => defineProperty(context, name, { value: v, writable: true, enumerable: true, configurable: true });
      if (typeof f.value !== "function") { put(f.value); return; }
      await new PromiseClass((resolve, reject) => {
        let release, given = false;
        const held = new PromiseClass((r) => { release = r; });
        const ended = f.value(context, (v) => { given = true; put(v); resolve(); return held; });
        const whole = isThenable(ended) ? ended : PromiseClass.resolve(ended);
        whole.then(() => { if (!given) resolve(); }, (e) => { if (!given) reject(e); });
        open.push(() => { release(); return given ? whole : undefined; });
      });
    }
    try {
      for (const name of keys(fixtures)) if (fixtures[name].auto && !made.has(name)) await make(name, fixtures[name], []);
      for (const name of namesOf(uses.fn, uses.at)) if (hasOwn(fixtures, name) && !made.has(name)) await make(name, fixtures[name], []);
      await n.fn(context);
    } finally {
      // Taken down after the hooks that may use them.
      s.undo = async () => { for (let i = open.length - 1; i >= 0; i--) await open[i](); };
    }
  }
  return { extend, run };
})
