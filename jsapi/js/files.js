// ctx.fs: the files of the project, for one call.
(function (host, use) {
  "use strict";
  const { text, data } = use("check");
  const { freeze, values } = Object;
  const U8 = Uint8Array, DateClass = Date;

  const path = (name, v, what = "path") => text(`ctx.fs.${name}: the ${what}`, v);

  function make(port) {
    const fs = {
      async read(file) { return await host.read(port, path("read", file)); },
      async readBytes(file) { return new U8(await host.readBytes(port, path("readBytes", file))); },
      async write(file, content) {
        await host.write(port, path("write", file), data("ctx.fs.write: data", content), false);
      },
      async append(file, content) {
        await host.write(port, path("append", file), data("ctx.fs.append: data", content), true);
      },
      async list(directory) {
        const flat = await host.list(port, path("list", directory)), out = [];
        for (let i = 0; i < flat.length; i += 3) out[i / 3] = { name: flat[i], isDirectory: flat[i + 1], isSymlink: flat[i + 2] };
        return out;
      },
      async stat(file) {
        const s = await host.stat(port, path("stat", file));
        return { size: s[0], mtime: new DateClass(s[1]), isDirectory: s[2] };
      },
      async remove(file) { await host.remove(port, path("remove", file)); },
      async rename(from, to) { await host.rename(port, path("rename", from, "old path"), path("rename", to, "new path")); },
      async mkdir(directory) { await host.mkdir(port, path("mkdir", directory)); },
      async glob(pattern) { return await host.glob(port, path("glob", pattern, "pattern")); },
    };
    const all = values(fs);
    for (let i = 0; i < all.length; i++) freeze(all[i]);
    return freeze(fs);
  }

  return { make };
})
