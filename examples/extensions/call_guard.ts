// A guard: it keeps calls away from some paths, counts what every tool does, and
// tells on request.
import { defineExtension } from "rho-ext";

type Tally = Record<string, { calls: number; failed: number }>;

export default defineExtension({
  name: "call_guard",
  version: "1.0.0",
  description: "Keeps tools away from some paths, and counts their calls.",
  // Hooks see what other tools are given and answer, so the user grants each event.
  permissions: { read: [], hooks: ["tool_call", "tool_result"] },
  settings: { protect: { type: "string", default: "migrations/,fixtures/", description: "paths that no tool may be given, separated by commas" } },
  hooks: {
    // What it returns decides; a throw blocks the call as well.
    onToolCall({ toolName, args, risk }, { config }) {
      if (risk === "read") return;
      const paths = String(config.protect).split(",").map((p) => p.trim()).filter(Boolean);
      const text = JSON.stringify(args);
      const hit = paths.find((p) => text.includes(p));
      if (hit !== undefined) return { block: `${toolName} may not touch ${hit}: its files are made by hand. Ask the user.` };
    },
    // State is kept as JSON on disk. Of two calls at once the last one wins, so
    // each tool has its own key.
    async onToolResult({ toolName, isError }, { state }) {
      const now = (await state.get<Tally[string]>(toolName)) ?? { calls: 0, failed: 0 };
      await state.set(toolName, { calls: now.calls + 1, failed: now.failed + (isError ? 1 : 0) });
    },
  },
  commands: [
    {
      name: "tally",
      description: "Tell which tools were called, and how often they failed; `tally reset` begins anew.",
      complete: (prefix) => ["reset"].filter((word) => word.startsWith(prefix)),
      async run(text, { state }) {
        const names = await state.keys();
        if (text.trim() === "reset") {
          for (const name of names) await state.delete(name);
          return `forgot ${names.length} tools`;
        }
        const lines: string[] = [];
        for (const name of names) {
          const { calls, failed } = (await state.get<Tally[string]>(name)) ?? { calls: 0, failed: 0 };
          lines.push(`${name}: ${calls} calls, ${failed} failed`);
        }
        return lines.join("\n") || "no tool was called yet";
      },
    },
  ],
});
