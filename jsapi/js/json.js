// Values of authors as JSON.
(function () {
  "use strict";
  const { stringify } = JSON;
  const { isArray } = Array;
  const { keys } = Object;
  const Wrong = TypeError;
  const isObject = (v) => typeof v === "object" && v !== null;

  // plain checks that a value is a tree of moderate size before it becomes JSON:
  // the engine's own writer is slow and deep on what is not.
  function plain(root, maxDepth, maxNodes) {
    let level = [root], nodes = 0;
    for (let depth = 0; level.length > 0; depth++) {
      if (depth > maxDepth) throw new Wrong(`it is nested more than ${maxDepth} levels deep, or refers to itself`);
      const next = [];
      for (let i = 0; i < level.length; i++) {
        const v = level[i];
        if (++nodes > maxNodes) throw new Wrong(`it has more than ${maxNodes} values`);
        if (isArray(v)) {
          if (v.length > maxNodes) throw new Wrong(`it has more than ${maxNodes} values`);
          for (let j = 0; j < v.length; j++) if (isObject(v[j])) next[next.length] = v[j]; else nodes++;
        } else {
          const ks = keys(v);
          for (let j = 0; j < ks.length; j++) { const c = v[ks[j]]; if (isObject(c)) next[next.length] = c; else nodes++; }
        }
      }
      level = next;
    }
  }

  // messageOf reads what was thrown, which may be anything.
  function messageOf(e) {
    try { return typeof e.message === "string" ? e.message : ""; } catch { return ""; }
  }

  // toJSON gives undefined for undefined alone; what names the value in errors.
  function toJSON(v, what) {
    try {
      if (isObject(v)) plain(v, 200, 1e6);
      const s = stringify(v);
      if (s === undefined && v !== undefined) throw new Wrong(`a ${typeof v} cannot be written as JSON`);
      return s;
    } catch (e) {
      throw new Wrong(`${what} cannot be sent: ${messageOf(e)}`);
    }
  }

  return { toJSON };
})
