// A file as it was written for rho: no import, a manifest object, arguments as
// JSON text, and the synchronous global rho. It runs unchanged.
// modern_rho.ts is the same tool in the new style.

export default {
  name: "legacy-rho",
  version: "1.0.0",
  tools: [
    {
      name: "legacy_head",
      description: "Show the first lines of a text file of the project, with line numbers.",
      risk: "read",
      parameters: {
        path: { type: "string", description: "Path of the file, relative to the project's root", required: true },
        lines: { type: "integer", description: "How many lines to show (default 10)" },
      },
      execute: async (args: string): Promise<string> => {
        const { path, lines } = JSON.parse(args);
        const limit = lines ?? 10;
        if (limit < 1) {
          throw new Error("lines must be at least 1, got " + limit);
        }
        rho.log("debug", "reading " + path + " in " + rho.getProjectRoot());
        const all = rho.readFile(path).split("\n");
        if (all[all.length - 1] === "") {
          all.pop();
        }
        const shown = all.slice(0, limit);
        const width = String(shown.length).length;
        const body = shown.map((line, i) => String(i + 1).padStart(width) + "  " + line + "\n").join("");
        return path + ": " + shown.length + " of " + all.length + " lines\n" + body;
      },
    },
  ],
};
