import { defineTool, s, ToolError } from "rho-ext";
import { file, read } from "./notes";

export const add = defineTool({
  name: "my_tool_add",
  description: "Add a line to the project's notes.",
  risk: "write",
  parameters: {
    line: s.string({ minLength: 1, maxLength: 500, pattern: "^[^\\r\\n]*$" }).describe("One line of text"),
  },
  async execute({ line }, ctx) {
    const before = await read(ctx);
    if (before.includes(line)) throw new ToolError("this line is in the notes already", { hint: "my_tool_list shows them" });
    await ctx.fs.append(file, `${line}\n`);
    return `${file} has ${before.length + 1} lines now`;
  },
});
