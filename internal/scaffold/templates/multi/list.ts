import { defineTool, s } from "rho-ext";
import { read } from "./notes";

export const list = defineTool({
  name: "my_tool_list",
  description: "List the project's notes, the oldest first.",
  risk: "read",
  parameters: {
    containing: s.string().describe("Only lines that hold this text").optional(),
  },
  async execute({ containing }, ctx) {
    const lines = await read(ctx);
    return { lines: containing === undefined ? lines : lines.filter((line) => line.includes(containing)) };
  },
});
