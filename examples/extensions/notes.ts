import { defineExtension, defineTool, s, ToolError } from "rho-ext";

// What this extension may be granted at most. Reading its folder needs no grant,
// as it lies in the project; writing there does.
const permissions = { read: ["notes"], write: ["notes"] };

const name = s.string({ pattern: "^[a-z0-9-]+$", maxLength: 60 }).describe("the note, such as shopping-list");

const add = defineTool({
  name: "note_add",
  description: "Append a line to one of the project's notes.",
  risk: "write",
  parameters: { name, line: s.string({ minLength: 1, maxLength: 2000 }).describe("what to note") },
  async execute({ name, line }, { fs, log }) {
    const path = `notes/${name}.md`;
    await fs.append(path, `- ${line}\n`);
    const { size } = await fs.stat(path);
    log.info("noted", { path, size });
    return `${path} has ${size} bytes now`;
  },
});

const read = defineTool({
  name: "note_read",
  description: "Read one of the project's notes, or list them all.",
  risk: "read",
  parameters: { name: name.optional() },
  async execute({ name }, { fs }) {
    if (name === undefined) {
      const all = await fs.glob("notes/*.md");
      return all.length > 0 ? all.join("\n") : "there are no notes yet";
    }
    try {
      return await fs.read(`notes/${name}.md`);
    } catch (error) {
      if ((error as { code?: string }).code !== "ENOENT") throw error;
      throw new ToolError(`there is no note ${name}`, { kind: "not_found", hint: "note_read without a name lists them" });
    }
  },
});

export default defineExtension({
  name: "Notes",
  version: "1.0.0",
  description: "Notes of the project, one Markdown file each.",
  permissions,
  tools: [add, read],
});
