// The global of the seed. Everything blocks until it is done.
(function (host, use) {
  "use strict";
  const { freeze, defineProperty } = Object;
  const { isInteger } = Number;
  const Wrong = TypeError;
  // Old files that only log or read need none of the rest.
  const check = () => use("check");

  function headersOf(headers) {
    if (headers === undefined || headers === null) return [];
    const { isObject } = use("webidl");
    if (!isObject(headers)) throw new Wrong("rho.fetchUrl: headers must be an object of strings");
    const { Headers, listOf } = use("headers");
    const pairs = listOf(new Headers(headers)), flat = [];
    for (let i = 0; i < pairs.length; i++) {
      flat[2 * i] = pairs[i][0];
      flat[2 * i + 1] = pairs[i][1];
    }
    return flat;
  }

  function fetchUrl(request) {
    const { isObject } = use("webidl");
    if (!isObject(request)) throw new Wrong("rho.fetchUrl: the request must be an object with a url");
    const { url, method = "GET", headers, body, max_bytes } = request;
    check().text("rho.fetchUrl: url", url);
    check().text("rho.fetchUrl: method", method);
    if (body !== undefined && body !== null && typeof body !== "string") throw new Wrong("rho.fetchUrl: body must be a string");
    if (max_bytes !== undefined && max_bytes !== null && !(isInteger(max_bytes) && max_bytes > 0)) {
      throw new Wrong("rho.fetchUrl: max_bytes must be a positive integer");
    }
    const got = host.fetchUrl(url, method, headersOf(headers), body ?? undefined, max_bytes ?? 0);
    const out = { status: got[0], headers: {}, body: got[1] };
    for (let i = 2; i < got.length; i += 2) {
      defineProperty(out.headers, got[i], { value: got[i + 1], writable: true, enumerable: true, configurable: true });
    }
    return out;
  }

  const rho = {
    log(level, message) {
      host.log(`${level}`, `${message}`);
    },
    getCwd() { return host.root(); },
    getProjectRoot() { return host.root(); },
    getModel() { return host.model(); },
    readFile(path) { return host.readFile(check().text("rho.readFile: the path", path)); },
    writeFile(path, content) {
      check().text("rho.writeFile: the path", path);
      if (typeof content !== "string") throw new Wrong("rho.writeFile: the content must be a string");
      host.writeFile(path, content);
    },
    runCommand(command, args) {
      check().text("rho.runCommand: the command", command);
      const end = host.runCommand(command, check().strings("rho.runCommand: args", args));
      return { stdout: end[0], stderr: end[1], exitCode: end[2] };
    },
    fetchUrl,
  };
  defineProperty(rho, Symbol.toStringTag, { value: "rho" });
  return { rho: freeze(rho) };
})
