(function (host, use) {
  "use strict";
  const { need } = use("webidl");

  const invalid = (text) => {
    const { DOMException } = use("dom_exception");
    return new DOMException(text, "InvalidCharacterError");
  };

  return {
    atob: function atob(data) {
      need(arguments, 1, "atob");
      const s = host.atob(`${data}`);
      if (s === undefined) throw invalid("atob: the string is not correctly encoded base64");
      return s;
    },
    btoa: function btoa(data) {
      need(arguments, 1, "btoa");
      const s = host.btoa(`${data}`);
      if (s === undefined) throw invalid("btoa: the string has characters above U+00FF; encode it with TextEncoder first");
      return s;
    },
  };
})
