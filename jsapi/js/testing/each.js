// Titles and rows of test.each and test.for.
(function (host, use) {
  "use strict";
  const { isArray, isObject, is } = use("testing/base");
  const { display, inspect } = use("testing/display");
  const { stringify } = JSON;
  const { parseInt, parseFloat } = Number;
  const Wrong = TypeError;

  const nameOf = (name) => (typeof name === "string" ? name : typeof name === "function" ? name.name || "<anonymous>" : `${name}`);

  // rowsOf gives the cases as rows: an array, or a table written as a template.
  function rowsOf(cases, rest, what) {
    if (!isArray(cases)) throw new Wrong(`${what}: expected an array of cases, or a table written as a template`);
    if (rest.length === 0) return cases;
    const header = cases.join("").trim().replace(/ /g, "").split("\n")[0].split("|");
    const rows = [];
    for (let i = 0; i + header.length <= rest.length; i += header.length) {
      const row = {};
      for (let j = 0; j < header.length; j++) row[header[j]] = rest[i + j];
      rows[rows.length] = row;
    }
    return rows;
  }

  // path reads a.b.0 from a value.
  function path(v, dotted) {
    const parts = dotted.split(".");
    for (let i = 0; i < parts.length; i++) {
      if (v === undefined || v === null) return undefined;
      v = v[parts[i]];
    }
    return v;
  }

  function text(letter, v) {
    const big = typeof v === "bigint";
    switch (letter) {
      case "s":
        if (big) return `${v}n`;
        if (is(v, -0)) return "-0";
        if (isObject(v)) return typeof v.toString === "function" && v.toString !== Object.prototype.toString ? v.toString() : inspect(v, 0);
        return String(v);
      case "d": return big ? `${v}n` : typeof v === "symbol" ? "NaN" : `${Number(v)}`;
      case "i": return big ? `${v}n` : `${parseInt(String(v))}`;
      case "f": return is(v, -0) ? "-0" : `${parseFloat(String(v))}`;
      case "j":
        try { return `${stringify(v)}`; } catch { return "[Circular]"; }
      case "c": return "";
      default: return inspect(v);
    }
  }

  // title fills a row into a title: %s and its kin, %# and %$ for the row's
  // number, $name for a member of a row that is an object, and $0 for a value.
  function title(template, items, index) {
    const first = items[0];
    const attribute = (whole, key) => {
      const number = /^\d+$/.test(key);
      if (!isObject(first) && !number) return whole;
      let v = number ? items[key] : undefined;
      if (isObject(first)) { const own = path(first, key); if (own !== undefined || !number) v = own; }
      return display(v);
    };
    let used = 0, out = "", at = 0;
    const plain = (s) => s.replace(/\$([$\w.]+)/g, attribute);
    const places = /%([sdjifoOc%#$])/g;
    for (let m; (m = places.exec(template)) !== null; ) {
      out += plain(template.slice(at, m.index));
      at = m.index + 2;
      if (m[1] === "%") out += "%";
      else if (m[1] === "#") out += index;
      else if (m[1] === "$") out += index + 1;
      else out += text(m[1], items[used++]);
    }
    return out + plain(template.slice(at));
  }

  return { nameOf, rowsOf, title };
})
