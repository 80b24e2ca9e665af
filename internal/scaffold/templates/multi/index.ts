// An extension of several files with two tools. The files are bundled when it is
// loaded; no build step is needed.
import { defineExtension } from "rho-ext";
import { add } from "./add";
import { list } from "./list";
import { folder } from "./notes";

export default defineExtension({
  name: "my-tool",
  version: "0.1.0",
  description: "Notes of the project, one line each.",
  // The most that it can ever be granted. Reading in the project needs no grant,
  // writing does: rho-ext grant my-tool --allow-write=notes
  permissions: { read: [folder], write: [folder] },
  tools: [add, list],
});
