// Values in one line, as they stand in the messages of matchers. Like chai's:
// what is long is cut, and objects that are long become their keys.
(function (host, use) {
  "use strict";
  const { isArray, keys, tagOf, is, apply, getPrototypeOf, getOwnPropertySymbols, classOf } = use("testing/base");
  const { getOwnPropertyNames } = Object;
  const { stringify } = JSON;
  const dots = "…";
  const deepest = 60;
  const most = 40;
  const none = Infinity;

  function cut(text, room) {
    if (text.length <= room || text.length <= 1) return text;
    if (room < 1) return dots;
    let end = room - 1;
    if (end > 0 && text[end - 1] >= "\ud800" && text[end - 1] <= "\udbff") end--;
    return text.slice(0, end) + dots;
  }

  // list lays out items while there is room. o.room is what is left for the item
  // that is being shown; items that are too many become their number.
  function list(items, o, show) {
    const room = o.room, n = items.length;
    let out = "", peek = "", left = "";
    for (let i = 0; i < n; i++) {
      const last = i + 1 === n, second = i + 2 === n;
      left = `${dots}(${n - i})`;
      o.room = room - out.length - (last ? 0 : 2);
      const text = peek || show(items[i], o) + (last ? "" : ", ");
      const next = out.length + text.length, shortened = next + left.length;
      if (last && next > room && out.length + left.length <= room) break;
      if (!last && !second && shortened > room) break;
      peek = last ? "" : show(items[i + 1], o) + (second ? "" : ", ");
      if (!last && second && shortened > room && next + peek.length > room) break;
      out += text;
      if (!last && !second && next + peek.length >= room) {
        left = `${dots}(${n - i - 1})`;
        break;
      }
      left = "";
    }
    return out + left;
  }

  const keyText = (key) => (/^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key) ? key : stringify(key).replace(/'/g, "\\'").replace(/\\"/g, '"').replace(/^"|"$/g, "'"));
  function member([key, v], o) {
    o.room -= 2;
    if (typeof key === "string") key = keyText(key);
    else if (typeof key !== "number") key = `[${show(key, o)}]`;
    o.room -= key.length;
    return `${key}: ${show(v, o)}`;
  }
  const pairs = (v, ks) => ks.map((k) => [k, v[k]]);

  const escapes = { __proto__: null, "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "'": "\\'", "\\": "\\\\" };
  const odd = /['\u0000-\u001f\u007f-\u009f\u00ad\u0600-\u0604\u070f\u17b4\u17b5\u200c-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff0-\uffff]/g;
  const quote = (s, o) => `'${cut((s.length > o.room + 10 ? s.slice(0, o.room + 10) : s).replace(odd, (c) => escapes[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`), o.room - 2)}'`;

  function number(n, o) {
    if (n !== n) return "NaN";
    if (n === 0) return is(n, -0) ? "-0" : "+0";
    return n === Infinity || n === -Infinity ? `${n}` : cut(`${n}`, o.room);
  }

  function object(v, o) {
    const names = getOwnPropertyNames(v), symbols = getOwnPropertySymbols(v);
    if (names.length === 0 && symbols.length === 0) return "{}";
    o.room -= 4;
    if (o.seen.includes(v)) return "[Circular]";
    o.seen.push(v);
    const first = list(pairs(v, names), o, member), second = list(pairs(v, symbols), o, member);
    o.seen.pop();
    return `{ ${first}${first !== "" && second !== "" ? ", " : ""}${second} }`;
  }

  function error(e, o) {
    const skip = ["stack", "line", "column", "name", "message", "fileName", "lineNumber", "columnNumber", "number", "description", "cause"];
    const names = getOwnPropertyNames(e).filter((k) => !skip.includes(k));
    const name = `${e.name}`;
    o.room -= name.length;
    let message = "";
    if (typeof e.message === "string") message = cut(e.message, o.room);
    else names.unshift("message");
    message = message === "" ? "" : `: ${message}`;
    o.room -= message.length + 5;
    if (o.seen.includes(e)) return "[Circular]";
    o.seen.push(e);
    const inside = list(pairs(e, names), o, member);
    o.seen.pop();
    return `${name}${message}${inside === "" ? "" : ` { ${inside} }`}`;
  }

  function array(v, o) {
    const extra = keys(v).slice(v.length);
    if (v.length === 0 && extra.length === 0) return "[]";
    o.room -= 4;
    const items = list(v, o, show);
    o.room -= items.length;
    const more = extra.length > 0 ? list(pairs(v, extra), o, member) : "";
    return `[ ${items}${more === "" ? "" : `, ${more}`} ]`;
  }

  function typed(v, o, name) {
    o.room -= name.length + 4;
    if (v.length === 0) return `${name}[]`;
    let out = "";
    for (let i = 0; i < v.length; i++) {
      const s = `${cut(`${v[i]}`, o.room)}${i === v.length - 1 ? "" : ", "}`;
      o.room -= s.length;
      if (v[i] !== v.length && o.room <= 3) { out += `${dots}(${v.length - v[i] + 1})`; break; }
      out += s;
    }
    return `${name}[ ${out} ]`;
  }

  const free = () => ({ room: none, seen: [], depth: 0 });
  const web = (v, ks) => `{ ${ks.map((k) => `${k}: ${show(v[k], free())}`).join(", ")} }`;

  // show renders a value; o is that of the list around it and stays as it is.
  function show(v, from) {
    const o = { room: from.room, seen: from.seen, depth: from.depth + 1 };
    if (v === null) return "null";
    if (o.depth > deepest && typeof v === "object") return dots;
    switch (typeof v) {
      case "undefined": case "boolean": return `${v}`;
      case "number": return number(v, o);
      case "bigint": { const s = cut(`${v}`, o.room - 1); return s === dots ? s : `${s}n`; }
      case "string": return quote(v, o);
      case "symbol": return v.description ? `Symbol(${v.description})` : "Symbol()";
      case "function": {
        const kind = tagOf(v);
        return v.name ? `[${kind} ${cut(`${v.name}`, o.room - 11)}]` : `[${kind}]`;
      }
    }
    const tag = tagOf(v);
    switch (tag) {
      case "Array": return array(v, o);
      case "Boolean": return `${v}`;
      case "Number": return number(+v, o);
      case "BigInt": return `${v}n`;
      case "String": return quote(`${v}`, o);
      case "Date": return v.getTime() !== v.getTime() ? "Invalid Date" : cut(v.toJSON(), o.room < 12 ? 12 : o.room);
      case "RegExp": return `/${cut(v.source, o.room - 2 - v.flags.length)}/${v.flags}`;
      case "Map": {
        if (v.size === 0) return "Map{}";
        o.room -= 7;
        const entries = [];
        v.forEach((x, k) => entries.push([k, x]));
        return `Map{ ${list(entries, o, ([k, x], p) => { p.room -= 4; const key = show(k, p); p.room -= key.length; return `${key} => ${show(x, p)}`; })} }`;
      }
      case "Set": {
        if (v.size === 0) return "Set{}";
        o.room -= 7;
        const items = [];
        v.forEach((x) => items.push(x));
        return `Set{ ${list(items, o, show)} }`;
      }
      case "Promise": return "Promise{…}";
      case "WeakSet": return "WeakSet{…}";
      case "WeakMap": return "WeakMap{…}";
      case "Generator": case "DataView": case "ArrayBuffer": return "";
      case "Error": return error(v, o);
      case "Arguments": if (v.length === 0) return "Arguments[]"; o.room -= 13; return `Arguments[ ${list([...v], o, show)} ]`;
    }
    if (tag === "URL" && typeof v.href === "string") return `URL ${web(v, ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "searchParams", "hash"])}`;
    if (tag === "URLSearchParams" && typeof v.entries === "function") {
      const all = [...v.entries()].map(([k, x]) => `${quote(k, free())} => ${quote(x, free())}`);
      return `URLSearchParams ${all.length === 0 ? "{}" : `{ ${all.join(", ")} }`}`;
    }
    if (/^(?:Int|Uint|Float)\d+(?:Clamped)?Array$/.test(tag)) return typed(v, o, tag);
    if (typeof v.asymmetricMatch === "function" && v.$$typeof === Symbol.for("jest.asymmetricMatcher")) {
      const s = use("testing/format").format(v, { min: true });
      return s.length <= o.room ? s : `${v.toString()}{…}`;
    }
    const proto = getPrototypeOf(v);
    if (proto === Object.prototype || proto === null || !("constructor" in v)) return object(v, o);
    let name = v[Symbol.toStringTag] || v.constructor?.name;
    if (typeof name !== "string" || name === "") name = "<Anonymous Class>";
    if (v.constructor === Object && name === "Object") return object(v, o);
    o.room -= name.length;
    return name + object(v, o);
  }

  const inspect = (v) => show(v, free());

  function display(v) {
    const text = show(v, { room: most, seen: [], depth: 0 });
    if (text.length < most) return text;
    switch (tagOf(v)) {
      case "Function": return v.name ? `[Function: ${v.name}]` : "[Function]";
      case "Array": return `[ Array(${v.length}) ]`;
      case "Object": {
        const ks = keys(v);
        return `{ Object (${ks.length > 2 ? `${ks.slice(0, 2).join(", ")}, ...` : ks.join(", ")}) }`;
      }
    }
    return text;
  }

  return { inspect, display };
})
