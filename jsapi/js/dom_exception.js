(function (host, use) {
  "use strict";
  const { expose, constants } = use("webidl");
  const { defineProperty } = Object;

  // Name → legacy constant and code; newer names have code 0.
  const legacy = {
    IndexSizeError: ["INDEX_SIZE_ERR", 1],
    HierarchyRequestError: ["HIERARCHY_REQUEST_ERR", 3],
    WrongDocumentError: ["WRONG_DOCUMENT_ERR", 4],
    InvalidCharacterError: ["INVALID_CHARACTER_ERR", 5],
    NoModificationAllowedError: ["NO_MODIFICATION_ALLOWED_ERR", 7],
    NotFoundError: ["NOT_FOUND_ERR", 8],
    NotSupportedError: ["NOT_SUPPORTED_ERR", 9],
    InUseAttributeError: ["INUSE_ATTRIBUTE_ERR", 10],
    InvalidStateError: ["INVALID_STATE_ERR", 11],
    SyntaxError: ["SYNTAX_ERR", 12],
    InvalidModificationError: ["INVALID_MODIFICATION_ERR", 13],
    NamespaceError: ["NAMESPACE_ERR", 14],
    InvalidAccessError: ["INVALID_ACCESS_ERR", 15],
    TypeMismatchError: ["TYPE_MISMATCH_ERR", 17],
    SecurityError: ["SECURITY_ERR", 18],
    NetworkError: ["NETWORK_ERR", 19],
    AbortError: ["ABORT_ERR", 20],
    URLMismatchError: ["URL_MISMATCH_ERR", 21],
    QuotaExceededError: ["QUOTA_EXCEEDED_ERR", 22],
    TimeoutError: ["TIMEOUT_ERR", 23],
    InvalidNodeTypeError: ["INVALID_NODE_TYPE_ERR", 24],
    DataCloneError: ["DATA_CLONE_ERR", 25],
  };
  const codes = { __proto__: null };
  const all = {
    DOMSTRING_SIZE_ERR: 2, NO_DATA_ALLOWED_ERR: 6, VALIDATION_ERR: 16,
  };
  const names = Object.keys(legacy);
  for (let i = 0; i < names.length; i++) {
    const constant = legacy[names[i]][0], code = legacy[names[i]][1];
    codes[names[i]] = code;
    all[constant] = code;
  }

  let isDOMException;

  class DOMException extends Error {
    #name;
    constructor(message = "", options = "Error") {
      super(`${message}`);
      if (typeof options === "object" && options !== null) {
        this.#name = options.name === undefined ? "Error" : `${options.name}`;
        if ("cause" in options) {
          defineProperty(this, "cause", { value: options.cause, writable: true, configurable: true });
        }
      } else {
        this.#name = `${options}`;
      }
    }
    get name() { return this.#name; }
    get code() { return codes[this.#name] ?? 0; }
    static { isDOMException = (v) => typeof v === "object" && v !== null && #name in v; }
  }
  expose(DOMException, "DOMException");
  constants(DOMException, all);

  return { DOMException, isDOMException };
})
