// Exceptions that the host throws.
(function (host, use) {
  "use strict";
  const { defineProperty } = Object;
  const classes = { __proto__: null, TypeError, RangeError, SyntaxError };
  const Plain = Error;

  // Gives an object a private field, which no author can forge or see.
  class Mark extends function (o) { return o; } {
    #kind;
    constructor(o, kind) { super(o); this.#kind = kind; }
    static kind(o) { return #kind in o ? o.#kind : ""; }
  }

  class PermissionDenied extends Plain {}
  hidden(PermissionDenied.prototype, "name", "PermissionDenied");

  function hidden(o, key, value) {
    defineProperty(o, key, { value, writable: true, configurable: true });
  }

  function make(name, message, code, hint, stack, kind) {
    let e;
    if (name === "AbortError" || name === "TimeoutError") {
      const { DOMException } = use("dom_exception");
      e = new DOMException(message, name);
    } else if (name === "PermissionDenied") {
      e = new PermissionDenied(message);
      code ??= "permission_denied";
    } else {
      const C = classes[name] ?? Plain;
      e = new C(message);
      if (C === Plain && name !== "" && name !== "Error") hidden(e, "name", name);
    }
    const text = `${name || "Error"}: ${message}`;
    hidden(e, "stack", stack === "" ? text : `${text}\n${stack}`);
    if (code !== undefined && !(name === "AbortError" || name === "TimeoutError")) hidden(e, "code", code);
    if (hint !== undefined) hidden(e, "hint", hint);
    new Mark(e, kind);
    return e;
  }

  return { make, kind: Mark.kind };
})
