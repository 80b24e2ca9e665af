// Snapshots, in files beside the test and inline.
(function (host, use) {
  "use strict";
  const { isObject, isArray, keys } = use("testing/base");
  const { format } = use("testing/format");
  const { mismatch } = use("testing/failure");
  const { equals, iterables, subset } = use("testing/equal");
  const runner = use("testing/runner");
  const ErrorClass = Error;
  const { parse } = JSON;

  const serialize = (v) => format(v, { escapeRegex: true, names: false, basic: false, mocks: true, plugins: true }).replace(/\r\n?/g, "\n");
  const wrapped = (s) => (s.includes("\n") ? `\n${s}\n` : s);
  const unwrapped = (s) => (s.length > 2 && s[0] === "\n" && s.endsWith("\n") ? s.slice(1, -1) : s);

  // outdent takes the indent off an inline snapshot of several lines.
  function outdent(s) {
    const indent = /^([^\S\n]*)\S/m.exec(s)?.[1];
    const lines = s.split("\n");
    if (!indent || lines.length <= 2 || lines[0].trim() !== "" || lines[lines.length - 1].trim() !== "") return s;
    for (let i = 1; i < lines.length - 1; i++) {
      if (lines[i] === "") continue;
      if (!lines[i].startsWith(indent)) return s;
      lines[i] = lines[i].slice(indent.length);
    }
    lines[lines.length - 1] = "";
    return lines.join("\n");
  }

  // merge puts matchers in the place of what they stand for.
  function merge(v, shape) {
    if (isArray(v) && isArray(shape)) return mergeList(v, shape);
    if (!isObject(v) || !isObject(shape) || isArray(v)) return v;
    const out = { ...v };
    for (const k of keys(shape)) {
      const s = shape[k];
      if (isArray(s)) out[k] = mergeList(v[k], s);
      else if (isObject(s) && !s.$$typeof) out[k] = k in v ? merge(v[k], s) : s;
      else out[k] = s;
    }
    return out;
  }
  function mergeList(v = [], shape = []) {
    const out = [...v];
    shape.forEach((s, i) => { out[i] = isArray(v[i]) ? mergeList(v[i], s) : isObject(v[i]) ? merge(v[i], s) : s; });
    return out;
  }

  function match(a, name, { value, shape, inline, isInline, hint }) {
    const s = a.test;
    if (s === undefined || s.node.suite) throw new ErrorClass(`'${name}' cannot be used without test context`);
    if (a.negated) throw new ErrorClass(`${name} cannot be used with "not"`);
    const title = hint ? `${s.context.task.fullName} > ${hint}` : s.context.task.fullName;
    s.counts ??= new Map();
    const n = (s.counts.get(title) ?? 0) + 1;
    s.counts.set(title, n);
    const key = `${title} ${n}`;
    const use1 = isInline ? { status: "failed", place: undefined } : { key, status: "failed" };
    if (isInline) use1.place = placeOf(a);
    s.push("snapshots", use1);
    if (shape !== undefined) {
      if (!isObject(value)) throw new ErrorClass("Received value must be an object when the matcher has properties");
      if (!equals(value, shape, [iterables, subset])) {
        throw mismatch(a.message || "Snapshot properties mismatched", { actual: value, expected: shape, showDiff: true });
      }
      value = merge(value, shape);
    }
    const got = wrapped(serialize(value)), want = isInline ? inline : runner.options.snapshots?.[key];
    const update = runner.options.update || "new";
    if (want !== undefined && want.trim() === got.trim()) {
      use1.status = "matched";
      return;
    }
    if (update === "all" || (want === undefined && update === "new")) {
      use1.status = want === undefined ? "added" : "updated";
      use1.text = got;
      return;
    }
    const text = `Snapshot \`${key}\` mismatched`;
    throw mismatch(a.message ? `${a.message}: ${text}` : text, { actual: unwrapped(got).trim(), expected: want === undefined ? undefined : unwrapped(want.trim()).trim(), showDiff: want !== undefined });
  }

  // placeOf is where the matcher is called; of a promise, where it was asked for.
  function placeOf(a) {
    if (a.origin !== undefined) {
      const [first] = parse(runner.explain(a.origin)).stack ?? [];
      if (first !== undefined) return first;
    }
    return parse(runner.place());
  }

  const words = (shape, hint) => (typeof shape === "string" ? { hint: shape } : { shape, hint });
  const inlineWords = (shape, inline, hint) => (typeof shape === "string"
    ? { isInline: true, inline: outdent(shape), hint: inline }
    : { isInline: true, shape, inline: inline === undefined ? undefined : outdent(inline), hint });

  // thrownBy gives what a function throws; of a promise the value is that.
  function thrownBy(a) {
    if (a.promise !== "") return a.value;
    if (typeof a.value !== "function") throw new ErrorClass(`expected must be a function, received ${typeof a.value}`);
    try { a.value(); } catch (e) { return e; }
    throw new ErrorClass("snapshot function didn't throw");
  }

  const matchers = {
    toMatchSnapshot(shape, hint) { match(this, "toMatchSnapshot", { value: this.value, ...words(shape, hint) }); },
    toMatchInlineSnapshot(shape, inline, hint) { match(this, "toMatchInlineSnapshot", { value: this.value, ...inlineWords(shape, inline, hint) }); },
    toThrowErrorMatchingSnapshot(hint) { match(this, "toThrowErrorMatchingSnapshot", { value: thrownBy(this), hint }); },
    toThrowErrorMatchingInlineSnapshot(inline, hint) { match(this, "toThrowErrorMatchingInlineSnapshot", { value: thrownBy(this), ...inlineWords(undefined, inline, hint) }); },
    toMatchFileSnapshot() { throw new ErrorClass("toMatchFileSnapshot is not supported by rho-ext test: use toMatchSnapshot"); },
  };
  return { matchers, serialize };
})
