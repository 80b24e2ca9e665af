// Values over many lines, as snapshots and differences show them: the format of
// Jest and vitest, to the letter.
(function (host, use) {
  "use strict";
  const { isError, is, tagOf, keys, arraySort, enumerableSymbols, plural } = use("testing/base");
  const MATCHER = Symbol.for("jest.asymmetricMatcher");
  const { toISOString } = Date.prototype;
  const { apply } = Reflect;
  const WrongType = TypeError;
  const deepest = 300; // more would overflow the stack
  const plugins = []; // of expect.addSnapshotSerializer, the newest first

  const listTags = ["Array", "ArrayBuffer", "DataView", "Float32Array", "Float64Array", "Int8Array", "Int16Array", "Int32Array", "Uint8Array", "Uint8ClampedArray", "Uint16Array", "Uint32Array"];
  const nameOf = (v) => (typeof v.constructor === "function" && v.constructor.name) || "Object";

  // basic gives what has no parts, or undefined.
  function basic(v, o) {
    switch (typeof v) {
      case "boolean": case "undefined": return `${v}`;
      case "number": return is(v, -0) ? "-0" : `${v}`;
      case "bigint": return `${v}n`;
      case "string": return o.escape ? `"${v.replace(/"|\\/g, "\\$&")}"` : `"${v}"`;
      case "function": return o.names ? `[Function ${v.name || "anonymous"}]` : "[Function]";
      case "symbol": return String(v);
    }
    if (v === null) return "null";
    switch (tagOf(v)) {
      case "WeakMap": return "WeakMap {}";
      case "WeakSet": return "WeakSet {}";
      case "Symbol": return String(v);
      case "Date": return v.getTime() !== v.getTime() ? "Date { NaN }" : apply(toISOString, v, []);
      case "Error": return `[${Error.prototype.toString.call(v)}]`;
      case "RegExp": return o.escapeRegex ? `${v}`.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&") : `${v}`;
    }
    return isError(v) ? `[${Error.prototype.toString.call(v)}]` : undefined;
  }

  // lay puts parts between brackets, one to a line.
  function lay(parts, o, indent) {
    if (parts.length === 0) return "";
    const next = indent + o.indent;
    return `${o.outer}${next}${parts.join(`,${o.inner}${next}`)}${o.min ? "" : ","}${o.outer}${indent}`;
  }
  function items(list, o, indent, depth, refs) {
    const parts = [], next = indent + o.indent;
    if (tagOf(list) === "ArrayBuffer") list = new DataView(list);
    const view = tagOf(list) === "DataView", n = view ? list.byteLength : list.length;
    for (let i = 0; i < n; i++) parts[i] = view ? print(list.getInt8(i), o, next, depth, refs) : i in list ? print(list[i], o, next, depth, refs) : "";
    return lay(parts, o, indent);
  }
  function members(v, o, indent, depth, refs) {
    const parts = [], next = indent + o.indent, ks = arraySort(keys(v));
    const all = [...ks, ...enumerableSymbols(v)];
    for (let i = 0; i < all.length; i++) parts[i] = `${print(all[i], o, next, depth, refs)}: ${print(v[all[i]], o, next, depth, refs)}`;
    return lay(parts, o, indent);
  }
  function entries(list, o, indent, depth, refs, between) {
    const parts = [], next = indent + o.indent;
    for (const [k, x] of list) parts[parts.length] = print(k, o, next, depth, refs) + between + print(x, o, next, depth, refs);
    return lay(parts, o, indent);
  }
  function values(list, o, indent, depth, refs) {
    const parts = [], next = indent + o.indent;
    for (const x of list) parts[parts.length] = print(x, o, next, depth, refs);
    return lay(parts, o, indent);
  }

  function complex(v, o, indent, depth, refs, plain) {
    if (refs.includes(v)) return "[Circular]";
    refs = [...refs, v];
    const deep = ++depth > o.depth || depth > deepest;
    if (o.json && !deep && typeof v.toJSON === "function" && !plain) return print(v.toJSON(), o, indent, depth, refs, true);
    const tag = tagOf(v), name = nameOf(v);
    if (tag === "Arguments") return deep ? "[Arguments]" : `${o.min ? "" : "Arguments "}[${items(v, o, indent, depth, refs)}]`;
    if (listTags.includes(tag)) return deep ? `[${v.constructor.name}]` : `${o.min || (!o.basic && name === "Array") ? "" : `${name} `}[${items(v, o, indent, depth, refs)}]`;
    if (tag === "Map") return deep ? "[Map]" : `Map {${entries(v.entries(), o, indent, depth, refs, " => ")}}`;
    if (tag === "Set") return deep ? "[Set]" : `Set {${values(v.values(), o, indent, depth, refs)}}`;
    return deep ? `[${name}]` : `${o.min || (!o.basic && name === "Object") ? "" : `${name} `}{${members(v, o, indent, depth, refs)}}`;
  }

  // matcher prints an asymmetric matcher.
  function matcher(v, o, indent, depth, refs) {
    const name = v.toString();
    switch (name) {
      case "ArrayContaining": case "ArrayNotContaining":
        return ++depth > o.depth ? `[${name}]` : `${name} [${items(v.sample, o, indent, depth, refs)}]`;
      case "ObjectContaining": case "ObjectNotContaining":
        return ++depth > o.depth ? `[${name}]` : `${name} {${members(v.sample, o, indent, depth, refs)}}`;
      case "StringMatching": case "StringNotMatching": case "StringContaining": case "StringNotContaining":
        return `${name} ${print(v.sample, o, indent, depth, refs)}`;
    }
    if (typeof v.toAsymmetricMatcher !== "function") throw new WrongType(`Asymmetric matcher ${v.constructor.name} does not implement toAsymmetricMatcher()`);
    return v.toAsymmetricMatcher();
  }

  function mock(v, o, indent, depth, refs) {
    const name = v.getMockName(), next = indent + o.indent;
    let calls = "";
    if (v.mock.calls.length > 0) {
      calls = ` {${o.outer}${next}"calls": ${print(v.mock.calls, o, next, depth, refs)}${o.min ? ", " : ","}${o.outer}${next}"results": ${print(v.mock.results, o, next, depth, refs)}${o.min ? "" : ","}${o.outer}${indent}}`;
    }
    return `[MockFunction${name === "vi.fn()" ? "" : ` ${name}`}]${calls}`;
  }

  function error(v, o, indent, depth, refs) {
    if (refs.includes(v)) return "[Circular]";
    refs = [...refs, v];
    const name = v.name !== "Error" ? v.name : nameOf(v);
    if (++depth > o.depth) return `[${name}]`;
    const { message, cause, ...rest } = v;
    const list = [["message", v.message]];
    if (v.cause !== undefined) list.push(["cause", v.cause]);
    if (v instanceof AggregateError) list.push(["errors", v.errors]);
    for (const k of keys(rest)) list.push([k, rest[k]]);
    return `${name} {${entries(list, o, indent, depth, refs, ": ")}}`;
  }

  // own lets a serializer of the author print, in the new or the old way.
  function own(p, v, o, indent, depth, refs) {
    const s = typeof p.serialize === "function"
      ? p.serialize(v, { indent: o.indent, min: o.min, spacingInner: o.inner, spacingOuter: o.outer, maxDepth: o.depth, plugins }, indent, depth, refs,
        (x, _, i, d, r) => print(x, o, i ?? indent, d ?? depth, r ?? refs))
      : p.print(v, (x) => print(x, o, indent, depth, refs), (text) => { const next = indent + o.indent; return next + text.replace(/\n/g, `\n${next}`); },
        { edgeSpacing: o.outer, min: o.min, spacing: o.inner }, {});
    if (typeof s !== "string") throw new WrongType(`a snapshot serializer must return a text, got ${typeof s}`);
    return s;
  }

  function print(v, o, indent, depth, refs, plain) {
    if (o.plugins) {
      for (let i = 0; i < plugins.length; i++) if (plugins[i].test(v)) return own(plugins[i], v, o, indent, depth, refs);
    }
    if (v !== null && (typeof v === "object" || typeof v === "function")) {
      if (v.$$typeof === MATCHER) return matcher(v, o, indent, depth, refs);
      if (o.mocks && v._isMockFunction === true) return mock(v, o, indent, depth, refs);
      if (o.errors && v instanceof Error) return error(v, o, indent, depth, refs);
    }
    return basic(v, o) ?? complex(v, o, indent, depth, refs, plain);
  }

  // format renders a value. Options: min (one line), escape (quotes in texts),
  // escapeRegex, names (of functions), basic (the words Object and Array), json
  // (use toJSON), depth, errors (with their members), mocks, plugins.
  function format(v, given) {
    const min = given?.min === true;
    const o = { escape: false, escapeRegex: false, names: true, basic: true, json: true, depth: Infinity, errors: false, mocks: false, plugins: false,
      ...given, min, indent: min ? "" : "  ", inner: min ? " " : "\n", outer: min ? "" : "\n" };
    return print(v, o, "", 0, []);
  }

  function addPlugin(p) {
    if (typeof p?.test !== "function" || (typeof p.serialize !== "function" && typeof p.print !== "function")) {
      throw new WrongType("expect.addSnapshotSerializer: expected { test, serialize } or { test, print }");
    }
    plugins.unshift(p);
  }

  return { format, addPlugin, digits: (n) => plural(n, "digit") };
})
