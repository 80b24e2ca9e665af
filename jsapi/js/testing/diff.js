// What differs between two values, for people.
(function (host, use) {
  "use strict";
  const { isObject, isArray, is, tagOf, ownKeys } = use("testing/base");
  const { format } = use("testing/format");
  const maxText = 20000, maxLines = 2000, maxEdits = 300, around = 5;
  const noDifference = "Compared values have no visual difference.";
  const similar = "Compared values serialize to the same structure.\nPrinting internal object structure without calling `toJSON` instead.";
  const shape = { basic: false, escape: true, errors: true, depth: 20 };

  const cut = (s) => (s.length <= 100000 ? s : `${s.slice(0, 100000)}...`);
  const show = (v, more) => cut(format(v, { ...shape, ...more }));

  // pretty is a value as the reporter shows it beside the other.
  const pretty = (v) => { try { return typeof v === "string" ? cut(v) : show(v); } catch { return show(v, { json: false }); } };

  // edits gives the shortest way from a to b: lines marked " ", "-" and "+", the
  // lines that go before those that come (Myers).
  function edits(a, b) {
    let head = 0;
    while (head < a.length && head < b.length && a[head] === b[head]) head++;
    let tail = 0;
    while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
    const out = [];
    for (let i = 0; i < head; i++) out[i] = [" ", a[i]];
    middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail), out);
    for (let i = a.length - tail; i < a.length; i++) out[out.length] = [" ", a[i]];
    return out;
  }
  function middle(a, b, out) {
    const n = a.length, m = b.length;
    const whole = () => {
      for (const x of a) out.push(["-", x]);
      for (const x of b) out.push(["+", x]);
    };
    if (n > maxLines || m > maxLines) return whole();
    const trace = [];
    let v = { 1: 0 };
    search: for (let d = 0; d <= n + m; d++) {
      if (d > maxEdits) return whole(); // the work grows with its square
      trace.push({ ...v });
      for (let k = -d; k <= d; k += 2) {
        let x = k === -d || (k !== d && v[k - 1] < v[k + 1]) ? v[k + 1] : v[k - 1] + 1;
        while (x < n && x - k < m && a[x] === b[x - k]) x++;
        v[k] = x;
        if (x >= n && x - k >= m) break search;
      }
    }
    const back = [];
    let x = n, y = m;
    for (let d = trace.length - 1; d >= 0; d--) {
      const w = trace[d], k = x - y;
      const from = k === -d || (k !== d && w[k - 1] < w[k + 1]) ? k + 1 : k - 1;
      const px = w[from], py = px - from;
      while (x > px && y > py) { back.push([" ", a[x - 1]]); x--; y--; }
      if (d === 0) break;
      if (x === px) { back.push(["+", b[y - 1]]); y--; } else { back.push(["-", a[x - 1]]); x--; }
    }
    return merge(back, out);
  }
  function merge(back, out) {
    // Within a change, what goes stands before what comes.
    for (let i = back.length - 1; i >= 0; ) {
      if (back[i][0] === " ") { out.push(back[i--]); continue; }
      const come = [];
      for (; i >= 0 && back[i][0] !== " "; i--) if (back[i][0] === "-") out.push(back[i]); else come.push(back[i]);
      for (const e of come) out.push(e);
    }
  }

  // patch lays out edits, with a few lines around each change.
  function patch(list) {
    const keep = list.map(() => false);
    list.forEach(([mark], i) => { if (mark !== " ") for (let j = i - around; j <= i + around; j++) if (j >= 0 && j < list.length) keep[j] = true; });
    const whole = keep.every((k) => k), lines = [];
    let a = 0, b = 0, header = -1, as = 0, bs = 0;
    const close = () => { if (header >= 0) lines[header] = `@@ -${as + 1},${a - as} +${bs + 1},${b - bs} @@`; header = -1; };
    list.forEach(([mark, text], i) => {
      if (!keep[i]) { close(); a++; b++; return; }
      if (header < 0 && !whole) { header = lines.length; as = a; bs = b; lines.push(""); }
      if (mark !== "+") a++;
      if (mark !== "-") b++;
      lines.push(text === "" ? (mark === " " ? "" : mark) : `${mark} ${text}`);
    });
    close();
    return `- Expected\n+ Received\n\n${lines.join("\n")}`;
  }
  const lines = (a, b) => patch(edits(a === "" ? [] : a.split("\n"), b === "" ? [] : b.split("\n")));

  // settled makes what matchers accept look the same on both sides.
  function settled(actual, expected, seen) {
    const kind = tagOf(actual);
    if (kind !== tagOf(expected) || (kind !== "Object" && kind !== "Array") || seen.includes(actual)) return [actual, expected];
    if (typeof expected.asymmetricMatch === "function" || typeof actual.asymmetricMatch === "function") return [actual, expected];
    seen = [...seen, actual];
    const a = copy(actual), e = copy(expected);
    for (const key of ownKeys(e)) {
      const want = e[key], have = a[key];
      if (isObject(want) && typeof want.asymmetricMatch === "function") {
        if (want.asymmetricMatch(have)) e[key] = have;
        else if (isObject(want.sample) && isObject(have)) { const [x, y] = settled(have, want.sample, seen); a[key] = x; e[key] = y; }
      } else if (isObject(have) && isObject(want)) {
        const [x, y] = settled(have, want, seen);
        if (x !== have) a[key] = x;
        if (y !== want) e[key] = y;
      }
    }
    return [a, e];
  }
  function copy(v) {
    if (isArray(v)) return [...v];
    const o = Object.create(Object.getPrototypeOf(v));
    for (const key of ownKeys(v)) {
      const d = Object.getOwnPropertyDescriptor(v, key);
      if (d.enumerable) Object.defineProperty(o, key, { value: v[key], writable: true, enumerable: true, configurable: true });
    }
    return o;
  }
  const containsMatcher = (v, depth = 0) => isObject(v) && depth < 20 && (typeof v.asymmetricMatch === "function" ||
    ((isArray(v) || tagOf(v) === "Object") && Object.values(v).some((x) => containsMatcher(x, depth + 1))));

  const kinds = ["RegExp", "Map", "Set", "Date"];
  const typeOf = (v) => (v === null ? "null" : isArray(v) ? "array" : typeof v === "object" && kinds.includes(tagOf(v)) ? tagOf(v) : typeof v);

  function objects(expected, actual) {
    let a = "", b = "";
    try { a = show(expected); b = show(actual); } catch {}
    if (a !== b) return lines(a, b);
    a = show(expected, { json: false });
    b = show(actual, { json: false });
    return a === b ? noDifference : `${similar}\n\n${lines(a, b)}`;
  }

  // compare gives the difference as text, or "" where there is none to show.
  function compare(actual, expected) {
    if (typeof expected === "string" && typeof actual === "string" && expected !== "" && actual !== "" && expected !== actual &&
      expected.length <= maxText && actual.length <= maxText) {
      if (expected.includes("\n") || actual.includes("\n")) return lines(expected, actual);
      const shown = (s) => `"${s.replace(/\s+$/gm, (spaces) => "·".repeat(spaces.length))}"`;
      return `Expected: ${shown(expected)}\nReceived: ${shown(actual)}`;
    }
    if (containsMatcher(expected)) [actual, expected] = settled(actual, expected, []);
    if (is(expected, actual)) return isObject(expected) ? noDifference : "";
    let type = typeOf(expected), omit = false;
    if (isObject(expected) && typeof expected.asymmetricMatch === "function") {
      if (typeof expected.getExpectedType !== "function") return "";
      type = expected.getExpectedType();
      omit = type === "string";
    }
    if (type !== typeOf(actual)) return `- Expected:\n${pretty2(expected)}\n\n+ Received:\n${pretty2(actual)}`;
    if (omit) return "";
    if (typeof expected === "string") return lines(expected, actual);
    if (typeof expected === "number" || typeof expected === "boolean") return lines(show(expected), show(actual));
    return objects(sorted(expected), sorted(actual));
  }
  const pretty2 = (v) => show(v, { json: false });
  function sorted(v) {
    const tag = tagOf(v);
    if (tag === "Map") return new Map([...v.entries()].sort());
    return tag === "Set" ? new Set([...v.values()].sort()) : v;
  }

  return { compare, pretty, lines };
})
