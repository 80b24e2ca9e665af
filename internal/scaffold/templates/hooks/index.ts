// A guard: it sees every call of a tool before it runs, and stops those that
// would change what is protected. It does nothing before the user lets it hear of
// calls: rho-ext grant my-tool --allow-hook=tool_call
import { defineExtension } from "rho-ext";

/** Every text in a value, however deep. */
function* texts(value: unknown): Generator<string> {
  if (typeof value === "string") yield value.replaceAll("\\", "/");
  else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) yield* texts(part);
}

export default defineExtension({
  name: "my-tool",
  version: "0.1.0",
  description: "Keeps tools from changing protected paths.",
  permissions: { read: [], hooks: ["tool_call"] },
  // A user changes it in config.toml, under [settings.my-tool].
  settings: {
    protect: { type: "string", default: "migrations/, LICENSE", description: "what no tool may change, separated by commas" },
  },
  hooks: {
    // Nothing lets the call be. { block } stops it, and the model reads why; {
    // args } changes its arguments, and { result } answers in its place. A hook
    // that throws, or takes more than 2 seconds, blocks the call.
    onToolCall({ toolName, args, risk }, { config, log }) {
      if (risk === "read") return;
      const paths = String(config.protect).split(",").map((p) => p.trim()).filter(Boolean);
      const all = [...texts(args)];
      const hit = paths.find((path) => all.some((text) => text.includes(path)));
      if (hit === undefined) return;
      log.info("blocked", { toolName, path: hit });
      return { block: `${toolName} may not touch ${hit}: it is protected. Ask the user to change it.` };
    },
  },
});
