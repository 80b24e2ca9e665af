(function (host, use) {
  "use strict";
  const { inspect, format, tidy } = use("inspect");
  const { isObject } = use("webidl");
  const { now } = host;
  const Trace = Error, M = Map, S = Set, { keys, hasOwn } = Object;

  let indent = "";
  const counts = new M(), timers = new M();

  function write(level, text) {
    host.log(level, indent === "" ? text : indent + text.replaceAll("\n", `\n${indent}`));
  }
  const label = (v) => (v === undefined ? "default" : `${v}`);

  function lasted(name, args) {
    const start = timers.get(name);
    if (start === undefined) return write("warn", `Timer '${name}' does not exist`);
    const text = `${name}: ${(now() - start).toFixed(3)} ms`;
    write("info", args.length === 0 ? text : `${text} ${format(args)}`);
  }

  // Rows and columns of console.table, Node's way.
  function tabulate(data, columns) {
    const rows = [], names = [];
    let values = false;
    const cell = (v) => inspect(v).replaceAll("\n", " ");
    const add = (index, row) => {
      const cells = { __proto__: null };
      if (isObject(row)) {
        for (const key of columns ?? keys(row)) {
          if (!hasOwn(row, key)) continue;
          if (!names.includes(key)) names.push(key);
          cells[key] = cell(row[key]);
        }
        rows.push({ index, cells, value: "" });
      } else {
        values = true;
        rows.push({ index, cells, value: cell(row) });
      }
    };
    if (data instanceof M || data instanceof S) {
      let i = 0;
      for (const row of data) {
        if (i >= 1000) break;
        add(`${i++}`, data instanceof M ? { Key: row[0], Values: row[1] } : row);
      }
    } else {
      for (const key of keys(data).slice(0, 1000)) add(key, data[key]);
    }
    const head = ["(index)", ...names];
    if (values) head.push("Values");
    const lines = rows.map((r) => {
      const line = [r.index, ...names.map((n) => r.cells[n] ?? "")];
      if (values) line.push(r.value);
      return line;
    });
    const widths = head.map((h, i) => lines.reduce((w, l) => Math.max(w, l[i].length), h.length) + 2);
    const rule = (l, m, r) => l + widths.map((w) => "─".repeat(w)).join(m) + r;
    const print = (l) => `│${l.map((c, i) => ` ${c}`.padEnd(widths[i])).join("│")}│`;
    return [rule("┌", "┬", "┐"), print(head), rule("├", "┼", "┤"), ...lines.map(print), rule("└", "┴", "┘")].join("\n");
  }

  const console = {
    log(...args) { write("info", format(args)); },
    debug(...args) { write("debug", format(args)); },
    info(...args) { write("info", format(args)); },
    warn(...args) { write("warn", format(args)); },
    error(...args) { write("error", format(args)); },
    trace(...args) {
      const [, ...frames] = tidy(new Trace("trace").stack).split("\n");
      const text = args.length === 0 ? "Trace" : `Trace: ${format(args)}`;
      write("trace", [text, ...frames].join("\n"));
    },
    assert(condition, ...args) {
      if (condition) return;
      if (args.length === 0) return write("error", "Assertion failed");
      if (typeof args[0] === "string") args[0] = `Assertion failed: ${args[0]}`;
      else args.unshift("Assertion failed:");
      write("error", format(args));
    },
    count(name) {
      name = label(name);
      const n = (counts.get(name) ?? 0) + 1;
      counts.set(name, n);
      write("info", `${name}: ${n}`);
    },
    countReset(name) {
      name = label(name);
      if (!counts.delete(name)) write("warn", `Count for '${name}' does not exist`);
    },
    dir(value) { write("info", inspect(value)); },
    table(data, columns) {
      if (!isObject(data)) return write("info", format([data]));
      write("info", tabulate(data, columns));
    },
    time(name) {
      name = label(name);
      if (timers.has(name)) return write("warn", `Timer '${name}' already exists`);
      timers.set(name, now());
    },
    timeLog(name, ...args) { lasted(label(name), args); },
    timeEnd(name) {
      name = label(name);
      lasted(name, []);
      timers.delete(name);
    },
    group(...args) {
      if (args.length > 0) write("info", format(args));
      if (indent.length < 40) indent += "  ";
    },
    groupEnd() { indent = indent.slice(2); },
    clear() { indent = ""; },
  };
  console.groupCollapsed = console.group;
  Object.defineProperty(console, Symbol.toStringTag, { value: "console", configurable: true });
  return { console };
})
