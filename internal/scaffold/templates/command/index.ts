// A command: something that a person starts by its name, with any text behind
// it. This one keeps a list in ctx.state, which survives reloads and restarts.
import { defineExtension, ToolError, type Context } from "rho-ext";

const words = ["add", "done", "list", "clear"];

const read = async ({ state }: Context) => (await state.get<string[]>("items")) ?? [];

const show = (items: string[]) => items.map((item, i) => `${i + 1}. ${item}`).join("\n") || "nothing to do";

export default defineExtension({
  name: "my-tool",
  version: "0.1.0",
  description: "A list of things to do.",
  permissions: { read: [] }, // it touches no files
  commands: [
    {
      name: "my-tool",
      description: "Keep a list: add TEXT, done NUMBER, list, clear.",

      // What the text may go on with: first a word, then the number of an item.
      async complete(prefix, ctx) {
        if (!prefix.includes(" ")) return words.filter((word) => word.startsWith(prefix));
        if (!prefix.startsWith("done ")) return [];
        return (await read(ctx)).map((_, i) => `done ${i + 1}`).filter((text) => text.startsWith(prefix));
      },

      async run(text, ctx) {
        const [word = "", ...rest] = text.trim().split(/\s+/);
        const argument = rest.join(" ");
        const items = await read(ctx);
        switch (word) {
          case "":
          case "list":
            return show(items);
          case "add":
            if (argument === "") throw new ToolError("there is nothing to add", { kind: "invalid_args", hint: "my-tool add TEXT" });
            items.push(argument);
            break;
          case "done": {
            const i = Number(argument) - 1;
            if (!(i in items)) throw new ToolError(`there is no item ${argument || "without a number"}`, { kind: "not_found", hint: "my-tool list shows the numbers" });
            items.splice(i, 1);
            break;
          }
          case "clear":
            items.length = 0;
            break;
          default:
            throw new ToolError(`unknown word ${word}`, { kind: "invalid_args", hint: `expected ${words.join(", ")}` });
        }
        await ctx.state.set("items", items); // is on disk when this is done
        return show(items);
      },
    },
  ],
});
