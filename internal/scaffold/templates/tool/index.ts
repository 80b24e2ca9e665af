// One tool. What `parameters` says is what a model may send: arguments are
// checked, and defaults filled in, before execute runs.
import { defineTool, s, ToolError } from "rho-ext";

export default defineTool({
  name: "my_tool",
  // The model reads this to decide when to call the tool, and how.
  description: "Find a word in a text file of the project, and give the numbers and the text of the lines that hold it.",
  risk: "read",
  parameters: {
    path: s.string({ minLength: 1 }).describe("Path of the file, relative to the project's root"),
    word: s.string({ minLength: 1 }).describe("The word to look for"),
    case: s.enum(["exact", "ignore"]).describe("Whether upper and lower case count").default("exact"),
    limit: s.integer({ minimum: 1, maximum: 500 }).describe("How many lines to give at most").default(50),
  },
  examples: [{ args: { path: "README.md", word: "install", case: "ignore", limit: 50 }, note: "where the README speaks of installing" }],

  async execute({ path, word, case: mode, limit }, { fs, log }) {
    let text: string;
    try {
      text = await fs.read(path);
    } catch (error) {
      if ((error as { code?: string }).code !== "ENOENT") throw error; // denied, or a folder: the host says it best
      // A ToolError is for the model: what is wrong, and what to do about it.
      throw new ToolError(`there is no file ${path}`, { kind: "not_found", hint: "the path begins at the project's root" });
    }
    const fold = (t: string) => (mode === "ignore" ? t.toLowerCase() : t);
    const found = text
      .split(/\r?\n/)
      .map((line, i) => ({ line: i + 1, text: line }))
      .filter((l) => fold(l.text).includes(fold(word)));
    log.debug("searched", { path, lines: found.length }); // for people, never for the model
    // A string is the answer as it is; anything else is given as JSON.
    return { path, total: found.length, lines: found.slice(0, limit) };
  },
});
