// The smallest useful extension: one tool, one argument, a structured answer.
import { defineTool, s, ToolError } from "rho-ext";

// A word is a run of anything but what wc takes for white space in a UTF-8
// locale: the ASCII kinds and most wide ones. It is not \s of JavaScript.
const words = /[^\t-\r \u00a0\u1680\u2000-\u200a\u202f\u205f\u2060\u3000]+/g;

export default defineTool({
  // name and description are all that a model knows of the tool before it
  // calls it: say what goes in and what comes out.
  name: "word_count",
  description:
    "Count the lines, words and bytes of one UTF-8 text file of the project, exactly as wc does. " +
    "A line is a newline character, so a last line without one is not counted.",
  risk: "read",
  // The type of execute's first parameter follows from this: { path: string }.
  parameters: {
    path: s.string({ minLength: 1 }).describe("Path of the file, relative to the project's root, such as README.md"),
  },
  execute({ path }) {
    const text = rho.readFile(path);
    // Bytes that are no UTF-8 become U+FFFD on the way in. Their number is then
    // lost, and no answer is better than a wrong one.
    if (text.includes("\ufffd")) {
      throw new ToolError(`${path} is not UTF-8 text`, { hint: "word_count reads text files; a file with U+FFFD in it counts as broken" });
    }
    // Any JSON value can be the result: a model sees its JSON text, and a
    // program gets it as structured data.
    return {
      lines: text.split("\n").length - 1,
      words: text.match(words)?.length ?? 0,
      bytes: new TextEncoder().encode(text).length,
    };
  },
});
