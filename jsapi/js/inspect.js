// Renders any value for people. It runs no getter, no Proxy trap and no
// method of the value, and bounds depth and size.
(function (host, use) {
  "use strict";
  const { inspectors, isBuffer } = use("webidl");
  const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { ownKeys, apply } = Reflect;
  const { isArray } = Array;
  const { stringify } = JSON;
  const { toStringTag } = Symbol;
  const typedArray = getPrototypeOf(Uint8Array.prototype);
  const typedName = getOwnPropertyDescriptor(typedArray, toStringTag).get;
  const typedLength = getOwnPropertyDescriptor(typedArray, "length").get;
  const bufferLength = getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength").get;
  const mapEach = Map.prototype.forEach, mapSize = getOwnPropertyDescriptor(Map.prototype, "size").get;
  const setEach = Set.prototype.forEach, setSize = getOwnPropertyDescriptor(Set.prototype, "size").get;
  const functionText = Function.prototype.toString, regexpText = RegExp.prototype.toString;
  const isoText = Date.prototype.toISOString, dateValue = Date.prototype.getTime;
  const symbolText = Symbol.prototype.toString, bigintText = BigInt.prototype.toString;
  const boxed = {
    __proto__: null,
    Number: Number.prototype.valueOf, String: String.prototype.valueOf, Boolean: Boolean.prototype.valueOf,
    BigInt: BigInt.prototype.valueOf, Symbol: Symbol.prototype.valueOf,
  };

  const maxDepth = 4, maxItems = 100, maxText = 10000, lineWidth = 76;
  const plainKey = /^[A-Za-z_$][\w$]*$/;

  const keyText = (key) => (plainKey.test(key) ? key : quote(key));
  const cut = (s, n) => (s.length > n ? `${s.slice(0, n)}… ${s.length - n} more characters` : s);

  function quote(s) {
    const json = stringify(cut(s, 2000));
    if (s.includes("'")) return json;
    return `'${json.slice(1, -1).replaceAll('\\"', '"')}'`;
  }

  // An own data property or an inherited one; accessors count as absent.
  function data(o, key) {
    for (let i = 0; o !== null && i < 10; i++) {
      if (host.proxyTarget(o) !== undefined) return undefined;
      const d = getOwnPropertyDescriptor(o, key);
      if (d !== undefined) return d.value;
      o = getPrototypeOf(o);
    }
    return undefined;
  }

  function className(o) {
    const proto = getPrototypeOf(o);
    if (proto === null) return null;
    const c = data(proto, "constructor");
    const name = typeof c === "function" ? data(c, "name") : undefined;
    return typeof name === "string" && name !== "" ? name : "Object";
  }

  // An error's stack without the engine's inner frames and program counters.
  function stackOf(e) {
    const stack = data(e, "stack");
    if (typeof stack !== "string" || stack === "") {
      const name = data(e, "name"), message = data(e, "message");
      return `${typeof name === "string" ? name : "Error"}: ${typeof message === "string" ? message : ""}`;
    }
    return tidy(stack);
  }
  function tidy(stack) {
    const out = [];
    for (const line of stack.split("\n")) {
      if (/^\s+at /.test(line)) {
        if (/\(native\)$|\brho:/.test(line)) continue;
        out.push(`    ${line.trim().replace(/\(\d+\)(\)?)$/, "$1")}`);
      } else if (line !== "") {
        out.push(line);
      }
    }
    return out.join("\n");
  }

  function primitive(v) {
    switch (typeof v) {
      case "string": return quote(v);
      case "bigint": return `${apply(bigintText, v, [])}n`;
      case "symbol": return apply(symbolText, v, []);
      case "number": return Object.is(v, -0) ? "-0" : `${v}`;
      default: return `${v}`;
    }
  }

  function show(v, depth, state) {
    if (typeof v !== "function" && (typeof v !== "object" || v === null)) {
      const s = primitive(v);
      state.left -= s.length;
      return s;
    }
    if (state.left <= 0) return "…";
    const target = host.proxyTarget(v);
    if (target === null) return "<revoked Proxy>";
    if (target !== undefined) return show(target, depth, state);
    if (state.open.includes(v)) return "[Circular]";
    state.open.push(v);
    const s = object(v, depth, state);
    state.open.pop();
    return s;
  }

  function object(v, depth, state) {
    const kind = host.classOf(v);
    const name = className(v);
    const parts = [];
    let head = name === null ? "[Object: null prototype]" : name;
    let brackets = "{}", lead = "", bare = false;
    let skip = (key) => false;
    const deep = depth >= maxDepth;
    let huge = false; // listing all keys would take too long
    const item = (x) => show(x, depth + 1, state);
    const full = () => parts.length >= maxItems || state.left <= 0;

    const typed = apply(typedName, v, []);
    const described = inspectors.length > 0 && kind === "Object" ? describe(v) : undefined;
    if (typeof v === "function") {
      lead = functionHead(v);
      skip = (key) => key === "prototype" || key === "length" || key === "name";
      bare = true;
    } else if (kind === "Error") {
      lead = stackOf(v);
      if (depth > 0) lead = `[${lead.replaceAll("\n", `\n${"  ".repeat(depth)}`)}]`;
      state.left -= lead.length;
      skip = (key) => key === "stack" || key === "message";
      bare = true;
    } else if (kind === "Array" || typed !== undefined) {
      const length = typed === undefined ? data(v, "length") : apply(typedLength, v, []);
      brackets = "[]";
      huge = length > 10 * maxItems;
      head = typed !== undefined ? `${name}(${length})` : name === "Array" ? "" : `${name}(${length})`;
      skip = (key) => key === "length" || (typeof key === "string" && /^\d+$/.test(key));
      if (!deep) {
        let i = 0, holes = 0;
        const flush = () => {
          if (holes > 0) parts.push(`<${holes} empty item${holes === 1 ? "" : "s"}>`);
          holes = 0;
        };
        for (; i < length && parts.length < maxItems && i < 10 * maxItems && state.left > 0; i++) {
          const d = getOwnPropertyDescriptor(v, i);
          if (d === undefined) {
            holes++;
            continue;
          }
          flush();
          parts.push(slot(d, item));
        }
        flush();
        if (i < length) parts.push(`… ${length - i} more item${length - i === 1 ? "" : "s"}`);
      } else if (length > 0) return typed !== undefined ? `[${name}]` : "[Array]";
    } else if (kind === "Map") {
      head = `${name}(${apply(mapSize, v, [])})`;
      if (!deep) apply(mapEach, v, [(x, key) => { if (!full()) parts.push(`${item(key)} => ${item(x)}`); }]);
    } else if (kind === "Set") {
      head = `${name}(${apply(setSize, v, [])})`;
      if (!deep) apply(setEach, v, [(x) => { if (!full()) parts.push(item(x)); }]);
    } else if (kind === "Date") {
      const t = apply(dateValue, v, []);
      lead = t !== t ? "Invalid Date" : apply(isoText, v, []);
      bare = true;
    } else if (kind === "RegExp") {
      lead = regexp(v);
      skip = (key) => key === "lastIndex";
      bare = true;
    } else if (boxed[kind] !== undefined) {
      lead = `[${kind}: ${primitive(apply(boxed[kind], v, []))}]`;
      skip = (key) => kind === "String" && (key === "length" || /^\d+$/.test(String(key)));
      bare = true;
    } else if (kind === "Promise") {
      const [status, result] = host.promise(v) ?? [];
      parts.push(status === "fulfilled" ? item(result) : status === "rejected" ? `<rejected> ${item(result)}` : "<pending>");
    } else if (isBuffer(v)) {
      parts.push(`byteLength: ${apply(bufferLength, v, [])}`);
    } else {
      const tag = data(v, toStringTag);
      if (typeof tag === "string" && tag !== "" && tag !== name) head = `${head} [${tag}]`;
    }
    if (deep && !bare && parts.length === 0) return `[${head || "Array"}]`;
    if (described !== undefined) {
      if (typeof described === "string") return `${head} ${quote(described)}`;
      for (const key of ownKeys(described)) parts.push(`${keyText(key)}: ${item(described[key])}`);
    } else if (!huge) {
      properties(v, parts, skip, item, full, bare && kind === "Error");
    }
    if (bare && parts.length === 0) return lead;
    return lay(bare ? lead : head === "Object" ? "" : head, parts, brackets, depth);
  }

  function describe(v) {
    for (const f of inspectors) {
      const d = f(v);
      if (d !== undefined) return d;
    }
    return undefined;
  }

  function properties(v, parts, skip, item, full, hiddenToo) {
    for (const key of ownKeys(v)) {
      if (skip(key)) continue;
      const d = getOwnPropertyDescriptor(v, key);
      if (d === undefined) continue;
      const hidden = !d.enumerable;
      if (hidden && !(hiddenToo && (key === "cause" || key === "code" || key === "hint" || key === "errors"))) continue;
      if (full()) {
        parts.push("…");
        return;
      }
      const k = typeof key === "symbol" ? `[${apply(symbolText, key, [])}]` : keyText(key);
      parts.push(`${hidden ? `[${k}]` : k}: ${slot(d, item)}`);
    }
  }

  function slot(d, item) {
    if (d.get !== undefined) return d.set !== undefined ? "[Getter/Setter]" : "[Getter]";
    if (d.set !== undefined) return "[Setter]";
    return item(d.value);
  }

  function functionHead(f) {
    const name = data(f, "name");
    const text = apply(functionText, f, []);
    const label = typeof name === "string" && name !== "" ? name : "(anonymous)";
    if (text.startsWith("class")) {
      const base = getPrototypeOf(f);
      const baseName = typeof base === "function" ? data(base, "name") : "";
      return `[class ${label}${typeof baseName === "string" && baseName !== "" ? ` extends ${baseName}` : ""}]`;
    }
    return `[${text.startsWith("async") ? "AsyncFunction" : "Function"}: ${label}]`;
  }

  function regexp(v) {
    try {
      return apply(regexpText, v, []);
    } catch {
      return "[RegExp]";
    }
  }

  function lay(head, parts, [open, close], depth) {
    const before = head === "" ? open : `${head} ${open}`;
    if (parts.length === 0) return before + close;
    let width = before.length + depth * 2;
    let lines = false;
    for (const p of parts) {
      width += p.length + 2;
      lines ||= p.includes("\n");
    }
    if (!lines && width <= lineWidth) return `${before} ${parts.join(", ")} ${close}`;
    const pad = "  ".repeat(depth + 1);
    return `${before}\n${pad}${parts.join(`,\n${pad}`)}\n${"  ".repeat(depth)}${close}`;
  }

  function inspect(v) {
    try {
      return cut(show(v, 0, { left: maxText, open: [] }), maxText);
    } catch {
      return "[value that cannot be shown]";
    }
  }

  // One argument of console.log: strings as they are.
  const plain = (v) => (typeof v === "string" ? cut(v, maxText) : inspect(v));

  function substitute(letter, v) {
    switch (letter) {
      case "s": return typeof v === "string" ? v : inspect(v);
      case "d": case "i": case "f": {
        if (typeof v === "bigint") return primitive(v);
        if (typeof v === "symbol" || (typeof v === "object" && v !== null) || typeof v === "function") return "NaN";
        const n = letter === "d" ? Number(v) : letter === "i" ? parseInt(v, 10) : parseFloat(v);
        return primitive(n);
      }
      case "j":
        try {
          return cut(`${stringify(v)}`, maxText);
        } catch (e) {
          return "[Circular]";
        }
      case "c": return "";
      default: return inspect(v);
    }
  }

  // console's format: %s and friends in a leading string, the rest appended.
  function format(args) {
    let out = "", i = 0;
    if (args.length > 0 && typeof args[0] === "string") {
      i = 1;
      out = cut(args[0], maxText);
      if (args.length > 1 && out.includes("%")) {
        out = out.replace(/%([sdifjoOc%])/g, (m, letter) => {
          if (letter === "%") return "%";
          return i < args.length ? substitute(letter, args[i++]) : m;
        });
      }
      if (i < args.length) out += " ";
    }
    const rest = [];
    for (; i < args.length; i++) rest.push(plain(args[i]));
    return out + rest.join(" ");
  }

  return { inspect, format, tidy };
})
