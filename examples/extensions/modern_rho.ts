// legacy_rho.ts in the new style: the same text, but the arguments are typed and
// checked before execute runs, the default is part of the schema, and ctx says
// which call this is.
import { defineTool, s } from "rho-ext";

export default defineTool({
  name: "modern_head",
  description: "Show the first lines of a text file of the project, with line numbers.",
  risk: "read",
  parameters: {
    path: s.string({ minLength: 1 }).describe("Path of the file, relative to the project's root"),
    lines: s.integer({ minimum: 1 }).describe("How many lines to show").default(10),
  },
  execute({ path, lines }, ctx) {
    ctx.log.debug(`reading ${path} in ${ctx.projectRoot}`, { callId: ctx.callId });
    const all = rho.readFile(path).split("\n");
    if (all.at(-1) === "") all.pop();
    const shown = all.slice(0, lines);
    const width = String(shown.length).length;
    const body = shown.map((line, i) => `${String(i + 1).padStart(width)}  ${line}\n`).join("");
    return `${path}: ${shown.length} of ${all.length} lines\n${body}`;
  },
});
