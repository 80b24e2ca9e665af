// A tool over many files: a list as argument, progress while it works, and
// failures that are part of the answer instead of the end of it.
import { defineTool, s } from "rho-ext";

interface Found {
  file: string;
  line: number;
  kind: string;
  text: string;
}

// One expression per family of languages. It matches strings as well as
// comments, so that a "//" inside a string is not taken for a comment.
const strings = String.raw`"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'`;
const slashes = String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`;
const families: [extensions: string, syntax: RegExp][] = [
  ["ts tsx mts cts js jsx mjs cjs go c h cc cpp hpp java kt cs swift scala php dart css scss", new RegExp(`${strings}|\`(?:\\\\[\\s\\S]|[^\`\\\\])*\`|${slashes}`, "g")],
  // In Rust a single ' also begins a lifetime.
  ["rs", new RegExp(String.raw`"(?:\\[\s\S]|[^"\\])*"|'(?:\\.|[^'\\\n])'|${slashes}`, "g")],
  ["py", new RegExp(`"""[\\s\\S]*?(?:"""|$)|'''[\\s\\S]*?(?:'''|$)|${strings}|#[^\\n]*`, "g")],
  ["sh bash zsh rb pl r yml yaml toml ini mk cfg conf Makefile Dockerfile", new RegExp(`${strings}|#[^\\n]*`, "g")],
  ["sql lua hs elm", new RegExp(`${strings}|--[^\\n]*`, "g")],
  ["html htm xml svg vue", /<!--[\s\S]*?(?:-->|$)/g],
];
const marker = /\b(TODO|FIXME|XXX|HACK)\b(?:\([^)\n]*\))?:?[ \t]*(.*)/;
const closing = /\s*(?:\*\/|-->)\s*$/;

// scan finds the markers in one file's text, at most one on a line.
function scan(file: string, text: string): Found[] {
  const name = file.slice(file.lastIndexOf("/") + 1);
  const extension = name.slice(name.lastIndexOf(".") + 1);
  const syntax = families.find(([extensions]) => extensions.split(" ").includes(extension))?.[1];
  const found: Found[] = [];
  let line = 1;
  let counted = 0; // line is the number of the line that this offset is on
  const lineOf = (offset: number) => {
    for (let at = text.indexOf("\n", counted); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) {
      line++;
      counted = at + 1;
    }
    return line;
  };
  // A file of a kind that is not known is searched as plain text.
  for (const [piece, start] of syntax ? comments(text, syntax) : [[text, 0] as const]) {
    let offset = start;
    for (const one of piece.split("\n")) {
      const match = marker.exec(one);
      if (match) found.push({ file, line: lineOf(offset), kind: match[1]!, text: match[2]!.replace(closing, "").trim() });
      offset += one.length + 1;
    }
  }
  return found;
}

function* comments(text: string, syntax: RegExp): Generator<readonly [piece: string, start: number]> {
  for (const match of text.matchAll(syntax)) {
    if (!/^["'`]/.test(match[0])) yield [match[0], match.index];
  }
}

export default defineTool({
  name: "todo_scan",
  description:
    "List the TODO, FIXME, XXX and HACK comments of some text files, each with file, line, kind and text. " +
    "Markers inside string literals are left out. Files that cannot be read are listed under errors; the others are scanned all the same.",
  risk: "read",
  parameters: {
    paths: s
      .array(s.string({ minLength: 1 }), { minItems: 1, maxItems: 200 })
      .describe('Paths of files, relative to the project\'s root, such as ["main.go", "src/app.ts"]; no folders, no patterns'),
  },
  async execute({ paths }, ctx) {
    const found: Found[] = [];
    const errors: { file: string; message: string }[] = [];
    for (const [done, file] of paths.entries()) {
      ctx.progress({ message: file, done, total: paths.length });
      try {
        found.push(...scan(file, rho.readFile(file)));
      } catch (error) {
        errors.push({ file, message: error instanceof Error ? error.message : String(error) });
      }
      // Lets other calls have their turn, and stops here when nobody waits for
      // the answer any more.
      await new Promise((resume) => setTimeout(resume));
      ctx.signal.throwIfAborted();
    }
    ctx.progress({ message: "done", done: paths.length, total: paths.length });
    return { scanned: paths.length - errors.length, found, errors };
  },
});
