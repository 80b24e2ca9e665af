(function (host) {
  "use strict";
  const { freeze } = Object;

  const rho = {
    log(level, message) {
      host.log(`${level}`, `${message}`);
    },
    getCwd() { return host.root(); },
    getProjectRoot() { return host.root(); },
    readFile(path) {
      if (typeof path !== "string" || path === "") {
        throw new TypeError("rho.readFile: the path must be a string that is not empty");
      }
      return host.readFile(path);
    },
  };
  Object.defineProperty(rho, Symbol.toStringTag, { value: "rho" });
  return { rho: freeze(rho) };
})
