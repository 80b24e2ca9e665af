// What both tools need: where the notes are, and how they are read.
import type { ToolContext } from "rho-ext";

export const folder = "notes";
export const file = `${folder}/my_tool.txt`;

/** All notes, the oldest first. */
export async function read({ fs }: ToolContext): Promise<string[]> {
  try {
    return (await fs.read(file)).split("\n").filter(Boolean);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return []; // nobody has written one yet
    throw error;
  }
}
