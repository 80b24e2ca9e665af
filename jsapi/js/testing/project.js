// The temporary project that the extension under test works in.
(function (host, use) {
  "use strict";
  const runner = use("testing/runner");
  const { bytesOf } = use("webidl");
  const WrongType = TypeError, ErrorClass = Error, U8 = Uint8Array;

  const path = (what, p) => {
    if (typeof p !== "string" || p === "") throw new WrongType(`project.${what}: expected a path, got ${p === null ? "null" : typeof p}`);
    return p;
  };
  async function bytes(what, p) {
    const r = await runner.ask("project", { do: "read", path: path(what, p) }, `project.${what}`);
    if (!r.found) throw new ErrorClass(`project.${what}: there is no file ${p} in the project of this test`);
    return new U8(host.decode(r.base64 ?? ""));
  }
  const project = {
    // root is the absolute path of the project.
    get root() { runner.owner("project.root"); return runner.tell("project", { do: "root" }).root; },
    async write(p, content) {
      path("write", p);
      const raw = typeof content === "string" ? content : bytesOf(content);
      if (raw === undefined) throw new WrongType("project.write: expected a text or bytes");
      await runner.ask("project", { do: "write", path: p, base64: host.encode(raw) }, "project.write");
    },
    async read(p) { return host.text(await bytes("read", p)); },
    async readBytes(p) { return await bytes("readBytes", p); },
    async exists(p) { return (await runner.ask("project", { do: "read", path: path("exists", p) }, "project.exists")).found === true; },
    // list gives the paths of all files below a folder, sorted.
    async list(p = "") { return (await runner.ask("project", { do: "list", path: p }, "project.list")).paths ?? []; },
    async remove(p) { await runner.ask("project", { do: "remove", path: path("remove", p) }, "project.remove"); },
  };
  return { project: Object.freeze(project) };
})
